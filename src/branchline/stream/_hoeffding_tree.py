"""Hoeffding trees: trees that learn from each row once, in bounded memory.

1. A row goes down to a leaf and is counted there: class, bins of numbers, categories.
2. Every ``grace_period`` rows the leaf compares its best test with the best one of another column.
   Hoeffding's bound says whether the difference is beyond chance; then the leaf splits.
3. Leaves predict by their majority, by naive Bayes, or by whichever was right more often.

P. Domingos and G. Hulten, Mining high-speed data streams, 2000.
"""

from typing import ClassVar

from branchline._validation import Constraint
from branchline.stream._learned_trees import StreamRules
from branchline.stream._stream_classifier import StreamClassifier
from branchline.stream._tree_parameters import PARAMETERS, tree_rules

__all__ = ["HoeffdingTreeClassifier"]


class HoeffdingTreeClassifier(StreamClassifier):
    """A tree for streams: it learns from each row once, and its memory is bounded.

    For more rows than fit into memory, and for rows that come day by day. Rows are learned in the
    order in which they come, so this learner, unlike most others, depends on it; how they are cut
    into batches does not matter. ``partial_fit`` goes on learning; categories may be new.

    A leaf splits once Hoeffding's bound says that enough rows were seen to know the better test, or
    that two tests are about as good. A test that gains no more than chance is not taken, so a tree
    of noise stays a leaf.

    When all rows fit into memory and do not change with time, ``RandomForestClassifier`` is more
    accurate. When they change, take ``AdaptiveHoeffdingTreeClassifier``.

    Parameters
    ----------
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

    See Also
    --------
    AdaptiveHoeffdingTreeClassifier : where rules change.
    evaluate_stream

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.stream import HoeffdingTreeClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = HoeffdingTreeClassifier()
    >>> for start in range(0, 1000, 250):
    ...     rows = slice(start, start + 250)
    ...     model = model.partial_fit(X[rows], y[rows], classes=["bad", "good"])
    >>> model.n_leaves_
    2
    """

    _constraints: ClassVar[dict[str, Constraint]] = {**PARAMETERS}
    random_state = 0  # nothing is drawn

    def __init__(  # noqa: PLR0913 -- parameters of an estimator
        self,
        *,
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
        return StreamRules(tree_rules(self))
