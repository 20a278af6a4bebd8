"""Lists of rules: reading them, and predicting with them.

1. A rule says: if all its conditions hold, then this class or number.
2. In a list the first rule that holds decides; the default decides where none does.
3. Predicting follows the list: each rule is asked about the rows that no earlier rule holds for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import noun, percent, rounded
from branchline._trees._derived import DerivedColumns
from branchline._validation import check_prediction_data
from branchline.table import Schema, Table
from branchline.tree.reading._conditions import Condition, values_of
from branchline.tree.reading._frames import Library, as_frame, plain
from branchline.tree.reading._labels import short_number, weight_words
from branchline.tree.reading._rule_text import rule_to_text, rules_to_text

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["Rule", "RuleList"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then the outcome.

    Parameters
    ----------
    conditions
        One a column; none: the rule always holds.
    outcome
        The class, the number, or the tuple of numbers (several outputs) that follows.
    support
        The weight of the training rows that the outcome was learned from.
    confidence
        Classes: how frequent the outcome is among these rows; None for numbers.
    deviation
        Numbers: the standard deviation of these rows, one an output; None for classes.
    value
        The frequencies of all classes, or the mean of each output.
    node
        The node of the tree that the rule comes from.
    otherwise
        Whether the rule is for what no earlier rule of its list holds for.
    words
        What follows in words, where a leaf is a model of its own; else empty.
    """

    conditions: tuple[Condition, ...]
    outcome: Any
    support: float
    confidence: float | None
    deviation: tuple[float, ...] | None
    value: tuple[float, ...]
    node: int
    otherwise: bool = False
    words: str = ""

    @classmethod
    def of(
        cls,
        conditions: tuple[Condition, ...],
        *,
        value: Floats,
        variance: Floats,
        support: float,
        decided: int | None,
        classes: npt.NDArray[Any] | None,
        node: int,
        otherwise: bool = False,
    ) -> "Rule":
        """Make a rule from what a node holds; ``decided`` is the place of its class."""
        numbers = tuple(value.tolist())
        if classes is None or decided is None:
            outcome = numbers[0] if len(numbers) == 1 else numbers
            confidence, deviation = None, tuple(np.sqrt(variance).tolist())
        else:
            outcome, confidence, deviation = plain(classes[decided]), numbers[decided], None
        return cls(conditions, outcome, support, confidence, deviation, numbers, node, otherwise)

    def holds(self, table: Table) -> npt.NDArray[np.bool_]:
        """Return which rows of a table in the tree's schema satisfy all conditions."""
        rows = np.ones(table.n_rows, dtype=bool)
        for condition in self.conditions:
            rows &= condition.holds(table)
        return rows

    # -- words ----------------------------------------------------------------------------------

    @property
    def outcome_words(self) -> str:
        """The outcome as a reader wants it."""
        if self.words:
            return self.words
        if self.confidence is not None:
            return str(self.outcome)
        return ", ".join(map(short_number, self.value))

    @property
    def evidence_words(self) -> str:
        """From how many rows the outcome was learned, and how sure it is."""
        rows = f"{weight_words(self.support)} {noun(self.support, 'row')}"
        if self.confidence is not None:
            return f"({rows}, {percent(self.confidence)})"
        deviations = ", ".join(map(rounded, self.deviation or ()))
        return f"({rows}, ± {deviations})"

    def __str__(self) -> str:
        return rule_to_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data."""
        return {
            "conditions": [condition.to_dict() for condition in self.conditions],
            "outcome": plain(self.outcome),
            "support": self.support,
            "confidence": self.confidence,
            "deviation": None if self.deviation is None else list(self.deviation),
            "value": list(self.value),
            "node": self.node,
            "otherwise": self.otherwise,
            "text": str(self),
        }


@dataclass(frozen=True, eq=False)
class RuleList(Sequence[Rule]):
    """Rules in order: the first that holds decides, the default where none does.

    Parameters
    ----------
    rules
        The rules, first to last.
    default
        The rule without conditions that comes last.
    schema
        The columns of the tree that the rules come from.
    classes
        The classes; None for numbers.
    is_complete
        Whether some rule holds for every possible row, so that the default never decides.
    is_ordered
        Whether several rules may hold for a row, so that their order matters.
    model
        The fitted model that the rules come from, where its leaves are models: it predicts.
    derived
        The columns that conditions look at beside those of the schema; None: there are none.
    """

    rules: tuple[Rule, ...]
    default: Rule
    schema: Schema
    classes: npt.NDArray[Any] | None
    is_complete: bool = False
    is_ordered: bool = False
    model: Any = None
    derived: DerivedColumns | None = None

    def __len__(self) -> int:
        return len(self.rules)

    @overload
    def __getitem__(self, place: int) -> Rule: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Rule]: ...
    def __getitem__(self, place: int | slice) -> Rule | Sequence[Rule]:
        """Return a rule, or a tuple of rules."""
        return self.rules[place]

    # -- predicting -----------------------------------------------------------------------------

    def find(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the place of the first rule that holds for each row; ``len`` for the default."""
        table = check_prediction_data(X, self.schema, owner="RuleList").table
        return self.find_in(table if self.derived is None else self.derived.extend_table(table))

    def find_in(self, table: Table) -> npt.NDArray[np.int64]:
        """Return what ``find`` does, for a table in the rules' schema, extended by ``derived``."""
        names = {condition.column for rule in self for condition in rule.conditions}
        values = {name: values_of(table.column(name)) for name in names}
        place_of_row = np.full(table.n_rows, len(self), dtype=np.int64)
        waiting = np.arange(table.n_rows)
        for place, rule in enumerate(self.rules):
            rows = waiting
            for condition in rule.conditions:
                rows = rows[condition.holds_for(values[condition.column][rows])]
            place_of_row[rows] = place
            waiting = waiting[place_of_row[waiting] == len(self)]
        return place_of_row

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the outcome of the rule that decides for each row."""
        if self.model is not None:
            predicted: npt.NDArray[Any] = self.model.predict(X)
            return predicted
        place = self.find(X)
        if self.classes is None:
            means = self._values()[place]
            return means[:, 0] if means.shape[1] == 1 else means
        decided = np.array([self.place_of_class[rule.outcome] for rule in self._all()])
        names: npt.NDArray[Any] = self.classes[decided[place]]
        return names

    def predict_proba(self, X: Any) -> Floats:
        """Return the class frequencies of the rule that decides for each row."""
        if self.classes is None:
            raise AttributeError("rules that predict numbers have no probabilities")
        if self.model is not None:
            probabilities: Floats = self.model.predict_proba(X)
            return probabilities
        return self._values()[self.find(X)]

    @cached_property
    def place_of_class(self) -> dict[Any, int]:
        """Where each class stands among the classes."""
        names = () if self.classes is None else self.classes
        return {plain(name): place for place, name in enumerate(names)}

    def _all(self) -> tuple[Rule, ...]:
        return (*self.rules, self.default)

    def _values(self) -> Floats:
        return np.array([rule.value for rule in self._all()])

    # -- reading --------------------------------------------------------------------------------

    def to_text(self, width: int = 100) -> str:
        """Return the rules as text at most ``width`` characters wide, where that is possible."""
        return rules_to_text(self, width)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        n_conditions = sum(len(rule.conditions) for rule in self)
        return f"RuleList({len(self)} rules, {n_conditions} conditions)"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary a rule, plain data only; the default, if it may decide, is last."""
        return [rule.to_dict() for rule in self.shown()]

    def to_frame(self, library: Library = "pandas") -> "pandas.DataFrame | polars.DataFrame":
        """Return one row a rule, as a frame of pandas or polars."""
        shown = self.shown()
        columns: dict[str, list[Any]] = {
            "conditions": [
                " AND ".join(str(condition) for condition in rule.conditions) for rule in shown
            ],
            "outcome": [rule.outcome for rule in shown],
            "support": [rule.support for rule in shown],
        }
        if self.classes is None:
            columns["deviation"] = [_one_or_all(rule.deviation or ()) for rule in shown]
        else:
            columns["confidence"] = [rule.confidence for rule in shown]
        columns["node"] = [rule.node for rule in shown]
        columns["otherwise"] = [rule.otherwise for rule in shown]
        return as_frame(columns, library)

    def shown(self) -> tuple[Rule, ...]:
        """Return the rules that may decide: the default only when the others leave something."""
        return self.rules if self.is_complete else self._all()


def _one_or_all(numbers: tuple[float, ...]) -> Any:
    return numbers[0] if len(numbers) == 1 else list(numbers)
