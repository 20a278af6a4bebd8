"""Oblique forests: random forests whose nodes also test sums of two columns.

1. Pairs of numeric columns are added and subtracted, x + c·z and x − c·z, c the ratio of their
   ranges rounded to three digits: all pairs of up to 23 columns, else a drawn part of them. They
   become columns in bins, like those of the table.
2. The forest is grown on both (``_random_forest``): each node looks at a share of the columns.
3. What a sum contributes is shared by its two columns.

T. M. Tomita et al., Sparse projection oblique randomer forests, 2020, draw the sums anew in each
node; drawing them once makes it possible to bin each of them once, not to sort it in every node.
"""

from typing import Any, ClassVar

from branchline._validation import AnyOf, OneOf, Whole
from branchline.forest._oblique_columns import ObliqueForest
from branchline.forest._settings import OF_CLASSES, OF_NUMBERS, PARAMETERS
from branchline.forest._tasks import ForestClassifier, ForestRegressor

__all__ = ["ObliqueForestClassifier", "ObliqueForestRegressor"]

_PARAMETERS = {
    **{name: each for name, each in PARAMETERS.items() if name != "monotonic_cst"},
    "n_projections": AnyOf((OneOf(("auto",)), Whole(0))),
}


class ObliqueForestClassifier(ObliqueForest, ForestClassifier):
    """An oblique forest that predicts a class: a random forest that also tests sums of columns.

    It is more accurate than a random forest where classes differ along combinations of numeric
    columns, and takes two to three times as long. Categories and missing values need no treatment.

    Parameters
    ----------
    n_estimators
        The number of trees. "auto": until the out-of-bag error no longer falls, at most 1000.
        Default 100.
    criterion
        What a test should lower most: "gini" (default), "entropy", "misclassification",
        "gain_ratio" or "mdl", as for ``DecisionTreeClassifier``.
    max_features
        How many columns each node looks at, sums included, drawn at random among those that vary
        in it: a share, "sqrt", "log2" or "third" of them, a number, or None for all. Default
        0.15.
    n_projections
        The number of sums. "auto" (default): every pair of numeric columns added and subtracted, at
        most 512, and fewer where memory asks for it; 0 gives a random forest.
    bootstrap
        Whether each tree draws its rows with replacement. Default True.
    max_samples
        The share (or number) of rows that each tree draws; None: all. Without bootstrap: the share
        of rows it sees. Default 0.8: sums make trees differ enough, and each sees most rows.
    max_bins
        Maximum number of bins of a column; None: every value is a bin (exact, slower). Default 255.
    max_depth
        Maximum depth: tests on the longest path; None (default): any depth.
    max_leaf_nodes
        The maximum number of leaves of a tree; the leaf whose test gains most is split first.
        Default None: no limit.
    min_samples_split
        Minimum number of rows in a node that is split, counted by weight. Default 2.
    min_samples_leaf
        Minimum number of rows in a branch, counted by weight. Larger values give smaller models and
        smoother predictions. Default 1.
    min_gain
        A test must lower the impurity by more than this. Default 0.
    correct_for_chance
        Subtract from the score of a test the gain that the best of that many tests of its column
        would reach by chance, so that names and other identifiers do not win. "auto" (default):
        when a column has more than 64 categories (it takes longer, and changes little elsewhere).
    class_weight
        A weight for each class, or "balanced": all classes count equally. Default None: as in the
        rows.
    costs
        Costs of errors: a matrix (rows: the true class) or a mapping from (truth, predicted) to a
        cost. Growing and the predicted class take them into account; probabilities do not change.
        Default None: every error costs 1.
    oob_score
        Predict each row by the trees that have not seen it: ``oob_score_``,
        ``oob_decision_function_``, and importances that are corrected for chance. Default True.
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
        The same before what is below 0 is cut off: what a column adds to the probability of the
        right class.
    oob_score_
        The accuracy out of bag, an estimate for new rows; None without such rows.
    oob_decision_function_
        The class probabilities of each training row, by trees that have not seen it; NaN where all
        have, and for rows of weight 0. Not kept in a model file.
    n_estimators_
        The number of trees.

    See Also
    --------
    RandomForestClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.forest import ObliqueForestClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = ObliqueForestClassifier().fit(X, y)
    >>> round(model.oob_score_, 2)
    0.95
    """

    _opposite = "branchline.forest.ObliqueForestRegressor"
    _constraints: ClassVar = {**_PARAMETERS, **OF_CLASSES}

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        n_estimators: Any = 100,
        criterion: str = "gini",
        max_features: Any = 0.15,
        n_projections: Any = "auto",
        bootstrap: bool = False,
        max_samples: Any = 0.8,
        max_bins: int | None = 255,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_gain: float = 0.0,
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
        self.n_projections = n_projections
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.correct_for_chance = correct_for_chance
        self.class_weight = class_weight
        self.costs = costs
        self.oob_score = oob_score
        self.time_budget = time_budget
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs


class ObliqueForestRegressor(ObliqueForest, ForestRegressor):
    """An oblique forest that predicts a number, or several, and also tests sums of columns.

    It is more accurate than a random forest where the target follows combinations of numeric
    columns, and takes two to three times as long. Categories and missing values need no treatment.

    Parameters
    ----------
    n_estimators
        The number of trees. "auto": until the out-of-bag error no longer falls, at most 1000.
        Default 100.
    criterion
        What a test should lower most: "variance" (default), summed over outputs ("squared_error" is
        the same); "poisson", half the Poisson deviance, for counts and rates of 0 and above.
    max_features
        How many columns each node looks at, sums included, drawn at random among those that vary
        in it: a share, "sqrt", "log2" or "third" of them, a number, or None for all. Default
        0.15.
    n_projections
        The number of sums. "auto" (default): every pair of numeric columns added and subtracted, at
        most 512, and fewer where memory asks for it; 0 gives a random forest.
    bootstrap
        Whether each tree draws its rows with replacement. Default True.
    max_samples
        The share (or number) of rows that each tree draws; None: all. Without bootstrap: the share
        of rows it sees. Default 0.8: sums make trees differ enough, and each sees most rows.
    max_bins
        Maximum number of bins of a column; None: every value is a bin (exact, slower). Default 255.
    max_depth
        Maximum depth: tests on the longest path; None (default): any depth.
    max_leaf_nodes
        The maximum number of leaves of a tree; the leaf whose test gains most is split first.
        Default None: no limit.
    min_samples_split
        Minimum number of rows in a node that is split, counted by weight. Default 2.
    min_samples_leaf
        Minimum number of rows in a branch, counted by weight. Larger values give smaller models and
        smoother predictions. Default 1.
    min_gain
        A test must lower the impurity by more than this. Default 0.
    correct_for_chance
        Subtract from the score of a test the gain that the best of that many tests of its column
        would reach by chance, so that names and other identifiers do not win. "auto" (default):
        when a column has more than 64 categories (it takes longer, and changes little elsewhere).
    keep_targets
        Keep the targets of each leaf, for ``predict_quantiles``; the model gets larger.
        Default False.
    oob_score
        Predict each row by the trees that have not seen it: ``oob_score_``, ``oob_prediction_``,
        and importances that are corrected for chance. Default True.
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
        The same before what is below 0 is cut off: variance explained.
    oob_score_
        R² out of bag, an estimate for new rows; None without such rows.
    oob_prediction_
        The prediction of each training row, by trees that have not seen it; NaN where all have, and
        for rows of weight 0. Not kept in a model file.
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
    >>> from branchline.forest import ObliqueForestRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = ObliqueForestRegressor().fit(X, y)
    >>> round(model.oob_score_, 2)
    0.83
    """

    _opposite = "branchline.forest.ObliqueForestClassifier"
    _constraints: ClassVar = {**_PARAMETERS, **OF_NUMBERS}

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        n_estimators: Any = 100,
        criterion: str = "variance",
        max_features: Any = 0.15,
        n_projections: Any = "auto",
        bootstrap: bool = False,
        max_samples: Any = 0.8,
        max_bins: int | None = 255,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_gain: float = 0.0,
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
        self.n_projections = n_projections
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.correct_for_chance = correct_for_chance
        self.keep_targets = keep_targets
        self.oob_score = oob_score
        self.time_budget = time_budget
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
