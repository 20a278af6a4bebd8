"""Hierarchies of models, from poor to rich, along which a size can be chosen.

- degree: a linear or logistic model on all products of the inputs up to a degree; 0 is a constant.
- leaves: a tree with a given number of leaves, grown best node first.
- inputs: a linear or logistic model on the most informative single inputs. They are ranked again on
   every set of training rows.
- margin: a linear support vector machine for two classes; C from small (a wide margin) to large.
  Rows inside the margin count as errors, unless the dimension alone gives the lower bound.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from branchline._validation import Constraint, Real, Whole
from branchline._vc_bound import vc_bound
from branchline.assess.comparing._problem import Problem
from branchline.assess.theory._capacity import (
    dimension_of_lines,
    dimension_of_margin,
    dimension_of_trees,
)
from branchline.assess.theory._size_criteria import Fitted
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.errors import BranchlineWarning
from branchline.linear import BasisExpansion, LinearRegression, LogisticRegression
from branchline.svm import SVC
from branchline.table import Table
from branchline.table.looking import Goal, told_alone
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["HIERARCHIES", "Hierarchy"]


@dataclass(frozen=True)
class Hierarchy:
    """A family of models of growing size.

    Parameters
    ----------
    unit
        What a size counts, in the heading of a table.
    sizes
        Returns the sizes that are tried by default, from poor to rich.
    fit
        Fits the model of a size; None where it is the same as, or has more parameters than, the
        rows allow.
    allowed
        Which sizes can be asked for.
    tasks
        What it can predict.
    """

    unit: str
    sizes: Callable[[Problem], Sequence[Any]]
    fit: Callable[[Problem, Any], Fitted | None]
    allowed: Constraint
    tasks: tuple[str, ...] = ("classification", "regression")


def _n_classes(problem: Problem) -> int:
    return 2 if problem.classes is None else len(problem.classes)


def _constant(problem: Problem, size: int) -> Fitted:
    model = MeanRegressor() if problem.classes is None else MajorityClassifier()
    free = 1 if problem.classes is None else _n_classes(problem) - 1
    return Fitted(size, model.fit(problem.table, problem.target), free, 1.0)


def _linear(problem: Problem, table: Table, size: int, basis: Any, log_choices: float) -> Fitted:
    with warnings.catch_warnings():
        # Separated classes have no largest likelihood: the faint penalty that is then taken is
        # near enough to it.
        warnings.simplefilter("ignore", BranchlineWarning)
        if problem.classes is None:
            model: Any = LinearRegression(basis=basis).fit(table, problem.target)
        else:
            model = LogisticRegression(penalty=None, basis=basis).fit(table, problem.target)
    n_terms = int(np.atleast_2d(model.coef_).shape[1])
    n_scores = 1 if problem.classes is None else _n_classes(problem) - 1
    h = dimension_of_lines(n_terms, _n_classes(problem), log_choices)
    return Fitted(size, model, n_scores * (n_terms + 1), h, log_choices / math.log(2))


# -- degree --------------------------------------------------------------------------------------


def _degrees(problem: Problem) -> list[int]:
    return list(range(6 if problem.table.n_columns == 1 else 4))


def _of_degree(problem: Problem, degree: int) -> Fitted | None:
    if degree == 0:
        return _constant(problem, 0)
    plain = BasisExpansion(kind="polynomial", degree=1).fit(problem.table)
    n_inputs = len(plain.get_feature_names_out())
    if math.comb(n_inputs + degree, degree) >= problem.n_rows:
        return None
    basis = BasisExpansion(kind="polynomial", degree=degree)
    return _linear(problem, problem.table, degree, basis, 0.0)


# -- leaves --------------------------------------------------------------------------------------


def _leaf_counts(problem: Problem) -> list[int]:
    most = max(2, problem.n_rows // 5)
    return [count for count in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32) if count <= most]


def _of_leaves(problem: Problem, n_leaves: int) -> Fitted | None:
    if n_leaves == 1:
        return _constant(problem, 1)
    kind = DecisionTreeRegressor if problem.classes is None else DecisionTreeClassifier
    plain: dict[str, Any] = {"prune": None, "correct_for_chance": False, "n_jobs": 1}
    model = kind(max_leaf_nodes=n_leaves, **plain).fit(problem.table, problem.target)
    found = int(model.tree_.n_leaves)
    if found < n_leaves:
        return None
    n_classes = _n_classes(problem)
    n_values = found if problem.classes is None else found * (n_classes - 1)
    # Every test chose a threshold, too; its column and the shape of the tree are named in bits.
    bits = (found - 1) * math.log2(problem.table.n_columns) + 2 * found - 1
    h = dimension_of_trees(problem.table, n_leaves, n_classes)
    return Fitted(n_leaves, model, n_values + found - 1, h, bits)


# -- inputs --------------------------------------------------------------------------------------


def _input_counts(problem: Problem) -> list[int]:
    most = min(problem.table.n_columns, problem.n_rows // 2)
    return [count for count in (0, 1, 2, 3, 4, 5, 7, 10, 15, 20) if count <= most]


def _of_inputs(problem: Problem, count: int) -> Fitted | None:
    if count == 0:
        return _constant(problem, 0)
    n_columns = problem.table.n_columns
    if count > n_columns:
        return None
    names = list(problem.table.names)
    kept = {names[place] for place in _ranked(problem)[:count]}
    table = problem.table.drop([name for name in names if name not in kept])
    found = _linear(problem, table, count, None, _log_comb(n_columns, count))
    if (found.n_parameters or 0) >= problem.n_rows:
        return None
    return replace(found, model=_OnColumns(found.model, kept))


@lru_cache(maxsize=4)
def _ranked(problem: Problem) -> Any:
    """Return the positions of the columns, the most informative about the target first."""
    classes = problem.classes
    values = problem.target if classes is None else problem.places
    goal = Goal(values, None if classes is None else len(classes))
    told = [told_alone(problem.table.column(name), goal) for name in problem.table.names]
    return np.argsort(-np.array(told), kind="stable")


def _log_comb(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


@dataclass(frozen=True, eq=False)
class _OnColumns:
    """A model that looks at some of the columns."""

    model: Any
    columns: set[str]

    @property
    def classes_(self) -> Any:
        return self.model.classes_

    def predict(self, table: Table) -> Any:
        return self.model.predict(self._kept(table))

    def predict_proba(self, table: Table) -> Any:
        return self.model.predict_proba(self._kept(table))

    def _kept(self, table: Table) -> Table:
        return table.drop([name for name in table.names if name not in self.columns])


# -- margin --------------------------------------------------------------------------------------


def _of_margin(problem: Problem, C: float) -> Fitted:
    model = SVC(C, kernel="linear", n_jobs=1).fit(problem.table, problem.target)
    n_terms = int(model._machines.support.points.matrix.shape[1])
    plain = Fitted(C, model, None, float(n_terms + 1))
    margin, radius = float(model.margin_), float(model._machines.radius)
    inside = float((model.slack_ > 1e-6).mean())
    h = dimension_of_margin(n_terms, radius, margin)
    wrong = float((model.predict(problem.table) != problem.target).mean())
    by_terms = vc_bound(wrong, plain.h, problem.n_rows).bound
    if vc_bound(inside, h, problem.n_rows).bound < by_terms:
        return Fitted(C, model, None, h, risk=inside)
    return plain


HIERARCHIES: dict[str, Hierarchy] = {
    "degree": Hierarchy("degree", _degrees, _of_degree, Whole(0, 5)),
    "leaves": Hierarchy("leaves", _leaf_counts, _of_leaves, Whole(1)),
    "inputs": Hierarchy("inputs", _input_counts, _of_inputs, Whole(0)),
    "margin": Hierarchy(
        "C",
        lambda problem: (0.001, 0.01, 0.1, 1.0, 10.0, 100.0),
        _of_margin,
        Real(0.0, low_open=True),
        ("classification",),
    ),
}
