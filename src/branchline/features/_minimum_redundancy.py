"""Columns that are informative about the target and not redundant with each other.

Greedy (Peng, Long and Ding 2005; Yang and Moody 1999). With I the mutual information, S the columns
taken so far and Y the target, the next column X is the one of the largest

- "difference": I(X; Y) − mean over S of I(X; S)
- "quotient": I(X; Y) / mean over S of I(X; S)
- "joint": Σ over S of I((X, S); Y): also finds pairs that tell something only together.

Information is that of codes (numbers in bins), missing as a value, less its mean by chance for
I(X; Y).
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from branchline._arrays import AnyArray, Floats, Places
from branchline._validation import Constraint, OneOf, TrainingData
from branchline.features._by_counts import mutual_information
from branchline.features._ordered_selector import ORDERED, OrderedSelector
from branchline.features._scored_rows import ScoredRows

__all__ = ["MinimumRedundancy"]


class MinimumRedundancy(OrderedSelector):
    """Keep columns that are informative about the target and not redundant with each other.

    A ranking keeps all copies of a good column; this selector keeps one of them.

    Parameters
    ----------
    trade_off
        How relevance and redundancy are weighed: "difference" (default), "quotient", or "joint",
        which also finds columns that tell something only together with one taken before.
    n_columns
        How many columns are kept: a number, a share between 0 and 1, or "auto" (default): chosen
        by inner folds, at most 100.
    estimator
        The learner whose error decides how many columns are kept: a name of the catalog or an
        estimator. None (default): a small random forest, which sees columns together.
    n_folds
        The number of inner folds. Default 5.
    rule
        "one_se" (default): the fewest columns whose error is within one standard error of the
        least. "best": the least error. A number: within that many standard errors.
    task
        "classification", "regression", or "auto" (default): by the kind of the target.
    random_state
        The seed of folds and of the learner. Default 0.

    Attributes
    ----------
    support_
        Whether each column was chosen.
    ranking_
        The place of each column in the order, from 1; columns that were not reached share the
        last place.
    path_
        With "auto": the error of each number of columns.

    See Also
    --------
    RankSelector : keep the columns that score best.
    MarkovBlanketFilter : keep columns given which no other column is informative about the target.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import MinimumRedundancy
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> MinimumRedundancy(n_columns=4).fit(X, y).n_selected_
    4
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "trade_off": OneOf(("difference", "quotient", "joint")),
        **ORDERED,
    }

    def __init__(
        self,
        *,
        trade_off: str = "difference",
        n_columns: Any = "auto",
        estimator: Any = None,
        n_folds: int = 5,
        rule: Any = "one_se",
        task: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.trade_off = trade_off
        self.n_columns = n_columns
        self.estimator = estimator
        self.n_folds = n_folds
        self.rule = rule
        self.task = task
        self.random_state = random_state

    def _ordered(self, data: TrainingData, most: int) -> Sequence[int]:
        rows = ScoredRows.of(data)
        relevance = np.nan_to_num(mutual_information(rows).score)
        taken: list[int] = []
        redundancy = np.zeros(len(relevance))
        by_name = np.argsort(np.argsort(np.array(data.table.names)))
        while len(taken) < min(most, len(relevance)):
            value = self._values(relevance, redundancy, len(taken))
            value[taken] = -np.inf
            # Rounded, so that columns that tell the same tie; ties go by name.
            best = int(np.lexsort((by_name, -np.round(value, 12)))[0])
            taken.append(best)
            redundancy += self._with(rows, best)
        return taken

    def _values(self, relevance: Floats, redundancy: Floats, n_taken: int) -> Floats:
        if n_taken == 0:
            return relevance.copy()
        mean = redundancy / n_taken
        if self.trade_off == "difference":
            return relevance - mean
        return (
            relevance / np.maximum(mean, 1e-6)
            if self.trade_off == "quotient"
            else redundancy.copy()
        )

    def _with(self, rows: ScoredRows, taken: int) -> Floats:
        """Return I(X; taken), or for "joint" I((X, taken); Y), of every column X."""
        known = rows.values_of(taken)
        n_known = int(known.max()) + 1
        if self.trade_off != "joint":
            return _information(rows, known, n_known)
        both = known * rows.n_classes + rows.class_of_row
        with_class = _information(rows, both, n_known * rows.n_classes)
        return with_class - _information(rows, known, n_known)  # = I(X; Y | taken)


def _information(rows: ScoredRows, other: Places, n_other: int) -> Floats:
    """Return the mutual information of every column and a column of codes."""
    found = np.zeros(rows.table.n_columns)
    own = _entropies(np.bincount(other, rows.weights, n_other)[None])[0]
    for counts in rows.counts_with(other, n_other):
        single = _entropies(counts.weight.sum(axis=2))
        joint = _entropies(counts.weight.reshape(len(counts.columns), -1))
        found[counts.columns] = single + own - joint
    return found


def _entropies(weights: AnyArray) -> Floats:
    """Return the entropy of each row of weights, in nats."""
    total = weights.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(weights > 0, weights * np.log(weights), 0.0).sum(axis=1)
    return np.asarray(np.log(total) - parts / total)
