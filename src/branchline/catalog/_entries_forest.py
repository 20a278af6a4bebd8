"""Forests: many trees grown on changed rows, columns or thresholds, and averaged."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["FORESTS"]

# The textbook marks ensembles, of which forests are the best known.
_PLUSSES = Plusses(accuracy=3, efficiency=3, interpretability=2, ease=3)
_HANDLES = frozenset({"categories", "missing", "weights", "probabilities", "several_outputs"})
_LEAF = Between(1, 50, log=True, whole=True)
_SHARE = Between(0.1, 1.0)
# The number of trees is in no space: more of them take longer, but hardly ever score worse.
_COLUMNS_AND_LEAVES: Mapping[Size, Space] = {
    "small": ({"max_features": ["sqrt", "auto", None], "min_samples_leaf": [1, 5]},),
    "medium": (
        {
            "max_features": ["log2", "sqrt", "auto", None],
            "min_samples_leaf": [1, 3, 10],
            "max_samples": [None, 0.5],
        },
    ),
    "large": (
        {
            "max_features": _SHARE,
            "min_samples_leaf": _LEAF,
            "max_samples": [None, 0.5, 0.8],
            "max_bins": [255, None],
            "correct_for_chance": ["auto", True, False],
        },
    ),
}
_RANDOM_THRESHOLDS: Mapping[Size, Space] = {
    "small": ({"max_features": ["sqrt", 0.5, None], "min_samples_leaf": [1, 5]},),
    "medium": (
        {
            "max_features": ["log2", "sqrt", 0.5, None],
            "min_samples_leaf": [1, 3, 10],
            "bootstrap": [False, True],
        },
    ),
    "large": (
        {
            "max_features": _SHARE,
            "min_samples_leaf": _LEAF,
            "bootstrap": [False, True],
            "max_bins": [255, None],
        },
    ),
}
_OBLIQUE: Mapping[Size, Space] = {
    "small": ({"max_features": [0.05, 0.15, 0.3], "min_samples_leaf": [1, 5]},),
    "medium": ({"max_features": [0.03, 0.08, 0.15, 0.3], "min_samples_leaf": [1, 3, 10]},),
    "large": (
        {
            "max_features": Between(0.02, 0.5, log=True),
            "min_samples_leaf": _LEAF,
            "max_samples": [0.5, 0.8, None],
        },
    ),
}
_LEAVES: Mapping[Size, Space] = {
    "small": ({"min_samples_leaf": [1, 3, 10], "max_samples": [None, 0.5]},),
    "medium": (
        {
            "min_samples_leaf": [1, 2, 5, 10, 20],
            "max_samples": [None, 0.5],
            "correct_for_chance": ["auto", True, False],
        },
    ),
    "large": (
        {
            "min_samples_leaf": _LEAF,
            "max_samples": Between(0.2, 1.0),
            "max_bins": [255, None],
            "correct_for_chance": ["auto", True, False],
        },
    ),
}

FORESTS = (
    Entry(
        name="random_forest",
        title="Random forest",
        family="forest",
        classes={
            "classification": "branchline.forest.RandomForestClassifier",
            "regression": "branchline.forest.RandomForestRegressor",
        },
        handles=_HANDLES,
        description=(
            "A hundred full-grown trees. Each learns from rows drawn with replacement, and each "
            "split chooses among a few columns drawn at random; predictions are averaged. Accurate "
            "on most tables without tuning. The rows that a tree was not grown on show at once how "
            "good it is. Too large to be read; it never predicts numbers outside those it was "
            "trained on."
        ),
        reference=Reference("Breiman, L.", "Random forests. Machine Learning 45, 5–32", 2001),
        spaces={"classification": _COLUMNS_AND_LEAVES, "regression": _COLUMNS_AND_LEAVES},
        aliases=("forest", "rf"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="extra_trees",
        title="Extra-trees",
        family="forest",
        classes={
            "classification": "branchline.forest.ExtraTreesClassifier",
            "regression": "branchline.forest.ExtraTreesRegressor",
        },
        handles=_HANDLES,
        description=(
            "A forest whose thresholds are drawn at random too, while every tree sees all rows. "
            "Its trees differ more, so their mean is smoother than a random forest's: often better "
            "where the truth is smooth, worse where few of many columns matter. As no row is left "
            "out of a tree, errors must be measured on other rows."
        ),
        reference=Reference(
            "Geurts, P., Ernst, D. and Wehenkel, L.",
            "Extremely randomized trees. Machine Learning 63, 3–42",
            2006,
        ),
        spaces={"classification": _RANDOM_THRESHOLDS, "regression": _RANDOM_THRESHOLDS},
        aliases=("extremely_randomized_trees", "extra_tree"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="oblique_forest",
        title="Oblique forest",
        family="forest",
        classes={
            "classification": "branchline.forest.ObliqueForestClassifier",
            "regression": "branchline.forest.ObliqueForestRegressor",
        },
        handles=_HANDLES,
        description=(
            "A random forest that also tests sums and differences of two numeric columns. More "
            "accurate than a random forest where the answer follows combinations of numbers "
            "(measurements on one scale, signals, pixels); no better where columns act alone or "
            "are categories, and several times as slow."
        ),
        reference=Reference(
            "Tomita, T. M. et al.",
            "Sparse projection oblique randomer forests. Journal of Machine Learning Research 21",
            2020,
        ),
        spaces={"classification": _OBLIQUE, "regression": _OBLIQUE},
        aliases=("sporf", "sparse_oblique_forest"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="bagged_trees",
        title="Bagged trees",
        family="forest",
        classes={
            "classification": "branchline.forest.BaggedTreesClassifier",
            "regression": "branchline.forest.BaggedTreesRegressor",
        },
        handles=_HANDLES,
        description=(
            "A hundred full-grown trees on rows drawn with repetition, every test the best of all "
            "columns. Better than a random forest where only a few of many columns tell anything, "
            "else usually a little worse, as the trees are more alike; slower when columns are "
            "many. Bagging does the same with any other learner."
        ),
        reference=Reference(
            "Breiman, L.", "Bagging predictors. Machine Learning 24, 123–140", 1996
        ),
        spaces={"classification": _LEAVES, "regression": _LEAVES},
        aliases=("tree_bagging",),
        plusses=_PLUSSES,
    ),
)
