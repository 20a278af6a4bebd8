import numpy as np
import pytest

from branchline.cluster import cluster_columns
from branchline.cluster._column_clusters import correlations
from branchline.table import Table


def test_columns_that_tell_the_same_are_joined():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=100), rng.normal(size=100)
    letters = np.where(one > 0, "high", "low")
    table = Table({"a": one, "b": -2 * one + 0.1 * other, "letters": letters, "c": other})
    found = cluster_columns(table)
    assert found.clusters == [["a", "b", "letters"], ["c"]]
    assert "a stands for b and letters" in str(found)
    assert found.to_frame()["medoid"].tolist() == ["a", "a", "a", "c"]


def test_correlations_are_those_of_rows_known_in_both():
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(40, 3))
    matrix[:, 2] += matrix[:, 0]
    matrix[rng.random((40, 3)) < 0.2] = np.nan
    for i, j in ((0, 1), (0, 2), (1, 2)):
        both = np.isfinite(matrix[:, i]) & np.isfinite(matrix[:, j])
        wanted = np.corrcoef(matrix[both, i], matrix[both, j])[0, 1]
        assert correlations(matrix)[i, j] == pytest.approx(wanted)


def test_many_categories_by_chance_are_no_association():
    rng = np.random.default_rng(2)
    table = Table(
        {
            "number": rng.normal(size=300),
            "city": [f"c{value}" for value in rng.integers(0, 60, 300)],
            "street": [f"s{value}" for value in rng.integers(0, 60, 300)],
            "name": [f"n{row}" for row in range(300)],
        }
    )
    found = cluster_columns(table).association
    assert np.abs(found - np.eye(4)).max() < 0.3


@pytest.mark.parametrize("columns", [{"a": [1.0, 2.0, 3.0]}, {"a": [1, 1, 1], "b": [2, 2, 2]}])
def test_tables_with_nothing_to_join(columns):
    found = cluster_columns(Table(columns))
    assert len(found) == len(columns)
    assert "alone: a" in str(found)


def test_pictures_have_words():
    rng = np.random.default_rng(3)
    found = cluster_columns(rng.normal(size=(30, 5)), 2)
    assert len(found) == 2
    assert "cut: 2 clusters" in found.draw().to_svg()
    assert "association of 5 rows and 5 columns" in found.draw_association().text
