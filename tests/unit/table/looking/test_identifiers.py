"""Columns that only name rows are found; measurements, times and small tables are left alone."""

from datetime import datetime, timedelta

import numpy as np
import pandas
import pytest

from branchline import Table, load_dataset
from branchline.table import dataset_info, dataset_names
from branchline.table.looking import likely_identifiers

RNG = np.random.default_rng(0)
N = 300
START = datetime(2024, 1, 1)


def topics(**columns):
    table = Table({"label": ["a", "b"] * (len(next(iter(columns.values()))) // 2), **columns})
    return {found.name: found.topic for found in likely_identifiers(table, target="label")}


@pytest.mark.parametrize("name", dataset_names())
def test_bundled_sets_lose_no_predictor(name):
    found = likely_identifiers(load_dataset(name), dataset_info(name).target)
    assert [finding.name for finding in found] == (["name"] if name == "titanic" else [])


def test_the_target_is_never_judged():
    table = Table({"x": RNG.normal(size=N), "y": [f"case {row}" for row in range(N)]})
    assert likely_identifiers(table, target="y") == ()
    assert [found.name for found in likely_identifiers(table)] == ["y"]


def test_texts_that_hardly_any_row_shares():
    letters = np.array(list("acgt"))
    texts = {
        "name": [f"P{row:04}" for row in range(N)],
        "phone": [f"+32 475 {row:02}.{row * 7 % 100:02}.{row % 97:02}" for row in range(N)],
        "text": [f"the customer number {row} was quite happy with it" for row in range(N)],
    }
    for topic, values in texts.items():
        assert topics(column=values) == {"column": topic}
    assert topics(column=["".join(RNG.choice(letters, 30)) for _ in range(N)]) == {"column": "text"}
    nearly = [f"P{row if row > 20 else 0:04}" for row in range(N)]
    assert topics(column=nearly) == {"column": "name"}
    assert topics(column=[f"P{row // 2}" for row in range(N)]) == {}


@pytest.mark.parametrize(
    ("name", "values", "topic"),
    [
        ("x", np.arange(N), "counter"),
        ("x", RNG.permutation(N) + 1.0, "counter"),
        ("x", np.arange(5000, 5000 + N), "counter"),
        ("x", np.sort(RNG.choice(400, N, replace=False)), "counter"),
        ("customer_id", RNG.choice(10**6, N, replace=False), "code"),
        ("accountNumber", RNG.choice(10**6, N, replace=False), "code"),
        ("x", 470_000_000 + RNG.choice(10**7, N, replace=False), "code"),
        ("x", np.where(np.arange(N) < 20, np.nan, np.arange(N) - 19), "counter"),
    ],
)
def test_numbers_that_count_or_name_rows(name, values, topic):
    assert topics(**{name: values}) == {name: topic}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("weight", RNG.normal(size=N)),
        ("price", RNG.choice(10**6, N, replace=False)),
        ("population", np.sort(RNG.choice(10**7, N, replace=False))),
        ("revenue", 1000 * (100_000 + RNG.choice(10**5, N, replace=False)) * 10),
        ("year", np.arange(1700, 1700 + N)),
        ("x", np.arange(1700, 1700 + N)),
        ("day", np.arange(N)),
        ("height", np.arange(58, 72)),
        ("number_of_rooms", np.arange(N) % 9),
        ("date", 20240101 + RNG.choice(10**4, N, replace=False)),
        ("client_age", np.arange(N)),
    ],
)
def test_measurements_are_not_identifiers(name, values):
    assert topics(**{name: values}) == {}


def test_an_identifier_may_repeat_a_little_where_its_name_says_so():
    values = np.r_[np.arange(280), np.arange(20)] * 31
    assert topics(patient_id=values) == {"patient_id": "code"}
    assert topics(patient=values) == {}


def test_moments_are_stamps_only_to_the_second_and_without_a_rhythm():
    gaps = RNG.integers(1, 5000, N).cumsum()
    assert topics(at=[START + timedelta(seconds=int(gap)) for gap in gaps]) == {"at": "stamp"}
    assert topics(at=[START + timedelta(minutes=int(gap)) for gap in gaps]) == {}
    assert topics(at=[START + timedelta(seconds=10 * row) for row in range(N)]) == {}
    assert topics(at=[(START + timedelta(days=row)).date() for row in range(N)]) == {}


def test_small_tables_prove_little():
    assert topics(x=[f"P{row}" for row in range(8)]) == {}
    assert topics(x=[f"P{row}" for row in range(12)]) == {"x": "name"}
    assert topics(x=[f"P{max(row, 1)}" for row in range(12)]) == {}
    assert topics(x=np.arange(12) + 30) == {}


def test_numbers_written_as_text_are_set_apart_from_names():
    texts = [f"${row + 1000:,}" for row in range(N)]
    assert topics(x=texts) == {}  # converted
    assert topics(x=pandas.Categorical(texts)) == {"x": "written"}


def test_booleans_ordered_and_empty_columns_pass():
    assert topics(x=[True, False] * (N // 2), y=[None] * N) == {}


def test_a_sparse_table_is_judged_without_becoming_dense():
    from scipy.sparse import csc_array

    assert likely_identifiers(Table(csc_array(np.eye(50)))) == ()


def test_nineteen_digits_do_not_overflow():
    values = np.arange(2**62, 2**62 + N)
    assert topics(x=values)["x"] in {"counter", "name"}


def test_names_of_rows_that_are_there_twice_are_found():
    """Copies of rows repeat their names; each name still belongs to one case."""
    half = N // 2
    columns = {
        "id": np.arange(1001, 1001 + half),
        "name": [f"P{row:04}" for row in range(half)],
        "x": RNG.normal(size=half),
        "year": 1900 + np.arange(half) % 40,
        "label": RNG.choice(["a", "b"], half),
    }
    once = Table(columns)
    for rows in ([*range(half), *range(half)], np.repeat(np.arange(half), 2)):
        found = likely_identifiers(once.rows(rows), target="label")
        assert [(each.name, each.topic) for each in found] == [("id", "counter"), ("name", "name")]


def test_values_that_repeat_without_copies_of_rows_pass():
    assert topics(x=np.arange(N) // 2) == {}
    assert topics(x=np.arange(N) // 2, y=RNG.normal(size=N)) == {}


def test_the_order_of_rows_does_not_matter():
    gaps = RNG.choice(400, N, replace=False)
    assert topics(x=gaps) == topics(x=np.sort(gaps)) == {"x": "counter"}
    sparse = RNG.choice(10**6, N, replace=False)
    assert topics(x=sparse) == topics(x=np.sort(sparse)) == {}
