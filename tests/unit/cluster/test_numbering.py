"""Clusters are numbered by weight, then by their first row."""

import numpy as np

from branchline.cluster._numbering import by_weight


def test_the_heaviest_cluster_is_number_0() -> None:
    labels = np.array([7, 7, 2, 5, 5])
    weights = np.array([1.0, 1.0, 9.0, 1.0, 1.5])
    assert by_weight(labels, weights).tolist() == [0, 1, 2]  # of the clusters 2, 5, 7


def test_clusters_of_one_weight_go_by_their_first_row() -> None:
    assert by_weight(np.array([3, 1, 2]), np.ones(3)).tolist() == [1, 2, 0]
