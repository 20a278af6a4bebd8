"""What edits work on: the training rows that come to a node, and subtrees grown on them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import EVERY_BRANCH, STAY
from branchline.errors import DataError
from branchline.table import Schema
from branchline.tree._nested import NodeTest
from branchline.tree._parts import send_down
from branchline.tree.editing._plan import PlanNode, from_nested, n_leaves_of, path_to
from branchline.tree.editing._realize import Realizer, Site
from branchline.tree.growing._growth import Sample

__all__ = ["EditRoom"]


@dataclass(frozen=True, eq=False)
class EditRoom:
    """What edits need to know: the rows, the columns, the classes (None: numbers)."""

    realizer: Realizer
    sample: Sample
    schema: Schema
    classes: npt.NDArray[Any] | None

    def part_at(self, plan: PlanNode, node: PlanNode) -> Sample:
        """Return the training rows that come to a node."""
        part = self.sample
        for above, branch in path_to(plan, node):
            assert above.test is not None
            part = send_down(self.realizer.growth, above.test, part)[branch]
        return part

    def demands_at(self, plan: PlanNode, node: PlanNode) -> frozenset[int]:
        """Return the columns that may not be tested at a node."""
        above = [each.demands.without for each, _ in path_to(plan, node)]
        return frozenset().union(*above, node.demands.without)

    def grow(self, plan: PlanNode, node: PlanNode) -> None:
        """Put a newly grown subtree in the place of a node; its demands and label stay."""
        part, depth = self.part_at(plan, node), len(path_to(plan, node))
        demands = replace(node.demands, without=self.demands_at(plan, node), required=None)
        n_elsewhere = n_leaves_of(plan) - n_leaves_of(node)
        n_left = int(self.realizer.growth.options.max_leaves) - n_elsewhere
        site = Site(depth, self.realizer.weight_of(self.sample), n_left)
        grown = from_nested(self.realizer.subtree(part, site, demands))
        node.test, node.children = grown.test, grown.children
        node.is_given, node.label = False, None

    def filled(self, plan: PlanNode, node: PlanNode, test: NodeTest) -> NodeTest:
        """Return a test with a branch for missing and unnamed values; refuse an empty branch."""
        part = self.part_at(plan, node)
        growth = self.realizer.growth
        branch = test.known_branches(test.column_of(growth.data.table))[part.rows]
        count = np.bincount(branch[branch >= 0], minlength=test.n_branches)[: test.n_branches]
        if test.missing < 0 and not test.is_presence:
            shares = growth.settings.missing == "fractional"
            missing = EVERY_BRANCH if shares else int(np.argmax(count))
            known = test.branch_of_category
            if known is not None:
                known = np.where(known == STAY, missing, known).astype(np.int32)
            test = replace(test, missing=missing, branch_of_category=known)
        empty = [b for b, each in enumerate(send_down(growth, test, part)) if not len(each.rows)]
        if empty:
            name = self.schema.names[test.column]
            raise DataError(
                f"The test of {name!r} sends none of the {len(part.rows)} training rows of the "
                f"node to branch {empty[0]}.",
                code="D560",
                column=name,
            )
        return test
