"""The numbers of clusters: by weight, so that neither the order of rows nor a start decides."""

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats, Places

__all__ = ["by_weight"]


def by_weight(labels: npt.NDArray[np.integer], weights: Floats) -> Places:
    """Return for each cluster that has rows its number: 0 is the heaviest.

    Clusters of one weight are numbered by their first row, so rows must be in canonical order. The
    clusters are those of ``np.unique(labels)``, in that order.

    Parameters
    ----------
    labels
        The cluster of each row, as whole numbers in any order.
    weights
        The weight of each row.
    """
    _, first, cluster_of_row = np.unique(labels, return_index=True, return_inverse=True)
    sizes = np.bincount(cluster_of_row.reshape(-1), weights=weights)
    number_of = np.empty(len(first), dtype=np.intp)
    number_of[np.lexsort((first, -sizes))] = np.arange(len(first))
    return number_of
