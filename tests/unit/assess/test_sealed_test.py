"""The sealed test set: the same rows always, one look, every look on record."""

import json

import numpy as np
import pytest

from branchline import load_dataset
from branchline.assess import SealedTest, TestOpenedError
from branchline.errors import DataError, ParameterError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

TABLE = load_dataset("german-credit")


@pytest.fixture
def sealed(tmp_path):
    return SealedTest.seal(tmp_path / "credit.seal.json", 0.2, key="00" * 16)


def model_of(rows):
    return DecisionTreeClassifier(max_depth=3).fit(*rows.split_target("class"))


def test_about_a_fifth_of_the_rows_is_sealed_in_any_order(sealed):
    mask = sealed.is_sealed(TABLE)
    assert 0.15 < mask.mean() < 0.25
    order = np.random.default_rng(0).permutation(1000)
    np.testing.assert_array_equal(sealed.is_sealed(TABLE.rows(order)), mask[order])
    half = TABLE.rows(np.arange(500))
    np.testing.assert_array_equal(sealed.is_sealed(half), mask[:500])


def test_another_key_seals_other_rows_and_columns_may_change_places(tmp_path, sealed):
    other = SealedTest.seal(tmp_path / "other.json", 0.2, key="11" * 16)
    assert (other.is_sealed(TABLE) != sealed.is_sealed(TABLE)).any()
    turned = TABLE.select(TABLE.names[::-1])
    np.testing.assert_array_equal(sealed.is_sealed(turned), sealed.is_sealed(TABLE))


def test_sealing_again_keeps_the_first_seal(sealed):
    again = SealedTest.seal(sealed.path, 0.5)
    assert again.fraction == 0.2
    np.testing.assert_array_equal(again.is_sealed(TABLE), sealed.is_sealed(TABLE))


def test_the_first_look_is_taken_and_written_down_the_second_refused(sealed):
    rows, hidden = sealed.part(TABLE)
    assert rows.n_rows + hidden.n_rows == 1000
    model = model_of(rows)
    look = sealed.open(model, TABLE, "class")
    X, y = hidden.split_target("class")
    assert look.score == pytest.approx((model.predict(X) == y).mean())
    assert look.low < look.score < look.high
    assert json.loads(sealed.path.read_text())["looks"][0]["n_rows"] == hidden.n_rows
    with pytest.raises(TestOpenedError) as caught:
        SealedTest(sealed.path).open(model, TABLE, "class")
    assert caught.value.code == "D134"
    sealed.open(model, TABLE, "class", again=True, metric="auc")
    assert [one.metric for one in SealedTest(sealed.path).looks] == ["accuracy", "auc"]


def test_numbers_are_assessed_too(tmp_path):
    cars = load_dataset("auto-mpg")
    sealed = SealedTest.seal(tmp_path / "cars.json", 0.3)
    rows, _ = sealed.part(cars)
    model = DecisionTreeRegressor().fit(*rows.split_target("mpg"))
    look = sealed.open(model, cars, "mpg")
    assert look.metric == "rmse"
    assert 0 < look.low < look.high


def test_bad_records_and_shares_are_refused(tmp_path):
    for text in ("", "{}", '{"format": 9, "key": "00", "fraction": 0.2, "looks": []}', "[1]"):
        path = tmp_path / "bad.json"
        path.write_text(text)
        with pytest.raises(DataError) as caught:
            SealedTest(path)
        assert caught.value.code == "D135"
    with pytest.raises(DataError):
        SealedTest(tmp_path / "absent.json")
    with pytest.raises(ParameterError):
        SealedTest.seal(tmp_path / "new.json", 1.5)


def test_too_few_rows_to_part_are_refused(tmp_path):
    sealed = SealedTest.seal(tmp_path / "few.json", 0.01, key="00" * 16)
    with pytest.raises(DataError) as caught:
        sealed.part(TABLE.rows([0, 1]))
    assert caught.value.code == "D133"
