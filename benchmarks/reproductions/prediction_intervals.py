"""``python -m benchmarks.reproductions.prediction_intervals``: how many new rows intervals hold.

1. Of a real table, some rows are drawn for training (300, or two thirds of a small table). A
   learner is fitted on them, its errors are measured by ten folds, and up to 1,500 other rows are
   predicted with 90 % intervals, or sets of classes.
2. The part of these rows whose truth is inside is averaged over splits. For numbers also the width
   is shown, divided by that of an interval that knows nothing (the middle 90 % of all targets).

Wanted: 88 to 92 % for numbers, at least 88 % for classes (the predicted class is always in the set,
so a learner that is right in 97 % of rows has at least 97 %).
"""

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._defaults_sets import TABLES, DataTable
from branchline import fit_intervals, make, predict_interval
from branchline.assess import ClassSets

NUMBERS = ("auto-mpg", "abalone", "concrete", "california", "bike", "diamonds", "fried")
CLASSES = ("german-credit", "heart", "pima", "glass", "soybean", "segment", "magic")
LEARNERS = {
    "regression": ("ridge", "tree", "random_forest", "gradient_boosting", "nearest_neighbors"),
    "classification": ("logistic", "tree", "random_forest", "naive_bayes", "nearest_neighbors"),
}
MOST_TESTED = 1500
LEVEL = 0.9


class Coverage(NamedTuple):
    """Over splits: the mean part of rows held, its standard error, the mean size."""

    held: float
    error: float
    size: float
    n_splits: int


def measure(data: DataTable, learner: str, options: argparse.Namespace) -> Coverage:
    """Return how many new rows a learner's intervals hold."""
    began, held, size = time.process_time(), [], []
    for split in range(options.splits):
        if time.process_time() - began > options.seconds:
            break
        one = _one_split(data, learner, split, options.rows)
        held.append(one[0])
        size.append(one[1])
    error = float(np.std(held, ddof=1) / np.sqrt(len(held))) if len(held) > 1 else np.nan
    return Coverage(float(np.mean(held)), error, float(np.mean(size)), len(held))


def _one_split(data: DataTable, learner: str, split: int, n_rows: int) -> tuple[float, float]:
    order = np.random.default_rng([31, split]).permutation(len(data.y))
    n_train = min(n_rows, 2 * len(order) // 3)
    train, test = order[:n_train], order[n_train:][:MOST_TESTED]
    task = "regression" if data.is_regression else "classification"
    X, y, truth = data.X.rows(train), data.y[train], data.y[test]
    model = make(learner, task=task).fit(X, y)
    found = predict_interval(fit_intervals(model, X, y), data.X.rows(test), level=LEVEL)
    if isinstance(found, ClassSets):
        place = np.minimum(np.searchsorted(found.classes, truth), len(found.classes) - 1)
        held = found.contains[np.arange(len(test)), place] & (found.classes[place] == truth)
        return float(held.mean()), float(found.contains.sum(axis=1).mean())
    usual = np.diff(np.quantile(y, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))[0]
    held = (found.lower <= truth) & (truth <= found.upper)
    return float(held.mean()), float((found.upper - found.lower).mean() / usual)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--splits", type=int, default=200, help="splits of each table (default: 200)")
    add("--seconds", type=float, default=1e9, help="CPU seconds for each table and learner at most")
    add("--rows", type=int, default=300, help="rows for training (default: 300)")
    add("--sets", nargs="*", default=[*NUMBERS, *CLASSES], help="names of tables")
    options = parser.parse_args(arguments)
    limit_processes(1)
    warnings.simplefilter("ignore")
    print("| table | learner | held | size | splits |\n|---|---|--:|--:|--:|")
    for name in options.sets:
        data = TABLES[name]()
        for learner in LEARNERS["regression" if data.is_regression else "classification"]:
            one = measure(data, learner, options)
            held = f"{100 * one.held:.1f} ± {100 * one.error:.1f} %"
            print(f"| {name} | {learner} | {held} | {one.size:.2f} | {one.n_splits} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
