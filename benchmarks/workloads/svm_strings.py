"""Kernel matrices of sequences: 60 symbols of four letters, drawn once.

scikit-learn has no string kernels; a spectrum kernel is the product of counts of windows, which its
CountVectorizer and a sparse product give. No installed peer has the other kernels: they are timed
alone, the slow ones on fewer sequences. Scores are mean kernel values.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

LENGTH = 60
SEED = 0
CLOSE = 1e-9


def sequences(n_rows: int) -> list[str]:
    """Return texts of A, C, G and T."""
    symbols = np.random.default_rng(SEED).choice(np.array(list("ACGT")), (n_rows, LENGTH))
    return ["".join(row) for row in symbols]


@workload("string-gram-spectrum-10k-60")
def spectrum(bench: Bench) -> None:
    """Compare 10 000 sequences of 60 by their windows of 6."""
    texts = sequences(bench.rows(10_000))
    _compare(bench, "Spectrum", texts, {"k": 6}, {"scikit-learn": lambda: counts(texts, 6)})


@workload("string-gram-weighted-degree-10k-60")
def weighted_degree(bench: Bench) -> None:
    """Compare 10 000 sequences of 60 by equal parts of up to 8 at equal places."""
    _compare(bench, "WeightedDegree", sequences(bench.rows(10_000)), {"degree": 8})


@workload("string-gram-common-substrings-2k-60")
def common_substrings(bench: Bench) -> None:
    """Compare 2 000 sequences of 60 by all common parts of 3 and more."""
    _compare(bench, "CommonSubstrings", sequences(bench.rows(2000)), {"min_length": 3})


@workload("string-gram-subsequence-2k-60")
def subsequence(bench: Bench) -> None:
    """Compare 2 000 sequences of 60 by common subsequences of 5, with gaps."""
    _compare(bench, "Subsequence", sequences(bench.rows(2000)), {"length": 5})


def _compare(
    bench: Bench,
    name: str,
    texts: list[str],
    settings: dict[str, Any],
    peers: dict[str, Callable[[], Any]] | None = None,
) -> None:
    bench.compare(
        {"branchline": lambda: ours(name, texts, settings, bench.threads), **(peers or {})},
        score=lambda gram: float(gram.mean()),
        closeness=CLOSE if peers else None,
        memory=bool(peers),
        settings={"kernel": name, **settings},
    )


def ours(name: str, texts: list[str], settings: dict[str, Any], threads: int) -> Callable[[], Any]:
    from branchline import kernels

    kernel = getattr(kernels, name)(**settings)
    return lambda: kernel.gram(texts, n_jobs=threads)


def counts(texts: list[str], k: int) -> Callable[[], Any]:
    """Return the product of counted windows, in one thread."""
    text = import_peer("scikit-learn", "feature_extraction.text")

    def call() -> Any:
        windows = text.CountVectorizer(
            analyzer="char", ngram_range=(k, k), lowercase=False, dtype=np.float64
        )
        found = windows.fit_transform(texts)
        return (found @ found.T).toarray()

    return call
