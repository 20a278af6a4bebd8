"""Hoeffding trees against river, test-then-train on Agrawal's fourth function."""

from typing import Any

import numpy as np

from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer


@workload(
    "stream-agrawal",
    bar=50.0,
    against="river",
    why="the peer is Python, ours is compiled",
    short=True,
)
def hoeffding_trees(bench: Bench) -> None:
    """Predict each row, then learn from it; the score is the share of right predictions."""
    X, y = _rows(bench, 4)
    bench.compare(
        {
            "branchline": lambda: _ours("HoeffdingTreeClassifier", X, y),
            "river": lambda: _river("HoeffdingTreeClassifier", X, y),
        },
        score=lambda found: float((found == y).mean()),
        closeness=0.01,
    )


@workload(
    "stream-agrawal-adaptive", bar=50.0, against="river", why="the peer is Python, ours is compiled"
)
def adaptive_trees(bench: Bench) -> None:
    """Likewise, with trees that rebuild branches whose errors rise."""
    X, y = _rows(bench, 4)
    bench.compare(
        {
            "branchline": lambda: _ours("AdaptiveHoeffdingTreeClassifier", X, y),
            "river": lambda: _river("HoeffdingAdaptiveTreeClassifier", X, y),
        },
        score=lambda found: float((found == y).mean()),
        closeness=0.01,
    )


def _rows(bench: Bench, function: int) -> tuple[Any, Any]:
    """Return river's own rows, so that both learn from the same."""
    synth = import_peer("river", "datasets.synth")
    stream = synth.Agrawal(classification_function=function, seed=1)
    rows = list(stream.take(bench.rows(100_000)))
    X = np.array([list(row.values()) for row, _ in rows], dtype=float)
    return X, np.array([truth for _, truth in rows])


def _ours(name: str, X: Any, y: Any) -> Any:
    import branchline.stream as room

    def run() -> Any:
        model = getattr(room, name)()
        return model.predict_then_learn(X, y, classes=[0, 1]).argmax(axis=1)

    return run


def _river(name: str, X: Any, y: Any) -> Any:
    tree = import_peer("river", "tree")
    rows = [dict(enumerate(row)) for row in X.tolist()]

    def run() -> Any:
        model = getattr(tree, name)()
        found = []
        for row, truth in zip(rows, y.tolist(), strict=True):
            found.append(model.predict_one(row))
            model.learn_one(row, truth)
        return np.array([-1 if one is None else one for one in found])

    return run
