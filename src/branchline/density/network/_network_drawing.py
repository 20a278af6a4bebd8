"""A network as a diagram: stable edges are thick, edges that could point the other way dashed."""

from collections.abc import Sequence

from branchline._arrays import Bools
from branchline._plain_numbers import count, percent
from branchline.charts import Diagram, DiagramEdge
from branchline.density.network._network import Network
from branchline.density.network._stability import NetworkStability

__all__ = ["draw_network"]

_THIN, _THICK, _PLAIN = 0.8, 4.0, 1.6


def draw_network(
    network: Network,
    names: Sequence[str],
    directed: Bools,
    target: int | None,
    stability: NetworkStability | None,
) -> Diagram:
    """Draw the columns that have edges.

    Parameters
    ----------
    network, names
        The network, and the names of its columns.
    directed
        Which edges have one direction in all equivalent networks: a row for each child.
    target
        A column with a thick frame; None: none.
    stability
        The share of bootstrap networks that contain each edge, as the width of arrows.
    """
    joined = sorted({at for edge in network.edges for at in edge})
    place = {column: at for at, column in enumerate(joined)}
    edges = tuple(
        _edge(
            (place[parent], place[child]),
            (names[parent], names[child]),
            bool(directed[child, parent]),
            stability,
        )
        for parent, child in network.edges
    )
    lonely = [names[at] for at in range(len(network)) if at not in place]
    strong = frozenset({place[target]} if target in place else ())
    said = f"Bayesian network of {count(len(network), 'column')}"
    return Diagram(
        tuple(names[at] for at in joined),
        edges,
        strong,
        said,
        _note(directed, network, lonely, stability),
    )


def _edge(
    ends: tuple[int, int],
    names: tuple[str, str],
    is_sure: bool,
    stability: NetworkStability | None,
) -> DiagramEdge:
    words = f"{names[0]} → {names[1]}"
    if stability is None:
        return DiagramEdge(*ends, _PLAIN, is_sure, words=words)
    found = stability.of(*names)
    share = 0.0 if found is None else found.share.estimate
    label = percent(share)
    ends_of_share = [] if found is None else [found.share.low, found.share.high]
    interval = f" [{', '.join(map(percent, ends_of_share))}]" if ends_of_share else ""
    width = _THIN + (_THICK - _THIN) * share
    return DiagramEdge(*ends, width, is_sure, label, f"{words}: {label}{interval}")


def _note(
    directed: Bools, network: Network, lonely: list[str], stability: NetworkStability | None
) -> str:
    said = ["An arrow is a dependence, not a cause."]
    if any(not directed[child, parent] for parent, child in network.edges):
        said.append("Dashed: it could point the other way.")
    if stability is not None:
        said.append(
            f"Width: share of {count(stability.n_networks, 'bootstrap network')} "
            "that join the two columns."
        )
    if lonely:
        more = f" and {len(lonely) - 8} more" if len(lonely) > 8 else ""
        said.append(f"Without arrows: {', '.join(lonely[:8])}{more}.")
    return " ".join(said)
