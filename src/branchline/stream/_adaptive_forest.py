"""Adaptive random forests: Hoeffding trees on drawn rows and columns, replaced when they go wrong.

1. Each tree learns from a row k times, k drawn from a Poisson distribution; draws depend on the
   seed, the tree and the number of the row, so batches do not matter.
2. A leaf looks for tests among a few drawn columns.
3. ADWIN watches the errors of each tree. A warning starts a tree in the background; when the change
   is certain, it takes the place of the old one.
4. Trees vote with the share of rows that they predicted right of late.

H. M. Gomes and others, Adaptive random forests for evolving data stream classification, 2017.
"""

from typing import Any, ClassVar

from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole
from branchline.stream._learned_trees import StreamRules
from branchline.stream._stream_classifier import StreamClassifier
from branchline.stream._tree_parameters import PARAMETERS, tree_rules

__all__ = ["AdaptiveForestClassifier"]


class AdaptiveForestClassifier(StreamClassifier):
    """A random forest for streams that change with time.

    Usually the most accurate learner for streams here. Each tree learns from other draws of rows
    and columns; a tree whose errors rise is replaced by one that was begun when the rise was
    first suspected. Rows are learned in their order, so the result depends on it; batches and
    threads do not matter.

    It takes about as long as its number of trees, and cannot be read as a whole.

    Parameters
    ----------
    n_estimators
        Number of trees. Default 10.
    max_features
        How many columns a leaf looks at, drawn at random from those that vary in it: "sqrt"
        (default), a share, a number, or None: all.
    mean_draws
        How often a tree learns from a row, on average. Larger values learn faster. Default 6.
    warning_delta
        The false-alarm rate of ADWIN at which a tree begins to grow in the background. Default
        0.01.
    drift_delta
        The one at which it replaces the old tree. Default 0.001.
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
    branches_
        Which trees were replaced, and when.

    See Also
    --------
    AdaptiveHoeffdingTreeClassifier : a tree for streams that change with time.
    OnlineBaggingClassifier : bagged Hoeffding trees for streams that do not change with time.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.stream import AdaptiveForestClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = AdaptiveForestClassifier(n_estimators=5)
    >>> for start in range(0, 1000, 250):
    ...     rows = slice(start, start + 250)
    ...     model = model.partial_fit(X[rows], y[rows], classes=["bad", "good"])
    >>> model.predict_proba(X[:1]).shape
    (1, 2)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_estimators": Whole(1, 10_000),
        "max_features": AnyOf((OneOf(("sqrt", None)), Whole(1), Real(0, 1, low_open=True))),
        "mean_draws": Real(0, 32, low_open=True),
        "warning_delta": Real(0, 1, low_open=True),
        "drift_delta": Real(0, 1, low_open=True),
        **PARAMETERS,
    }

    def __init__(  # noqa: PLR0913 -- parameters of an estimator
        self,
        *,
        n_estimators: int = 10,
        max_features: str | float | None = "sqrt",
        mean_draws: float = 6.0,
        warning_delta: float = 0.01,
        drift_delta: float = 0.001,
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
        self.max_features = max_features
        self.mean_draws = mean_draws
        self.warning_delta = warning_delta
        self.drift_delta = drift_delta
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
        wanted = self.max_features
        columns = 0.0 if wanted is None else -1.0 if wanted == "sqrt" else float(wanted)
        if isinstance(wanted, float) and wanted == 1.0:
            columns = 0.0  # a share: all of them
        draws, warning = float(self.mean_draws), float(self.warning_delta)
        return StreamRules(
            tree_rules(self, columns=columns),
            ("adaptive_forest", int(self.n_estimators), draws, warning, float(self.drift_delta)),
        )
