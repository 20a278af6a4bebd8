"""n_clusters="auto", and a verdict that is the largest number tried."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.cluster import (
    AgglomerativeClustering,
    DivisiveClustering,
    KMeans,
    KMedoids,
    distances,
    how_many,
)
from branchline.errors import BranchlineWarning, ParameterError

_EVERY = (KMeans, KMedoids, AgglomerativeClustering, DivisiveClustering)


@pytest.mark.parametrize("kind", _EVERY)
def test_iris_has_three(kind) -> None:
    rows, _ = load_dataset("iris").split_target("species")
    model = kind("auto").fit(rows)
    assert model.counts_.n_groups == len(np.unique(model.labels_)) == 3
    assert (model.labels_ == kind(3).fit(rows).labels_).all()


@pytest.mark.parametrize("kind", _EVERY)
def test_noise_is_one_cluster_with_a_warning(kind) -> None:
    noise = np.random.default_rng(1).normal(size=(60, 3))
    with pytest.warns(BranchlineWarning, match="W052"):
        model = kind("auto").fit(noise)
    assert (model.labels_ == 0).all()


@pytest.mark.parametrize("kind", _EVERY[1:])
def test_a_matrix_of_distances_cannot_be_counted(kind) -> None:
    square = distances(np.random.default_rng(1).normal(size=(9, 3)))
    with pytest.raises(ParameterError) as caught:
        kind("auto", metric="precomputed").fit(square)
    assert caught.value.code == "P664"


def test_the_largest_number_tried_is_told() -> None:
    draws = np.random.default_rng(3)
    centers = 30 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [3, 3]])
    rows = centers[draws.integers(0, 5, 150)] + draws.standard_normal((150, 2))
    found = how_many(rows, max_clusters=3, n_bootstraps=5)
    assert found.is_largest_tried
    assert found.verdict().startswith("3 or more groups")
    assert found.verdict().endswith("the largest number that was tried.")
    assert not how_many(rows, n_bootstraps=5).is_largest_tried
