"""Optimal rule lists: if A then this class, else if B then that class, …, else the default.

1. List the antecedents: a yes-no test of the table with either answer, or two of them at once.
2. Search all ordered lists of up to ``max_rules`` rules. A list is a tree that goes on only where a
   test fails, so the search of optimal trees finds it (``branchline/optimal_tree.hpp``).
3. Keep the rules, the class weights of the rows that each one decides, and the proof.

Rivest, Learning decision lists (1987); Angelino et al., CORELS (JMLR 18, 2018).
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._dtypes import UNITS
from branchline._state import classes_from_state, classes_to_state
from branchline._trees._costs import check_costs, costs_from_state, decide, weigh_classes
from branchline._validation import (
    AnyOf,
    Given,
    OneOf,
    Real,
    TrainingData,
    Whole,
    count_threads,
)
from branchline.table import Schema
from branchline.tree.growing._growth import Growth, begin_growth
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.optimal._antecedents import Antecedents, make_antecedents
from branchline.tree.optimal._proof import OptimalityProof, Proved
from branchline.tree.optimal._rule_state import make_rule_list, pack_rules, unpack_rules
from branchline.tree.optimal._search import SearchLimits, search_tree
from branchline.tree.optimal._yes_no_tests import make_tests, usual_thresholds
from branchline.tree.reading._frames import Library
from branchline.tree.reading._rule_list import RuleList

__all__ = ["RuleListClassifier"]

# "auto": thresholds in all columns together, and the most of one.
_USUAL_THRESHOLDS = 100, 20


class RuleListClassifier(Proved, Classifier):
    """The ordered list of rules of fewest training errors, with a proof.

    The first rule that holds decides; the default decides where none does. Of all lists of up to
    ``max_rules`` rules, this one has the smallest training error plus ``rule_penalty`` per rule.
    Such a list fits on a card and can be followed by hand.

    Use a list where one of a few reasons decides ("no checking account: good"). Where reasons act
    together, a tree of the same size says more. Rules of two conditions are far more numerous:
    their search often ends by ``time_budget``, with the best list so far and a bound.

    Parameters
    ----------
    max_rules
        Maximum number of rules before the default, from 1 to 6.
    rule_penalty
        What each rule costs, in errors per row: 0.01 asks that a rule saves one error in 100 rows.
        Default 0.01.
    max_conditions
        Maximum number of conditions of a rule: 1 or 2. Default 1.
    min_samples_leaf
        Minimum number of training rows that a rule, or the default, decides, counted by weight.
    max_thresholds
        Maximum number of thresholds of a number, and of categories of a column, that are tried.
        When a column has more, thresholds at about equal weights are kept and the heaviest
        categories; ``proof_`` says how many were left out. "auto" (default): 100 divided by the
        number of columns, from 1 to 20. None: all.
    time_budget
        Seconds after which the search stops with the best list so far. The result depends on the
        machine's speed only when this time runs out. Default 60.0.
    class_weight
        A weight for each class, or "balanced". Default None: all classes weigh the same.
    costs
        What errors cost: a matrix (rows: the truth) or a mapping from (truth, prediction).
        Default None: all errors cost the same.
    n_jobs
        Threads for coding the table; the search uses one. None (default) for all cores.

    Attributes
    ----------
    classes_
        The classes, sorted.
    rules_
        The rules in order, with support and confidence; print it to read it.
    proof_
        Value, bound, whether the list is proved optimal, and among which antecedents.
    value_, bound_, proved_
        The same, one by one.

    See Also
    --------
    OptimalTreeClassifier
    OneRule : one column only.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import RuleListClassifier
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> model = RuleListClassifier(max_rules=2).fit(X, y)
    >>> round(model.score(X, y), 3)
    0.956
    """

    _opposite = "branchline.tree.OptimalTreeRegressor"
    _constraints: ClassVar = {
        "max_rules": Whole(1, 6),
        "rule_penalty": Real(0.0),
        "max_conditions": Whole(1, 2),
        "min_samples_leaf": Whole(1),
        "max_thresholds": AnyOf((OneOf(("auto", None)), Whole(1))),
        "time_budget": Real(0.0, low_open=True),
        "class_weight": AnyOf((OneOf((None, "balanced")), Given((dict,), "a mapping of classes"))),
        "costs": Given((dict, list, tuple, np.ndarray), "a matrix or a mapping"),
    }
    classes_: npt.NDArray[Any]
    rules_: RuleList
    _content: npt.NDArray[np.int64]
    _unit: float
    _costs: npt.NDArray[np.float64] | None

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        max_rules: int = 4,
        rule_penalty: float = 0.01,
        max_conditions: int = 1,
        min_samples_leaf: int = 1,
        max_thresholds: Any = "auto",
        time_budget: float = 60.0,
        class_weight: Any = None,
        costs: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.max_rules = max_rules
        self.rule_penalty = rule_penalty
        self.max_conditions = max_conditions
        self.min_samples_leaf = min_samples_leaf
        self.max_thresholds = max_thresholds
        self.time_budget = time_budget
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search the best list of rules."""
        data: TrainingData = weigh_classes(self._begin(X, y, sample_weight), self.class_weight)
        classes = data.class_target.classes
        costs = check_costs(self.costs, classes)
        growth = begin_growth(
            data,
            TreeSettings(criterion="gini", prune=None),
            count_threads(self.n_jobs, data.n_cells),
            None,
        )
        antecedents = self._antecedents(growth, costs)
        places, proof = self._search(growth, antecedents, costs)
        content = _content(growth, antecedents, places)
        conditions = tuple(antecedents.conditions(growth, place) for place in places)
        rules = make_rule_list(
            conditions, content, growth.weights.unit, data.table.schema, classes, costs=costs
        )
        return self._finish(
            data,
            classes_=classes,
            rules_=rules,
            proof_=proof,
            _costs=costs,
            _content=content,
            _unit=growth.weights.unit,
        )

    def _antecedents(self, growth: Growth, costs: npt.NDArray[np.float64] | None) -> Antecedents:
        n_columns = growth.data.table.n_columns
        thresholds = usual_thresholds(self.max_thresholds, n_columns, *_USUAL_THRESHOLDS)
        tests = make_tests(growth.codes, growth.weights, thresholds)
        most = 1.0 if costs is None else float(costs.max())
        total = float(growth.weights.of_rows(growth.n_rows).sum())
        # A rule saves at most what all its rows can cost. A little less, so that rounding is safe.
        least = self.rule_penalty * total / most * (1 - 1e-9)
        return make_antecedents(growth, tests, self.max_conditions, min(least, total))

    def _search(
        self,
        growth: Growth,
        antecedents: Antecedents,
        costs: npt.NDArray[np.float64] | None,
    ) -> tuple[list[int], OptimalityProof]:
        """Return the places of the antecedents of the best list, and what is proved of it."""
        limits = SearchLimits(
            self.max_rules,
            self.rule_penalty,
            self.min_samples_leaf,
            self.time_budget,
            shape=antecedents.shape,
        )
        n, left_out = len(antecedents.parts), antecedents.tests.n_left_out
        places, bound, is_proved = list[int](), 0.0, True
        if n:
            heap, found = search_tree(growth, antecedents.tests, costs, limits)
            bound, is_proved = found.bound - self.rule_penalty, found.is_proved
            place = 0
            while place < len(heap) and heap[place] >= 0:  # where a rule does not hold
                places.append(int(heap[place]))
                place = 2 * place + 2
        content = _content(growth, antecedents, places).astype(np.float64)
        errors = content.sum(axis=1) - content.max(axis=1)
        if costs is not None:
            errors = (content @ costs).min(axis=1)
        value = float(errors.sum() / content.sum()) + self.rule_penalty * len(places)
        bound = value if is_proved else max(0.0, min(bound, value))
        return places, OptimalityProof(value, bound, is_proved, n, left_out)

    # -- predicting -----------------------------------------------------------------------------

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the place of the rule that decides each row; the default is last."""
        rows = self._check_rows(X)
        return self.rules_.find_in(rows.table)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the class frequencies of the training rows of the rule that decides each row."""
        place = self.apply(X)
        frequencies: npt.NDArray[np.float64] = self._values()[place]
        return frequencies

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the first rule that holds for each row."""
        place = self.apply(X)
        names: npt.NDArray[Any] = self.classes_[decide(self._values(), self._costs)[place]]
        return names

    def _values(self) -> npt.NDArray[np.float64]:
        shares: npt.NDArray[np.float64] = self._content / self._content.sum(axis=1, keepdims=True)
        return shares

    # -- reading --------------------------------------------------------------------------------

    def rules(self) -> RuleList:
        """Return the rules in order, with support and confidence."""
        self._check_fitted()
        return self.rules_

    def to_text(self, width: int = 100) -> str:
        """Return the rules as text."""
        return self.rules().to_text(width)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each rule."""
        return self.rules().to_frame(library)

    def _complexity(self) -> Complexity:
        return Complexity(len(self.rules_), "rules")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        packed = {
            "classes": classes_to_state(self.classes_),
            **pack_rules(self.rules_, self._content, self._unit),
            **self.proof_.pack(),
        }
        return packed if self._costs is None else {**packed, "costs": self._costs}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        costs = costs_from_state(state, classes)
        conditions, content, unit = unpack_rules(state, schema, len(classes))
        return {
            "classes_": classes,
            "rules_": make_rule_list(conditions, content, unit, schema, classes, costs=costs),
            "proof_": OptimalityProof.unpack(state),
            "_costs": costs,
            "_content": content,
            "_unit": unit,
        }


def _content(growth: Growth, antecedents: Antecedents, places: list[int]) -> npt.NDArray[np.int64]:
    """Return the units of each class that each rule decides, the default last."""
    units = growth.weights.units
    units = np.ones(growth.n_rows, dtype=UNITS) if units is None else units
    classes = growth.data.class_target.class_of_row
    content = np.zeros((len(places) + 1, growth.n_classes), dtype=UNITS)
    left = np.ones(growth.n_rows, dtype=bool)
    for k, place in enumerate([*places, None]):
        held = left if place is None else left & antecedents.rows(place)
        np.add.at(content[k], classes[held], units[held])
        left = left & ~held
    return content
