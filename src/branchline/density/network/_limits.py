"""Which edges a network may and must have: what the user says, as flags of edges.

1. ``required`` and ``forbidden`` are pairs (parent, child).
2. ``order`` lists columns, causes first: a later one is never the parent of an earlier one.
3. ``root`` names a column without parents.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Bools
from branchline._plain_numbers import joined
from branchline.density.network._network import in_order, parents_of
from branchline.errors import ParameterError, Repair

__all__ = ["EdgeRules", "edge_flags", "place_of"]


@dataclass(frozen=True)
class EdgeRules:
    """What the user says about edges, by names of columns."""

    required: Any = None
    forbidden: Any = None
    order: Any = None
    root: str | None = None


def edge_flags(rules: EdgeRules, names: Sequence[str], max_parents: int) -> tuple[Bools, Bools]:
    """Return which edges are allowed and which are required: a row for each child."""
    allowed = ~np.eye(len(names), dtype=bool)
    required = np.zeros_like(allowed)
    for parent, child in _pairs("forbidden", rules.forbidden, names):
        allowed[child, parent] = False
    order = [place_of("order", name, names) for name in rules.order or ()]
    for at, later in enumerate(order):
        for earlier in order[:at]:
            allowed[earlier, later] = False
    if rules.root is not None:
        allowed[place_of("root", rules.root, names), :] = False
    for parent, child in _pairs("required", rules.required, names):
        required[child, parent] = True
        if not allowed[child, parent]:
            raise _contradiction(f"{names[parent]!r} → {names[child]!r} is required and forbidden")
    if in_order(parents_of(required)) is None:
        raise _contradiction("the required edges make a cycle")
    crowded = np.flatnonzero(required.sum(axis=1) > max_parents)
    if len(crowded):
        child = int(crowded[0])
        raise _contradiction(
            f"{names[child]!r} has {int(required[child].sum())} required parents, but "
            f"max_parents is {max_parents}"
        )
    return allowed, required


def place_of(parameter: str, name: Any, names: Sequence[str]) -> int:
    """Return the place of a column among those of the network."""
    if name in names:
        return list(names).index(name)
    known = joined([repr(each) for each in names]) if names else "none"
    raise ParameterError(
        f"The {parameter!r} parameter: {name!r} is not a column of the network. Its columns are "
        f"{known}.",
        code="P700",
        values=[str(name)],
        repair=Repair("print(model.names_)"),
    )


def _pairs(parameter: str, given: Any, names: Sequence[str]) -> list[tuple[int, int]]:
    found = []
    for pair in given or ():
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ParameterError(
                f"{parameter} must be a list of pairs (parent, child). Got {pair!r} in it.",
                code="P701",
                values=[str(pair)],
                repair=Repair(f"{parameter}=[('smoke', 'lung')]"),
            )
        found.append((place_of(parameter, pair[0], names), place_of(parameter, pair[1], names)))
    return found


def _contradiction(what: str) -> ParameterError:
    return ParameterError(
        f"No network fits what is asked of its edges: {what}.",
        code="P702",
        repair=Repair("BayesianNetwork(required=None, forbidden=None)"),
    )
