"""Labels of sequences against python-crfsuite: simulated words, a hidden chain of five labels."""

from typing import Any

import numpy as np

from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

N_LABELS, N_WORDS, LENGTH = 5, 200, 20


@workload(
    "sequences-1000x20",
    bar=2.0,
    against="python-crfsuite",
    why="the peer follows gradients, ours has closed steps",
    short=True,
)
def label_sequences(bench: Bench) -> None:
    """Learn 1 000 sequences of 20 words; the score is the accuracy of tokens of 1 000 others.

    Both have the word alone as a feature, and start from columns or texts that are there already.
    """
    n_sequences = bench.rows(1_000)
    words, labels = _simulated(n_sequences, 1)
    others, truth = _simulated(n_sequences, 2)
    bench.compare(
        {
            "branchline": lambda: _ours(words, labels, others, bench.threads),
            "python-crfsuite": lambda: _crfsuite(words, labels, others),
        },
        score=lambda predicted: float(np.mean(predicted == truth)),
        closeness=0.005,
    )


def _simulated(n_sequences: int, seed: int) -> tuple[Any, Any]:
    """Return words and labels, a row for each sequence."""
    fixed, draws = np.random.default_rng(7), np.random.default_rng(seed)
    moves = fixed.dirichlet(np.full(N_LABELS, 0.25), N_LABELS)
    usual = fixed.dirichlet(np.full(N_WORDS, 0.06), N_LABELS)
    labels = np.empty((n_sequences, LENGTH), dtype=np.intp)
    words = np.empty_like(labels)
    for sequence in range(n_sequences):
        label = draws.integers(N_LABELS)
        for place in range(LENGTH):
            labels[sequence, place] = label
            words[sequence, place] = draws.choice(N_WORDS, p=usual[label])
            label = draws.choice(N_LABELS, p=moves[label])
    return words, labels


def _table(words: Any) -> Any:
    import polars as pl

    from branchline.table import as_table

    n_sequences = len(words)
    texts = np.array([f"w{at}" for at in range(N_WORDS)])
    columns = {
        "sequence": np.repeat(np.arange(n_sequences), LENGTH),
        "position": np.tile(np.arange(LENGTH), n_sequences),
        "word": texts[words.ravel()],
    }
    return as_table(pl.DataFrame(columns))


def _ours(words: Any, labels: Any, others: Any, threads: int) -> Any:
    from branchline.sequence import SequenceLabeler

    table, new, answers = _table(words), _table(others), labels.ravel()
    model = SequenceLabeler("sequence", "position", window=0, n_jobs=threads)
    return lambda: model.fit(table, answers).predict(new).reshape(others.shape)


def _crfsuite(words: Any, labels: Any, others: Any) -> Any:
    crfsuite = import_peer("python-crfsuite")
    known, new = ([[[f"w{word}"] for word in row] for row in rows.tolist()]
                  for rows in (words, others))  # fmt: skip
    answers = [[str(label) for label in row] for row in labels.tolist()]

    def learn() -> Any:
        import tempfile
        from pathlib import Path

        trainer = crfsuite.Trainer(verbose=False)
        for tokens, right in zip(known, answers, strict=True):
            trainer.append(tokens, right)
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "model")
            trainer.train(path)
            tagger = crfsuite.Tagger()
            tagger.open(path)
            found = [[int(label) for label in tagger.tag(tokens)] for tokens in new]
            tagger.close()
        return np.array(found)

    return learn
