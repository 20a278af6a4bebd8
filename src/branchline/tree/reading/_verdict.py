"""The sentence that says why a node was split or became a leaf."""

from typing import Any

import numpy as np

from branchline._plain_numbers import count, noun, number
from branchline.tree._tree_arrays import TreeArrays
from branchline.tree.reading._why import Reason

__all__ = ["verdict_of"]


def verdict_of(
    tree: TreeArrays, node: int, reasons: list[Reason], impurity: float, parameters: dict[str, Any]
) -> str:
    """Return one sentence about the outcome at a node."""
    if not tree.is_leaf[node]:
        return _why_split(reasons)
    reason = _rule_that_stopped(tree, node, impurity, parameters)
    return f"a leaf, because {reason}" if reason else _why_not_split(reasons, parameters)


def _rule_that_stopped(
    tree: TreeArrays, node: int, impurity: float, parameters: dict[str, Any]
) -> str | None:
    """Return the rule that made a node a leaf before any test was looked at."""
    weight, depth = float(tree.weight[node]), int(tree.depth[node])
    is_one_class = tree.is_classification and np.count_nonzero(tree.content[node]) == 1
    least = max(parameters["min_samples_split"], 2 * parameters["min_samples_leaf"])
    limit = parameters["max_depth"]
    rows, every = count(weight, "row"), f"all {number(weight)} rows"
    every = "its one row" if weight == 1 else every
    rules = {
        f"{every} {noun(weight, 'is', 'are')} of one class": is_one_class,
        f"the target is the same in {every}": not tree.is_classification and impurity <= 0,
        f"max_depth={limit} is reached": limit is not None and depth >= limit,
        f"{rows} {noun(weight, 'is', 'are')} fewer than min_samples_split or min_samples_leaf "
        "ask for": weight < least,
        f"its impurity is not above min_impurity={parameters['min_impurity']}": impurity
        <= parameters["min_impurity"],
    }
    return next((words for words, holds in rules.items() if holds), None)


def _why_split(reasons: list[Reason]) -> str:
    chosen = next((reason for reason in reasons if reason.chosen), None)
    others = [reason for reason in reasons if not reason.chosen]
    if chosen is None:
        return "split"
    if not others:
        return f"split by {chosen.column}, the only column that varies"
    return f"split by {chosen.column}; the runner-up is {others[0].column}"


def _why_not_split(reasons: list[Reason], parameters: dict[str, Any]) -> str:
    if not reasons:
        return "a leaf, because no column offers a test"
    if any(reason.chosen for reason in reasons):
        why = {
            None: "max_leaf_nodes or early stopping ended growth before it was split",
            "reduced_error": "its tests did not help on held-out rows (prune='reduced_error')",
        }.get(parameters["prune"], f"its tests were pruned (prune={parameters['prune']!r})")
        return f"a leaf, because {why}"
    if max(reason.gain for reason in reasons) <= 1e-12:
        return (
            "a leaf, because no single test gains anything (zero_gain='stop'); zero_gain='split' "
            "would go on, and finds what only two tests together tell"
        )
    if parameters.get("significance") is not None:
        return f"a leaf, because no test is significant at {parameters['significance']}"
    return f"a leaf, because no test gains more than min_gain={parameters['min_gain']}"
