"""The sentence that explains why a node was split or became a leaf."""

import numpy as np

from branchline._plain_numbers import count, noun, number
from branchline._trees._tree_arrays import TreeArrays
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.reading._why import Reason

__all__ = ["verdict_of"]


def verdict_of(
    tree: TreeArrays,
    node: int,
    reasons: list[Reason],
    impurity: float,
    settings: TreeSettings,
    *,
    is_edited: bool = False,
) -> str:
    """Return one sentence about the outcome at a node; ``is_edited``: a person changed the tree."""
    if not tree.is_leaf[node]:
        return _why_split(reasons)
    reason = _rule_that_stopped(tree, node, impurity, settings)
    if reason:
        return f"a leaf, because {reason}"
    return _why_not_split(reasons, settings, is_edited=is_edited)


def _rule_that_stopped(
    tree: TreeArrays, node: int, impurity: float, settings: TreeSettings
) -> str | None:
    """Return the rule that made a node a leaf before any test was looked at."""
    weight, depth = float(tree.weight[node]), int(tree.depth[node])
    is_one_class = tree.is_classification and np.count_nonzero(tree.content[node]) == 1
    least = max(settings.min_samples_split, 2 * settings.min_samples_leaf)
    limit = settings.max_depth
    rows, every = count(weight, "row"), f"all {number(weight)} rows"
    every = "its one row" if weight == 1 else every
    rules = {
        f"{every} {noun(weight, 'is', 'are')} of one class": is_one_class,
        f"the target is the same in {every}": not tree.is_classification and impurity <= 0,
        f"max_depth={limit} is reached": limit is not None and depth >= limit,
        f"{rows} {noun(weight, 'is', 'are')} fewer than min_samples_split or min_samples_leaf "
        "ask for": weight < least,
        f"its impurity is not above min_impurity={settings.min_impurity}": impurity
        <= settings.min_impurity,
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


def _why_not_split(reasons: list[Reason], settings: TreeSettings, *, is_edited: bool) -> str:
    if not reasons:
        return "a leaf, because no column offers a test"
    if is_edited and any(reason.chosen for reason in reasons):
        grown = "" if settings.prune is None else f", or by prune={settings.prune!r}"
        return f"a leaf, because its tests were pruned by an edit{grown}"
    if any(reason.chosen for reason in reasons):
        why = {
            None: "max_leaf_nodes or early stopping ended growth before it was split",
            "reduced_error": "its tests did not help on held-out rows (prune='reduced_error')",
        }.get(settings.prune, f"its tests were pruned (prune={settings.prune!r})")
        return f"a leaf, because {why}"
    if max(reason.gain for reason in reasons) <= 1e-12:
        return (
            "a leaf, because no single test gains anything (zero_gain='stop'); zero_gain='split' "
            "would go on, and finds what only two tests together tell"
        )
    if settings.significance is not None:
        return f"a leaf, because no test is significant at {settings.significance}"
    return f"a leaf, because no test gains more than min_gain={settings.min_gain}"
