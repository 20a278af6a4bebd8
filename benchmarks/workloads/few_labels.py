"""Few labels: rows without a label on graphs and margins, against scikit-learn where it can."""

from typing import Any

import numpy as np

from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer


@workload(
    "label-spreading-5k",
    bar=0.3,
    against="scikit-learn",
    why="ours finds the graph in mixed tables, which costs more than numbers",
)
def spreading(bench: Bench) -> None:
    """Spread 40 labels over 5 000 × 20 numbers of eight groups; score: accuracy on the others."""
    rows, truth, known = _groups(bench.rows(5_000))
    theirs = np.where(np.isnan(known), -1, np.nan_to_num(known)).astype(int)

    def ours() -> Any:
        from branchline.semi import LabelSpreading

        model = LabelSpreading(n_jobs=bench.threads)
        return lambda: model.fit(rows, known).transduction_

    def other() -> Any:
        spread = import_peer("scikit-learn", "semi_supervised").LabelSpreading
        model = spread(kernel="knn", n_neighbors=7, n_jobs=bench.threads)
        return lambda: model.fit(rows, theirs).transduction_

    bench.compare(
        {"branchline": ours, "scikit-learn": other},
        score=lambda found: float((found == truth).mean()),
        closeness=0.02,
    )


@workload("s3vm-1k", limit=2.0, why="a person waits for it")
def margins(bench: Bench) -> None:
    """Fit an S3VM of two classes on 1 000 × 20 numbers with 40 labels; score: accuracy."""
    rows, truth, known = _groups(bench.rows(1_000))
    two, labels = truth % 2, known % 2

    def ours() -> Any:
        from branchline.semi import S3VM

        model = S3VM(n_jobs=bench.threads)
        return lambda: model.fit(rows, labels).transduction_

    bench.compare(
        {"branchline": ours},
        score=lambda found: float((found == two).mean()),
        reference=None,
    )


def _groups(n_rows: int) -> tuple[Any, Any, Any]:
    """Return rows around eight centers, their group, and the group of 40 rows."""
    draws = np.random.default_rng(5)
    truth = np.arange(n_rows) % 8
    rows = draws.normal(size=(n_rows, 20)) + 2.0 * draws.normal(size=(8, 20))[truth]
    known = truth.astype(float)
    known[40:] = np.nan
    return rows, truth, known
