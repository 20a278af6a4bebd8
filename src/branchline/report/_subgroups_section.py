"""How well the recommended model does in each group of rows that was asked for."""

from typing import TYPE_CHECKING

from branchline.report._blocks import Block, Grid, Heading, Section, Words

if TYPE_CHECKING:
    from branchline.report._findings import Findings

__all__ = ["subgroups_section"]

_WORDS = (
    "Each group's score on rows that the model had not seen. The difference is to all rows outside "
    "the group; tests are corrected for the number of groups (Holm), so that with 95 % confidence "
    "none is called different by chance."
)


def subgroups_section(findings: "Findings") -> Section | None:
    """Return the section about groups; None where none were asked for."""
    tables = findings.comparison.subgroup_tables
    if not tables:
        return None
    blocks: list[Block] = [Words(_WORDS)]
    for one in tables:
        heads = (one.column, "rows", one.metric, "95 % interval", "against the rest", "verdict")
        blocks += [
            Heading(f"By {one.column}"),
            Words(one.sentence),
            Grid(f"{one.metric} of {one.learner} by {one.column}", heads, tuple(one.cells())),
        ]
    return Section("groups", "Group by group", tuple(blocks), "Groups")
