"""Trees with models in their leaves, soft trees, induction graphs: selectable by name."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["LEAVES"]

_HANDLES = frozenset({"categories", "missing", "weights"})
_LEAF = Between(5, 100, log=True, whole=True)

_LINEAR: Mapping[Size, Space] = {
    "small": ({"min_samples_leaf": [10, 20], "term_penalty": [0.75, 1.5]},),
    "medium": ({"min_samples_leaf": [10, 20, 50], "term_penalty": [0.5, 1.5, 3.0]},),
    "large": (
        {
            "min_samples_leaf": _LEAF,
            "term_penalty": Between(0.3, 5.0, log=True),
            "smoothing": Between(1.0, 100.0, log=True),
        },
    ),
}
_M5: Mapping[Size, Space] = {
    "small": ({"min_samples_leaf": [4, 16], "term_penalty": [2.0, 4.0]},),
    "medium": ({"min_samples_leaf": [4, 8, 16], "term_penalty": [1.0, 2.0, 4.0]},),
    "large": ({"min_samples_leaf": _LEAF, "term_penalty": Between(0.5, 8.0, log=True)},),
}
_MODELS: Mapping[Size, Space] = {
    "small": ({"max_depth": [1, 3]},),
    "medium": ({"max_depth": [1, 2, 3], "min_samples_leaf": [20, 50]},),
    "large": ({"max_depth": [1, 2, 3, 4], "min_samples_leaf": _LEAF},),
}
_SOFT: Mapping[Size, Space] = {
    "small": ({"min_samples_leaf": [1, 5, 20]},),
    "medium": ({"min_samples_leaf": [1, 3, 10, 30], "max_depth": [None, 4]},),
    "large": ({"min_samples_leaf": _LEAF, "max_depth": [None, 3, 5, 8]},),
}
_GRAPH: Mapping[Size, Space] = {
    "small": ({"min_samples_leaf": [1, 5]},),
    "medium": ({"min_samples_leaf": [1, 5, 20], "rule": ["best", "one_se"]},),
    "large": ({"min_samples_leaf": _LEAF, "level": [0.01, 0.05, 0.2], "rule": [0.0, 0.5, 1.0]},),
}

LEAVES = (
    Entry(
        name="linear_tree",
        title="Linear tree",
        family="tree",
        classes={"regression": "branchline.tree.LinearTreeRegressor"},
        handles=frozenset({"weights"}),
        description=(
            "A few questions, and in each leaf a linear sum of the columns. Much more accurate "
            "than a plain tree where the target changes smoothly, and still readable. Where it "
            "jumps from category to category, a plain tree says the same in fewer words."
        ),
        reference=Reference(
            "Wang, Y. and Witten, I. H.",
            "Inducing model trees for continuous classes. Proceedings of the Ninth European "
            "Conference on Machine Learning, poster papers",
            1997,
        ),
        spaces={"regression": _LINEAR},
    ),
    Entry(
        name="m5",
        title="M5",
        family="tree",
        classes={"regression": "branchline.tree.M5"},
        handles=frozenset({"weights"}),
        description=(
            "Quinlan's model tree: tests that lower the standard deviation, linear sums of the "
            "columns tested below, dropped terms, pruning and smoothing. Use it to compare with "
            "the literature; the linear tree chooses its tests by the sums and is more accurate."
        ),
        reference=Reference(
            "Quinlan, J. R.",
            "Learning with continuous classes. Proceedings of the Fifth Australian Joint "
            "Conference on Artificial Intelligence, 343–348",
            1992,
        ),
        spaces={"regression": _M5},
        aliases=("m5p",),
    ),
    Entry(
        name="model_tree",
        title="Model tree",
        family="tree",
        classes={
            "classification": "branchline.tree.ModelTreeClassifier",
            "regression": "branchline.tree.ModelTreeRegressor",
        },
        handles=_HANDLES | {"probabilities"},
        description=(
            "A small tree with a learner of its own in each leaf: naive Bayes for classes, ridge "
            "regression for numbers, or any other. Splits that do not help these learners are "
            "taken back. It needs enough rows for each leaf."
        ),
        reference=Reference(
            "Kohavi, R.",
            "Scaling up the accuracy of naive-Bayes classifiers: a decision-tree hybrid. "
            "Proceedings of the Second International Conference on Knowledge Discovery and Data "
            "Mining, 202–207",
            1996,
        ),
        spaces={"classification": _MODELS, "regression": _MODELS},
        aliases=("nbtree",),
    ),
    Entry(
        name="induction_graph",
        title="Induction graph",
        family="tree",
        classes={
            "classification": "branchline.tree.InductionGraphClassifier",
            "regression": "branchline.tree.InductionGraphRegressor",
        },
        handles=_HANDLES | {"probabilities"},
        description=(
            "A decision tree in which nodes of equal behavior are one node, so that several paths "
            "lead to a leaf. It needs far fewer leaves than a tree where a concept has several "
            "causes, such as (a and b) or (c and d). It takes longer to fit."
        ),
        reference=Reference(
            "Zighed, D. A. and Rakotomalala, R.",
            "Graphes d'induction: apprentissage et data mining. Hermes",
            2000,
        ),
        spaces={"classification": _GRAPH, "regression": _GRAPH},
        aliases=("sipina", "decision_graph"),
    ),
    Entry(
        name="soft_tree",
        title="Soft tree",
        family="tree",
        classes={
            "classification": "branchline.tree.SoftTreeClassifier",
            "regression": "branchline.tree.SoftTreeRegressor",
        },
        handles=_HANDLES | {"probabilities"},
        description=(
            "A decision tree whose thresholds have a margin: near it a row goes both ways, in "
            "shares. Probabilities change without jumps and are more honest than those of the "
            "plain tree. A row no longer follows one rule alone."
        ),
        reference=Reference(
            "Olaru, C. and Wehenkel, L.",
            "A complete fuzzy decision tree technique. Fuzzy Sets and Systems 138, 221–254",
            2003,
        ),
        spaces={"classification": _SOFT, "regression": _SOFT},
        aliases=("fuzzy_tree",),
    ),
)
