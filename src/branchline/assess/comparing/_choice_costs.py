"""Roughly how long a selector takes on one training set: its fits, by the costs of the catalog."""

import math
from typing import Any

from branchline import catalog
from branchline.features import make_selector

__all__ = ["choice_seconds"]

# Part of a random forest's time that the small forests of selectors take (50 trees of 100).
_SMALL_FOREST = 0.5
_USUAL_ROUNDS, _USUAL_SETS, _USUAL_STEPS, _USUAL_FITS = 30, 300, 8, 20
_WHOLE = {"classification": "logistic", "regression": "linear"}


def choice_seconds(select: Any, task: Any, size: tuple[int, int, int]) -> float:
    """Return the seconds of one choice, on a table of rows, columns and classes."""
    selector = make_selector(select, task=task)
    learner, fits = _fits(selector, task, size[1])
    cost = catalog.entry(learner).costs[task]
    return fits * cost.estimate(*size)


def _fits(selector: Any, task: Any, n_columns: int) -> tuple[str, float]:
    """Return a learner, and about how many fits of it on all columns a choice takes."""
    kind, n_folds = type(selector).__name__, getattr(selector, "n_folds", 1)
    if kind == "SequentialSelector":
        given = selector.n_columns
        steps = given if isinstance(given, int) else min(_USUAL_STEPS, n_columns)
        # Sets are small: each fit takes the time of a few columns of all.
        return _WHOLE[task], n_folds * n_columns * steps * steps / (2 * max(1, n_columns))
    if kind == "GeneticSelector":
        return _WHOLE[task], n_folds * _USUAL_SETS / 2
    if kind == "ShadowSelector":
        return "random_forest", _USUAL_ROUNDS
    fits = {"ModelSelector": 1.0, "RecursiveElimination": float(_USUAL_FITS)}.get(kind, 0.0)
    if getattr(selector, "n_columns", None) == "auto":
        sizes = 2 * math.log2(min(100, max(2, n_columns)))
        # Most sizes are small; together they cost about as much as four of the whole table.
        fits += n_folds * _SMALL_FOREST * min(sizes, 4.0) + fits * n_folds
    return "random_forest", fits
