"""The nodes of a row's path, which a drawing is to show more strongly."""

from typing import Any

from branchline._drawing import refuse_file_name

__all__ = ["nodes_of_path"]


def nodes_of_path(model: Any, row: Any) -> set[int] | None:
    """Return the nodes that a row passes, or None where no row is given."""
    if row is None:
        return None
    refuse_file_name(row, "a row whose path is to stand out")
    path = model.path(row)
    return {step.node for step in path.steps} | {end.node for end in path.ends}
