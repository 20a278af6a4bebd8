"""Warnings about a target, or about inputs that learners cannot use as they are.

1. W010: a few extreme values make nearly all of the squared error, so that scores describe them.
2. W012: a class has fewer rows than there are folds, or accuracy is high without any learning.
3. W013: a free text is an input; learners take every text as a name of its own.
"""

import shlex
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import cell, count, joined, percent
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem
from branchline.errors import BranchlineWarning, Repair
from branchline.table.looking import likely_identifiers

__all__ = ["target_warnings"]

_SQUARED = ("rmse", "mse", "r2")
_FEWEST_ROWS = 20
# A value lies far out when it is this many times the width of the middle half away from the median.
_FAR_OUT = 10.0
_FEW_ROWS, _NEARLY_ALL = 0.02, 0.9
# From this share of the most frequent class on, accuracy says little about the others.
_MOSTLY = 0.95
_MOST = 5
_IN_FOLDS = ("folds", "group_folds")


def target_warnings(problem: Problem, plan: Plan) -> list[BranchlineWarning]:
    """Return what is to be known of the target and of free texts."""
    found = _extreme(problem, plan) if problem.classes is None else _rare(problem, plan)
    return [*found, *_texts(problem)]


# -- extreme values -------------------------------------------------------------------------------


def _extreme(problem: Problem, plan: Plan) -> list[BranchlineWarning]:
    if plan.metric not in _SQUARED or problem.n_rows < _FEWEST_ROWS:
        return []
    target = problem.target.astype(np.float64)
    rows, share = extreme_rows(target)
    if len(rows) == 0:
        return []
    low, high = np.quantile(target, [0.25, 0.75])
    some = [f"{cell(target[row])} in row {row}" for row in rows]
    verb = "makes" if len(rows) == 1 else "make"
    return [
        BranchlineWarning(
            f"{count(len(rows), 'row')} of {problem.n_rows:,} {verb} {percent(share, fine=True)} "
            f"of the squared error of {problem.target_name!r}. It is {joined(some, _MOST)} "
            f"(counted from 0), but {cell(float(low), 3)} to {cell(float(high), 3)} in half of the "
            f"rows: scores by {plan.metric} say little about most rows.",
            code="W010",
            repair=Repair(
                "compare(X, y, metric='mae')  # after mending these rows, if they are errors",
                "mend or remove these rows if they are errors; else --metric mae",
            ),
        )
    ]


def extreme_rows(target: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.intp], float]:
    """Return the few rows that make nearly all of the squared error, and their share of it."""
    none = np.zeros(0, dtype=np.intp)
    unit = float(np.abs(target).max(initial=0.0))
    if not 0 < unit < np.inf:
        return none, 0.0
    low, middle, high = np.quantile(target, [0.25, 0.5, 0.75])
    away = np.abs(target - middle) / unit
    width = (high - low) / unit
    rows = np.flatnonzero(away > _FAR_OUT * width)
    if not 0 < len(rows) <= max(1.0, _FEW_ROWS * len(target)):
        return none, 0.0
    share = float((away[rows] ** 2).sum() / (away**2).sum())
    if share < _NEARLY_ALL:
        return none, share
    return rows[np.argsort(-away[rows], kind="stable")], share


# -- rare classes ---------------------------------------------------------------------------------


def _rare(problem: Problem, plan: Plan) -> list[BranchlineWarning]:
    assert problem.classes is not None
    counts = np.bincount(problem.places, minlength=len(problem.classes))
    texts = [*_too_few_rows(problem, plan, counts), *_high_without_learning(problem, plan, counts)]
    if not texts:
        return []
    return [BranchlineWarning(" ".join(texts), code="W012", repair=_of_rare(plan, counts))]


def _of_rare(plan: Plan, counts: npt.NDArray[Any]) -> Repair:
    """Return the repair: as few folds as the rarest class has rows; metrics that count it."""
    fewest = int(counts.min())
    python, flags = [], []
    if fewest < plan.resampling.n_folds and plan.resampling.kind in _IN_FOLDS and fewest > 1:
        python.append(f"n_folds={fewest}")
        flags.append(f"--folds {fewest}")
    if counts.max() >= _MOSTLY * counts.sum() and plan.metric in {"accuracy", "error"}:
        python.append("metric='auc'")
        flags.append("--metric auc (or balanced_accuracy)")
    if not flags:
        return Repair("# more rows of the rare class", "more rows of the rare class")
    return Repair(f"compare(X, y, {', '.join(python)})", " ".join(flags))


def _too_few_rows(problem: Problem, plan: Plan, counts: npt.NDArray[Any]) -> list[str]:
    """Say which classes are missing from some test sets."""
    assert problem.classes is not None
    folds = plan.resampling.n_folds
    rare = np.flatnonzero(counts < folds)
    if len(rare) == 0 or plan.resampling.kind not in _IN_FOLDS:
        return []
    names = [f"{problem.classes.tolist()[at]!r} ({count(int(counts[at]), 'row')})" for at in rare]
    which = f"Class {names[0]} has" if len(rare) == 1 else f"Classes {joined(names, _MOST)} have"
    return [
        f"{which} fewer rows than there are folds ({folds}). Test sets without such rows say "
        "nothing about them, so scores are uncertain."
    ]


def _high_without_learning(problem: Problem, plan: Plan, counts: npt.NDArray[Any]) -> list[str]:
    assert problem.classes is not None
    share = float(counts.max() / counts.sum())
    if share < _MOSTLY or plan.metric not in {"accuracy", "error"} or len(counts) < 2:
        return []
    usual = problem.classes.tolist()[int(counts.argmax())]
    return [
        f"Always predicting {usual!r} is right in {percent(share, fine=True)} of the rows, so "
        f"{plan.metric} says little about the other rows."
    ]


# -- inputs ---------------------------------------------------------------------------------------


def _texts(problem: Problem) -> list[BranchlineWarning]:
    """Warn of free texts that are inputs: kept on demand, or because there is nothing else."""
    names = [one.name for one in likely_identifiers(problem.table) if one.topic == "text"]
    return [_free_text(problem, name) for name in names[:_MOST]]


def _free_text(problem: Problem, name: str) -> BranchlineWarning:
    is_alone = problem.table.n_columns == 1
    only = " and is the only input" if is_alone else ""
    kept = "" if is_alone else f", keep=[{name!r}]"
    drop = "" if is_alone else f"--drop {shlex.quote(name)}; "
    return BranchlineWarning(
        f"Column {name!r} holds free text{only}. The learners of the catalog take every different "
        "text as a name and learn nothing from its words. A support vector machine with a string "
        "kernel does learn from them.",
        code="W013",
        repair=Repair(
            "from branchline.kernels import Spectrum\n"
            "from branchline.svm import SVC\n"
            f"reader = SVC(10, kernel=Spectrum({name!r}).normalized())\n"
            f"compare(X, y, learners={{'reader': reader}}{kept})",
            f"{drop}string kernels are used from Python (branchline errors W013)",
        ),
    )
