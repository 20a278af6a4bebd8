"""Keep the columns that are most informative about the target: a filter.

1. Columns are scored by a criterion (``_criteria``).
2. The first ``n_columns`` are kept; "auto" chooses their number by inner folds.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from branchline._validation import Constraint, OneOf, TrainingData
from branchline.features._criteria import CRITERIA
from branchline.features._ordered_selector import ORDERED, OrderedSelector
from branchline.features._ranking import check_criterion
from branchline.features._scored_rows import ScoredRows

__all__ = ["RankSelector"]


class RankSelector(OrderedSelector):
    """Keep the columns that score best.

    A filter: quick, and without a model. It looks at each column alone, unless the criterion is
    Relief or MultiSURF: two columns that tell something only together (XOR) are missed by the
    others. As a step of a pipeline, or by ``select=`` of ``compare``, the choice is repeated inside
    every training set.

    Parameters
    ----------
    by
        The criterion, as in ``rank_columns``. Default "mutual_information".
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
        The place of each column in the order, from 1.
    path_
        With "auto": the error of each number of columns, which can be printed and drawn.

    See Also
    --------
    rank_columns : rank the columns of a table by how informative they are about a target.
    MinimumRedundancy

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import RankSelector
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> RankSelector(n_columns=3).fit(X, y).get_feature_names_out().tolist()
    ['chest_pain', 'vessels', 'thallium_scan']
    """

    _constraints: ClassVar[dict[str, Constraint]] = {"by": OneOf(tuple(CRITERIA)), **ORDERED}

    def __init__(
        self,
        *,
        by: str = "mutual_information",
        n_columns: Any = "auto",
        estimator: Any = None,
        n_folds: int = 5,
        rule: Any = "one_se",
        task: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.by = by
        self.n_columns = n_columns
        self.estimator = estimator
        self.n_folds = n_folds
        self.rule = rule
        self.task = task
        self.random_state = random_state

    def _ordered(self, data: TrainingData, most: int) -> Sequence[int]:
        rows = ScoredRows.of(data)
        check_criterion(self.by, rows)
        return CRITERIA[self.by].score(rows).order(data.table.names).tolist()  # type: ignore[no-any-return]
