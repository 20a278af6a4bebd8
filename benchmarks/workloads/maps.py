"""Self-organizing maps against minisom (NumPy), at about equal quantization error."""

from typing import Any

import numpy as np

from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

SIZE, N_COLUMNS, N_EPOCHS_OF_PEER = 15, 10, 10


@workload("map-15x15", bar=20.0, against="minisom", why="the peer is Python")
def train_maps(bench: Bench) -> None:
    """Train a map on 8 groups in 10 columns; the score is minus the quantization error.

    Both radii end at half a unit. The peer has 10 epochs row by row, ours 40 in batches: with these
    the errors are about equal.
    """
    from sklearn.datasets import make_blobs

    rows = make_blobs(bench.rows(10_000), N_COLUMNS, centers=8, random_state=0)[0]
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    bench.compare(
        {
            "branchline": lambda: _ours(rows, bench.threads),
            "minisom": lambda: _minisom(rows),
        },
        score=lambda codes: -_error(rows, codes),
        closeness=0.01,
    )


def _ours(rows: Any, threads: int) -> Any:
    from branchline.cluster import SelfOrganizingMap

    model = SelfOrganizingMap(
        SIZE, SIZE, grid="square", n_epochs=40, standardize=False, n_jobs=threads
    )

    def train() -> Any:
        fitted = model.fit(rows)
        return fitted.codes_ * fitted._preparation.scale + fitted._preparation.center

    return train


def _minisom(rows: Any) -> Any:
    make = import_peer("minisom").MiniSom

    def train() -> Any:
        made = make(SIZE, SIZE, N_COLUMNS, sigma=1.5, learning_rate=0.5, random_seed=0)
        made.pca_weights_init(rows)
        made.train(rows, N_EPOCHS_OF_PEER * len(rows))
        return made.get_weights().reshape(-1, N_COLUMNS)

    return train


def _error(rows: Any, codes: Any) -> float:
    blocks = np.array_split(rows, max(1, len(rows) // 500))
    nearest = [((some[:, None] - codes[None]) ** 2).sum(axis=2).min(axis=1) for some in blocks]
    return float(np.sqrt(np.concatenate(nearest)).mean())
