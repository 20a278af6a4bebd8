"""Adaptive Hoeffding trees: branches whose errors rise are rebuilt.

1. Every node follows the errors of its branch with ADWIN.
2. When they rise, a new branch begins beside the old one and learns from the same rows.
3. Both are compared on these rows. The better one stays; a new one that is no better is dropped.

A. Bifet and R. Gavaldà, Adaptive learning from evolving data streams, 2009.
"""

from typing import ClassVar

from branchline._validation import Constraint, Real
from branchline.stream._learned_trees import StreamRules
from branchline.stream._stream_classifier import StreamClassifier
from branchline.stream._tree_parameters import PARAMETERS, tree_rules

__all__ = ["AdaptiveHoeffdingTreeClassifier"]


class AdaptiveHoeffdingTreeClassifier(StreamClassifier):
    """A tree for streams that change with time: branches that have become wrong are rebuilt.

    Each node watches how often its branch is wrong (ADWIN). When errors rise, a new branch
    grows beside the old one; whichever is right more often on the same rows stays. ``branches_``
    tells when that happened, and where. Rows are learned in their order, so the result
    depends on it; how they are cut into batches does not matter.

    Where nothing changes, it predicts as ``HoeffdingTreeClassifier`` does and takes half as much
    time again. ``AdaptiveForestClassifier`` is more accurate and slower.

    Parameters
    ----------
    drift_delta
        How sensitive the nodes are to change: the false-alarm rate of ADWIN. Smaller values react
        later and more rarely. Default 0.002.
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
        Maximum memory in megabytes. When it is full, the leaves that promise least stop
        learning until there is room again. Default 64.
    max_categories
        How many categories of a column are listed, in the order in which they come; later ones
        count as missing. Default 256.

    Attributes
    ----------
    classes_
        The classes, sorted.
    n_rows_seen_
        How many rows were learned from.
    n_leaves_
        The number of leaves.
    n_bytes_
        How many bytes the tree takes with statistics of leaves, about.
    branches_
        What happened to branches: when, where, and how often old and new were wrong.

    See Also
    --------
    HoeffdingTreeClassifier : a tree for streams.
    AdaptiveForestClassifier : a random forest for streams that change with time.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.stream import AdaptiveHoeffdingTreeClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = AdaptiveHoeffdingTreeClassifier()
    >>> for start in range(0, 1000, 250):
    ...     rows = slice(start, start + 250)
    ...     model = model.partial_fit(X[rows], y[rows], classes=["bad", "good"])
    >>> model.n_leaves_
    2
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "drift_delta": Real(0, 1, low_open=True),
        **PARAMETERS,
    }
    random_state = 0  # nothing is drawn

    def __init__(  # noqa: PLR0913 -- parameters of an estimator
        self,
        *,
        drift_delta: float = 0.002,
        criterion: str = "entropy",
        grace_period: int = 200,
        delta: float = 1e-7,
        tie_threshold: float = 0.2,
        leaf_prediction: str = "adaptive",
        numeric: str = "binned",
        max_bins: int = 64,
        max_depth: int | None = None,
        max_memory: float = 64.0,
        max_categories: int = 256,
    ) -> None:
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

    def _rules(self) -> StreamRules:
        return StreamRules(tree_rules(self, drift=float(self.drift_delta)))
