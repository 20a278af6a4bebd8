"""The labels that S3VM proves to be the best, against every labeling, solved by LIBSVM.

1. A number determines a table of mixed columns with missing values, labels of some rows, up to 12
   rows without one, and the parameters of an S3VM; on some tables whole weights.
2. Each machine that ``fit`` searches labels for is looked at: its kernel matrix, its costs, and how
   many rows of a class are allowed.
3. scikit-learn's SVC (LIBSVM) solves the machine of every allowed labeling. No labeling may have an
   objective below that of the labels found, and the bound must be below the least of them.

``python -m fuzz.labelings --tables 200 --seed 1``, from the folder ``tests``.
"""

import argparse
import random
import sys
import warnings
from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np

from branchline.errors import BranchlineError, BranchlineWarning
from branchline.semi import S3VM
from branchline.svm import _s3vm
from fuzz.harness import FAILURES, Campaign, main, run, summary
from fuzz.random_tables import random_frame, random_target
from twins.few_labels import best_by_libsvm

__all__ = ["CAMPAIGN", "attempt"]

_MOST_FREE = 12
_LIMIT = 300.0  # seconds for a case
_MEMORY = 2**32
_TOLERANCE = 1e-6  # of an objective: what either solver leaves open


def attempt(seed: int, number: int) -> str:
    """Try a table: "usable", or "refused" with a code; anything else is raised."""
    rng = random.Random(f"{seed}:{number}")
    frame, y, weight = _table(rng)
    model = _model(rng, y)
    seen: list[tuple[Any, Any]] = []

    def search(problem: Any, start: Any, max_nodes: int) -> Any:
        found = _exact(problem, start, max_nodes)
        seen.append((problem, found))
        return found

    with mock.patch.object(_s3vm, "exact_labeling", search), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", BranchlineWarning)
        try:
            model.fit(frame, y, weight)
        except BranchlineError as error:
            if error.code:
                return "refused"
            raise
    assert not np.any(np.atleast_1d(model.search_gap_) > 0), model.search_gap_
    for problem, found in seen:
        _judge(problem, found)
    return "usable"


_exact = _s3vm.exact_labeling


def _judge(problem: Any, found: Any) -> None:
    least, low = best_by_libsvm(problem)
    close = _TOLERANCE * max(1.0, least)
    assert found.machine.primal <= least + close, (found.machine.primal, least)
    assert found.machine.primal >= low - close, (found.machine.primal, low)
    assert found.bound <= least + close, (found.bound, least)
    positive = float(problem.mass[found.labels > 0].sum())
    assert problem.least <= positive <= problem.most


def _table(rng: random.Random) -> tuple[Any, Any, Any]:
    frame = random_frame(rng)
    while len(frame) < 12 or frame.shape[1] > 8:
        frame = random_frame(rng)
    n_free, n_known = rng.randint(1, _MOST_FREE), rng.randint(3, 10)
    places = rng.sample(range(len(frame)), min(len(frame), n_free + n_known))
    y = random_target(rng, frame, rng.choice(["two classes", "two classes", "classification"]))
    y = np.array(y[places], dtype=object)
    y[-min(n_free, len(y) - 2) :] = None
    weights = np.array([rng.randint(1, 3) for _ in y]) if rng.random() < 0.3 else None
    return frame.iloc[places].reset_index(drop=True), y, weights


def _model(rng: random.Random, y: Any) -> S3VM:
    classes = sorted(set(y) - {None})
    shares = np.array([rng.uniform(0.2, 1.0) for _ in classes])
    given = dict(zip(classes, (shares / shares.sum()).tolist(), strict=True))
    return S3VM(
        rng.choice([0.1, 1.0, 10.0, 100.0]),
        C_unlabeled=rng.choice(["auto", "auto", 0.1, 1.0, 10.0]),
        class_shares=rng.choice(["auto", "labels", given]),
        search=rng.choice(["auto", "exact"]),
        max_nodes=100_000,
        kernel=rng.choice(["linear", "rbf", "rbf", "poly"]),
        gamma=rng.choice(["scale", 0.3, 3.0]),
        n_jobs=1,
    )


CAMPAIGN = Campaign(
    module="fuzz.labelings",
    preload=("branchline", "pandas", "sklearn"),
    kinds=("tables",),
    attempt=attempt,
    prepare=lambda: None,
)


def _main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz.labelings", add_help=False)
    parser.add_argument("--tables", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    given, _ = parser.parse_known_args(arguments)
    if given.tables is None:  # one that is repeated
        main(CAMPAIGN, arguments)
        return
    results = run(
        CAMPAIGN,
        range(given.tables),
        seed=given.seed,
        n_workers=given.workers,
        limit_s=_LIMIT,
        memory=_MEMORY,
    )
    print(summary(CAMPAIGN, results, given.seed))
    sys.exit(any(result.outcome in FAILURES for result in results))


if __name__ == "__main__":
    _main()
