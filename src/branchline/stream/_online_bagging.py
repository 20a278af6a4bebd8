"""Online bagging: Hoeffding trees, each of which learns from a row as often as is drawn.

1. For each tree and row, k is drawn from a Poisson distribution: what a bootstrap sample of endless
   rows would hold. Draws depend on the seed, the tree and the number of the row.
2. The tree learns from the row with weight k. Probabilities of all trees are averaged.

N. C. Oza and S. Russell, Online bagging and boosting, 2001.
"""

from typing import Any, ClassVar

from branchline._validation import Constraint, Real, Whole
from branchline.stream._learned_trees import StreamRules
from branchline.stream._stream_classifier import StreamClassifier
from branchline.stream._tree_parameters import PARAMETERS, tree_rules

__all__ = ["OnlineBaggingClassifier"]


class OnlineBaggingClassifier(StreamClassifier):
    """Bagged Hoeffding trees for streams that do not change with time.

    Averages trees that learned from different draws of the same rows. Rows are learned in their
    order, so the result depends on it; batches and threads do not matter. Where the stream
    changes, take ``AdaptiveForestClassifier``.

    Parameters
    ----------
    n_estimators
        Number of trees. Default 10.
    mean_draws
        How often a tree learns from a row, on average. 1 is a bootstrap sample; larger values learn
        faster. Default 6.
    criterion
        What a test should reduce: "entropy" (default) or "gini".
    grace_period
        How many rows a leaf waits between two looks for a test. Default 200.
    delta
        How probable it may be that another test would have been better in the long run. Default
        1e-7.
    tie_threshold
        Tests whose gains differ by less than this are taken for equal, and the leaf splits. Smaller
        values give smaller trees that learn more slowly. Default 0.2.
    leaf_prediction
        How a leaf predicts: "majority" (its most frequent class), "naive_bayes", or "adaptive"
        (default): whichever was right more often on the last rows, what its parent had learned
        included.
    numeric
        How thresholds of numbers are found: "binned" (default; exact class counts at up to
        ``max_bins`` values) or "gaussian" (a normal distribution for each class: less memory, less
        exact).
    max_bins
        Maximum number of bins of a numeric column in a leaf. Default 64.
    max_depth
        Maximum depth. Default None: any depth (at most 200).
    max_memory
        Maximum memory in megabytes of all trees. When it is full, the leaves that promise least
        stop learning until there is room again. Default 256.
    max_categories
        How many categories of a column are listed, in the order in which they come; later ones
        count as missing. Default 256.
    random_state
        The seed of the draws. Default 0.
    n_jobs
        Number of threads; None (default): all cores. The result does not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    n_rows_seen_
        How many rows were learned from.
    n_leaves_
        The number of leaves of all trees.
    n_bytes_
        How many bytes the trees take with statistics of leaves, about.

    See Also
    --------
    OnlineBoostingClassifier
    AdaptiveForestClassifier : a random forest for streams that change with time.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.stream import OnlineBaggingClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = OnlineBaggingClassifier(n_estimators=5)
    >>> for start in range(0, 1000, 250):
    ...     rows = slice(start, start + 250)
    ...     model = model.partial_fit(X[rows], y[rows], classes=["bad", "good"])
    >>> model.predict_proba(X[:1]).shape
    (1, 2)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_estimators": Whole(1, 10_000),
        "mean_draws": Real(0, 32, low_open=True),
        **PARAMETERS,
    }

    def __init__(  # noqa: PLR0913 -- parameters of an estimator
        self,
        *,
        n_estimators: int = 10,
        mean_draws: float = 6.0,
        criterion: str = "entropy",
        grace_period: int = 200,
        delta: float = 1e-7,
        tie_threshold: float = 0.2,
        leaf_prediction: str = "adaptive",
        numeric: str = "binned",
        max_bins: int = 64,
        max_depth: int | None = None,
        max_memory: float = 256.0,
        max_categories: int = 256,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.mean_draws = mean_draws
        self.criterion = criterion
        self.grace_period = grace_period
        self.delta = delta
        self.tie_threshold = tie_threshold
        self.leaf_prediction = leaf_prediction
        self.numeric = numeric
        self.max_bins = max_bins
        self.max_depth = max_depth
        self.max_memory = max_memory
        self.max_categories = max_categories
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _rules(self) -> StreamRules:
        n, draws = int(self.n_estimators), float(self.mean_draws)
        return StreamRules(tree_rules(self), ("bagging", n, draws, 0.01, 0.001))
