"""Bagged trees: the same tree on many bootstrap samples, all columns in every node.

1. Each tree draws rows with replacement and is grown to the end; nodes look at every column.
2. Trees are averaged.

L. Breiman, Bagging predictors, 1996. For other learners: ``branchline.ensemble.BaggingClassifier``.
"""

from typing import Any, ClassVar

from branchline.forest._settings import OF_CLASSES, OF_NUMBERS, PARAMETERS
from branchline.forest._tasks import ForestClassifier, ForestRegressor

__all__ = ["BaggedTreesClassifier", "BaggedTreesRegressor"]


class BaggedTreesClassifier(ForestClassifier):
    """Bagged trees that predict a class.

    Many trees, each grown on rows drawn with replacement; their probabilities are averaged
    (Breiman, 1996). It is a random forest in which each node looks at all columns. It takes any
    table as it is.

    ``RandomForestClassifier`` is usually at least as accurate, and faster; bagged trees can be
    better when only a few columns matter.

    Parameters
    ----------
    n_estimators
        Number of trees. More trees rarely hurt accuracy, but take longer; beyond a few hundred
        little changes. "auto": trees are added until the out-of-bag error no longer falls, at most
        1000. Default 100.
    criterion
        Impurity measure that chooses the tests: "gini" (default), "entropy", "misclassification",
        "gain_ratio" or "mdl", as in ``DecisionTreeClassifier``.
    max_features
        How many columns each node looks at, drawn at random from those that vary in it: "sqrt",
        "log2" or "third" of them, a share, a number, or None (default): all. Fewer columns make the
        trees more different. When none of the columns gains anything, further ones are drawn.
    bootstrap
        Whether each tree draws rows with replacement. The draws depend on the content of rows, not
        on their order. Default True.
    max_samples
        The share (or number) of rows that each tree draws; without ``bootstrap``, the share of rows
        that it sees. Smaller values make large tables faster. Default None: all.
    max_bins
        Maximum number of bins of a numeric column. Default 255. None: every value is a bin, which
        is exact and slower.
    max_depth
        Maximum depth: the number of tests on the longest path. Default None: any depth.
    max_leaf_nodes
        Maximum number of leaves of a tree. The leaf whose test gains most is split first. Default
        None: any number.
    min_samples_split
        Minimum number of rows in a node that is split, counted by weight. Default 2.
    min_samples_leaf
        Minimum number of rows in a branch, counted by weight. Larger values give smaller models and
        smoother predictions. Default 1.
    min_gain
        A test must lower the impurity by more than this. Default 0.
    monotonic_cst
        Directions by column: 1 (predictions never fall when the value grows), -1 (they never rise)
        or 0. A mapping from names, or a list. For two classes: the direction of the probability of
        the second class. Default None.
    correct_for_chance
        Subtract from the score of a test the gain that the best of all tests of its column would
        reach by chance, so that names and other identifiers do not win. "auto" (default): only when
        a column has more than 64 categories, because it takes longer and changes little elsewhere.
    class_weight
        A weight for each class, or "balanced": all classes count equally. Default None: as in the
        rows.
    costs
        Costs of errors: a matrix (rows: the true class) or a mapping from (truth, predicted) to a
        cost. Growing and the predicted class take them into account; probabilities do not change.
        Default None: every error costs 1.
    oob_score
        Predict each training row by the trees that have not seen it. This gives ``oob_score_``,
        ``oob_decision_function_`` and importances that are corrected for chance. Default True.
    time_budget
        Maximum time of ``fit`` in seconds; at least one tree is grown. Default None: no limit.
    warm_start
        Whether another ``fit`` on the same rows adds trees to the existing ones. Default False.
    random_state
        Seed of all random draws. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    forest_
        The trees, as arrays; ``tree(i)`` is one of them, to be read or drawn.
    feature_importances_
        What each column contributes, as shares; corrected out of bag (Li et al., 2019), so that
        columns of many values are not favored; without ``oob_score`` by the decrease of impurity.
    raw_importances_
        The same before negative values are set to 0: what a column adds to the probability of the
        true class.
    oob_score_
        The out-of-bag accuracy: an estimate for new rows. None when no row was left out.
    oob_decision_function_
        The class probabilities of each training row, from the trees that have not seen it. NaN for
        rows that all trees have seen and for rows of weight 0. Not kept in a model file.
    n_estimators_
        The number of trees.

    See Also
    --------
    RandomForestClassifier
    BaggingClassifier : bags of any learner.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.forest import BaggedTreesClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = BaggedTreesClassifier().fit(X, y)
    >>> round(model.oob_score_, 2)
    0.76
    """

    _opposite = "branchline.forest.BaggedTreesRegressor"
    _constraints: ClassVar = {**PARAMETERS, **OF_CLASSES}

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        n_estimators: Any = 100,
        criterion: str = "gini",
        max_features: Any = None,
        bootstrap: bool = True,
        max_samples: Any = None,
        max_bins: int | None = 255,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_gain: float = 0.0,
        monotonic_cst: Any = None,
        correct_for_chance: Any = "auto",
        class_weight: Any = None,
        costs: Any = None,
        oob_score: bool = True,
        time_budget: float | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.monotonic_cst = monotonic_cst
        self.correct_for_chance = correct_for_chance
        self.class_weight = class_weight
        self.costs = costs
        self.oob_score = oob_score
        self.time_budget = time_budget
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs


class BaggedTreesRegressor(ForestRegressor):
    """Bagged trees that predict a number, or several.

    Many trees, each grown on rows drawn with replacement; their predictions are averaged (Breiman,
    1996). It is a random forest in which each node looks at all columns. It takes any table as it
    is.

    ``RandomForestRegressor`` is usually at least as accurate, and faster; bagged trees can be
    better when only a few columns matter.

    Parameters
    ----------
    n_estimators
        Number of trees. More trees rarely hurt accuracy, but take longer; beyond a few hundred
        little changes. "auto": trees are added until the out-of-bag error no longer falls, at most
        1000. Default 100.
    criterion
        Impurity measure that chooses the tests: "variance" (default), summed over outputs
        ("squared_error" is the same); "poisson", half the Poisson deviance, for counts and rates of
        0 and above.
    max_features
        How many columns each node looks at, drawn at random from those that vary in it: "sqrt",
        "log2" or "third" of them, a share, a number, or None (default): all. Fewer columns make the
        trees more different. When none of the columns gains anything, further ones are drawn.
    bootstrap
        Whether each tree draws rows with replacement. The draws depend on the content of rows, not
        on their order. Default True.
    max_samples
        The share (or number) of rows that each tree draws; without ``bootstrap``, the share of rows
        that it sees. Smaller values make large tables faster. Default None: all.
    max_bins
        Maximum number of bins of a numeric column. Default 255. None: every value is a bin, which
        is exact and slower.
    max_depth
        Maximum depth: the number of tests on the longest path. Default None: any depth.
    max_leaf_nodes
        Maximum number of leaves of a tree. The leaf whose test gains most is split first. Default
        None: any number.
    min_samples_split
        Minimum number of rows in a node that is split, counted by weight. Default 2.
    min_samples_leaf
        Minimum number of rows in a branch, counted by weight. Larger values give smaller models and
        smoother predictions. Default 1.
    min_gain
        A test must lower the impurity by more than this. Default 0.
    monotonic_cst
        Directions by column: 1 (predictions never fall when the value grows), -1 (they never rise)
        or 0. A mapping from names, or a list; for one output only. Default None.
    correct_for_chance
        Subtract from the score of a test the gain that the best of all tests of its column would
        reach by chance, so that names and other identifiers do not win. "auto" (default): only when
        a column has more than 64 categories, because it takes longer and changes little elsewhere.
    keep_targets
        Keep the targets of each leaf, which ``predict_quantiles`` needs; the model gets larger.
        Default False.
    oob_score
        Predict each training row by the trees that have not seen it. This gives ``oob_score_``,
        ``oob_prediction_`` and importances that are corrected for chance. Default True.
    time_budget
        Maximum time of ``fit`` in seconds; at least one tree is grown. Default None: no limit.
    warm_start
        Whether another ``fit`` on the same rows adds trees to the existing ones. Default False.
    random_state
        Seed of all random draws. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    forest_
        The trees, as arrays; ``tree(i)`` is one of them, to be read or drawn.
    feature_importances_
        What each column contributes, as shares; corrected out of bag (Li et al., 2019), so that
        columns of many values are not favored; without ``oob_score`` by the decrease of variance.
    raw_importances_
        The same before negative values are set to 0: the variance that a column explains.
    oob_score_
        The out-of-bag R²: an estimate for new rows. None when no row was left out.
    oob_prediction_
        The prediction for each training row, from the trees that have not seen it. NaN for rows
        that all trees have seen and for rows of weight 0. Not kept in a model file.
    n_estimators_
        The number of trees.
    n_outputs_
        The number of outputs.

    See Also
    --------
    RandomForestRegressor
    BaggingRegressor

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.forest import BaggedTreesRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = BaggedTreesRegressor().fit(X, y)
    >>> round(model.oob_score_, 2)
    0.87
    """

    _opposite = "branchline.forest.BaggedTreesClassifier"
    _constraints: ClassVar = {**PARAMETERS, **OF_NUMBERS}

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        n_estimators: Any = 100,
        criterion: str = "variance",
        max_features: Any = None,
        bootstrap: bool = True,
        max_samples: Any = None,
        max_bins: int | None = 255,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_gain: float = 0.0,
        monotonic_cst: Any = None,
        correct_for_chance: Any = "auto",
        keep_targets: bool = False,
        oob_score: bool = True,
        time_budget: float | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.monotonic_cst = monotonic_cst
        self.correct_for_chance = correct_for_chance
        self.keep_targets = keep_targets
        self.oob_score = oob_score
        self.time_budget = time_budget
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
