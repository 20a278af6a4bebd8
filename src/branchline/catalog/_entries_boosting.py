"""Boosting: learners in sequence, each mending what those before it got wrong."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["BOOSTING"]

_PLUSSES = Plusses(accuracy=3, efficiency=3, interpretability=2, ease=3)  # of ensembles
_ROUNDS = Between(10, 500, log=True, whole=True)
_RATE = Between(0.01, 0.3, log=True)
_TREES: Mapping[Size, Space] = {
    "small": ({"max_leaf_nodes": ["auto", 4, 31], "learning_rate": [0.05, 0.15]},),
    "medium": (
        {
            "max_leaf_nodes": ["auto", 4, 8, 31, 63],
            "min_samples_leaf": ["auto", 1, 20],
            "learning_rate": [0.05, 0.15],
        },
    ),
    "large": (
        {
            "growth": ["leaf_wise", "depth_wise", "symmetric"],
            "learning_rate": _RATE,
            "max_leaf_nodes": Between(4, 255, log=True, whole=True),
            "min_samples_leaf": Between(1, 100, log=True, whole=True),
            "l2_regularization": Between(0.01, 100.0, log=True),
            "subsample": Between(0.4, 1.0),
            "tree_features": Between(0.3, 1.0),
        },
    ),
}
_VOTES: Mapping[Size, Space] = {
    "small": ({"n_estimators": [50, 200], "max_depth": [1, 3]},),
    "medium": ({"n_estimators": [25, 50, 100, 200], "max_depth": [1, 2, 3, 5]},),
    "large": (
        {
            "n_estimators": _ROUNDS,
            "max_depth": Between(1, 8, whole=True),
            "learning_rate": Between(0.1, 1.0, log=True),
        },
    ),
}
# AdaBoost for numbers needs larger trees than AdaBoost for classes.
_MEDIANS: Mapping[Size, Space] = {
    "small": ({"n_estimators": [50, 200], "max_depth": [3, 5]},),
    "medium": ({"n_estimators": [25, 50, 100, 200], "max_depth": [3, 4, 5, 8]},),
    "large": (
        {
            "n_estimators": _ROUNDS,
            "max_depth": Between(2, 10, whole=True),
            "learning_rate": Between(0.1, 1.0, log=True),
        },
    ),
}
_RESIDUALS: Mapping[Size, Space] = {
    "small": ({"n_estimators": [50, 200], "learning_rate": [1.0, 0.1]},),
    "medium": ({"n_estimators": [25, 50, 100, 200], "learning_rate": [1.0, 0.3, 0.1]},),
    "large": ({"n_estimators": _ROUNDS, "learning_rate": Between(0.03, 1.0, log=True)},),
}

BOOSTING = (
    Entry(
        name="gradient_boosting",
        title="Gradient boosting",
        family="boosting",
        classes={
            "classification": "branchline.boosting.GradientBoostingClassifier",
            "regression": "branchline.boosting.GradientBoostingRegressor",
        },
        handles=frozenset({"categories", "missing", "weights", "probabilities"}),
        description=(
            "Small trees in sequence; each corrects a part of the errors of those before it. "
            "Usually the most accurate learner for tables of more than a few hundred rows. Too "
            "large to be read as a whole, but the contribution of each column to a prediction is "
            "exact."
        ),
        reference=Reference(
            "Friedman, J. H.",
            "Greedy function approximation: a gradient boosting machine. Annals of Statistics 29, "
            "1189–1232",
            2001,
        ),
        spaces={"classification": _TREES, "regression": _TREES},
        aliases=("boosting", "gbm", "gbdt"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="adaboost",
        title="AdaBoost",
        family="boosting",
        classes={
            "classification": "branchline.boosting.AdaBoostClassifier",
            "regression": "branchline.boosting.AdaBoostRegressor",
        },
        handles=frozenset({"categories", "missing", "weights", "probabilities"}),
        description=(
            "Small trees (by default stumps) that vote; each is grown with more weight on the "
            "rows that those before it got wrong. The training error has a bound that is reported "
            "beside it. Simple and often accurate, but wrong labels get ever more weight, and its "
            "probabilities are less reliable than those of gradient boosting."
        ),
        reference=Reference(
            "Freund, Y. and Schapire, R. E.",
            "A decision-theoretic generalization of on-line learning and an application to "
            "boosting. Journal of Computer and System Sciences 55, 119–139",
            1997,
        ),
        spaces={"classification": _VOTES, "regression": _MEDIANS},
        aliases=("ada_boost", "samme"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="residual_booster",
        title="Residual boosting",
        family="boosting",
        classes={"regression": "branchline.boosting.ResidualBooster"},
        handles=frozenset({"categories", "missing", "weights"}),
        description=(
            "A small tree is fitted, then another to what it leaves over, and so on: boosting for "
            "numbers in its plainest form, with any learner in place of the tree. Unshrunk it "
            "learns fast and may learn noise too; gradient boosting does the same with more care."
        ),
        reference=Reference(
            "Friedman, J. H.",
            "Greedy function approximation: a gradient boosting machine. Annals of Statistics 29, "
            "1189–1232",
            2001,
        ),
        spaces={"regression": _RESIDUALS},
        aliases=("boosted_residuals",),
        plusses=_PLUSSES,
    ),
)
