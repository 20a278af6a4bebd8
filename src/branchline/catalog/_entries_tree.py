"""Decision trees and their classical settings."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["TREES"]

_PLUSSES = Plusses(accuracy=1, efficiency=3, interpretability=3, ease=3)
_HANDLES = frozenset({"categories", "missing", "weights", "probabilities"})
_NUMBERS_TOO = _HANDLES | {"several_outputs"}
_PRICE = Between(1e-4, 0.1, log=True)
_LEAF = Between(1, 50, log=True, whole=True)

_CLASSES: Mapping[Size, Space] = {
    "small": ({"criterion": ["gini", "entropy"], "min_samples_leaf": [1, 5, 20]},),
    "medium": (
        {
            "criterion": ["gini", "entropy"],
            "min_samples_leaf": [1, 5, 20],
            "rule": [0.5, "one_se", "best"],
            "missing": ["learned", "own"],
        },
    ),
    "large": (
        {
            "criterion": ["gini", "entropy", "gain_ratio"],
            "split": ["binary", "multiway"],
            "min_samples_leaf": _LEAF,
            "missing": ["learned", "own", "fractional"],
            "rule": [0.5, "one_se", "best"],
        },
        {
            "criterion": ["gini", "entropy"],
            "min_samples_leaf": _LEAF,
            "ccp_alpha": _PRICE,
        },
    ),
}
_NUMBERS: Mapping[Size, Space] = {
    "small": ({"min_samples_leaf": [1, 5, 20], "rule": [0.5, "one_se", "best"]},),
    "medium": (
        {
            "min_samples_leaf": [1, 3, 10, 30],
            "rule": [0.5, "one_se", "best"],
            "missing": ["learned", "own"],
        },
    ),
    "large": (
        {
            "split": ["binary", "multiway"],
            "min_samples_leaf": _LEAF,
            "missing": ["learned", "own", "fractional"],
            "rule": [0.5, "one_se", "best"],
        },
        {"min_samples_leaf": _LEAF, "max_leaf_nodes": Between(4, 256, log=True, whole=True)},
    ),
}
_OBLIQUE: Mapping[Size, Space] = {
    "small": ({"n_test_columns": [2, 3], "min_samples_leaf": [1, 20]},),
    "medium": ({"n_test_columns": [2, 3, 5], "min_samples_leaf": [1, 5, 20]},),
    "large": (
        {
            "n_test_columns": [2, 3, 4, 6, 8],
            "min_samples_leaf": _LEAF,
            "rule": [0.5, "one_se", "best"],
        },
    ),
}
_ID3: Mapping[Size, Space] = {
    "small": ({"min_samples_leaf": [1, 2, 5, 10]},),
    "medium": ({"min_samples_leaf": [1, 2, 5, 10, 20], "max_depth": [None, 3, 6]},),
    "large": ({"min_samples_leaf": _LEAF, "max_depth": [None, 2, 3, 4, 6, 8, 12]},),
}
_C45: Mapping[Size, Space] = {
    "small": ({"confidence": [0.05, 0.25], "min_samples_leaf": [2, 5, 10]},),
    "medium": ({"confidence": [0.01, 0.05, 0.1, 0.25, 0.5], "min_samples_leaf": [2, 5, 10, 20]},),
    "large": ({"confidence": Between(0.001, 0.5, log=True), "min_samples_leaf": _LEAF},),
}
_ONE_RULE: Mapping[Size, Space] = {
    "small": ({"min_samples_leaf": [3, 6, 12]},),
    "medium": ({"min_samples_leaf": [1, 3, 6, 12, 25]},),
    "large": ({"min_samples_leaf": Between(1, 100, log=True, whole=True)},),
}
_STUMP: Mapping[Size, Space] = {
    "small": ({"min_samples_leaf": [1, 5, 20]},),
    "medium": ({"min_samples_leaf": [1, 2, 5, 10, 20, 50]},),
    "large": ({"min_samples_leaf": Between(1, 100, log=True, whole=True)},),
}
_CART_BOOK = Reference(
    "Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J.",
    "Classification and Regression Trees. Wadsworth",
    1984,
)

TREES = (
    Entry(
        name="tree",
        title="Decision tree",
        family="tree",
        classes={
            "classification": "branchline.tree.DecisionTreeClassifier",
            "regression": "branchline.tree.DecisionTreeRegressor",
        },
        handles=_NUMBERS_TOO,
        description=(
            "Asks one question after another (is the age at most 40? is the town one of these?) "
            "until the answer is clear, and is then cut back to what held-out rows confirm. Use "
            "it when the model itself must be read, checked or argued about. A single tree is "
            "rarely the most accurate learner, and a few other rows can change its questions."
        ),
        reference=_CART_BOOK,
        spaces={"classification": _CLASSES, "regression": _NUMBERS},
        aliases=("decision_tree",),
        plusses=_PLUSSES,
    ),
    Entry(
        name="id3",
        title="ID3",
        family="tree",
        classes={"classification": "branchline.tree.ID3"},
        handles=_HANDLES,
        description=(
            "The classic of the textbooks: the question with the largest gain of information, a "
            "branch for each category, on until every leaf is pure. Nothing is pruned, so it "
            "repeats the noise of its rows; use it to learn, and on tables without noise."
        ),
        reference=Reference(
            "Quinlan, J. R.", "Induction of decision trees. Machine Learning 1, 81–106", 1986
        ),
        spaces={"classification": _ID3},
        plusses=_PLUSSES,
    ),
    Entry(
        name="c45",
        title="C4.5",
        family="tree",
        classes={"classification": "branchline.tree.C45"},
        handles=_HANDLES,
        description=(
            "The tree that much published work compares with: gain ratio, a branch for each "
            "category, rows with a missing cell shared among the branches, and pruning by a "
            "pessimistic guess of each leaf's error. Fast, as it needs no held-out rows. Known as "
            "J48 in Weka, which also raises subtrees."
        ),
        reference=Reference(
            "Quinlan, J. R.", "C4.5: Programs for Machine Learning. Morgan Kaufmann", 1993
        ),
        spaces={"classification": _C45},
        aliases=("c4.5", "j48"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="cart",
        title="CART",
        family="tree",
        classes={
            "classification": "branchline.tree.CART",
            "regression": "branchline.tree.CART",
        },
        handles=_NUMBERS_TOO,
        description=(
            "Binary questions, and cost-complexity pruning by ten folds with the one standard "
            "error rule, as in the book and in rpart. The plain decision tree is the same with a "
            "correction for chance: prefer that one when columns have many categories."
        ),
        reference=_CART_BOOK,
        spaces={"classification": _CLASSES, "regression": _NUMBERS},
        parameters={"regression": {"task": "regression"}},
        aliases=("rpart",),
        plusses=_PLUSSES,
    ),
    Entry(
        name="oblique_tree",
        title="Oblique tree",
        family="tree",
        classes={
            "classification": "branchline.tree.ObliqueTree",
            "regression": "branchline.tree.ObliqueTree",
        },
        handles=_NUMBERS_TOO,
        description=(
            "A decision tree whose questions may be about a sum of two or three numeric columns "
            "(is age − 0.37·income at most 2.1?). Where classes differ along such combinations it "
            "is smaller and more accurate than a plain tree, and each question can still be read. "
            "It takes about ten times as long, and gains nothing where columns act alone."
        ),
        reference=Reference(
            "Murthy, S. K., Kasif, S. and Salzberg, S.",
            "A system for induction of oblique decision trees. Journal of Artificial Intelligence "
            "Research 2, 1–32",
            1994,
        ),
        spaces={"classification": _OBLIQUE, "regression": _OBLIQUE},
        parameters={"regression": {"task": "regression"}},
        aliases=("oc1", "sparse_oblique_tree"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="one_rule",
        title="One rule",
        family="tree",
        classes={"classification": "branchline.tree.OneRule"},
        handles=_HANDLES,
        description=(
            "Finds the one column that predicts best, with an answer for each of its values. It "
            "fits on a card and is often only a few points behind elaborate models, so it is the "
            "second thing to try after the baseline."
        ),
        reference=Reference(
            "Holte, R. C.",
            "Very simple classification rules perform well on most commonly used datasets. "
            "Machine Learning 11, 63–90",
            1993,
        ),
        spaces={"classification": _ONE_RULE},
        aliases=("1r", "oner"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="stump",
        title="Decision stump",
        family="tree",
        classes={
            "classification": "branchline.tree.Stump",
            "regression": "branchline.tree.Stump",
        },
        handles=_NUMBERS_TOO,
        description=(
            "A tree of one question with two answers. Alone it is the simplest model that looks at "
            "a column; its real use is as a member of ensembles, which add up many of them."
        ),
        reference=Reference(
            "Iba, W. and Langley, P.",
            "Induction of one-level decision trees. Proceedings of the Ninth International "
            "Conference on Machine Learning, 233–240",
            1992,
        ),
        spaces={"classification": _STUMP, "regression": _STUMP},
        parameters={"regression": {"task": "regression"}},
        plusses=_PLUSSES,
    ),
)
