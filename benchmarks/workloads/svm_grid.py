"""Choosing C and γ by five folds: ``SVCGrid`` against GridSearchCV of scikit-learn's SVC.

Rows are 2 000 of covertype, the largest class against the rest, standardized. Both try the same
hundred cells and fit the best one to all rows; folds differ. Scores are accuracies of the chosen
machines on 20 000 new rows. Which cells were chosen, and what the folds of both say of them, is in
the settings of the record and told on stderr.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer
from benchmarks._svm_problems import covertype_two_classes
from benchmarks.workloads.svm import CACHE_MB, TOLERANCE
from benchmarks.workloads.tree import accuracy

# The best cells (C near 1000 with the smaller γ) lie inside the grid.
STRENGTHS = np.logspace(-1, 5, 10)
GAMMAS = np.logspace(-3, 1, 10)
FOLDS = 5
# Two standard errors of a difference of accuracies on 20 000 rows are at most this.
CLOSE = 0.01


@workload(
    "svm-grid-covertype-2k",
    bar=100.0,
    against="scikit-learn",
    why="neighboring C start from each other, folds share distances",
    short=True,
)
def grid(bench: Bench) -> None:
    """Choose among 10 × 10 C and γ by 5 folds on 2 000 × 54 rows of covertype, two classes."""
    data = covertype_two_classes(bench.rows(2000))
    if data is None:
        bench.skip(ABSENT)
    searched: dict[str, Any] = {}

    def score(search: Any) -> float:
        searched["branchline" if hasattr(search, "fold_scores_") else "scikit-learn"] = search
        return accuracy(search.predict(data.X_test), data.y_test)

    bench.compare(
        {
            "branchline": lambda: our_search(data, bench.threads),
            "scikit-learn": lambda: their_search(data, bench.threads),
        },
        score=score,
        closeness=CLOSE,
        settings={"cells": len(STRENGTHS) * len(GAMMAS), "folds": FOLDS, "tol": TOLERANCE},
    )
    if len(searched) == 2:
        words = chosen(searched["branchline"], searched["scikit-learn"])
        bench.comparison.settings["chosen"] = words
        print(*words, sep="\n", file=sys.stderr)


def our_search(data: Data, threads: int) -> Callable[[], Any]:
    """Return the search on one matrix of distances."""
    from branchline.svm import SVCGrid

    search = SVCGrid(
        STRENGTHS,
        GAMMAS,
        relative_gamma=False,
        n_folds=FOLDS,
        standardize=False,
        tol=TOLERANCE,
        n_jobs=threads,
    )
    return lambda: search.fit(data.X, data.y)


def their_search(data: Data, threads: int) -> Callable[[], Any]:
    """Return scikit-learn's search, a process for each thread."""
    svm = import_peer("scikit-learn", "svm")
    selection = import_peer("scikit-learn", "model_selection")
    cells = {"C": STRENGTHS, "gamma": GAMMAS}
    model = svm.SVC(tol=TOLERANCE, cache_size=CACHE_MB / threads)
    search = selection.GridSearchCV(model, cells, cv=FOLDS, n_jobs=threads)
    return lambda: search.fit(data.X, data.y)


def chosen(ours: Any, theirs: Any) -> list[str]:
    """Return a line for each chosen cell: its mean accuracy by the folds of both, ± over folds."""
    lines = []
    for name, search in (("branchline", ours), ("scikit-learn", theirs)):
        cell = search.best_params_
        seen = [_shown(folds) for folds in (_our_folds(ours, cell), _their_folds(theirs, cell))]
        words = f"{name} chose C = {cell['C']:.4g}, gamma = {cell['gamma']:.4g}"
        lines.append(f"{words}: {seen[0]} by branchline's folds, {seen[1]} by GridSearchCV's")
    return lines


def _shown(folds: Any) -> str:
    error = np.std(folds, ddof=1) / np.sqrt(len(folds))
    return f"{np.mean(folds):.4f} ± {error:.4f}"


def _our_folds(search: Any, cell: dict[str, float]) -> Any:
    gamma = int(np.argmin(np.abs(search.gammas_ - cell["gamma"])))
    strength = int(np.argmin(np.abs(search.strengths_ - cell["C"])))
    return search.fold_scores_[gamma, strength]


def _their_folds(search: Any, cell: dict[str, float]) -> Any:
    found = search.cv_results_
    distance = np.abs(np.log(found["param_C"].astype(float) / cell["C"]))
    distance += np.abs(np.log(found["param_gamma"].astype(float) / cell["gamma"]))
    at = int(np.argmin(distance))
    return np.array([found[f"split{fold}_test_score"][at] for fold in range(FOLDS)])
