"""Rules: a tree read leaf by leaf, as lists of conditions and what follows from them.

1. A rule has the conditions on the way to a leaf, one a column, and the leaf's value.
2. Rules of a tree exclude one another: a row satisfies the rule of the leaf that ``find_leaves``
   sends it to, and no other. Where a tree shares a row with a missing value among all branches, its
   rules send it to the heaviest, for a rule cannot be followed in part.
3. A row may *stay* at a node that has no branch for its value. For each such node there is a rule
   marked ``otherwise``, after those of the leaves and before those of the nodes above it: it holds
   for what comes to its node and no earlier rule holds for. The default, last, is the root's value.
4. In a list the first rule that holds decides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import CATEGORIES, STAY, TreeArrays
from branchline.table import Schema
from branchline.tree.reading._conditions import Condition, branch_conditions
from branchline.tree.reading._rule_list import Rule, RuleList

__all__ = ["tree_to_rules"]


def tree_to_rules(
    tree: TreeArrays,
    schema: Schema,
    classes: npt.NDArray[Any] | None,
    decision: npt.NDArray[np.int64] | None = None,
) -> RuleList:
    """Return one rule a leaf, in the order of the leaves from left to right.

    Parameters
    ----------
    tree, schema, classes, decision
        The fitted tree, its columns, its classes (None: regression), the class of each node.
    """
    maker = _RuleMaker(tree, classes, decision)
    leaves, stays, root_stays = [], [], False
    for node, conditions, may_stay in _nodes(tree, schema):
        if tree.is_leaf[node]:
            leaves.append(maker.rule(node, conditions))
        elif may_stay and node > 0:
            stays.append(maker.rule(node, conditions, otherwise=True))
        root_stays = root_stays or (may_stay and node == 0)
    # Nodes come before those below them, so backwards the deepest come first.
    return RuleList(
        rules=(*leaves, *reversed(stays)),
        default=maker.rule(0, {}, otherwise=True),
        schema=schema if tree.derived is None else tree.derived.given_schema(schema),
        derived=tree.derived,
        classes=classes,
        is_complete=not root_stays,
    )


def _nodes(tree: TreeArrays, schema: Schema) -> Iterator[tuple[int, Mapping[str, Condition], bool]]:
    """Yield nodes with the conditions on the way to them, and whether a row may stay there."""
    waiting: list[tuple[int, dict[str, Condition]]] = [(0, {})]
    while waiting:
        node, conditions = waiting.pop()
        if tree.is_leaf[node]:
            yield node, conditions, False
            continue
        field = schema.fields[int(tree.feature[node])]
        before = conditions.get(field.name)
        stay = _condition_of_staying(tree, node, Condition(field.name, type=field.type))
        yield node, conditions, not (stay if before is None else before & stay).is_empty
        branches = branch_conditions(tree, node, field.name, field.type)
        for branch, test in reversed(list(enumerate(branches))):
            both = test if before is None else before & test
            if not both.is_empty:
                child = int(tree.first_child[node]) + branch
                waiting.append((child, {**conditions, field.name: both}))


def _condition_of_staying(tree: TreeArrays, node: int, column: Condition) -> Condition:
    """Return what a value must be to stay at a node."""
    stays = int(tree.missing_branch[node]) == STAY
    if tree.kind[node] != CATEGORIES:
        return Condition(column.column, above=np.inf, missing=stays, type=column.type)
    offset, n_categories = int(tree.pool_offset[node]), len(column.type.categories or ())
    codes = np.flatnonzero(tree.pool[offset : offset + n_categories] == STAY)
    return Condition(column.column, codes=tuple(codes.tolist()), missing=stays, type=column.type)


class _RuleMaker:
    """Makes rules that have the values of nodes."""

    def __init__(
        self,
        tree: TreeArrays,
        classes: npt.NDArray[Any] | None,
        decision: npt.NDArray[np.int64] | None,
    ) -> None:
        self._tree, self._classes = tree, classes
        if classes is not None:
            self._decision = tree.value.argmax(axis=1) if decision is None else decision

    def rule(
        self, node: int, conditions: Mapping[str, Condition], *, otherwise: bool = False
    ) -> Rule:
        noted = None if self._tree.notes is None else self._tree.notes.value(node)
        made = Rule.of(
            tuple(test for test in conditions.values() if not test.is_always_true),
            value=self._tree.value[node],
            variance=self._tree.variance[node],
            support=float(self._tree.weight[node]),
            decided=None if self._classes is None else int(self._decision[node]),
            classes=self._classes,
            node=node,
            otherwise=otherwise,
        )
        return made if noted is None else replace(made, words=noted)
