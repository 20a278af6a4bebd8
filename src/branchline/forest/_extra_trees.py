"""Extra-trees: thresholds drawn at random, the best of a few columns.

1. Each node draws a few columns, and for each one threshold between its least and greatest value in
   the node, or a random subset of its categories.
2. The best of these tests is taken, or the first one whose score reaches ``score_threshold``.
3. Trees see all rows, are grown to the end and averaged.

P. Geurts, D. Ernst and L. Wehenkel, Extremely randomized trees, 2006.
"""

from typing import Any, ClassVar

from branchline.forest._settings import OF_CLASSES, OF_NUMBERS, PARAMETERS, SCORE_THRESHOLD
from branchline.forest._tasks import ForestClassifier, ForestRegressor

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor"]


class ExtraTreesClassifier(ForestClassifier):
    """Extra-trees that predict a class.

    Like a random forest with more randomness: each node draws one random threshold for each column
    that it looks at, and takes the best of these tests. Training is faster, and the averaged
    probabilities are smoother.

    Try it beside ``RandomForestClassifier``: it is often better when all columns carry some signal,
    and worse when most columns are noise. It takes any table as it is.

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
        How many columns each node looks at, drawn at random from those that vary in it: "sqrt"
        (default), "log2" or "third" of them, a share, a number, or None: all. Fewer columns make
        the trees more different. When none of the columns gains anything, further ones are drawn.
    bootstrap
        Whether each tree draws rows with replacement. The draws depend on the content of rows, not
        on their order. Default False: each tree sees all rows.
    max_samples
        The share (or number) of rows that each tree draws; without ``bootstrap``, the share of rows
        that it sees. Smaller values make large tables faster. Default None: all.
    score_threshold
        Accept the first drawn test with at least this score (0 to 1) instead of the best of
        ``max_features`` tests. Default None: always the best. The score is 2 I / (H(class) +
        H(test)) (Wehenkel).
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
        reach by chance. Extra-trees look at one test for each column, so there is little to
        correct. "auto": when a column has more than 64 categories. Default False.
    class_weight
        A weight for each class, or "balanced": all classes count equally. Default None: as in the
        rows.
    costs
        Costs of errors: a matrix (rows: the true class) or a mapping from (truth, predicted) to a
        cost. Growing and the predicted class take them into account; probabilities do not change.
        Default None: every error costs 1.
    oob_score
        Only with ``bootstrap=True``: predict each training row by the trees that have not seen it.
        This gives ``oob_score_``, ``oob_decision_function_`` and importances that are corrected for
        chance. Without ``bootstrap`` every tree sees every row: ``oob_score_`` is None and
        ``oob_decision_function_`` is NaN. Default True.
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

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.forest import ExtraTreesClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = ExtraTreesClassifier(bootstrap=True).fit(X, y)
    >>> round(model.oob_score_, 2)
    0.75
    """

    _opposite = "branchline.forest.ExtraTreesRegressor"
    _random_thresholds = True
    _constraints: ClassVar = {**PARAMETERS, **OF_CLASSES, "score_threshold": SCORE_THRESHOLD}

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        n_estimators: Any = 100,
        criterion: str = "gini",
        max_features: Any = "sqrt",
        bootstrap: bool = False,
        max_samples: Any = None,
        score_threshold: float | None = None,
        max_bins: int | None = 255,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_gain: float = 0.0,
        monotonic_cst: Any = None,
        correct_for_chance: bool = False,
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
        self.score_threshold = score_threshold
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


class ExtraTreesRegressor(ForestRegressor):
    """Extra-trees that predict a number, or several.

    Like a random forest with more randomness: each node draws one random threshold for each column
    that it looks at, and takes the best of these tests. Training is faster, and the averaged
    predictions are smoother.

    Try it beside ``RandomForestRegressor``: it is often better when all columns carry some signal,
    and worse when most columns are noise. It takes any table as it is.

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
        on their order. Default False: each tree sees all rows.
    max_samples
        The share (or number) of rows that each tree draws; without ``bootstrap``, the share of rows
        that it sees. Smaller values make large tables faster. Default None: all.
    score_threshold
        Accept the first drawn test with at least this score (0 to 1) instead of the best of
        ``max_features`` tests. Default None: always the best. The score is the share of the
        variance that the test explains.
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
        reach by chance. Extra-trees look at one test for each column, so there is little to
        correct. "auto": when a column has more than 64 categories. Default False.
    keep_targets
        Keep the targets of each leaf, which ``predict_quantiles`` needs; the model gets larger.
        Default False.
    oob_score
        Only with ``bootstrap=True``: predict each training row by the trees that have not seen it.
        This gives ``oob_score_``, ``oob_prediction_`` and importances that are corrected for
        chance. Without ``bootstrap`` every tree sees every row: ``oob_score_`` is None and
        ``oob_prediction_`` is NaN. Default True.
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

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.forest import ExtraTreesRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = ExtraTreesRegressor(bootstrap=True).fit(X, y)
    >>> round(model.oob_score_, 2)
    0.83
    """

    _opposite = "branchline.forest.ExtraTreesClassifier"
    _random_thresholds = True
    _constraints: ClassVar = {**PARAMETERS, **OF_NUMBERS, "score_threshold": SCORE_THRESHOLD}

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        n_estimators: Any = 100,
        criterion: str = "variance",
        max_features: Any = None,
        bootstrap: bool = False,
        max_samples: Any = None,
        score_threshold: float | None = None,
        max_bins: int | None = 255,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_gain: float = 0.0,
        monotonic_cst: Any = None,
        correct_for_chance: bool = False,
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
        self.score_threshold = score_threshold
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
