"""Weighted sums that tell classes apart."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["LINEAR_CLASSIFICATION"]

_PLUSSES = Plusses(accuracy=2, efficiency=4, interpretability=2, ease=3)
_BASIS = [None, "polynomial", "rbf"]

_LOGISTIC: Mapping[Size, Space] = {
    "small": ({"penalty": ["l2", "l1"]},),
    "medium": ({"penalty": ["l2", "l1"], "rule": ["best", "one_se"], "basis": _BASIS},),
    "large": (
        {"penalty": ["l2", "l1"], "C": Between(1e-3, 1e3, log=True), "basis": [None, "rbf"]},
        {
            "penalty": ["elastic_net"],
            "C": Between(1e-3, 10.0, log=True),
            "l1_ratio": Between(0.1, 0.9),
        },
    ),
}
_LDA: Mapping[Size, Space] = {
    "small": ({"shrinkage": ["auto", "ledoit_wolf", None]},),
    "medium": ({"shrinkage": ["auto", "ledoit_wolf", None, 0.1, 0.5], "basis": _BASIS},),
    "large": ({"shrinkage": Between(1e-4, 1.0, log=True), "basis": _BASIS},),
}
_QDA: Mapping[Size, Space] = {
    "small": ({"reg_param": ["auto", 0.1, 0.5]},),
    "medium": ({"reg_param": ["auto", 0.0, 0.01, 0.1, 0.3, 0.5, 0.8]},),
    "large": ({"reg_param": Between(1e-4, 1.0, log=True)},),
}
_PERCEPTRON: Mapping[Size, Space] = {
    "small": ({"average": [True, False], "basis": [None, "polynomial"]},),
    "medium": ({"average": [True, False], "basis": _BASIS, "max_epochs": [20, 100]},),
    "large": (
        {
            "average": [True, False],
            "basis": _BASIS,
            "max_epochs": Between(5, 500, log=True, whole=True),
        },
    ),
}
_HASHED: Mapping[Size, Space] = {
    "small": ({"numbers": ["value", "bins"], "eta0": [0.05, 0.2, 1.0]},),
    "medium": (
        {
            "numbers": ["value", "bins"],
            "eta0": [0.05, 0.2, 1.0],
            "power_t": [0.25, 0.5],
            "alpha": [1e-6, 1e-5, 1e-4],
        },
    ),
    "large": (
        {
            "numbers": ["value", "bins"],
            "eta0": Between(0.01, 5.0, log=True),
            "power_t": Between(0.0, 0.6),
            "alpha": Between(1e-8, 1e-2, log=True),
        },
    ),
}

LINEAR_CLASSIFICATION = (
    Entry(
        name="logistic",
        title="Logistic regression",
        family="linear",
        classes={"classification": "branchline.linear.LogisticRegression"},
        handles=frozenset({"sparse", "weights", "probabilities"}),
        description=(
            "Adds up a weight for each column and turns the sum into a probability; for more than "
            "two classes, a sum for each (softmax). The strength of its penalty is chosen by "
            "cross-validation. Its probabilities can usually be trusted, its coefficients read as "
            "odds ratios; it sees no interplay of columns unless given a basis."
        ),
        reference=Reference(
            "Cox, D. R.",
            "The regression analysis of binary sequences. Journal of the Royal Statistical Society "
            "B 20, 215–242",
            1958,
        ),
        spaces={"classification": _LOGISTIC},
        aliases=("logistic_regression", "softmax", "logit"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="lda",
        title="Linear discriminant analysis",
        family="linear",
        classes={"classification": "branchline.linear.LinearDiscriminantAnalysis"},
        handles=frozenset({"weights", "probabilities"}),
        description=(
            "Takes each class for a cloud of the same shape around its own center, and asks which "
            "center is likeliest. There is nothing to iterate and little to choose; it does well "
            "with few rows of roughly normally distributed numbers, and less well where columns "
            "are mostly categories."
        ),
        reference=Reference(
            "Fisher, R. A.",
            "The use of multiple measurements in taxonomic problems. Annals of Eugenics 7, 179–188",
            1936,
        ),
        spaces={"classification": _LDA},
        aliases=("discriminant",),
        plusses=_PLUSSES,
    ),
    Entry(
        name="qda",
        title="Quadratic discriminant analysis",
        family="linear",
        classes={"classification": "branchline.linear.QuadraticDiscriminantAnalysis"},
        handles=frozenset({"weights", "probabilities"}),
        description=(
            "As linear discriminant analysis, but each class is a cloud with a shape of its own, "
            "so that boundaries bend. It learns a table of variances for every class and needs the "
            "rows for it; where a class has few, its shape is drawn towards the common one."
        ),
        reference=Reference(
            "Friedman, J. H.",
            "Regularized discriminant analysis. Journal of the American Statistical Association "
            "84, 165–175",
            1989,
        ),
        spaces={"classification": _QDA},
    ),
    Entry(
        name="perceptron",
        title="Perceptron",
        family="linear",
        classes={"classification": "branchline.linear.Perceptron"},
        handles=frozenset({"sparse", "weights"}),
        description=(
            "Goes through the rows and moves its line a little whenever it is wrong. Where a line "
            "parts the classes it finds one; where none does, the average of its steps is still "
            "useful. It gives decisions without probabilities: a teaching classic, and the "
            "ancestor of neural networks and support vector machines."
        ),
        reference=Reference(
            "Rosenblatt, F.",
            "The perceptron: a probabilistic model for information storage and organization in the "
            "brain. Psychological Review 65, 386–408",
            1958,
        ),
        spaces={"classification": _PERCEPTRON},
        plusses=_PLUSSES,
    ),
    Entry(
        name="hashed_logistic",
        title="Hashed logistic regression",
        family="linear",
        classes={"classification": "branchline.linear.HashedLogisticRegression"},
        handles=frozenset({"categories", "missing", "sparse", "probabilities", "incremental"}),
        description=(
            "Logistic regression that learns row by row in a fixed amount of memory, however many "
            "categories there are and whichever turn up later: names are hashed to places. Made "
            "for click logs and other endless, wide and sparse tables. On small tables plain "
            "logistic regression is more accurate and easier to read."
        ),
        reference=Reference(
            "Weinberger, K., Dasgupta, A., Langford, J., Smola, A. and Attenberg, J.",
            "Feature hashing for large scale multitask learning. Proceedings of the 26th "
            "International Conference on Machine Learning, 1113–1120",
            2009,
        ),
        spaces={"classification": _HASHED},
        aliases=("hashed", "sgd", "online_logistic"),
        plusses=_PLUSSES,
    ),
)
