"""Which arrows could point the other way: the class of networks with the same independences.

1. Networks are equivalent when they join the same pairs and have the same v-structures
   a → c ← b with a and b not joined (Verma and Pearl, 1990). Data cannot tell them apart.
2. Arrows of v-structures, and those that the user's rules fix, are directed.
3. Meek's four rules (1995) direct those whose other direction would make a cycle or a new
   v-structure. The other edges can point either way.
"""

from collections.abc import Callable

import numpy as np

from branchline._arrays import Bools

__all__ = ["directed_edges"]


def directed_edges(flags: Bools, allowed: Bools | None = None) -> Bools:
    """Return which edges of a network have the same direction in all equivalent networks.

    Parameters
    ----------
    flags
        The network: a row for each child.
    allowed
        Which edges the user's rules allow; None: all.
    """
    arrows = np.asarray(flags, dtype=bool).T  # [from, to]
    joined = arrows | arrows.T
    sure = _v_structures(arrows, joined)
    if allowed is not None:
        sure |= arrows & ~allowed  # reverse [to, from] has the flag of child `from`, parent `to`
    changed = True
    while changed:
        changed = False
        for a, b in zip(*np.nonzero(arrows & ~sure), strict=True):
            if any(rule(sure, joined, int(a), int(b)) for rule in _MEEK):
                sure[a, b] = changed = True
    return np.asarray(sure.T)


def _v_structures(arrows: Bools, joined: Bools) -> Bools:
    sure = np.zeros_like(arrows)
    for child in range(len(arrows)):
        parents = np.flatnonzero(arrows[:, child])
        for one in parents:
            if (~joined[one, parents] & (parents != one)).any():
                sure[one, child] = True
    return sure


def _after_an_arrow(sure: Bools, joined: Bools, a: int, b: int) -> bool:
    """Return whether c → a, with c and b not joined: b → a would be a new v-structure."""
    return bool((sure[:, a] & ~joined[:, b] & (np.arange(len(sure)) != b)).any())


def _around_a_way(sure: Bools, joined: Bools, a: int, b: int) -> bool:
    """Return whether a → c → b: b → a would close a cycle."""
    return bool((sure[a, :] & sure[:, b]).any())


def _two_ways(sure: Bools, joined: Bools, a: int, b: int) -> bool:
    """Return whether a − c → b and a − d → b, with c and d not joined."""
    near = np.flatnonzero(joined[a, :] & sure[:, b])
    return bool((~joined[np.ix_(near, near)] & ~np.eye(len(near), dtype=bool)).any())


def _long_way(sure: Bools, joined: Bools, a: int, b: int) -> bool:
    """Return whether a − c → d → b and a − d, with c and b not joined."""
    for d in np.flatnonzero(joined[a, :] & sure[:, b]):
        if (joined[a, :] & sure[:, d] & ~joined[:, b]).any():
            return True
    return False


_MEEK: tuple[Callable[[Bools, Bools, int, int], bool], ...] = (
    _after_an_arrow,
    _around_a_way,
    _two_ways,
    _long_way,
)
