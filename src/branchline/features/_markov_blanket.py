"""The Markov blanket of the target: given these columns, no other column is informative.

Incremental association (IAMB: Tsamardinos, Aliferis and Statnikov 2003), interleaved:

1. Grow: of all columns that are significant given the blanket so far, add the one that tells most.
2. Shrink: drop columns that are not significant given the others. Go on with 1 until nothing
   changes.

Tests are G² on codes, numbers in bins, missing as a value. A test that has fewer than five rows for
each degree of freedom is not trusted: by it, no column is added or dropped. So names and
identifiers never join.
"""

from typing import Any, ClassVar

import numpy as np

from branchline._arrays import Floats
from branchline._validation import Constraint, Real, TrainingData
from branchline.features._by_counts import mutual_information
from branchline.features._conditional_test import ConditionalTest, conditional_test, joint_codes
from branchline.features._scored_rows import ScoredRows
from branchline.features._selector import TASK, Choice, Selector

__all__ = ["MarkovBlanketFilter"]


class MarkovBlanketFilter(Selector):
    """Keep columns given which no other column is informative about the target.

    In a Bayesian network these are the target's causes, effects, and other causes of its effects.
    The blanket is the smallest set that loses nothing, as far as tests on these rows can tell; with
    few rows only a few columns can be trusted.

    Parameters
    ----------
    significance
        The level of each test. Default 0.01.
    task
        "classification", "regression", or "auto" (default): by the kind of the target.

    Attributes
    ----------
    support_
        Whether each column is in the blanket. When no column is significant, the one with the
        smallest p-value is kept, so that a model can be fitted.
    p_values_
        The p-value of each column given the others of the blanket.

    See Also
    --------
    MinimumRedundancy
    relevance : say of each column of a small discrete table whether it is relevant, with a proof.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import MarkovBlanketFilter
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> MarkovBlanketFilter().fit(X, y).n_selected_
    5
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "significance": Real(0.0, 0.5, low_open=True),
        "task": TASK,
    }
    _of_columns = ("p_values_",)
    p_values_: Floats

    def __init__(self, *, significance: float = 0.01, task: str = "auto") -> None:
        self.significance = significance
        self.task = task

    def _choose(self, data: TrainingData) -> Choice:
        search = _Blanket(ScoredRows.of(data), self.significance)
        blanket = search.run()
        n_columns = data.table.n_columns
        p_values = np.array([search.test(at, blanket).p_value for at in range(n_columns)])
        chosen = np.zeros(n_columns, dtype=bool)
        chosen[blanket if blanket else [search.most_telling()]] = True
        return Choice(chosen, {"p_values_": p_values})


class _Blanket:
    """The search for a blanket."""

    def __init__(self, rows: ScoredRows, significance: float) -> None:
        self._rows, self._level = rows, significance
        self._names = rows.table.names
        self._codes = [rows.values_of(place) for place in range(rows.table.n_columns)]
        self._known: dict[tuple[int, frozenset[int]], ConditionalTest] = {}

    def test(self, column: int, blanket: Any) -> ConditionalTest:
        """Test a column given the others of a blanket."""
        given = frozenset(blanket) - {column}
        key = (column, given)
        if key not in self._known:
            order = sorted(given, key=lambda place: self._names[place])
            joint = joint_codes([self._codes[at] for at in order], self._rows.table.n_rows)
            self._known[key] = conditional_test(self._rows, self._codes[column], joint)
        return self._known[key]

    def most_telling(self) -> int:
        """Return the column that chance explains least, alone."""
        scores = mutual_information(self._rows)
        assert scores.p_value is not None
        still = np.array([not column.varies for column in self._rows.table.columns])
        order = np.lexsort((np.array(self._names), -scores.score, still, scores.p_value))
        return int(order[0])

    def _best(self, columns: list[int], blanket: list[int]) -> int:
        return max(
            columns,
            key=lambda at: (self.test(at, blanket).information, self._names[at]),
        )

    def run(self) -> list[int]:
        """Return the blanket."""
        blanket: list[int] = []
        seen: set[frozenset[int]] = set()
        while frozenset(blanket) not in seen:
            seen.add(frozenset(blanket))
            rest = [at for at in range(len(self._codes)) if at not in blanket]
            able = [at for at in rest if self._is_needed(at, blanket)]
            if able:
                blanket.append(self._best(able, blanket))
            blanket = self._shrunk(blanket)
        return blanket

    def _is_needed(self, column: int, blanket: list[int]) -> bool:
        found = self.test(column, blanket)
        return found.is_reliable and found.p_value < self._level

    def _shrunk(self, blanket: list[int]) -> list[int]:
        while True:
            tested = [at for at in blanket if self.test(at, blanket).is_reliable]
            if not tested:
                return blanket
            worst = max(tested, key=lambda at: (self.test(at, blanket).p_value, self._names[at]))
            if self.test(worst, blanket).p_value < self._level:
                return blanket
            blanket = [at for at in blanket if at != worst]
