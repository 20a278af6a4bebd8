"""Optimal trees and rule lists: selectable by name, not among the quick ones of a comparison."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["OPTIMAL"]

_PLUSSES = Plusses(accuracy=1, efficiency=1, interpretability=4, ease=3)
_HANDLES = frozenset({"categories", "missing", "weights"})
_PRICE = Between(0.001, 0.05, log=True)

_CLASSES: Mapping[Size, Space] = {
    "small": ({"max_depth": [2, 3], "leaf_penalty": [0.0, 0.01]},),
    "medium": ({"max_depth": [1, 2, 3], "leaf_penalty": [0.0, 0.005, 0.01, 0.02]},),
    "large": ({"max_depth": [1, 2, 3, 4], "leaf_penalty": _PRICE},),
}
_NUMBERS: Mapping[Size, Space] = {
    "small": ({"max_depth": [2, 3], "min_samples_leaf": [1, 5]},),
    "medium": ({"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5, 20]},),
    "large": ({"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 5, 20]},),
}
_LISTS: Mapping[Size, Space] = {
    "small": ({"max_rules": [2, 4], "rule_penalty": [0.003, 0.01]},),
    "medium": ({"max_rules": [1, 2, 3, 4], "rule_penalty": [0.003, 0.01, 0.03]},),
    "large": ({"max_rules": [1, 2, 3, 4], "rule_penalty": _PRICE, "max_conditions": [1, 2]},),
}

OPTIMAL = (
    Entry(
        name="optimal_tree",
        title="Optimal tree",
        family="tree",
        classes={
            "classification": "branchline.tree.OptimalTreeClassifier",
            "regression": "branchline.tree.OptimalTreeRegressor",
        },
        handles=_HANDLES | {"probabilities"},
        description=(
            "The best of all trees of up to three levels, with a proof, instead of the tree that "
            "takes one best test after the other. It finds what only two tests together tell, and "
            "shows how far a small tree can go. It takes much longer than an ordinary tree, and is "
            "not for deep trees; choose its depth by cross-validation."
        ),
        reference=Reference(
            "Demirović, E. et al.",
            "MurTree: optimal decision trees via dynamic programming and search. Journal of "
            "Machine Learning Research 23, 1–47",
            2022,
        ),
        spaces={"classification": _CLASSES, "regression": _NUMBERS},
        aliases=("murtree", "streed"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="rule_list",
        title="Optimal rule list",
        family="tree",
        classes={"classification": "branchline.tree.RuleListClassifier"},
        handles=_HANDLES | {"probabilities"},
        description=(
            "Up to four rules in order, the best of all such lists, with a proof: if this holds "
            "then that class, otherwise if … It fits on a card and can be followed by hand. Where "
            "several columns act together, a tree is more accurate."
        ),
        reference=Reference(
            "Angelino, E., Larus-Stone, N., Alabi, D., Seltzer, M. and Rudin, C.",
            "Learning certifiably optimal rule lists for categorical data. Journal of Machine "
            "Learning Research 18, 1–78",
            2018,
        ),
        spaces={"classification": _LISTS},
        aliases=("corels",),
        plusses=_PLUSSES,
    ),
)
