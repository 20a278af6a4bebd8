"""``python -m benchmarks.reproductions.label_scores``: is the score of a labeled part unbiased.

Four tables are labeled up to 120 rows, a quarter of them check rows. Two estimates of the accuracy
are compared with the accuracy on rows that were never in the pool:

1. ``ActiveLearner.score``: check rows alone, each predicted by a model that has not seen it.
2. The same out-of-fold accuracy over all labeled rows, as if the chosen rows were typical.

Printed: the mean of each, the truth, and how often the 95 % interval of the first holds the truth.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks._peers import limit_processes
from benchmarks.reproductions.stopping_labels import problem
from branchline.active import ActiveLearner
from branchline.forest import RandomForestClassifier
from branchline.table import Table

__all__ = ["main"]

TABLES = ("digits", "german", "satimage", "spambase")
N_POOL, N_TEST, N_LABELS = 800, 1500, 120


def main(arguments: Sequence[str]) -> int:
    """Print a line for each table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--draws", type=int, default=40)
    asked = parser.parse_args(arguments)
    limit_processes(1)
    for name in TABLES:
        X, y = problem(name)
        y = np.asarray(y).astype(str)
        rows = np.array([_one(X, y, seed) for seed in range(asked.draws)])
        own, naive, truth = rows[:, :3].mean(axis=0).round(4)
        print(f"{name}: score {own}, all labeled rows {naive}, truth {truth}, "
              f"interval holds {rows[:, 3].mean():.3f}", flush=True)  # fmt: skip
    return 0


def _one(X: Table, y: Any, seed: int) -> tuple[float, float, float, bool]:
    order = np.random.default_rng(seed).permutation(len(y))
    n_pool = min(N_POOL, int(0.7 * len(y)))
    pool, test = order[:n_pool], order[n_pool : n_pool + N_TEST]
    forest = RandomForestClassifier(n_estimators=50, oob_score=False, random_state=seed, n_jobs=1)
    learner = ActiveLearner(
        X.rows(pool),
        estimator=forest,
        check_share=0.25,
        random_state=seed,
    )
    for rows in learner:
        learner.tell(rows, y[pool][rows])
        if learner.n_labeled >= N_LABELS:
            break
    found = learner.score()
    table, labels = X.rows(pool).rows(learner.rows_labeled), learner.labels
    fold = np.random.default_rng(seed).permutation(len(labels)) % 10
    hits = [
        clone(forest)
        .fit(table.rows(fold != at), labels[fold != at])
        .predict(table.rows(fold == at))
        == labels[fold == at]
        for at in range(10)
    ]
    naive = float(np.mean(np.concatenate(hits)))
    truth = float(np.mean(learner.model_.predict(X.rows(test)) == y[test]))
    return found.estimate, naive, truth, found.low <= truth <= found.high


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
