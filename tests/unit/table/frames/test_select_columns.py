"""Chosen columns come back in the container that they came in, by name or by position."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy import sparse

from branchline.features import RankSelector
from branchline.table import Table, as_table

NUMBERS = np.random.default_rng(0).normal(size=(60, 4))
NUMBERS[::7, 2] = 0.0
CLASSES = np.where(NUMBERS[:, 1] + NUMBERS[:, 3] > 0, "yes", "no")
NAMES = ["a", "b", "c", "d"]


def frame_of_numbers(names):
    return pandas.DataFrame(NUMBERS, columns=names)


CONTAINERS = {
    "array": NUMBERS,
    "pandas": frame_of_numbers(NAMES),
    "pandas without names": frame_of_numbers(None),
    "pandas with odd names": frame_of_numbers([10, "b", ("c", 1), 2.5]),
    "polars": polars.from_pandas(frame_of_numbers(NAMES)),
    "arrow": pyarrow.Table.from_pandas(frame_of_numbers(NAMES)),
    "csr": sparse.csr_array(NUMBERS),
    "coo": sparse.coo_matrix(NUMBERS),
    "table": Table(frame_of_numbers(NAMES)),
    "table without names": Table(NUMBERS),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_the_container_and_its_cells_are_kept(kind):
    X = CONTAINERS[kind]
    model = RankSelector(n_columns=2).fit(X, CLASSES)
    chosen = model.transform(X)
    assert type(chosen) is type(X)
    places = model.get_support(indices=True)
    assert places.tolist() == [1, 3]
    np.testing.assert_array_equal(as_table(chosen).to_numpy(), NUMBERS[:, places])
    if isinstance(X, pandas.DataFrame):
        assert chosen.columns.tolist() == [X.columns.tolist()[place] for place in places]
    if sparse.issparse(X):
        assert chosen.format == X.format


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "table"])
def test_named_columns_are_found_in_another_order(kind):
    model = RankSelector(n_columns=2).fit(CONTAINERS[kind], CLASSES)
    turned = frame_of_numbers(NAMES)[["d", "c", "b", "a"]]
    given = {
        "pandas": turned,
        "polars": polars.from_pandas(turned),
        "arrow": pyarrow.Table.from_pandas(turned),
        "table": Table(turned),
    }[kind]
    np.testing.assert_array_equal(as_table(model.transform(given)).to_numpy(), NUMBERS[:, [1, 3]])


@pytest.mark.parametrize("fitted", ["array", "pandas without names"])
def test_a_frame_without_names_fits_an_array(fitted):
    model = RankSelector(n_columns=2).fit(CONTAINERS[fitted], CLASSES)
    for kind in ("array", "pandas without names"):
        assert type(model.transform(CONTAINERS[kind])) is type(CONTAINERS[kind])


def test_rows_of_a_list_become_a_table():
    model = RankSelector(n_columns=2).fit(NUMBERS.tolist(), CLASSES)
    assert isinstance(model.transform(NUMBERS.tolist()), Table)
