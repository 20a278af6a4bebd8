"""How sure the importances of a learner's columns are: ``feature_importances_`` with intervals.

1. Trees, forests and boosting give each column a share of what their tests gain. Another table of
   the same kind would give other shares.
2. The learner is fitted again on ``n_samples`` samples of the rows, drawn with replacement; copies
   of a row and rows of a group are drawn together.
3. With s the standard deviation of a column's share over the samples, its 95 % interval is the
   share ± 1.96 s, within 0 and 1. Its rank may be any that the middle 95 % of the samples give it.

Shares describe the model, not its errors: a column that only fits noise has a share, too.
``permutation_importance`` measures on rows that were not seen what a column is worth.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline._intervals import Interval
from branchline._validation import Whole, check_parameters, check_seed
from branchline.assess._keywords import checked_keywords
from branchline.assess._permutation_importance import ColumnImportance, Importances
from branchline.assess._rows_to_split import rows_to_split
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.table import as_table

__all__ = ["ImportanceShares", "importance_intervals"]

Floats = npt.NDArray[np.float64]
_NORMAL = 1.959964


@dataclass(frozen=True, repr=False)
class ImportanceShares(Importances):
    """The share of each column with its interval, the largest first; print it to read it.

    ``columns[i].loss`` is the share; ``metric`` is "importance", and ``score`` the sum of shares.

    See Also
    --------
    importance_intervals : return ``feature_importances_`` of a fitted model with 95 % intervals.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import importance_intervals
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = importance_intervals(DecisionTreeClassifier().fit(X, y), X, y, n_samples=5)
    >>> len(found.columns)
    4
    """

    @property
    def measure(self) -> str:
        """What is listed, in a few words."""
        return "share of importance"

    @property
    def chart_note(self) -> str:
        """What the chart shows, in a sentence."""
        return (
            "Share of what the tests of the model gain. 95 % intervals: the learner fitted again "
            "on other samples of the rows."
        )

    @property
    def head(self) -> str:
        """What the table shows, in a sentence."""
        return "Share of what the tests of the model gain, by column"


@checked_keywords
def importance_intervals(
    model: Any, X: Any, y: Any, *, n_samples: int = 30, random_state: Any = 0
) -> ImportanceShares:
    """Return ``feature_importances_`` of a fitted model with 95 % intervals.

    Parameters
    ----------
    model
        A fitted estimator with ``feature_importances_``; it is copied, not changed.
    X, y
        The rows that it was fitted on and their true values.
    n_samples
        Number of samples of the rows on which a copy is fitted. More samples give steadier
        intervals and take longer. Default 30.
    random_state
        The seed of the samples. Default 0.

    See Also
    --------
    ImportanceShares : the share of each column with its interval, the largest first.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import importance_intervals
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = importance_intervals(DecisionTreeClassifier().fit(X, y), X, y, n_samples=10)
    >>> [one.column for one in found.columns if one.loss.estimate == 0]
    ['sepal_length', 'sepal_width', 'petal_length']
    """
    check_parameters("importance_intervals", {"n_samples": n_samples}, {"n_samples": Whole(3)})
    shares = _shares(model)
    table, target = as_table(X, texts="raw"), np.asarray(y)
    if len(shares) != len(table.names):
        raise _without(model)
    classes = getattr(model, "classes_", None)
    rows, seed = rows_to_split(table, target, classes), check_seed(random_state)
    draws = np.random.default_rng([seed, 13])
    samples = []
    for _ in range(n_samples):
        drawn, _left_out = rows.bootstrap(draws, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchlineWarning)  # about these samples of the rows
            samples.append(_shares(clone(model).fit(table.rows(drawn), target[drawn])))
    return _with_intervals(table.names, shares, np.array(samples))


def _shares(model: Any) -> Floats:
    shares = getattr(model, "feature_importances_", None)
    if shares is None:
        raise _without(model)
    return np.asarray(shares, dtype=np.float64)


def _without(model: Any) -> ParameterError:
    return ParameterError(
        f"{type(model).__name__} has no importance for each column of the table.",
        code="P590",
        values=[type(model).__name__],
        repair=Repair("permutation_importance(model, X, y)"),
    )


def _with_intervals(names: Any, shares: Floats, samples: Floats) -> ImportanceShares:
    half = _NORMAL * samples.std(axis=0, ddof=1)
    low, high = np.maximum(0.0, shares - half), np.minimum(1.0, shares + half)
    every = np.vstack([shares, samples])
    ranks = np.argsort(np.argsort(-every, axis=1, kind="stable"), axis=1, kind="stable") + 1
    ends = np.quantile(ranks, [0.025, 0.975], axis=0, method="nearest").astype(int)
    columns = [
        ColumnImportance(
            name,
            Interval(float(shares[at]), float(low[at]), float(high[at])),
            int(ranks[0, at]),
            int(min(ends[0, at], ranks[0, at])),
            int(max(ends[1, at], ranks[0, at])),
        )
        for at, name in enumerate(names)
    ]
    ordered = tuple(sorted(columns, key=lambda one: one.rank))
    return ImportanceShares("importance", float(shares.sum()), ordered)
