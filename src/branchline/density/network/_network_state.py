"""A network as packed values, and checked when it comes back."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from branchline._state import are_frequencies, array_from_state, malformed, numbers_from_state
from branchline.density.network._network import Network, flags_of, in_order, parents_of

__all__ = ["network_from_state", "network_to_state"]

_MOST_CELLS = 2**40


def network_to_state(network: Network) -> dict[str, Any]:
    """Return parents and tables as plain values."""
    tables = [table.reshape(-1) for table in network.tables]
    return {
        "parents": flags_of(network.parents).reshape(-1),
        "tables": np.concatenate([*tables, np.zeros(0)]),
    }


def network_from_state(state: Mapping[str, Any], n_levels: Sequence[int]) -> Network:
    """Check packed values and return the network they stand for."""
    n = len(n_levels)
    flags = array_from_state(state, "parents", np.dtype(np.uint8), length=n * n)
    if (flags > 1).any():
        raise malformed("a flag of the network is neither 0 nor 1")
    parents = parents_of(flags.reshape(n, n).astype(bool))
    if in_order(parents) is None:
        raise malformed("the network has a cycle")
    shapes = [
        tuple(n_levels[each] for each in (*held, child)) for child, held in enumerate(parents)
    ]
    sizes = [float(np.prod([float(size) for size in shape])) for shape in shapes]
    if sum(sizes) > _MOST_CELLS:
        raise malformed("the tables of the network are too large")
    flat = numbers_from_state(state, "tables", length=int(sum(sizes)), low=0.0, high=1.0)
    ends = np.cumsum(sizes).astype(np.int64)[:-1]
    parts = np.split(flat, ends) if n else []
    tables = tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
    if not all(are_frequencies(table) and (table > 0).all() for table in tables):
        raise malformed("the probabilities of the network do not add up to 1")
    return Network(parents, tables)
