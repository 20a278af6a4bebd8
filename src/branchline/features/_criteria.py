"""Criteria by name: how ``rank_columns`` and the selectors score columns."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from branchline.features import _by_counts, _by_moments
from branchline.features._column_scores import ColumnScores
from branchline.features._relief import relief
from branchline.features._scored_rows import ScoredRows

__all__ = ["CRITERIA", "Criterion"]

_BOTH = ("classification", "regression")
# What iterated Relief drops at each turn.
_DROPPED = 0.1


@dataclass(frozen=True)
class Criterion:
    """A way to score columns.

    Parameters
    ----------
    score
        Scores the columns of rows.
    words
        What the score is.
    tasks
        Which targets it can be used with.
    together
        Whether it sees columns that tell something only together (XOR).
    n_classes
        The number of classes it needs; None: any.
    """

    score: Callable[[ScoredRows], ColumnScores]
    words: str
    tasks: tuple[str, ...] = _BOTH
    together: bool = False
    n_classes: int | None = None


CRITERIA: dict[str, Criterion] = {
    "mutual_information": Criterion(
        _by_counts.mutual_information, "mutual information with the target, in nats"
    ),
    "gain": Criterion(
        _by_counts.gain, "gain in entropy by one test, in bits", ("classification",)
    ),
    "gini": Criterion(_by_counts.gini, "decrease of the Gini index by one test", _BOTH[:1]),
    "gain_ratio": Criterion(_by_counts.gain_ratio, "gain ratio of one test", _BOTH[:1]),
    "chi_square": Criterion(_by_counts.chi_square, "χ² of the column and the target"),
    "correlation": Criterion(
        _by_moments.correlation, "correlation with the target (or η, or Cramér's V)"
    ),
    "rank_correlation": Criterion(
        _by_moments.rank_correlation, "correlation of ranks with the target (or η, or V)"
    ),
    "t": Criterion(
        _by_moments.t_test, "Welch's |t| between two classes", _BOTH[:1], n_classes=2
    ),
    "f": Criterion(_by_moments.f_test, "F statistic"),
    "relief": Criterion(relief, "ReliefF, ten neighbors", together=True),
    "multisurf": Criterion(partial(relief, n_neighbors=0), "MultiSURF", together=True),
    "iterated_relief": Criterion(
        partial(relief, drop=_DROPPED), "ReliefF, the worst tenth dropped at each turn",
        together=True,
    ),
    "iterated_multisurf": Criterion(
        partial(relief, n_neighbors=0, drop=_DROPPED),
        "MultiSURF, the worst tenth dropped at each turn",
        together=True,
    ),
    "variance": Criterion(_by_moments.variance, "variance; the target is ignored"),
}  # fmt: skip
