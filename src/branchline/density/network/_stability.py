"""How stable the edges of a network are: the share of bootstrap networks that contain them.

1. Rows are drawn with replacement, as many as there are.
2. A network is found in them, with the settings and the cut points of the first one.
3. An edge's share counts networks that join its two columns, in any direction, with Wilson's
   interval for the number of networks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._intervals import Interval, wilson_interval
from branchline._plain_numbers import count, fine_percent
from branchline._result_frame import Library, result_frame
from branchline.density.network._fitting import NetworkSettings, fit_network
from branchline.density.network._network import Network
from branchline.density.network._search import LevelRows
from branchline.errors import ParameterError, Repair

__all__ = ["EdgeStability", "NetworkStability", "edge_stability"]


@dataclass(frozen=True)
class EdgeStability:
    """How often two columns are joined.

    Parameters
    ----------
    parent, child
        The columns; as in the network, if it joins them.
    share
        The share of bootstrap networks that join them, with its interval.
    same_direction
        Of these networks, the share in which the arrow leads from parent to child.
    in_network
        Whether the network joins them.

    See Also
    --------
    NetworkStability : ``of`` returns it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import BayesianNetwork
    >>> table = load_dataset("titanic").select(["pclass", "sex", "survived"])
    >>> model = BayesianNetwork().fit(table)
    >>> found = model.stability(table, n_networks=5)
    >>> found.edges[0].share.estimate
    1.0
    """

    parent: str
    child: str
    share: Interval
    same_direction: float
    in_network: bool


@dataclass(frozen=True)
class NetworkStability:
    """The edges of a network, and others that were found, the most frequent first.

    See Also
    --------
    BayesianNetwork : ``stability`` returns it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import BayesianNetwork
    >>> table = load_dataset("titanic").select(["pclass", "sex", "survived"])
    >>> model = BayesianNetwork().fit(table)
    >>> model.stability(table, n_networks=5).n_networks
    5
    """

    edges: tuple[EdgeStability, ...]
    n_networks: int

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each pair of columns that some network joins."""
        columns = {
            "parent": [each.parent for each in self.edges],
            "child": [each.child for each in self.edges],
            "share": [each.share.estimate for each in self.edges],
            "low": [each.share.low for each in self.edges],
            "high": [each.share.high for each in self.edges],
            "same_direction": [each.same_direction for each in self.edges],
            "in_network": [each.in_network for each in self.edges],
        }
        return result_frame(columns, library)

    def of(self, parent: str, child: str) -> EdgeStability | None:
        """Return the stability of an edge; None when no network has it."""
        wanted = {parent, child}
        return next((each for each in self.edges if {each.parent, each.child} == wanted), None)

    def __str__(self) -> str:
        shown = [each for each in self.edges if each.in_network]
        lines = [
            f"  {each.parent} → {each.child}  {fine_percent(each.share.estimate)} "
            f"[{fine_percent(each.share.low)}, {fine_percent(each.share.high)}]"
            for each in shown
        ]
        head = f"Share of {count(self.n_networks, 'bootstrap network')} that join two columns:"
        return "\n".join([head, *lines])


def edge_stability(
    rows: LevelRows,
    names: Sequence[str],
    network: Network,
    settings: NetworkSettings,
    n_networks: int,
) -> NetworkStability:
    """Return how often bootstrap networks join columns."""
    if not isinstance(n_networks, int) or n_networks < 2:
        raise ParameterError(
            f"n_networks must be a whole number of at least 2. Got {n_networks!r}.",
            code="P707",
            values=[str(n_networks)],
            repair=Repair("model.stability(X, n_networks=100)"),
        )
    rows = rows.merged()
    shares = rows.units / rows.units.sum()
    draws = np.random.default_rng([settings.seed, 702])
    found = np.zeros((len(names), len(names)), dtype=np.int64)  # [parent, child]
    for _ in range(n_networks):
        counts = draws.multinomial(max(1, round(rows.weight)), shares)
        kept = counts > 0
        sample = LevelRows(rows.levels[kept], rows.n_levels, counts[kept].astype(np.int64))
        for parent, child in fit_network(sample, names, settings).network.edges:
            found[parent, child] += 1
    return NetworkStability(_edges(found, names, network, n_networks), n_networks)


def _edges(
    found: Any, names: Sequence[str], network: Network, n_networks: int
) -> tuple[EdgeStability, ...]:
    held = set(network.edges)
    edges = []
    for one in range(len(names)):
        for other in range(one + 1, len(names)):
            both = int(found[one, other] + found[other, one])
            in_network = (one, other) in held or (other, one) in held
            if not both and not in_network:
                continue
            turned = (other, one) in held or (
                not in_network and found[other, one] > found[one, other]
            )
            parent, child = (other, one) if turned else (one, other)
            same = float(found[parent, child] / both) if both else 0.0
            interval = wilson_interval(both, n_networks)
            edges.append(EdgeStability(names[parent], names[child], interval, same, in_network))
    return tuple(sorted(edges, key=lambda each: -each.share.estimate))
