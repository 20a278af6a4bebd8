"""Decision trees for classes and for numbers.

1. Code the table with exact ranks (``growing/_growth``): no encoding by hand, missing values stay
   missing.
2. Grow from the top: in each node the best test of all columns, then its branches, until a rule
   ends it (``native/include/branchline/grow_tree.hpp`` states the rules).
3. Prune (``pruning/_methods``); by default by cost-complexity, the price of a leaf chosen by ten
   folds that share the codes.
4. A leaf keeps class weights, or mean and variance; rows are sent down the raw values.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._state import classes_from_state, classes_to_state
from branchline._trees._costs import (
    check_costs,
    class_factors,
    costs_from_state,
    decide,
    weigh_classes,
)
from branchline._trees._counts import check_counts
from branchline._trees._few_rows import are_plain_numbers
from branchline._trees._node_decisions import decisions_of_nodes
from branchline._trees._node_losses import MEASURES
from branchline._trees._tree_arrays import TreeArrays
from branchline._trees._tree_state import pack_tree, unpack_tree
from branchline._validation import AnyOf, Flag, Given, OneOf, Real, TrainingData
from branchline.table import Schema
from branchline.tree._tree_estimator import TreeEstimator
from branchline.tree.growing._settings import ADDED, GROWING, PRUNING

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]


class DecisionTreeClassifier(TreeEstimator, Classifier):
    """A decision tree that predicts a class.

    Use it when people have to read the model: it is printed as rules (``to_text``), drawn as a
    picture, and it explains each prediction. It takes any table as it is: numbers, categories,
    dates and missing values.

    The tree is grown test by test. Cost-complexity pruning then cuts it back to the size that
    predicts unseen rows best, by cross-validation. ``C45``, ``CART`` and ``ID3`` are the published
    methods.

    When only accuracy counts, ``RandomForestClassifier`` and ``GradientBoostingClassifier`` are
    better on most tables.

    Parameters
    ----------
    criterion
        Impurity that a test should reduce most: "gini" (default), "entropy" or "misclassification".
        "gain_ratio" (C4.5): the reduction of entropy divided by the entropy of the branch sizes,
        among tests of at least average gain. "mdl": as "entropy", and a test must save more bits
        than its description takes.
    split
        "binary" (default): x ≤ t for numbers, x ∈ S for categories; "multiway": a branch for each
        category.
    missing
        What happens to a missing value, in training and prediction. "learned" (default): it takes
        the branch that makes the test better; "own": it gets a branch of its own; "node_mode",
        "sample_mode": it counts as the commonest category (or the median) of the node or of all
        rows; "fractional": it goes down every branch, by their weights (C4.5); "surrogate": the
        tests of other columns that agree most with the test decide (CART). Categories that were not
        in the training rows are treated as missing values. If no training row of a node had a
        missing value, missing values take the branch with the larger weight. A multiway test sends
        them to a branch of their own; if it has none, the row gets the prediction of the node
        itself.
    n_surrogates
        Maximum number of surrogate tests that are kept for each node, with missing="surrogate".
        Default 5.
    max_depth
        Maximum depth: the number of tests on the longest path. A small number gives a tree that
        fits on a page. Default None: any depth; pruning then decides.
    max_leaf_nodes
        Maximum number of leaves. The leaf whose test gains most is split first. Default None: any
        number.
    min_samples_split
        Minimum number of rows in a node that is split, counted by weight. Default 2.
    min_samples_leaf
        Minimum number of training rows in a branch; of a multiway test, in at least two branches.
        Larger values give smaller, more stable trees. Whole weights count as copies of the row;
        other weights are rescaled to a mean of 1. Default 1.
    min_impurity
        A node with an impurity of at most this becomes a leaf. Default 0.
    min_gain
        A test must lower the impurity by more than this. Default 0.
    significance
        Use a test only if a χ² test of independence between branches and classes is significant at
        this level, for example 0.05. Default None: no such test.
    zero_gain
        What to do in a node in which no test gains anything. "stop" (default): make it a leaf.
        "split": go on while classes are mixed and a column varies, as ID3 does; this solves XOR.
    stop_by
        Early stopping: "entropy" or "accuracy". A part of the rows is held out. The tree grows node
        by node, best split first, and growth stops when this value no longer improves on the
        held-out rows. Default None: no early stopping.
    min_improvement
        The smallest improvement that counts in early stopping. Default 0.
    prune
        How the grown tree is pruned: "cost_complexity" (default), "reduced_error", "pessimistic"
        (C4.5), "mdl", or None: not at all.
    choose_by
        How cost-complexity pruning chooses the price of a leaf: by cross-validation ("folds",
        default), or on one held-out part ("validation"), which is faster and less accurate.
    n_folds
        Number of folds of that cross-validation. Default 10.
    rule
        Which tree of the pruning sequence is taken. "best": the one with the lowest cross-validated
        error. "one_se": the smallest tree within one standard error of it (CART's rule). A number:
        within that many standard errors. Default 0.5.
    ccp_alpha
        The price of a leaf, in errors per row, if you want to set it yourself. Default None: it is
        chosen.
    validation_fraction
        The share of rows held out by prune="reduced_error", choose_by="validation" and ``stop_by``.
        Default 0.25.
    accept
        How far reduced-error pruning goes: while the held-out error gets "better" (default), while
        it is "not_worse", or to the root, keeping the "best" tree seen.
    confidence
        Confidence level of pessimistic pruning. Smaller values prune more. Default 0.25.
    mdl_weight
        λ in leaves + λ · H(Y | tree), the sum that prune="mdl" minimizes. Default None: both parts
        are measured in bits.
    class_weight
        A weight for each class, or "balanced": all classes count equally. Default None: as in the
        rows.
    costs
        Costs of errors: a matrix (rows: the true class) or a mapping from (truth, predicted) to a
        cost. Growing, pruning and the predicted class take them into account; probabilities do not
        change. Default None: every error costs 1.
    test_costs
        The cost of testing a column, by name; gains are divided by it. Give it when some columns
        are expensive to measure. Default None: 1 for each column.
    subsets
        For some category columns, by name, the only subsets that may be tested. Default None.
    intervals
        For some numeric columns, by name: a list of the only thresholds that may be used; or a
        mapping of interval names to upper limits, such as ``{"temperature": {"cold": "< 70",
        "mild": 75, "hot": None}}``, which gives one test with a branch for each interval. Default
        None.
    questions
        Named sets of categories, such as ``{"vowel": "aeiouy"}``. Each set becomes a yes-no test of
        every category column that has categories inside and outside the set. Useful for sequences
        with one column per position. Default None.
    tests
        What a node may test. "axis" (default): one column. "oblique": also weighted sums of a few
        numeric columns, such as age − 0.37·income ≤ 2.1. "learned": also which of two centers is
        nearer (the centers of the node's two largest classes). Among equally good tests, a test of
        one column is preferred.
    n_test_columns
        The maximum number of columns in a sum (2 to 8). Default 3.
    lookahead
        Depth of the search for each test. 1 (default): the best single test. k: the first test of
        the best subtree of depth k. 2 solves XOR, 3 the parity of three columns. Time per node:
        rows × columns × tests^(k − 1).
    subset_search
        How subsets of categories are searched when there are three classes or more. "auto"
        (default) tries all subsets of up to ten categories; for more categories it starts from one
        class against the rest and improves by flip-flop. "exact", "flip_flop", "one_vs_rest" and
        "greedy" use one method only.
    rare_categories
        In multiway tests: categories with fewer than ``min_samples_leaf`` rows get a branch of
        their "own" (default), or "share" one branch.
    cautious_thresholds
        Two rules of C4.5 release 8 for numeric columns: log2(number of thresholds) / rows is
        subtracted from the gain, and each branch needs at least a tenth of the average number of
        rows per class (at most 25). Default False.
    correct_for_chance
        Subtract from the score of a test the gain that the best of all tests of its column would
        reach by chance. Columns with many values, such as names and identifiers, then do not win by
        chance. A pruned tree that is not better than a single leaf beyond chance becomes a single
        leaf. Default True.
    random_state
        Seed for folds and held-out rows. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    tree_
        The fitted tree, as arrays.
    decision_
        The class that each node decides for, as an index into ``classes_``.
    feature_importances_
        Importance of each column: for each of its tests, the weight of the node times the decrease
        of impurity, summed and divided by the total. Sums to 1.
    impurity_decreases_
        The same before the division by the sum: Σ (rows of the node) · ΔI for each column.
    pruning_path_
        The sequence of pruned trees with their held-out errors; with prune="cost_complexity" only.

    See Also
    --------
    C45
    CART
    OptimalTreeClassifier : the best tree of a depth, with a proof.
    RandomForestClassifier : many trees, averaged.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> print(DecisionTreeClassifier().fit(X, y).to_text())
    petal_width ≤ 0.8
      yes: setosa 100 % of 50
      no or missing:
        petal_width ≤ 1.75
          yes or missing: versicolor 91 % of 54
          no: virginica 98 % of 46
    """

    _opposite = "branchline.tree.DecisionTreeRegressor"
    _added_parameters: ClassVar = ADDED
    _constraints: ClassVar = {
        "criterion": OneOf(("gini", "entropy", "misclassification", "gain_ratio", "mdl")),
        **GROWING,
        "significance": AnyOf((OneOf((None,)), Real(0.0, 1.0, low_open=True))),
        "stop_by": OneOf((None, "entropy", "accuracy")),
        "cautious_thresholds": Flag(),
        **PRUNING,
        "class_weight": AnyOf((OneOf((None, "balanced")), Given((dict,), "a mapping of classes"))),
        "costs": Given((dict, list, tuple, np.ndarray), "a matrix or a mapping"),
    }
    classes_: npt.NDArray[Any]
    decision_: npt.NDArray[np.int64]
    _costs: npt.NDArray[np.float64] | None

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        criterion: str = "gini",
        split: str = "binary",
        missing: str = "learned",
        n_surrogates: int = 5,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_impurity: float = 0.0,
        min_gain: float = 0.0,
        significance: float | None = None,
        zero_gain: str = "stop",
        stop_by: str | None = None,
        min_improvement: float = 0.0,
        prune: str | None = "cost_complexity",
        choose_by: str = "folds",
        n_folds: int = 10,
        rule: Any = 0.5,
        ccp_alpha: float | None = None,
        validation_fraction: float = 0.25,
        accept: str = "better",
        confidence: float = 0.25,
        mdl_weight: float | None = None,
        class_weight: Any = None,
        costs: Any = None,
        test_costs: dict[Any, float] | None = None,
        subsets: dict[Any, Any] | None = None,
        intervals: dict[Any, Any] | None = None,
        questions: dict[Any, Any] | None = None,
        tests: str = "axis",
        n_test_columns: int = 3,
        lookahead: int = 1,
        subset_search: str = "auto",
        rare_categories: str = "own",
        cautious_thresholds: bool = False,
        correct_for_chance: bool = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.split = split
        self.missing = missing
        self.n_surrogates = n_surrogates
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity = min_impurity
        self.min_gain = min_gain
        self.significance = significance
        self.zero_gain = zero_gain
        self.stop_by = stop_by
        self.min_improvement = min_improvement
        self.prune = prune
        self.choose_by = choose_by
        self.n_folds = n_folds
        self.rule = rule
        self.ccp_alpha = ccp_alpha
        self.validation_fraction = validation_fraction
        self.accept = accept
        self.confidence = confidence
        self.mdl_weight = mdl_weight
        self.class_weight = class_weight
        self.costs = costs
        self.test_costs = test_costs
        self.subsets = subsets
        self.intervals = intervals
        self.questions = questions
        self.tests = tests
        self.n_test_columns = n_test_columns
        self.lookahead = lookahead
        self.subset_search = subset_search
        self.rare_categories = rare_categories
        self.cautious_thresholds = cautious_thresholds
        self.correct_for_chance = correct_for_chance
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree and prune it."""
        data = weigh_classes(self._begin(X, y, sample_weight), self.class_weight)
        classes = data.class_target.classes
        costs = check_costs(self.costs, classes)
        kept = self._grow(data, costs, class_factors(costs))
        return self._finish(
            data, classes_=classes, _costs=costs, **self._decided(kept["tree_"], costs, kept)
        )

    def predict_proba(self, X: Any, *, missing: str | None = None) -> npt.NDArray[np.float64]:
        """Return the class frequencies of each row's leaf, averaged when it is shared.

        ``missing`` as in ``predict``.
        """
        return self._values_of(X, missing)

    def predict(self, X: Any, *, missing: str | None = None) -> npt.NDArray[Any]:
        """Return the class that each row's leaf decides for (of least expected cost).

        Parameters
        ----------
        X
            The rows.
        missing
            How missing values are treated here: "learned" (the branch that each test has for
            them), "majority" (the heaviest branch), "fractional" (every branch, by weight), or
            "surrogate" (tests of other columns decide). None: as the tree was grown.
        """
        way = self._way_down(missing)
        if way.tree.shares_rows:
            best = decide(self._values_of(X, missing), self._costs)
        else:
            best = self.decision_[self._ends_of(X, way)]
        names: npt.NDArray[Any] = self.classes_[best]
        return names

    @staticmethod
    def _decided(
        tree: TreeArrays, costs: npt.NDArray[np.float64] | None, fitted: dict[str, Any]
    ) -> dict[str, Any]:
        """Return fitted attributes with the class that each node decides for."""
        decision = decisions_of_nodes(tree, costs)
        for leaf, label in fitted.get("relabeled_", {}).items():
            decision[leaf] = label
        return {**fitted, "decision_": decision}

    def _pack(self) -> FittedState:
        packed = {"classes": classes_to_state(self.classes_), **pack_tree(self.tree_)}
        if self._costs is not None:
            packed["costs"] = self._costs
        return {**packed, **self._pack_more()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        tree = unpack_tree(state, schema, n_classes=len(classes))
        costs = costs_from_state(state, classes)
        return {
            "classes_": classes,
            "tree_": tree,
            "_costs": costs,
            "_takes_floats": are_plain_numbers(schema),
            **self._decided(tree, costs, self._unpack_more(state, tree, schema)),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.max_depth == 1
        return tags


class DecisionTreeRegressor(TreeEstimator, Regressor):
    """A decision tree that predicts a number, or several.

    Use it when people have to read the model: each leaf is a rule with the mean of its rows. It
    takes any table as it is: numbers, categories, dates and missing values.

    The tree is grown test by test. Cost-complexity pruning then cuts it back to the size that
    predicts unseen rows best, by cross-validation. Growing, pruning and importances go by the same
    ``criterion``.

    A tree predicts one number for all rows of a leaf, so it follows straight lines badly: try
    ``Ridge`` there, and ``RandomForestRegressor`` or ``GradientBoostingRegressor`` when only
    accuracy counts.

    Parameters
    ----------
    criterion
        What a test should lower most, summed over outputs. "variance" (default; "squared_error" is
        the same): leaves predict means. "absolute_error": the distances to the median, which leaves
        predict; for targets with outliers. "poisson": half the Poisson deviance, for counts and
        rates of 0 and above; leaves predict means, always above 0, because a branch with counts of
        0 alone is not made.
    split
        "binary" (default): x ≤ t for numbers, x ∈ S for categories; "multiway": a branch for each
        category.
    missing
        What happens to a missing value, in training and prediction. "learned" (default): it takes
        the branch that makes the test better; "own": it gets a branch of its own; "node_mode",
        "sample_mode": it counts as the commonest category (or the median) of the node or of all
        rows; "fractional": it goes down every branch, by their weights (C4.5); "surrogate": the
        tests of other columns that agree most with the test decide (CART). Categories that were not
        in the training rows are treated as missing values. If no training row of a node had a
        missing value, missing values take the branch with the larger weight. A multiway test sends
        them to a branch of their own; if it has none, the row gets the prediction of the node
        itself.
    n_surrogates
        Maximum number of surrogate tests that are kept for each node, with missing="surrogate".
        Default 5.
    max_depth
        Maximum depth: the number of tests on the longest path. A small number gives a tree that
        fits on a page. Default None: any depth; pruning then decides.
    max_leaf_nodes
        Maximum number of leaves. The leaf whose test gains most is split first. Default None: any
        number.
    min_samples_split
        Minimum number of rows in a node that is split, counted by weight. Default 2.
    min_samples_leaf
        Minimum number of training rows in a branch; of a multiway test, in at least two branches.
        Larger values give smaller, more stable trees. Whole weights count as copies of the row;
        other weights are rescaled to a mean of 1. Default 1.
    min_impurity
        A node with a variance (or mean absolute error, or deviance) of at most this becomes a leaf.
        Default 0.
    min_gain
        A test must lower it by more than this. Default 0.
    zero_gain
        What to do in a node in which no test gains anything. "stop" (default): make it a leaf.
        "split": go on while a column varies.
    stop_by
        Stop growing early by validation rows: "squared_error", or "absolute_error" or "poisson"
        where that is the criterion. Rows are held out, and the tree grows node by node, best splits
        first, to the size from which on their error no longer falls. Default None: no early
        stopping.
    min_improvement
        The smallest improvement that counts in early stopping. Default 0.
    prune
        How the grown tree is pruned: "cost_complexity" (default), "reduced_error", "pessimistic"
        (C4.5), "mdl", or None: not at all.
    choose_by
        How cost-complexity pruning chooses the price of a leaf: by cross-validation ("folds",
        default), or on one held-out part ("validation"), which is faster and less accurate.
    n_folds
        Number of folds of that cross-validation. Default 10.
    rule
        Which tree of the pruning sequence is taken. "best": the one with the lowest cross-validated
        error. "one_se": the smallest tree within one standard error of it (CART's rule). A number:
        within that many standard errors. Default 0.5.
    ccp_alpha
        The price of a leaf, in squared error (or what the criterion says) per row, if you want to
        set it yourself. Default None: it is chosen.
    validation_fraction
        The share of rows held out by prune="reduced_error", choose_by="validation" and ``stop_by``.
        Default 0.25.
    accept
        How far reduced-error pruning goes: while the held-out error gets "better" (default), while
        it is "not_worse", or to the root, keeping the "best" tree seen.
    confidence
        Confidence level of pessimistic pruning. Smaller values prune more. Default 0.25.
    mdl_weight
        λ in leaves + λ · (scaled error), the sum that prune="mdl" minimizes. Default None:
        both parts are measured in bits.
    test_costs
        The cost of testing a column, by name; gains are divided by it. Give it when some columns
        are expensive to measure. Default None: 1 for each column.
    subsets
        For some category columns, by name, the only subsets that may be tested. Default None.
    intervals
        For some numeric columns, by name: a list of the only thresholds that may be used; or a
        mapping of interval names to upper limits, such as ``{"temperature": {"cold": "< 70",
        "mild": 75, "hot": None}}``, which gives one test with a branch for each interval. Default
        None.
    questions
        Named sets of categories, such as ``{"vowel": "aeiouy"}``. Each set becomes a yes-no test of
        every category column that has categories inside and outside the set. Useful for sequences
        with one column per position. Default None.
    tests
        What a node may test. "axis" (default): one column; "oblique": also sums of few numeric
        columns, such as age − 0.37·income ≤ 2.1; "learned": also which of two centers a row is
        nearer to
        (those of the rows below and above the node's mean). Of equal tests the one of a single
        column is taken.
    n_test_columns
        The maximum number of columns in a sum (2 to 8). Default 3.
    lookahead
        Depth of the search for each test. 1 (default): the best single test. k: the first test of
        the best subtree of depth k. 2 solves XOR, 3 the parity of three columns. Time per node:
        rows × columns × tests^(k − 1).
    subset_search
        How subsets of categories are searched. "auto" (default): in the order of their mean target,
        which for one output finds the best of all subsets; by absolute error in the order of their
        medians, which is a heuristic. Or "exact", "flip_flop", "one_vs_rest", "greedy".
    rare_categories
        In multiway tests: categories with fewer than ``min_samples_leaf`` rows get a branch of
        their "own" (default), or "share" one branch.
    correct_for_chance
        Subtract from the score of a test the gain that the best of all tests of its column would
        reach by chance. Columns with many values, such as names and identifiers, then do not win by
        chance. A pruned tree that is not better than a single leaf beyond chance becomes a single
        leaf. Default True.
    random_state
        Seed for folds and held-out rows. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    tree_
        The fitted tree, as arrays.
    n_outputs_
        How many numbers are predicted for a row.
    feature_importances_
        The weight times the decrease of impurity (the variance, or what the criterion says) of each
        column's tests; they sum to 1.
    impurity_decreases_
        The same before the division by the sum: Σ (rows of the node) · ΔI for each column.
    pruning_path_
        The sequence of pruned trees with their held-out errors; with prune="cost_complexity" only.

    See Also
    --------
    M5 : linear models in the leaves.
    OptimalTreeRegressor
    RandomForestRegressor

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import DecisionTreeRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = DecisionTreeRegressor(max_leaf_nodes=3).fit(X, y)
    >>> print(model.to_text())
    cylinders
      3, 6, 8: 17.289 (mean of 191)
      4, 5 or missing:
        weight ≤ 2217
          yes: 32.7747 (mean of 95)
          no or missing: 26.2768 (mean of 112)
    """

    _opposite = "branchline.tree.DecisionTreeClassifier"
    _added_parameters: ClassVar = ADDED
    _multi_output = True
    _constraints: ClassVar = {
        "criterion": OneOf(("variance", *MEASURES)),
        **GROWING,
        "stop_by": OneOf((None, *MEASURES)),
        **PRUNING,
    }
    n_outputs_: int

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        criterion: str = "variance",
        split: str = "binary",
        missing: str = "learned",
        n_surrogates: int = 5,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_impurity: float = 0.0,
        min_gain: float = 0.0,
        zero_gain: str = "stop",
        stop_by: str | None = None,
        min_improvement: float = 0.0,
        prune: str | None = "cost_complexity",
        choose_by: str = "folds",
        n_folds: int = 10,
        rule: Any = 0.5,
        ccp_alpha: float | None = None,
        validation_fraction: float = 0.25,
        accept: str = "better",
        confidence: float = 0.25,
        mdl_weight: float | None = None,
        test_costs: dict[Any, float] | None = None,
        subsets: dict[Any, Any] | None = None,
        intervals: dict[Any, Any] | None = None,
        questions: dict[Any, Any] | None = None,
        tests: str = "axis",
        n_test_columns: int = 3,
        lookahead: int = 1,
        subset_search: str = "auto",
        rare_categories: str = "own",
        correct_for_chance: bool = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.split = split
        self.missing = missing
        self.n_surrogates = n_surrogates
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity = min_impurity
        self.min_gain = min_gain
        self.zero_gain = zero_gain
        self.stop_by = stop_by
        self.min_improvement = min_improvement
        self.prune = prune
        self.choose_by = choose_by
        self.n_folds = n_folds
        self.rule = rule
        self.ccp_alpha = ccp_alpha
        self.validation_fraction = validation_fraction
        self.accept = accept
        self.confidence = confidence
        self.mdl_weight = mdl_weight
        self.test_costs = test_costs
        self.subsets = subsets
        self.intervals = intervals
        self.questions = questions
        self.tests = tests
        self.n_test_columns = n_test_columns
        self.lookahead = lookahead
        self.subset_search = subset_search
        self.rare_categories = rare_categories
        self.correct_for_chance = correct_for_chance
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree and prune it."""
        data: TrainingData = self._begin(X, y, sample_weight)
        if self.criterion == "poisson":
            check_counts(data.number_target)
        kept = self._grow(data, None, None)
        n_outputs = data.number_target.matrix.shape[1]
        return self._finish(data, n_outputs_=n_outputs, **kept)

    def predict(self, X: Any, *, missing: str | None = None) -> npt.NDArray[np.float64]:
        """Return the mean (or median) of each row's leaf, averaged when it is shared.

        There is one column per output.

        Parameters
        ----------
        X
            The rows.
        missing
            How missing values are treated here: "learned" (the branch that each test has for
            them), "majority" (the heaviest branch), "fractional" (every branch, by weight), or
            "surrogate" (tests of other columns decide). None: as the tree was grown.
        """
        means = self._values_of(X, missing)
        return means[:, 0] if self.n_outputs_ == 1 else means

    def _pack(self) -> FittedState:
        return {"n_outputs": self.n_outputs_, **pack_tree(self.tree_), **self._pack_more()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        n_outputs = self._count_of_outputs(state)
        tree = unpack_tree(state, schema, n_classes=None, n_outputs=n_outputs)
        return {
            "tree_": tree,
            "n_outputs_": n_outputs,
            "_takes_floats": are_plain_numbers(schema),
            **self._unpack_more(state, tree, schema),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.positive_only = self.criterion == "poisson"
        tags.regressor_tags.poor_score = self.max_depth == 1
        return tags
