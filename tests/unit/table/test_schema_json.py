"""Schemas as plain data: everything comes back, nothing that no table has comes in."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import Schema, Table, load_dataset
from branchline.errors import ModelFileError
from branchline.table import ColumnType, Field, dataset_names
from branchline.table._schema import _key
from common.tables import mixed_frame


def through_json(schema):
    return Schema.from_json(json.loads(json.dumps(schema.to_json())))


@pytest.mark.parametrize("name", dataset_names())
def test_the_schemas_of_bundled_data_come_back(name):
    schema = load_dataset(name).schema
    assert through_json(schema) == schema


def test_every_kind_of_column_comes_back():
    frame = mixed_frame(30).assign(
        whole=pd.Categorical(np.arange(30) % 3),
        real=pd.Categorical(np.arange(30) % 3 / 2),
        graded=pd.Categorical(["b", "a"] * 15, ["b", "a"], ordered=True),
        zoned=pd.date_range("2020", periods=30, tz="Europe/Brussels"),
        lasted=pd.to_timedelta(np.arange(30), "s"),
        empty=pd.Categorical([None] * 30),
    )
    schema = Table(frame).schema
    assert {field.type.source for field in schema} >= {
        "float", "integer", "string", "category", "ordered", "boolean", "datetime", "duration"
    }  # fmt: skip
    again = through_json(schema)
    assert again == schema
    assert [type(name) for name in again["whole"].categories] == [int] * 3


def test_a_schema_without_names_stays_so():
    schema = Table(np.ones((1, 2))).schema
    assert through_json(schema) == schema
    assert not through_json(schema).named


NAMES = st.text(st.characters(exclude_categories=("Cs",)), max_size=5)
NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
CATEGORIES = st.lists(NAMES | NUMBERS, unique_by=_key, max_size=5)
KINDS = st.one_of(
    st.sampled_from(["float", "integer"]).map(lambda source: ColumnType("numeric", source)),
    st.just(ColumnType("category", "boolean", (False, True))),
    st.lists(NAMES, unique=True, max_size=5).map(
        lambda names: ColumnType("category", "string", tuple(names))
    ),
    st.tuples(st.sampled_from(["category", "ordered"]), CATEGORIES).map(
        lambda pair: ColumnType("category", pair[0], tuple(pair[1]))
    ),
    st.just(ColumnType("numeric", "date", unit="D")),
    st.sampled_from(["s", "ms", "us", "ns"]).map(
        lambda unit: ColumnType("numeric", "datetime", unit=unit, timezone="UTC+02:00")
    ),
    st.sampled_from(["D", "s", "ms", "us", "ns"]).map(
        lambda unit: ColumnType("numeric", "duration", unit=unit)
    ),
    st.sampled_from(["s", "ms", "us", "ns"]).map(
        lambda unit: ColumnType("numeric", "time", unit=unit)
    ),
)


@given(st.dictionaries(NAMES, KINDS, max_size=6), st.booleans())
def test_any_schema_comes_back(kinds, named):
    schema = Schema(tuple(Field(name, kind) for name, kind in kinds.items()), named)
    again = through_json(schema)
    assert again == schema
    assert again.named is named
    assert again.to_json() == schema.to_json()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "kind", "columns", "named", "unit"]), inner)
    ),
    max_leaves=12,
)


@given(JSON)
def test_what_is_no_schema_gives_one_typed_error(data):
    for wrong in (data, {"named": True, "columns": data}, {"named": True, "columns": [data]}):
        try:
            assert isinstance(Schema.from_json(wrong), Schema)
        except ModelFileError as error:
            code = error.code
        else:
            code = "M004"
        assert code == "M004"


GOOD = {
    "number": {"name": "n", "kind": "numeric", "source": "float"},
    "text": {"name": "t", "kind": "category", "source": "string", "categories": ["a", "b"]},
    "names": {"name": "c", "kind": "category", "source": "category", "categories": [1, "a", 0.5]},
    "flag": {"name": "f", "kind": "category", "source": "boolean", "categories": [False, True]},
    "date": {"name": "d", "kind": "numeric", "source": "date", "unit": "D"},
    "moment": {
        "name": "m", "kind": "numeric", "source": "datetime", "unit": "us", "timezone": "UTC"
    },
    "span": {"name": "s", "kind": "numeric", "source": "duration", "unit": "D"},
    "clock": {"name": "k", "kind": "numeric", "source": "time", "unit": "ns"},
}  # fmt: skip
GONE = object()
WRONG = {
    "number": [
        {"name": GONE}, {"name": 3}, {"name": None}, {"kind": GONE}, {"kind": "strange"},
        {"kind": ["numeric"]}, {"kind": "category"}, {"source": GONE}, {"source": "string"},
        {"source": "boolean"}, {"source": ["float"]}, {"source": {}}, {"categories": ["a"]},
        {"categories": None}, {"unit": "D"}, {"unit": None}, {"timezone": "UTC"}, {"more": 1},
    ],
    "text": [
        {"categories": GONE}, {"categories": None}, {"categories": "ab"}, {"categories": {"a": 1}},
        {"categories": ["a", "a"]}, {"categories": [1, 2]}, {"categories": [True, False]},
        {"categories": [None]}, {"categories": [["a"]]}, {"kind": "numeric"}, {"unit": "s"},
        {"source": "float"}, {"source": "date"}, {"timezone": "UTC"},
    ],
    "names": [
        {"categories": [1, "1"]}, {"categories": [1, 1.0]}, {"categories": [True, "True"]},
        {"categories": [float("nan")]}, {"categories": [None]}, {"categories": [{}]},
    ],
    "flag": [
        {"categories": [True, False]}, {"categories": [False]}, {"categories": [0, 1]},
        {"categories": ["False", "True"]}, {"categories": []}, {"categories": [False, True, None]},
    ],
    "date": [
        {"unit": GONE}, {"unit": None}, {"unit": "s"}, {"unit": "fortnight"}, {"unit": ["D"]},
        {"unit": {}}, {"timezone": "UTC"}, {"kind": "category"}, {"categories": ["a"]},
        {"kind": "category", "categories": ["a"]},
    ],
    "moment": [
        {"unit": "D"}, {"unit": GONE}, {"timezone": 3}, {"timezone": "a\nb"}, {"timezone": "\0"},
        {"timezone": "z" * 201}, {"timezone": ["UTC"]}, {"timezone": "\ud800"},
    ],
    "span": [{"unit": "h"}, {"unit": "M"}, {"timezone": "UTC"}],
    "clock": [{"unit": "D"}, {"timezone": "UTC"}],
}  # fmt: skip
CASES = [(kind, change) for kind, changes in WRONG.items() for change in changes]


def refusal(data):
    with pytest.raises(ModelFileError) as caught:
        Schema.from_json(data)
    return caught.value


@pytest.mark.parametrize("kind", GOOD)
def test_the_columns_that_are_broken_below_are_sound(kind):
    assert len(Schema.from_json({"named": True, "columns": [GOOD[kind]]})) == 1


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_a_column_that_no_table_has_is_refused(kind, change):
    entry = GOOD[kind] | change
    entry = {key: value for key, value in entry.items() if value is not GONE}
    assert refusal({"named": True, "columns": [entry]}).code == "M004"


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        "schema",
        {"columns": []},
        {"named": True},
        {"named": 1, "columns": []},
        {"named": None, "columns": []},
        {"named": True, "columns": {}},
        {"named": True, "columns": None},
        {"named": True, "columns": [], "more": 1},
        {"named": True, "columns": [GOOD["number"], GOOD["number"]]},
        {"named": True, "columns": [3]},
        {"named": True, "columns": [[GOOD["number"]]]},
    ],
)
def test_what_is_no_schema_is_refused(data):
    assert refusal(data).code == "M004"


def test_a_long_name_is_cut_in_the_message():
    entry = GOOD["number"] | {"name": "n" * 10**6, "kind": "strange"}
    assert len(refusal({"named": True, "columns": [entry]}).message) < 300


def test_hundreds_of_thousands_of_category_names_take_a_second_not_hours():
    names = [str(number) for number in range(300_000)]
    entry = GOOD["text"] | {"categories": names}
    assert len(Schema.from_json({"named": True, "columns": [entry]})["t"].categories) == len(names)
