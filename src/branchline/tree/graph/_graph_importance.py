"""What columns contribute to a graph: Σ |S| · ΔI over the nodes that test them."""

import numpy as np
import numpy.typing as npt

from branchline.tree.graph._graph_arrays import GraphArrays
from branchline.tree.graph._tallies import explained

__all__ = ["impurity_decreases"]


def impurity_decreases(graph: GraphArrays, n_columns: int) -> npt.NDArray[np.float64]:
    """Return for each column what its tests explain (``_tallies``) beyond their nodes."""
    total = np.zeros(n_columns)
    for node in np.flatnonzero(~graph.nodes.is_leaf).tolist():
        parts = [_tally(graph, graph.branch_content(node, branch)) for branch in (0, 1)]
        whole = _tally(graph, graph.nodes.content[node])
        gain = float(explained(np.array(parts)).sum() - explained(whole))
        total[int(graph.nodes.feature[node])] += max(gain, 0.0)
    return total


def _tally(graph: GraphArrays, content: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return units and sums of what a node or a branch holds."""
    if graph.nodes.is_classification:
        return np.concatenate([[content.sum()], content])
    return content
