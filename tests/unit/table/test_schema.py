"""The schema: applied by name to later tables, saved as plain data."""

import json
from datetime import date, datetime, time, timedelta

import numpy as np
import pandas
import pytest
import scipy.sparse

from branchline.errors import BranchlineWarning, DataError, KindError, ModelFileError
from branchline.table import Column, ColumnType, Schema, Table, as_table

TRAINING = {
    "size": [1.5, None, 3.0],
    "count": [1, 2, 3],
    "town": ["Mons", "Liège", None],
    "sunny": [True, False, True],
    "day": [date(2020, 1, 1), date(2020, 1, 2), None],
}


def fitted():
    return as_table(TRAINING).schema


def test_a_table_of_the_same_schema_is_returned_as_it_is():
    table = as_table(TRAINING)
    assert fitted().apply(table) is table
    matrix = as_table(np.ones((2, 3)))
    assert as_table(np.zeros((1, 3))).schema.apply(matrix) is matrix


def test_columns_are_found_by_name_in_any_order_and_extras_are_listed():
    table = as_table({"extra": [0] * 3, **dict(reversed(TRAINING.items()))})
    applied = fitted().apply(table)
    assert applied.schema == fitted()
    assert fitted().extra(table) == ("extra",)
    assert applied["size"].to_list() == TRAINING["size"]


def test_lacking_columns_are_named_with_a_rename():
    with pytest.raises(DataError, match=r"lacks 2 of the 2 columns.*'town', 'size'") as caught:
        as_table({"town": ["x"], "size": [1]}).schema.apply(as_table({"Town": ["x"], "y": [1]}))
    assert caught.value.code == "D011"
    assert caught.value.repair.python == "X = X.rename(columns={'Town': 'town'})"


def test_without_names_columns_go_by_position_and_the_number_must_agree():
    schema = as_table(np.ones((2, 3))).schema
    frame = pandas.DataFrame(np.ones((2, 3)), columns=["a", "b", "c"])
    assert schema.apply(as_table(frame)).names == ("x0", "x1", "x2")
    assert as_table(frame).schema.apply(as_table(np.ones((2, 3)))).names == ("a", "b", "c")
    assert schema.extra(as_table(frame)) == ()
    # The sentence of scikit-learn's own check: one word stands before "is expecting".
    match = r"X has 4 features, but \w+ is expecting 3 features as input"
    with pytest.raises(DataError, match=match) as caught:
        schema.apply(as_table(np.ones((2, 4))))
    assert caught.value.code == "D010"
    assert caught.value.repair.python is None  # leaving columns out could be wrong, unseen
    with pytest.raises(DataError):
        schema.apply(as_table(np.ones((2, 2))))


def test_a_schema_without_names_stays_without_names():
    schema = as_table(np.array([["a", 1], ["b", 2]], dtype=object)).schema
    applied = schema.apply(as_table(np.array([["b", 1], ["c", 2]], dtype=object)))
    assert applied.schema == schema
    assert not applied.schema.named


def test_categories_get_the_codes_of_the_fit_and_new_ones_are_marked():
    applied = fitted().apply(as_table({**TRAINING, "town": ["Namur", "Mons", None]}))
    assert applied["town"].values.tolist() == [-2, 1, -1]
    assert applied["town"].categories == ("Liège", "Mons")
    again = fitted().apply(applied)
    assert again["town"].values.tolist() == [-2, 1, -1]


@pytest.mark.parametrize(
    "truths",
    [
        [True, False, None],
        ["True", "False", None],
        ["true", "false", None],
        [1, 0, None],
        [1.0, 0.0, None],
        ["1", "0", None],
    ],
)
def test_booleans_are_understood_however_they_come(truths):
    applied = fitted().apply(as_table({**TRAINING, "sunny": truths}))
    assert applied["sunny"].values.tolist() == [1, 0, -1]


def test_category_names_are_compared_as_text():
    schema = as_table({"grade": ["1", "2"]}).schema
    for grades in ([2, 1, 3], [2.0, 1.0, 3.0], ["2", "1", "3"]):
        applied = schema.apply(as_table({"grade": grades}))
        assert applied["grade"].values.tolist() == [1, 0, -2]
    numbers = as_table({"grade": [1, 2]}, kinds={"grade": "category"}).schema
    assert numbers.apply(as_table({"grade": ["2", "x"]}))["grade"].values.tolist() == [1, -2]
    assert numbers.apply(as_table({"grade": [None, 2]}))["grade"].values.tolist() == [-1, 1]


def test_text_that_is_a_number_is_read_and_other_text_is_refused():
    schema = as_table({"size": [1.5, 2.5]}).schema
    applied = schema.apply(as_table({"size": ["2.5", None, "-1e3"]}))
    np.testing.assert_array_equal(applied["size"].numbers(), [2.5, np.nan, -1000.0])
    assert schema.apply(as_table({"size": [True, False]}))["size"].numbers().tolist() == [1.0, 0.0]
    with pytest.raises(KindError, match="held numbers when the model was fitted") as caught:
        schema.apply(as_table({"size": ["2.5", "big", "bigger", "big"]}))
    assert caught.value.code == "K001"
    assert (caught.value.rows, caught.value.values) == ((1, 2, 3), ("big", "bigger"))


def test_only_the_categories_in_use_must_be_numbers():
    schema = as_table({"size": [1.5]}).schema
    column = pandas.DataFrame({"size": pandas.Categorical(["1"], ["1", "unused"])})
    assert schema.apply(as_table(column))["size"].numbers().tolist() == [1.0]


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ([date(2020, 1, 1)], [18262.0]),
        ([18262.0], [date(2020, 1, 1)]),
        ([timedelta(1)], [datetime(2020, 1, 1)]),
        ([time(6)], [timedelta(hours=6)]),
        ([1], [time(6)]),
    ],
)
def test_moments_and_plain_numbers_are_not_mixed_up(then, now):
    with pytest.raises(KindError, match="when the model was fitted, but now holds") as caught:
        as_table({"when": then}).schema.apply(as_table({"when": now}))
    assert caught.value.code == "K006"


def test_moments_of_any_unit_and_missing_ones_are_the_same_kind():
    schema = as_table({"when": [date(2020, 1, 1)]}).schema
    moment = schema.apply(as_table({"when": [datetime(2020, 1, 1, 12)]}))
    assert moment["when"].numbers()[0] == pytest.approx(18262.5)
    assert schema.apply(as_table({"when": [None, None]}))["when"].is_missing.all()
    with pytest.raises(KindError, match="held moments") as caught:
        schema.apply(as_table({"when": ["20200101"]}))
    assert "to_datetime" in caught.value.repair.python


def test_a_sparse_table_passes_as_it_is():
    table = as_table(scipy.sparse.eye_array(3))
    assert as_table(np.ones((1, 3))).schema.apply(table).sparse is table.sparse


def test_a_schema_is_a_list_of_named_types():
    schema = fitted()
    assert len(schema) == 5
    assert [field.name for field in schema] == list(TRAINING)
    assert schema["town"].categories == ("Liège", "Mons")
    assert str(schema["day"]) == "date"


def test_a_schema_goes_through_json():
    table = as_table(
        {
            **TRAINING,
            "zoned": pandas.Series(pandas.date_range("2020", periods=3, tz="Europe/Brussels")),
            "graded": pandas.Categorical([1, 2, 1], [2, 1], ordered=True),
        }
    )
    for schema in (table.schema, as_table(np.ones((1, 2))).schema):
        again = Schema.from_json(json.loads(json.dumps(schema.to_json())))
        assert again == schema
        assert again.named is schema.named


def good():
    return json.loads(json.dumps(fitted().to_json()))


def broken():
    yield None
    yield []
    yield {}
    yield {"columns": 3, "named": True}
    yield {"columns": good()["columns"]}
    yield {"columns": good()["columns"] * 2, "named": True}
    yield {"columns": [3], "named": True}
    changes = (
        (0, "kind", "strange"),
        (0, "kind", ["numeric"]),
        (0, "source", None),
        (0, "name", 3),
        (0, "categories", ["a"]),
        (2, "categories", None),
        (2, "categories", "ab"),
        (2, "categories", ["a", "a"]),
        (2, "categories", [1, "1"]),
        (2, "categories", [["a"]]),
        (4, "unit", "fortnight"),
        (4, "unit", None),
        (4, "timezone", 3),
    )
    for place, key, value in changes:
        data = good()
        data["columns"][place][key] = value
        yield data


@pytest.mark.parametrize("data", list(broken()))
def test_a_malformed_schema_is_refused(data):
    with pytest.raises(ModelFileError) as caught:
        Schema.from_json(data)
    assert caught.value.code == "M004"


@pytest.mark.parametrize("unit", ["s", "ms", "ns"])
@pytest.mark.parametrize("moment", ["2020-01-02", "2020-01-02T10:30:00", "2020-01-02T10:30:00.500"])
def test_moments_that_are_categories_are_found_again(moment, unit):
    days = numpy_moments(moment, "2021-03-04")
    fitted = as_table({"day": days}, kinds={"day": "category"})
    if unit == "s" and moment.endswith("500"):
        days = days.astype("datetime64[ms]")
    else:
        days = days.astype(f"datetime64[{unit}]")
    applied = fitted.schema.apply(as_table({"day": days}))
    np.testing.assert_array_equal(applied["day"].values, fitted["day"].values)
    later = fitted.schema.apply(as_table({"day": days + np.timedelta64(1, "ms")}))
    assert later["day"].values.tolist() == [-2, -1, -2]


def numpy_moments(first, second):
    return np.array([first, "NaT", second], dtype="datetime64[ms]")


@pytest.mark.parametrize("cell", [timedelta(hours=1), time(10, 30)])
def test_durations_and_times_that_are_categories_are_found_again(cell):
    plain = as_table({"x": [cell, None]})
    fitted = plain.with_kinds({"x": "category"})
    assert fitted.schema.apply(plain)["x"].values.tolist() == [0, -1]


def test_only_texts_that_a_reader_would_take_are_numbers():
    schema = as_table({"x": [1.0, 2.0]}).schema
    assert schema.apply(as_table({"x": [" 1", "2e1"]}))["x"].numbers().tolist() == [1.0, 20.0]
    with pytest.raises(KindError) as caught:
        schema.apply(as_table({"x": ["1_0"]}))  # Python would read ten
    assert caught.value.code == "K001"


def test_names_written_as_other_numbers_are_found_again() -> None:
    padded = Column("zip", ColumnType("category", "string", ("04000", "07000")), np.array([0, 1]))
    schema = Table([padded]).schema
    assert schema.apply(as_table({"zip": [7000, 4000, 5000]}))["zip"].values.tolist() == [1, 0, -2]


def test_a_column_of_unknown_names_only_is_pointed_out() -> None:
    schema = as_table({"sex": ["m", "f"] * 10}).schema
    with pytest.warns(BranchlineWarning, match="now 'female', 'male'; then 'f', 'm'"):
        schema.apply(as_table({"sex": ["male", "female"] * 10}))


def test_only_columns_the_model_does_not_know_are_taken_for_misspelled() -> None:
    schema = as_table({"g2": [1.0], "g12": [2.0]}).schema
    with pytest.raises(DataError) as caught:
        schema.apply(as_table({"g2": [1.0], "age": [3.0]}))
    assert caught.value.repair.python is None
    with pytest.raises(DataError) as caught:
        schema.apply(as_table({"g2": [1.0], "g12x": [3.0]}))
    assert caught.value.repair.python == "X = X.rename(columns={'g12x': 'g12'})"
