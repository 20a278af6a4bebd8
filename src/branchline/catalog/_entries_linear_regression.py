"""Weighted sums that predict a number, and partial least squares, which also predicts classes."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["LINEAR_REGRESSION"]

_PLUSSES = Plusses(accuracy=2, efficiency=4, interpretability=2, ease=3)
_HANDLES = frozenset({"sparse", "weights"})
_BASIS = [None, "polynomial", "rbf"]

_LEAST_SQUARES: Mapping[Size, Space] = {
    "small": ({"basis": [None, "polynomial"]},),
    "medium": ({"basis": _BASIS},),
    "large": ({"basis": _BASIS},),
}
_RIDGE: Mapping[Size, Space] = {
    "small": ({"basis": [None, "polynomial"]},),
    "medium": ({"basis": _BASIS, "alpha": ["auto", 0.1, 1.0, 10.0, 100.0]},),
    "large": ({"basis": _BASIS, "alpha": Between(1e-3, 1e4, log=True)},),
}
_LASSO: Mapping[Size, Space] = {
    "small": ({"rule": ["best", "one_se"], "basis": [None, "polynomial"]},),
    "medium": ({"rule": ["best", "one_se"], "basis": _BASIS},),
    "large": ({"rule": ["best", "one_se"], "basis": _BASIS, "n_alphas": [100, 300]},),
}
_ELASTIC_NET: Mapping[Size, Space] = {
    "small": ({"rule": ["best", "one_se"], "l1_ratio": [0.2, 0.5, 0.9]},),
    "medium": ({"rule": ["best", "one_se"], "l1_ratio": [0.1, 0.5, 0.9], "basis": _BASIS},),
    "large": ({"rule": ["best", "one_se"], "l1_ratio": Between(0.01, 1.0), "basis": _BASIS},),
}
_STAGEWISE: Mapping[Size, Space] = {
    "small": ({"rule": ["best", "one_se"], "basis": [None, "polynomial"]},),
    "medium": (
        {"method": ["incremental"], "rule": ["best", "one_se"], "basis": _BASIS},
        {"method": ["boost"], "step": [0.1], "rule": ["best", "one_se"], "basis": _BASIS},
    ),
    "large": (
        {
            "method": ["incremental"],
            "step": Between(0.005, 0.1, log=True),
            "rule": ["best", "one_se"],
            "basis": _BASIS,
        },
        {
            "method": ["boost"],
            "step": Between(0.01, 1.0, log=True),
            "rule": ["best", "one_se"],
            "basis": _BASIS,
        },
    ),
}
# method="best" is for at most 25 columns, so that it has no place in a space for any table.
_SUBSET: Mapping[Size, Space] = {
    "small": ({"method": ["forward", "backward"], "criterion": ["bic", "aic"]},),
    "medium": (
        {"method": ["forward", "backward"], "criterion": ["bic", "aic", "adjusted_r2", "cv"]},
    ),
    "large": (
        {
            "method": ["forward", "backward"],
            "criterion": ["bic", "aic", "adjusted_r2", "cv"],
            "basis": [None, "rbf"],
        },
    ),
}
_PLS: Mapping[Size, Space] = {
    "small": ({"rule": ["best", "one_se"], "basis": [None, "polynomial"]},),
    "medium": ({"basis": _BASIS, "n_components": ["auto", 1, 2, 4, 8]},),
    "large": ({"basis": _BASIS, "n_components": Between(1, 30, log=True, whole=True)},),
}
_PLS_DA: Mapping[Size, Space] = {
    "small": ({"decision": ["lda", "largest"], "basis": [None, "polynomial"]},),
    "medium": (
        {"decision": ["lda", "largest"], "basis": _BASIS, "n_components": ["auto", 1, 2, 4, 8]},
    ),
    "large": (
        {
            "decision": ["lda", "largest"],
            "basis": _BASIS,
            "n_components": Between(1, 30, log=True, whole=True),
        },
    ),
}

LINEAR_REGRESSION = (
    Entry(
        name="linear_regression",
        title="Linear regression",
        family="linear",
        classes={"regression": "branchline.linear.LinearRegression"},
        handles=_HANDLES | {"several_outputs"},
        description=(
            "The weighted sum of the columns with the least squared error. Every coefficient comes "
            "with a confidence interval, so use it to say how much each column matters. It needs "
            "many more rows than columns; with fewer, or when columns repeat each other, ridge "
            "regression predicts better."
        ),
        reference=Reference(
            "Legendre, A.-M.",
            "Nouvelles méthodes pour la détermination des orbites des comètes. Firmin Didot",
            1805,
        ),
        spaces={"regression": _LEAST_SQUARES},
        aliases=("linear", "least_squares", "ols"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="ridge",
        title="Ridge regression",
        family="linear",
        classes={"regression": "branchline.linear.Ridge"},
        handles=_HANDLES | {"several_outputs"},
        description=(
            "Linear regression that pays for large coefficients, which steadies them when columns "
            "are many or alike. The price is chosen by generalized cross-validation. The first "
            "linear model to try for prediction; it keeps every column."
        ),
        reference=Reference(
            "Hoerl, A. E. and Kennard, R. W.",
            "Ridge regression: biased estimation for nonorthogonal problems. Technometrics 12, "
            "55–67",
            1970,
        ),
        spaces={"regression": _RIDGE},
        plusses=_PLUSSES,
    ),
    Entry(
        name="lasso",
        title="Lasso",
        family="linear",
        classes={"regression": "branchline.linear.Lasso"},
        handles=_HANDLES,
        description=(
            "Linear regression whose price for coefficients sets many of them to exactly zero, so "
            "that the model names the few columns it uses. Use it when most columns are thought "
            "to hold no information; of columns with the same information it keeps one, more or "
            "less at random."
        ),
        reference=Reference(
            "Tibshirani, R.",
            "Regression shrinkage and selection via the lasso. Journal of the Royal Statistical "
            "Society B 58, 267–288",
            1996,
        ),
        spaces={"regression": _LASSO},
        plusses=_PLUSSES,
    ),
    Entry(
        name="elastic_net",
        title="Elastic net",
        family="linear",
        classes={"regression": "branchline.linear.ElasticNet"},
        handles=_HANDLES,
        description=(
            "Between the lasso and ridge regression: coefficients are shrunk and many become zero, "
            "but columns with the same information are kept together. A safe choice when there are "
            "many columns and some of them are alike."
        ),
        reference=Reference(
            "Zou, H. and Hastie, T.",
            "Regularization and variable selection via the elastic net. Journal of the Royal "
            "Statistical Society B 67, 301–320",
            2005,
        ),
        spaces={"regression": _ELASTIC_NET},
        plusses=_PLUSSES,
    ),
    Entry(
        name="stagewise",
        title="Forward stagewise regression",
        family="linear",
        classes={"regression": "branchline.linear.ForwardStagewise"},
        handles=_HANDLES,
        description=(
            "Starts from nothing and again and again moves the coefficient of the column that goes "
            "best with what is still unexplained, a small step at a time; cross-validation says "
            "when to stop. It behaves much like the lasso, shows the order in which columns come "
            "in, and is the plainest example of boosting."
        ),
        reference=Reference(
            "Hastie, T., Taylor, J., Tibshirani, R. and Walther, G.",
            "Forward stagewise regression and the monotone lasso. Electronic Journal of Statistics "
            "1, 1–29",
            2007,
        ),
        spaces={"regression": _STAGEWISE},
        aliases=("forward_stagewise", "residual_fitting"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="subset",
        title="Subset selection",
        family="linear",
        classes={"regression": "branchline.linear.SubsetSelection"},
        handles=frozenset({"weights"}),
        description=(
            "Least squares on the few columns that are worth it: added one by one, taken away one "
            "by one, or the best of all subsets when columns are few. Short, and its coefficients "
            "are not shrunk; but the choice is shaky, and intervals after choosing are too narrow. "
            "The lasso usually predicts better."
        ),
        reference=Reference(
            "Furnival, G. M. and Wilson, R. W.",
            "Regressions by leaps and bounds. Technometrics 16, 499–511",
            1974,
        ),
        spaces={"regression": _SUBSET},
        aliases=("subset_selection", "best_subset", "stepwise"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="pls",
        title="Partial least squares",
        family="linear",
        classes={
            "classification": "branchline.linear.PLSDA",
            "regression": "branchline.linear.PLSRegressor",
        },
        handles=frozenset({"probabilities", "several_outputs"}),
        description=(
            "Finds a few sums of columns that vary together with the target, and regresses on "
            "these; for classes, on indicators of the classes (PLS-DA). Suits tables whose columns "
            "are many and strongly alike and rows are few, such as spectra."
        ),
        reference=Reference(
            "Wold, S., Sjöström, M. and Eriksson, L.",
            "PLS-regression: a basic tool of chemometrics. Chemometrics and Intelligent Laboratory "
            "Systems 58, 109–130",
            2001,
        ),
        spaces={"classification": _PLS_DA, "regression": _PLS},
        aliases=("pls_da", "pls_regression"),
        plusses=_PLUSSES,
    ),
)
