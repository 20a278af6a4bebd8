"""The edits by name: each changes a plan. An edit is plain data, so that a list of them is a file.

An edit is a dictionary: "edit" names it; "node" is the number of the node in the tree at that time,
or "path" lists the tests from the root to it. With a path, the edit finds its place also in a tree
that was fitted on other rows: tests of the path that stand otherwise there are put in.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from branchline._validation import OneOf, Whole, check_parameters
from branchline.tree._nested import NodeTest
from branchline.tree._parts import send_down
from branchline.tree.editing._edit_room import EditRoom
from branchline.tree.editing._plan import (
    Demands,
    PlanNode,
    below,
    path_to,
    plan_levels,
)
from branchline.tree.editing._test_data import (
    bad_edit,
    place_of_column,
    test_from_dict,
    test_to_dict,
)

__all__ = ["EDITS", "EditRoom", "apply_edit"]

Edit = Mapping[str, Any]


def apply_edit(room: EditRoom, plan: PlanNode, edit: Edit) -> tuple[PlanNode, PlanNode]:
    """Return a changed copy of a plan, and its node that was edited."""
    if not isinstance(edit, Mapping) or edit.get("edit") not in EDITS:
        name = edit.get("edit") if isinstance(edit, Mapping) else edit
        raise bad_edit(f"{name!r} is not an edit. The edits are: {', '.join(EDITS)}.")
    changed = plan.copy()
    node = _find(room, changed, edit)
    options = {k: v for k, v in edit.items() if k not in {"edit", "node", "path", "price"}}
    EDITS[edit["edit"]](room, changed, node, options)
    return changed, node


def path_data(room: EditRoom, plan: PlanNode, node: PlanNode) -> list[dict[str, Any]]:
    """Return the way to a node as plain data."""
    return [
        {"test": test_to_dict(above.test, room.schema), "branch": branch}
        for above, branch in path_to(plan, node)
        if above.test is not None
    ]


def mark_edits(
    room: EditRoom, plan: PlanNode, edits: list[dict[str, Any]], labels: Mapping[int, int]
) -> None:
    """Mark in the plan of an edited tree what a person decided in an earlier session."""
    for place, node in enumerate(plan_levels(plan)):
        if place in labels:
            node.label, node.is_given = labels[place], True
    for edit in edits:
        node = plan
        for step in edit.get("path") or []:
            test = test_from_dict(step["test"], room.schema)
            if node.test is None or not _are_equal(node.test, test):
                break
            node.is_given = True
            node = node.children[step["branch"]]
        else:
            node.is_given |= edit["edit"] in {"replace", "prune", "merge"}


def _find(room: EditRoom, plan: PlanNode, edit: Edit) -> PlanNode:
    if edit.get("path") is None:
        nodes = plan_levels(plan)
        return nodes[_number_of_node(edit.get("node", 0), len(nodes))]
    node = plan
    for step in edit["path"]:
        try:
            test, branch = test_from_dict(step["test"], room.schema), step["branch"]
        except (KeyError, TypeError) as error:
            raise bad_edit("A step of an edit's path has no test or no branch.") from error
        if node.test is None or not _are_equal(node.test, test):
            node.test = room.filled(plan, node, test)
            node.is_given, node.label = True, None
            node.children = [PlanNode() for _ in range(test.n_branches)]
            for child in node.children:
                room.grow(plan, child)
        if not isinstance(branch, int) or not 0 <= branch < len(node.children):
            raise bad_edit(f"A step of an edit's path names branch {branch!r}, which is not there.")
        node = node.children[branch]
    return node


def _number_of_node(number: Any, n_nodes: int) -> int:
    is_whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if is_whole and 0 <= number < n_nodes:
        return int(number)
    there = f"nodes 0 to {n_nodes - 1}" if n_nodes > 1 else "no tests, only node 0"
    raise bad_edit(
        f"There is no node {number!r}: the tree has {there}. Each edit gives nodes new numbers.",
        repair="print(editor)",
    )


def _are_equal(one: NodeTest, other: NodeTest) -> bool:
    if one.column != other.column or one.n_branches != other.n_branches:
        return False
    if one.branch_of_category is None or other.branch_of_category is None:
        return one.threshold == other.threshold
    return bool((one.branch_of_category == other.branch_of_category).all())


# -- the edits ----------------------------------------------------------------------------------


def _replace(room: EditRoom, plan: PlanNode, node: PlanNode, options: dict[str, Any]) -> None:
    """Ask another question at a node."""
    below_it = options.pop("below", "keep")
    check_parameters("replace", {"below": below_it}, {"below": OneOf(("keep", "grow", "leaf"))})
    _refuse_unknown("replace", options, {"column", "threshold", "categories", "present", "missing"})
    if options.get("column") is None and node.test is not None:
        options["column"] = room.schema.names[node.test.column]
    test = room.filled(plan, node, test_from_dict(options, room.schema))
    keeps = below_it == "keep" and len(node.children) == test.n_branches
    node.test, node.is_given, node.label = test, True, None
    if keeps:
        _drop_empty(room, plan, node)
        return
    node.children = [PlanNode() for _ in range(test.n_branches)]
    if below_it != "leaf":
        for child in node.children:
            room.grow(plan, child)


def _drop_empty(room: EditRoom, plan: PlanNode, node: PlanNode) -> None:
    """Make leaves of tests below a node that no longer divide any rows."""
    for each in below(node):
        if each.test is None:
            continue
        parts = send_down(room.realizer.growth, each.test, room.part_at(plan, each))
        if not all(len(part.rows) for part in parts):
            each.become(PlanNode())


def _prune(room: EditRoom, plan: PlanNode, node: PlanNode, options: dict[str, Any]) -> None:
    """Make a node a leaf."""
    _refuse_unknown("prune", options, set())
    node.become(PlanNode(is_given=True))


def _graft(room: EditRoom, plan: PlanNode, node: PlanNode, options: dict[str, Any]) -> None:
    """Grow a new subtree at a node."""
    _refuse_unknown("graft", options, {"max_depth", "max_leaf_nodes"})
    given = {name: value for name, value in options.items() if value is not None}
    check_parameters("graft", given, {name: Whole(1) for name in given})
    without = node.demands.without
    node.become(PlanNode(demands=Demands(without=without, **given)))
    room.grow(plan, node)
    if node.test is None:
        node.is_given = not node.demands.any


def _relabel(room: EditRoom, plan: PlanNode, node: PlanNode, options: dict[str, Any]) -> None:
    """Let a leaf predict what a person says."""
    _refuse_unknown("relabel", options, {"prediction"})
    prediction = options.get("prediction")
    if node.test is not None:
        raise bad_edit("Only a leaf can be relabeled; prune the node first.")
    if room.classes is None:
        if room.realizer.growth.keeps_losses:
            raise bad_edit(
                "Leaves of trees that were grown by absolute error or Poisson deviance cannot be "
                "relabeled; prune or replace the test instead."
            )
        try:
            label: Any = float(prediction)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            label = np.nan
        if not np.isfinite(label):
            raise bad_edit(f"A leaf predicts a finite number. Got {prediction!r} instead.")
    else:
        names = room.classes.tolist()
        if prediction not in names:
            known = ", ".join(map(str, names[:12]))
            raise bad_edit(f"{prediction!r} is not a class. The classes: {known}.")
        label = names.index(prediction)
    node.label, node.is_given = label, True


def _branches_to_merge(given: Any, n_branches: int) -> list[int]:
    """Return the places of the branches that an edit merges; None: of all."""
    if given is None:
        return list(range(n_branches))
    places = list(given) if isinstance(given, list | tuple) else [given]
    are_known = all(type(each) is int and 0 <= each < n_branches for each in places)
    if not are_known or len(set(places)) < 2:
        raise bad_edit(
            f"'branches' must be at least two of the branches 0 to {n_branches - 1}, as a list of "
            f"numbers in the order in which the tree is printed. Got {given!r} instead.",
            repair="editor.merge(node, [0, 1])",
        )
    return sorted(set(places))


def _merge(room: EditRoom, plan: PlanNode, node: PlanNode, options: dict[str, Any]) -> None:
    """Make one branch of several; the merged branch is a leaf."""
    _refuse_unknown("merge", options, {"branches"})
    if node.test is None:
        raise bad_edit("A leaf has no branches to merge.")
    n_branches = node.test.n_branches
    branches = _branches_to_merge(options.get("branches"), n_branches)
    if len(branches) == n_branches:
        node.become(PlanNode(is_given=True))
        return
    if node.test.branch_of_category is None:
        raise bad_edit("Branches of a threshold cannot be merged; replace the test, or prune it.")
    place, target = {}, -1
    for branch in range(n_branches):
        if branch not in branches[1:]:
            target += 1
        place[branch] = target if branch not in branches else -1
    first = branches[0] - sum(b < branches[0] for b in branches[1:])
    place |= dict.fromkeys(branches, first)
    moved = np.array([place.get(b, b) for b in node.test.branch_of_category], dtype=np.int32)
    missing = place.get(node.test.missing, node.test.missing)
    kept = [child for b, child in enumerate(node.children) if b not in branches[1:]]
    kept[first] = PlanNode(is_given=True)
    node.test = NodeTest(node.test.column, None, moved, len(kept), missing)
    node.children, node.is_given = kept, True


def _forbid(room: EditRoom, plan: PlanNode, node: PlanNode, options: dict[str, Any]) -> None:
    """Grow a part of the tree again without a column."""
    _refuse_unknown("forbid", options, {"column"})
    column = place_of_column(room.schema, options.get("column"))
    without = node.demands.without | {column}
    required = node.demands.required
    node.demands = replace(
        node.demands, without=without, required=None if required == column else required
    )
    # What a person decided below stays, unless it rests on a test of the column.
    frozen, waiting = list[PlanNode](), [node]
    while waiting:
        each = waiting.pop()
        if each.test is None or each.test.column != column:
            frozen += [each] if each.is_given else []
            waiting.extend(each.children)
    _regrow_below(room, plan, node, frozen)


def _require(room: EditRoom, plan: PlanNode, node: PlanNode, options: dict[str, Any]) -> None:
    """Let a node test a column: by the best test that the column has."""
    _refuse_unknown("require", options, {"column"})
    column = place_of_column(room.schema, options.get("column"))
    name = room.schema.names[column]
    test = room.realizer.best_test(room.part_at(plan, node), column)
    if test is None:
        raise bad_edit(f"{name!r} has no test at this node that gains anything.", column=name)
    without = node.demands.without - {column}
    node.become(PlanNode(test, demands=Demands(without=without, required=column)))
    node.children = [PlanNode() for _ in range(test.n_branches)]
    for child in node.children:
        room.grow(plan, child)


def _regrow(room: EditRoom, plan: PlanNode, node: PlanNode, options: dict[str, Any]) -> None:
    """Freeze some nodes, with the tests above them, and grow everything else below again."""
    _refuse_unknown("regrow", options, {"freeze"})
    nodes = plan_levels(plan)
    frozen = options.get("freeze") or []
    places = [_number_of_node(number, len(nodes)) for number in frozen]
    _regrow_below(room, plan, node, [nodes[place] for place in places])


def _regrow_below(room: EditRoom, plan: PlanNode, node: PlanNode, frozen: list[PlanNode]) -> None:
    kept: set[int] = set()
    for each in frozen:
        each.is_given = True
        kept |= {id(above) for above, _ in path_to(plan, each)} | {id(each)}
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if id(each) in kept:
            each.is_given = each.is_given or each is not node
            waiting.extend(each.children)
        else:
            room.grow(plan, each)


def _refuse_unknown(name: str, options: dict[str, Any], known: set[str]) -> None:
    for option in options:
        if option not in known:
            words = ", ".join(sorted(known)) or "none"
            raise bad_edit(f"The edit {name!r} has no option {option!r}. Its options: {words}.")


EDITS: dict[str, Callable[[EditRoom, PlanNode, PlanNode, dict[str, Any]], None]] = {
    "replace": _replace,
    "prune": _prune,
    "graft": _graft,
    "relabel": _relabel,
    "merge": _merge,
    "forbid": _forbid,
    "require": _require,
    "regrow": _regrow,
}
