import numpy as np
import pytest

from branchline.cluster import adjusted_rand, bicluster
from branchline.errors import DataError


@pytest.fixture
def checkerboard():
    """A table of 3 × 2 blocks, with its row and column clusters; a tenth of the cells missing."""
    rng = np.random.default_rng(0)
    of_row, of_column = rng.integers(0, 3, 60), rng.integers(0, 2, 12)
    means = np.array([[2.0, -2.0], [-2.0, 2.0], [0.0, 0.0]])
    table = means[np.ix_(of_row, of_column)] + 0.5 * rng.normal(size=(60, 12))
    table[rng.random(table.shape) < 0.1] = np.nan
    return table, of_row, of_column


def test_blocks_are_found_with_missing_cells(checkerboard):
    table, of_row, of_column = checkerboard
    found = bicluster(table, 3, 2)
    assert adjusted_rand(found.row_labels, of_row).value == 1.0
    assert adjusted_rand(found.column_labels, of_column).value == 1.0
    assert 0.8 < found.explained < 1
    assert "3 clusters of rows × 2 clusters of columns" in str(found)
    assert found.draw().to_svg()


def test_the_order_of_rows_does_not_matter(checkerboard):
    table = checkerboard[0]
    order = np.random.default_rng(1).permutation(len(table))
    one, other = bicluster(table, 3, 2), bicluster(table[order], 3, 2)
    assert (one.row_labels[order] == other.row_labels).all()
    assert one.explained == other.explained


def test_explained_is_what_the_means_explain(checkerboard):
    table = checkerboard[0]
    found = bicluster(table, 2, 2)
    scaled = (table - np.nanmean(table, axis=0)) / np.nanstd(table, axis=0)
    means = found.means[np.ix_(found.row_labels, found.column_labels)]
    left = np.nansum((scaled - means) ** 2)
    assert found.explained == pytest.approx(1 - left / np.nansum(scaled**2))


def test_more_clusters_than_rows_and_columns_that_do_not_vary():
    assert bicluster([[1.0, 2.0], [2.0, 1.0]], 9, 9).means.shape == (2, 2)
    with pytest.raises(DataError, match="D711"):
        bicluster([[1.0], [1.0]], 2, 1)
