import numpy as np
import pytest

from branchline import load_dataset
from branchline.cluster import KMeans, cluster_stability
from branchline.density import Mixture
from branchline.errors import ParameterError


def test_the_order_of_rows_does_not_matter():
    table = load_dataset("iris").drop("species")
    order = np.random.default_rng(0).permutation(table.n_rows)
    found = [
        cluster_stability(rows, KMeans(3).fit(rows), n_bootstraps=5)
        for rows in (table, table.rows(order))
    ]
    assert found[0].to_dict() == found[1].to_dict()


def test_clusters_of_noise_do_not_come_back():
    rows = np.random.default_rng(0).normal(size=(100, 6))
    found = cluster_stability(rows, KMeans(5).fit(rows), n_bootstraps=10)
    assert found.verdict().startswith(("Not stable", "Partly stable"))
    assert all(one.low <= one.jaccard <= one.high for one in found.clusters)


def test_the_number_of_components_is_kept():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(9, 1, (40, 2))])
    found = cluster_stability(rows, Mixture().fit(rows), n_bootstraps=5)
    assert [one.word for one in found.clusters] == ["solid", "solid"]


def test_a_model_that_places_no_rows_is_refused():
    with pytest.raises(ParameterError, match="P720"):
        cluster_stability([[1.0], [2.0]], "kmeans")
