"""Fits, workers, blocks and faults of a cluster: each must end in the same bytes.

The small form is ``tests/scale/test_matrix.py``; the large form is ``python -m fuzz.cluster``.
"""

import contextlib
import os
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import distributed
import numpy as np

from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.forest import ExtraTreesRegressor, RandomForestClassifier
from branchline.scale import fit_on
from branchline.scale._fail_points import FAIL_AT, FAULTS
from branchline.table import Table, as_table

N = 2500
WORKERS, BLOCKS = (1, 2, 3, 5), (997, 16384, N)
SECONDS = 60
# Places where a session fails: of rounds, and of trees.
ROUND_PLACES = (
    "load",
    "code",
    "exchange 0",
    "histogram 0",  # level 0
    "histogram 3",  # a level below
    "leaf update",
    "shutdown",
)
TREE_PLACES = ("load", "code", "tree 0", "grown", "shutdown")
FAULT_NAMES = tuple(FAULTS)
ENDING = {"kill", "stop", "memory"}  # after these a worker must be replaced


class Case(NamedTuple):
    """A model, its target, and weights of its rows."""

    model: Any
    target: Any
    weight: Any = None

    def fit(self, X: Table) -> bytes:
        """Return the saved model of a fit in this process."""
        return saved(self.model.fit(X, self.target, sample_weight=self.weight))

    def fit_on(self, engine: Any, X: Table, **given: Any) -> bytes:
        """Return the saved model of a fit on a cluster."""
        return saved(fit_on(engine, self.model, X, self.target, self.weight, **given))


def saved(model: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return path.read_bytes()


def rows() -> Table:
    """Return numbers with missing values, and categories."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(N, 5))
    X[rng.random(X.shape) < 0.03] = np.nan
    kind = rng.choice(["u", "v", "w", "x"], N)
    given = {name: X[:, place] for place, name in enumerate("abcde")}
    return as_table({**given, "kind": [None if name == "x" else name for name in kind]})


def cases(X: Table) -> dict[str, Case]:
    """Return the fits whose models must not depend on the cluster."""
    rng = np.random.default_rng(7)
    a, b = (np.nan_to_num(X.column(name).numbers()) for name in "ab")
    y = 2 * a + a * b + rng.normal(size=N)
    two, several = (y > 0).astype(str), np.digitize(y, [-1, 1]).astype(str)
    boosted, numbers = GradientBoostingClassifier, GradientBoostingRegressor
    return {
        "binary": Case(boosted(n_estimators=4), two),
        "several classes": Case(boosted(n_estimators=3), several),
        "regression": Case(numbers(n_estimators=4), y),
        "weights": Case(boosted(n_estimators=4), two, rng.random(N)),
        "copies": Case(numbers(n_estimators=4), y, rng.integers(0, 4, N).astype(float)),
        "categories": Case(boosted(n_estimators=4, growth="symmetric"), two),
        "draws": Case(numbers(n_estimators=4, subsample=0.5, max_features=0.5), y),
        "early stopping": Case(numbers(n_estimators=8, early_stopping=True, patience=2), y),
        "forest": Case(RandomForestClassifier(n_estimators=8), two),
        "extra-trees": Case(ExtraTreesRegressor(n_estimators=8), y),
    }


@contextlib.contextmanager
def cluster(n_workers: int) -> Iterator[Any]:
    """Give a client of processes on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as processes,
        distributed.Client(processes, set_as_default=False) as client,
    ):
        yield client


def fail_at(told: str) -> None:
    """Let the sessions of a worker fail somewhere."""
    os.environ[FAIL_AT] = told


def with_fault(client: Any, place: str, fault: str, mark: Path, fit: Callable[[], bytes]) -> bytes:
    """Return what a fit gives while a worker fails once at one place."""
    run_on_all(client, fail_at, f"{place}|{fault}|{mark}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # W109
            return fit()
    finally:
        end = time.monotonic() + 5  # the last place is passed after the fit
        while not mark.exists() and time.monotonic() < end:
            time.sleep(0.05)
        if fault in ENDING and mark.exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(mark.read_text()), signal.SIGKILL)


def run_on_all(client: Any, call: Callable[..., Any], *given: Any) -> list[Any]:
    """Return what a function returns on each worker; a worker that ends meanwhile is waited for."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            return list(client.run(call, *given).values())
        except (OSError, TimeoutError):
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
