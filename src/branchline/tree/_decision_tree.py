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
from branchline._trees._few_rows import are_plain_numbers
from branchline._trees._tree_state import pack_tree, unpack_tree
from branchline._validation import AnyOf, Flag, Given, OneOf, Real, TrainingData
from branchline.table import Schema
from branchline.tree._tree_estimator import TreeEstimator
from branchline.tree.growing._settings import GROWING, PRUNING

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]


class DecisionTreeClassifier(TreeEstimator, Classifier):
    """A decision tree that predicts a class.

    Parameters
    ----------
    criterion
        What a test should lower most: "gini", "entropy", "misclassification", or "gain_ratio": the
        gain in entropy over the entropy of the branches, among tests of at least average gain; or
        "mdl": entropy, and a test must save more bits than it takes to describe it.
    split
        "binary": x ≤ t for numbers, x ∈ S for categories; "multiway": a branch for each category.
    missing
        What happens to a missing value, in training and prediction. "learned": it takes the branch
        that makes the test better; "own": it gets a branch of its own; "node_mode", "sample_mode":
        it counts as the commonest category (or the median) of the node or of all rows;
        "fractional": it goes down every branch, by their weights (C4.5). A category that was never
        seen is treated alike. A node that saw none missing sends them to its heavier branch; a
        multiway test gives them a branch of their own or, without any, the node's own answer.
    max_depth
        Maximum depth: tests on the longest path; None: any depth.
    max_leaf_nodes
        Maximum number of leaves; the leaf whose test gains most is split first. None: any number.
    min_samples_split
        Minimum number of rows of a node that is split, counted by weight.
    min_samples_leaf
        Minimum number of rows of a branch; at least two branches of a multiway test must have it.
        Rows count by weight: whole weights as copies, others rescaled to a mean of 1.
    min_impurity
        A node whose impurity is not above this becomes a leaf.
    min_gain
        A test must lower the impurity by more than this.
    significance
        The level of a χ² test of independence between branches and classes: tests that are not
        significant are not used. None: no such test.
    zero_gain
        "stop" when no test gains anything; "split" goes on while classes are mixed and a column
        varies (ID3; solves XOR).
    stop_by
        "entropy" or "accuracy": rows are held out, and the tree gets no deeper once these no longer
        improve from one level to the next; None: no such rule.
    min_improvement
        The least improvement that early stopping asks for.
    prune
        "cost_complexity", "reduced_error", "pessimistic", "mdl" or None.
    choose_by
        How cost-complexity pruning finds the price of a leaf: by "folds" or by a "validation" set.
    n_folds
        The number of folds.
    rule
        Which tree cost-complexity pruning takes. "best": the one of the least cross-validated
        error. "one_se": the smallest tree within one standard error of it (CART's rule). A number:
        within that many standard errors. Default 0.5.
    ccp_alpha
        A given price of a leaf, in errors a row; None: chosen.
    validation_fraction
        The share of rows held out by reduced-error pruning, choose_by="validation" and early
        stopping.
    accept
        Reduced-error pruning goes on while held-out errors get "better", are "not_worse", or to the
        end, to keep the "best" of all.
    confidence
        The level of pessimistic pruning: smaller prunes more.
    mdl_weight
        λ of the sum leaves + λ · H(Y | tree) that "mdl" makes least; None: worked out in bits.
    class_weight
        A weight for each class, or "balanced".
    costs
        What errors cost: a matrix (rows: the truth) or a mapping from (truth, prediction). It takes
        part in growing, pruning and deciding; probabilities stay as they are.
    test_costs
        What testing a column costs, by name: gains are divided by it. Default: 1 for each column.
    subsets
        For some category columns, the only subsets that may be tested, by name.
    intervals
        For some numeric columns, the only thresholds that may be used, by name; or names with
        their upper limits, ``{"temperature": {"cold": "< 70", "mild": 75, "hot": None}}``, which
        make one test with a branch for each.
    questions
        Named sets of categories, such as ``{"vowel": "aeiouy"}``: each is asked, yes or no, of
        every category column that has some of them and others too (a window of letters).
    tests
        What a node may test. "axis": one column; "oblique": also sums of few numeric columns,
        such as age − 0.37·income ≤ 2.1; "learned": also which of two centers a row is nearer to
        (those of the node's two largest classes). Of equal tests the one of a single
        column is taken.
    n_test_columns
        The maximum number of columns in a sum (2 to 8). Default 3.
    lookahead
        A node's test is the first one of the best tree of this depth below it; 1: the best test
        alone. 2 solves XOR, 3 the parity of three. Costs rows × columns × tests^(lookahead − 1)
        a node.
    subset_search
        How subsets of categories are found for three classes and more: "auto" tries all of up to
        ten categories, beyond that one class against the rest and flip-flop; or "exact",
        "flip_flop", "one_vs_rest", "greedy".
    rare_categories
        In multiway tests, categories of fewer than min_samples_leaf rows have a branch of their
        "own", or "share" one.
    cautious_thresholds
        Two rules of C4.5, release 8, for numbers: log2(number of thresholds) / rows is subtracted
        from the gain, and each side needs a tenth of the rows a class has on average (at most 25).
    correct_for_chance
        Subtract from the score of a test the gain that the best of that many tests of its column
        would reach by chance, so that names and other identifiers do not win; and keep a single
        leaf where no pruned tree is better than it beyond chance. Default True.
    random_state
        The seed of folds and of held-out rows.
    n_jobs
        Threads; None for all cores. The result does not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    tree_
        The fitted tree, as arrays.
    decision_
        The class that each node decides for, as an index into ``classes_``.
    feature_importances_
        The weight times the decrease of impurity of each column's tests; they sum to 1.
    impurity_decreases_
        The same without division by the sum: Σ |S| · ΔI for each column.
    pruning_path_
        Cost-complexity pruning: the nested sequence with its held-out errors.

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
            data, classes_=classes, _costs=costs, **kept, **_decisions(kept["tree_"], costs)
        )

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the class frequencies of each row's leaf, averaged when it is shared."""
        return self._values_of(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class that each row's leaf decides for (of least expected cost)."""
        self._check_fitted()
        if self.tree_.shares_rows:
            best = decide(self.predict_proba(X), self._costs)
        else:
            best = self.decision_[self.apply(X)]
        names: npt.NDArray[Any] = self.classes_[best]
        return names

    def _pack(self) -> FittedState:
        packed = {"classes": classes_to_state(self.classes_), **pack_tree(self.tree_)}
        if self._costs is not None:
            packed["costs"] = self._costs
        return {**packed, **self._pack_path()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        tree = unpack_tree(state, schema, n_classes=len(classes))
        costs = costs_from_state(state, classes)
        return {
            "classes_": classes,
            "tree_": tree,
            "_costs": costs,
            "_takes_floats": are_plain_numbers(schema),
            **_decisions(tree, costs),
            **self._unpack_path(state, tree.n_leaves),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.max_depth == 1
        return tags


def _decisions(tree: Any, costs: npt.NDArray[np.float64] | None) -> dict[str, Any]:
    return {"decision_": decide(tree.value, costs)}


class DecisionTreeRegressor(TreeEstimator, Regressor):
    """A decision tree that predicts a number, or several.

    Parameters
    ----------
    criterion
        What a test should lower most: "variance", summed over outputs; "squared_error" is the same.
    split
        "binary": x ≤ t for numbers, x ∈ S for categories; "multiway": a branch for each category.
    missing
        What happens to a missing value, in training and prediction. "learned": it takes the branch
        that makes the test better; "own": it gets a branch of its own; "node_mode", "sample_mode":
        it counts as the commonest category (or the median) of the node or of all rows;
        "fractional": it goes down every branch, by their weights (C4.5). A category that was never
        seen is treated alike. A node that saw none missing sends them to its heavier branch; a
        multiway test gives them a branch of their own or, without any, the node's own answer.
    max_depth
        Maximum depth: tests on the longest path; None: any depth.
    max_leaf_nodes
        Maximum number of leaves; the leaf whose test gains most is split first. None: any number.
    min_samples_split
        Minimum number of rows of a node that is split, counted by weight.
    min_samples_leaf
        Minimum number of rows of a branch; at least two branches of a multiway test must have it.
        Rows count by weight: whole weights as copies, others rescaled to a mean of 1.
    min_impurity
        A node whose variance is not above this becomes a leaf.
    min_gain
        A test must lower the variance by more than this.
    zero_gain
        "stop" when no test gains anything; "split" goes on while a column varies.
    stop_by
        "squared_error": rows are held out, and the tree gets no deeper once their squared error no
        longer improves from one level to the next; None: no such rule.
    min_improvement
        The least improvement that early stopping asks for.
    prune
        "cost_complexity", "reduced_error", "pessimistic", "mdl" or None.
    choose_by
        How cost-complexity pruning finds the price of a leaf: by "folds" or by a "validation" set.
    n_folds
        The number of folds.
    rule
        Which tree cost-complexity pruning takes. "best": the one of the least cross-validated
        error. "one_se": the smallest tree within one standard error of it (CART's rule). A number:
        within that many standard errors. Default 0.5.
    ccp_alpha
        A given price of a leaf, in squared error a row; None: chosen.
    validation_fraction
        The share of rows held out by reduced-error pruning, choose_by="validation" and early
        stopping.
    accept
        Reduced-error pruning goes on while held-out errors get "better", are "not_worse", or to the
        end, to keep the "best" of all.
    confidence
        The level of pessimistic pruning: smaller prunes more.
    mdl_weight
        λ of the sum leaves + λ · (scaled squared error) that "mdl" makes least; None: worked out
        in bits.
    test_costs
        What testing a column costs, by name: gains are divided by it. Default: 1 for each column.
    subsets
        For some category columns, the only subsets that may be tested, by name.
    intervals
        For some numeric columns, the only thresholds that may be used, by name; or names with
        their upper limits, ``{"temperature": {"cold": "< 70", "mild": 75, "hot": None}}``, which
        make one test with a branch for each.
    questions
        Named sets of categories, such as ``{"vowel": "aeiouy"}``: each is asked, yes or no, of
        every category column that has some of them and others too (a window of letters).
    tests
        What a node may test. "axis": one column; "oblique": also sums of few numeric columns,
        such as age − 0.37·income ≤ 2.1; "learned": also which of two centers a row is nearer to
        (those of the rows below and above the node's mean). Of equal tests the one of a single
        column is taken.
    n_test_columns
        The maximum number of columns in a sum (2 to 8). Default 3.
    lookahead
        A node's test is the first one of the best tree of this depth below it; 1: the best test
        alone. 2 solves XOR, 3 the parity of three. Costs rows × columns × tests^(lookahead − 1)
        a node.
    subset_search
        How subsets of categories are found: "auto" in order of the mean (with one output that is
        the best of all subsets), or "exact", "flip_flop", "one_vs_rest", "greedy".
    rare_categories
        In multiway tests, categories of fewer than min_samples_leaf rows have a branch of their
        "own", or "share" one.
    correct_for_chance
        Subtract from the score of a test the gain that the best of that many tests of its column
        would reach by chance, so that names and other identifiers do not win; and keep a single
        leaf where no pruned tree is better than it beyond chance. Default True.
    random_state
        The seed of folds and of held-out rows.
    n_jobs
        Threads; None for all cores. The result does not depend on it.

    Attributes
    ----------
    tree_
        The fitted tree, as arrays.
    n_outputs_
        How many numbers are predicted for a row.
    feature_importances_
        The weight times the decrease of variance of each column's tests; they sum to 1.
    impurity_decreases_
        The same without division by the sum: Σ |S| · ΔI for each column.
    pruning_path_
        Cost-complexity pruning: the nested sequence with its held-out errors.

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
    _multi_output = True
    _constraints: ClassVar = {
        "criterion": OneOf(("variance", "squared_error")),
        **GROWING,
        "stop_by": OneOf((None, "squared_error")),
        **PRUNING,
    }
    n_outputs_: int

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        criterion: str = "variance",
        split: str = "binary",
        missing: str = "learned",
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
        kept = self._grow(data, None, None)
        n_outputs = data.number_target.matrix.shape[1]
        return self._finish(data, n_outputs_=n_outputs, **kept)

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the mean of each row's leaf, averaged when it is shared; a column an output."""
        means = self._values_of(X)
        return means[:, 0] if self.n_outputs_ == 1 else means

    def _pack(self) -> FittedState:
        return {"n_outputs": self.n_outputs_, **pack_tree(self.tree_), **self._pack_path()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        n_outputs = self._count_of_outputs(state)
        tree = unpack_tree(state, schema, n_classes=None, n_outputs=n_outputs)
        return {
            "tree_": tree,
            "n_outputs_": n_outputs,
            "_takes_floats": are_plain_numbers(schema),
            **self._unpack_path(state, tree.n_leaves),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.regressor_tags.poor_score = self.max_depth == 1
        return tags
