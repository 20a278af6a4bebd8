"""Scores in groups of rows."""

import numpy as np
import pytest

from branchline.assess import compare
from branchline.assess.comparing._row_groups import row_groups
from branchline.errors import ParameterError
from branchline.table import as_table


def table(n_rows=300, seed=0, noisy="b"):
    """A table whose target is told by x, but not in one group."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["a", "b", "c"], n_rows, p=[0.6, 0.36, 0.04]).tolist()
    x = rng.normal(size=n_rows)
    truth = np.where(np.array(group) == noisy, rng.random(n_rows) < 0.5, x > 0)
    age = rng.integers(18, 80, n_rows).astype(float)
    age[:25] = np.nan
    return {"x": x, "sex": group, "age": age, "y": np.where(truth, "yes", "no").tolist()}


@pytest.fixture(scope="module")
def found():
    return compare(table(), "y", learners="stump", n_folds=5, by=["sex", "age"])


def test_the_group_that_is_not_told_is_found(found):
    by = {one.label: one for one in found.subgroups("sex", "stump").groups}
    assert by["b"].verdict == "worse"
    assert by["a"].verdict == "better"
    assert by["c"].verdict == "too few rows to tell"
    assert by["b"].difference.high < 0
    assert by["c"].n_rows < 20


def test_the_scores_of_groups_are_those_of_their_rows(found):
    outcome, rows = found.outcome("stump"), found.tested_rows("stump")
    sex = np.array(table()["sex"])[rows]
    for one in found.subgroups("sex", "stump").groups:
        hits = (outcome.truth == outcome.predicted)[sex == one.label]
        assert one.score.estimate == pytest.approx(hits.mean())
        assert one.n_rows == len(hits)


def test_numbers_are_quarters_and_missing_is_a_group(found):
    groups = found.subgroups("age", "stump").groups
    assert [one.label for one in groups][-1] == "missing"
    assert groups[-1].n_rows == 25
    assert len(groups) == 5
    assert sum(one.n_rows for one in groups) == 300


def test_it_is_printed_framed_and_in_the_document(found):
    text = str(found)
    assert "sex" in text
    assert "too few rows to tell" in text
    document = found.to_dict()["subgroups"]
    assert [one["column"] for one in document] == ["sex", "age"]
    frame = found.subgroups("sex").to_frame()
    assert list(frame["group"]) == ["a", "b", "c"]
    assert "against the rest" in found._repr_html_()


def test_other_metrics_and_inputs_can_be_asked_for_afterwards(found):
    assert found.subgroups("x", "stump", "log_loss").metric == "log_loss"
    with pytest.raises(ParameterError) as caught:
        compare(table(), "y", learners="stump", by="y")
    assert caught.value.code == "P354"


def test_equal_groups_are_called_different_in_one_of_twenty():
    wrong = 0
    for seed in range(20):
        given = table(150, seed, noisy="none")
        flipped = np.random.default_rng(1000 + seed).random(150) < 0.2
        given["y"] = [
            {"yes": "no", "no": "yes"}[one] if turn else one
            for one, turn in zip(given["y"], flipped, strict=True)
        ]
        compared = compare(given, "y", learners="stump", n_folds=5, by="sex")
        verdicts = {one.verdict for one in compared.subgroups("sex", "stump").groups}
        wrong += bool(verdicts & {"better", "worse"})
    assert wrong <= 2


def test_many_levels_and_nearly_constant_numbers_are_all_in_a_group():
    levels = as_table({"c": [f"v{i % 20}" for i in range(100)]}).column("c")
    groups = row_groups(levels, 5, with_others=True)
    assert groups[-1][0] == "15 other values"
    assert sum(rows.sum() for _, rows in groups) == 100
    numbers = as_table({"n": [0.0] * 97 + [1.0, 2.0, -3.0]}).column("n")
    counts = {label: int(rows.sum()) for label, rows in row_groups(numbers, 5)}
    assert sum(counts.values()) == 100


def test_numbers_as_target():
    rng = np.random.default_rng(1)
    given = table(200)
    given["y"] = (given["x"] + rng.normal(size=200)).tolist()
    groups = compare(given, "y", learners="ridge", n_folds=5, by="sex").subgroups("sex", "ridge")
    assert all(np.isfinite(one.score.estimate) for one in groups.groups)
    assert groups.metric == "rmse"


def test_numbers_of_a_few_values_are_groups_one_by_one():
    seasons = as_table({"season": [1, 2, 3, 4] * 30}).column("season")
    assert [label for label, _ in row_groups(seasons, 12)] == ["1", "2", "3", "4"]
    few = as_table({"season": [1, 2, 3] * 30 + [4]}).column("season")
    assert len(row_groups(few, 12)) < 4


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
@pytest.mark.parametrize("cell", ["here", None])
def test_a_column_of_one_value_is_one_group_without_a_test(cell):
    given = {**table(100), "place": [cell] * 100}
    groups = compare(given, "y", learners="stump", n_folds=5, by="place").subgroups("place")
    assert [one.verdict for one in groups.groups] == ["there are no other rows"]
    assert "All rows tested are of one group of place" in groups.sentence
