"""Learners that decide together."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["ENSEMBLES"]

_PLUSSES = Plusses(accuracy=3, efficiency=3, interpretability=2, ease=3)

# The usual members, and members of more kinds, for classes and for numbers.
_CLASS_MEMBERS = [
    ("logistic", "random_forest", "gradient_boosting"),
    ("logistic", "random_forest", "gradient_boosting", "svm"),
]
_NUMBER_MEMBERS = [
    ("ridge", "random_forest", "gradient_boosting"),
    ("ridge", "random_forest", "gradient_boosting", "svm"),
]
# A mean by evidence is a mean of models that explain the rows: few and simple ones.
_PLAIN_CLASS_MEMBERS = [
    ("tree", "naive_bayes", "logistic"),
    ("tree", "naive_bayes", "logistic", "nearest_neighbors"),
]
_PLAIN_NUMBER_MEMBERS = [("tree", "ridge"), ("tree", "ridge", "nearest_neighbors")]
_MORE_CLASS_MEMBERS = [*_CLASS_MEMBERS, (*_CLASS_MEMBERS[1], "naive_bayes", "mlp")]
_MORE_NUMBER_MEMBERS = [*_NUMBER_MEMBERS, (*_NUMBER_MEMBERS[1], "pls", "mlp")]

_VOTING_CLASSES: Mapping[Size, Space] = {
    "small": ({"vote": ["soft", "hard"], "weights": [None, "stacked"]},),
    "medium": (
        {
            "vote": ["soft", "hard"],
            "weights": [None, "accuracy", "stacked"],
            "estimators": _CLASS_MEMBERS,
        },
    ),
    "large": (
        {
            "vote": ["soft", "hard"],
            "weights": [None, "accuracy", "stacked"],
            "estimators": _MORE_CLASS_MEMBERS,
        },
    ),
}
_VOTING_NUMBERS: Mapping[Size, Space] = {
    "small": ({"weights": [None, "stacked"]},),
    "medium": ({"weights": [None, "accuracy", "stacked"], "estimators": _NUMBER_MEMBERS},),
    "large": ({"weights": [None, "accuracy", "stacked"], "estimators": _MORE_NUMBER_MEMBERS},),
}
_STACKING_CLASSES: Mapping[Size, Space] = {
    "small": ({"final_estimator": ["logistic", "non_negative"]},),
    "medium": (
        {
            "final_estimator": ["logistic"],
            "passthrough": [False, True],
            "estimators": _CLASS_MEMBERS,
        },
        {"final_estimator": ["non_negative"], "estimators": _CLASS_MEMBERS},
    ),
    "large": (
        {
            "final_estimator": ["logistic", "tree", "naive_bayes"],
            "passthrough": [False, True],
            "estimators": _MORE_CLASS_MEMBERS,
        },
        {"final_estimator": ["non_negative"], "estimators": _MORE_CLASS_MEMBERS},
    ),
}
_STACKING_NUMBERS: Mapping[Size, Space] = {
    "small": ({"final_estimator": ["ridge", "non_negative"]},),
    "medium": (
        {"final_estimator": ["ridge"], "passthrough": [False, True], "estimators": _NUMBER_MEMBERS},
        {"final_estimator": ["non_negative"], "estimators": _NUMBER_MEMBERS},
    ),
    "large": (
        {
            "final_estimator": ["ridge", "tree", "linear_regression"],
            "passthrough": [False, True],
            "estimators": _MORE_NUMBER_MEMBERS,
        },
        {"final_estimator": ["non_negative"], "estimators": _MORE_NUMBER_MEMBERS},
    ),
}
_BAGGING_CLASSES: Mapping[Size, Space] = {
    "small": ({"estimator": [None, "tree"], "n_estimators": [25]},),
    "medium": ({"estimator": [None, "tree", "c45", "logistic"], "n_estimators": [25, 50]},),
    "large": (
        {
            "estimator": [None, "tree", "c45", "stump", "naive_bayes", "logistic"],
            "n_estimators": Between(10, 100, log=True, whole=True),
            "vote": ["soft", "hard"],
        },
    ),
}
_BAGGING_NUMBERS: Mapping[Size, Space] = {
    "small": ({"estimator": [None, "tree"], "n_estimators": [25]},),
    "medium": ({"estimator": [None, "tree", "ridge"], "n_estimators": [25, 50]},),
    "large": (
        {
            "estimator": [None, "tree", "stump", "ridge"],
            "n_estimators": Between(10, 100, log=True, whole=True),
        },
    ),
}
_AVERAGE_CLASSES: Mapping[Size, Space] = {
    "small": ({"evidence": ["folds", "bic"]},),
    "medium": ({"evidence": ["folds", "bic"], "estimators": _PLAIN_CLASS_MEMBERS},),
    "large": (
        {
            "evidence": ["folds", "bic"],
            "estimators": [*_PLAIN_CLASS_MEMBERS, (*_PLAIN_CLASS_MEMBERS[1], "lda", "mlp")],
        },
    ),
}
_AVERAGE_NUMBERS: Mapping[Size, Space] = {
    "small": ({"evidence": ["folds", "bic"]},),
    "medium": ({"evidence": ["folds", "bic"], "estimators": _PLAIN_NUMBER_MEMBERS},),
    "large": (
        {
            "evidence": ["folds", "bic"],
            "estimators": [*_PLAIN_NUMBER_MEMBERS, (*_PLAIN_NUMBER_MEMBERS[1], "pls", "mlp")],
        },
    ),
}
_THRESHOLD: Mapping[Size, Space] = {
    "small": ({"estimator": ["logistic", "naive_bayes", "tree"]},),
    "medium": ({"estimator": ["logistic", "naive_bayes", "tree", "lda", "nearest_neighbors"]},),
    "large": (
        {
            "estimator": ["logistic", "naive_bayes", "tree", "lda", "nearest_neighbors", "mlp"],
            "n_folds": [5, 10],
        },
    ),
}

ENSEMBLES = (
    Entry(
        name="voting",
        title="Voting",
        family="ensemble",
        classes={
            "classification": "branchline.ensemble.VotingClassifier",
            "regression": "branchline.ensemble.VotingRegressor",
        },
        handles=frozenset({"weights", "probabilities"}),
        description=(
            "Several learners of different kinds are fitted on the same rows and their answers "
            "averaged. Where they err differently the errors cancel, and the vote is better than "
            "most of its members. Weights can be equal, given or learned; a reader must look at "
            "every member."
        ),
        reference=Reference(
            "Kittler, J., Hatef, M., Duin, R. P. W. and Matas, J.",
            "On combining classifiers. IEEE Transactions on Pattern Analysis and Machine "
            "Intelligence 20, 226–239",
            1998,
        ),
        spaces={"classification": _VOTING_CLASSES, "regression": _VOTING_NUMBERS},
        aliases=("vote", "majority_vote"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="stacking",
        title="Stacking",
        family="ensemble",
        classes={
            "classification": "branchline.ensemble.StackingClassifier",
            "regression": "branchline.ensemble.StackingRegressor",
        },
        handles=frozenset({"weights", "probabilities"}),
        description=(
            "Several learners predict rows they have not seen, and a last learner finds out how "
            "far to believe each of them. Usually at least as good as the best member, without "
            "having to know which that is. It fits every member once for each fold, so it is slow, "
            "and small tables leave the last learner little to learn from."
        ),
        reference=Reference(
            "Wolpert, D. H.", "Stacked generalization. Neural Networks 5, 241–259", 1992
        ),
        spaces={"classification": _STACKING_CLASSES, "regression": _STACKING_NUMBERS},
        aliases=("stack", "stacked_generalization"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="bagging",
        title="Bagging",
        family="ensemble",
        classes={
            "classification": "branchline.ensemble.BaggingClassifier",
            "regression": "branchline.ensemble.BaggingRegressor",
        },
        handles=frozenset({"categories", "missing", "weights", "probabilities"}),
        description=(
            "One learner, by default a full-grown tree, is fitted on many samples drawn with "
            "repetition, and the answers are averaged. This takes most of the chance out of "
            "learners that change a lot with their rows. Rows left out of a sample give an honest "
            "estimate of the error for free."
        ),
        reference=Reference(
            "Breiman, L.", "Bagging predictors. Machine Learning 24, 123–140", 1996
        ),
        spaces={"classification": _BAGGING_CLASSES, "regression": _BAGGING_NUMBERS},
        aliases=("bootstrap_aggregating", "bag"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="bayesian_average",
        title="Bayesian model averaging",
        family="ensemble",
        classes={
            "classification": "branchline.ensemble.BayesianAverageClassifier",
            "regression": "branchline.ensemble.BayesianAverageRegressor",
        },
        handles=frozenset({"weights", "probabilities"}),
        description=(
            "Supposes that one of several learners is right, works out how probable each is given "
            "the rows, and weights their answers accordingly. With many rows nearly all weight "
            "goes to one of them; for pure accuracy voting or stacking do better, but here doubt "
            "about the model itself is part of the answer."
        ),
        reference=Reference(
            "Hoeting, J. A., Madigan, D., Raftery, A. E. and Volinsky, C. T.",
            "Bayesian model averaging: a tutorial. Statistical Science 14, 382–417",
            1999,
        ),
        spaces={"classification": _AVERAGE_CLASSES, "regression": _AVERAGE_NUMBERS},
        aliases=("bma", "bayesian_model_average"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="threshold",
        title="Tuned threshold",
        family="ensemble",
        classes={"classification": "branchline.ensemble.ThresholdClassifier"},
        handles=frozenset({"weights", "probabilities"}),
        description=(
            "One learner, by default logistic regression, and a threshold on the probability of "
            "one of two classes, chosen out of fold for balanced accuracy, F1, accuracy or the "
            "least cost. For when one class is rare, or one error costs more than the other. The "
            "probabilities stay as they are; with more than two classes, give costs to a tree."
        ),
        reference=Reference(
            "Elkan, C.",
            "The foundations of cost-sensitive learning. Proceedings of the 17th International "
            "Joint Conference on Artificial Intelligence, 973–978",
            2001,
        ),
        spaces={"classification": _THRESHOLD},
        aliases=("tuned_threshold_classifier", "cut_off"),
        most_classes=2,
    ),
)
