"""Warnings about targets, free texts and time columns: each with its code and repair."""

import warnings
from typing import Any

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.assess import Comparison, compare, make_problem
from branchline.assess.comparing._target_cautions import extreme_rows
from branchline.assess.comparing._too_good import columns_that_make
from branchline.errors import BranchlineWarning
from branchline.report import report_document
from branchline.table.looking import time_series


def told(*given: Any, **options: Any) -> tuple[Comparison, dict[str, BranchlineWarning]]:
    """Return a comparison and the warnings that it gave, by code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = compare(*given, n_folds=options.pop("n_folds", 3), **options)
    own = [one.message for one in caught if isinstance(one.message, BranchlineWarning)]
    assert {one.code for one in found.warnings} == {one.code for one in own}
    return found, {str(one.code): one for one in own}


def with_errors(n_rows: int = 400) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, n_rows))
    y = 3 * a - 2 * b + rng.normal(size=n_rows)
    y[[5, 17]] = 99_999, -4_000
    return {"a": a, "b": b, "y": y}


def test_few_extreme_values_are_named_with_their_rows() -> None:
    found, noticed = told(with_errors(), "y", learners="ridge")
    message = noticed["W010"].message
    assert message.startswith("2 rows of 400 make > 99.9 % of the squared error of 'y'.")
    assert "99,999 in row 5 and −4000 in row 17" in message
    assert "--metric mae" in str(noticed["W010"].repair.flag)
    assert "tell anything about the target" not in str(found)
    assert "Check first: 2 rows of 400" in str(found)
    cautions = report_document(found)["decision"]["cautions"]
    assert len([text for text in cautions if text.startswith(message)]) == 1
    assert "W010" not in told(with_errors(), "y", learners="ridge", metric="mae")[1]


@pytest.mark.parametrize(
    "target",
    [
        np.random.default_rng(0).normal(size=500),
        np.random.default_rng(0).lognormal(sigma=1.5, size=500),
        np.random.default_rng(0).standard_exponential(500) ** 2,
        np.zeros(500),
    ],
)
def test_usual_targets_have_no_extreme_rows(target: Any) -> None:
    assert len(extreme_rows(target)[0]) == 0


def test_a_rare_class_is_named_and_another_metric_proposed() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    y = np.array(["a"] * 98 + ["b"] * 2)
    _, noticed = told({"x": x, "y": y}, "y", learners="stump", n_folds=10)
    message = noticed["W012"].message
    assert "Class 'b' (2 rows) has fewer rows than there are folds (10)." in message
    assert "Always predicting 'a' is right in 98 % of the rows" in message
    assert "auc" in str(noticed["W012"].repair.python)
    _, noticed = told({"x": x, "y": y}, "y", learners="stump", n_folds=10, metric="auc")
    assert "folds" in str(noticed["W012"].repair.flag)
    assert "W012" not in told(load_dataset("iris"), "species", learners="stump")[1]


def texts(n_rows: int = 80) -> Table:
    rng = np.random.default_rng(0)
    words = {"ham": ["lunch", "home", "later"], "spam": ["prize", "free", "claim"]}
    kind = np.where(rng.random(n_rows) < 0.5, "ham", "spam")
    often = ["you", "we", "now", "the", "day", "call", "is", "it"]
    lines = [
        " ".join([*rng.choice(often, 6), *rng.choice(words[each], 3), str(at)])
        for at, each in enumerate(kind)
    ]
    return Table({"text": lines, "kind": kind})


def test_the_repair_for_free_text_works_as_printed() -> None:
    found, noticed = told(texts(), "kind", learners="tree")
    assert "Column 'text' holds free text and is the only input." in noticed["W013"].message
    assert not found.recommendation.beats_baseline
    space: dict[str, Any] = {"compare": told, "X": texts(), "y": "kind"}
    lines = str(noticed["W013"].repair.python).splitlines()
    exec("\n".join([*lines[:-1], f"again = {lines[-1]}[0]"]), space)
    assert space["again"].recommendation.learner == "reader"


def test_consecutive_whole_numbers_with_many_rows_may_be_classes() -> None:
    rng = np.random.default_rng(0)
    x, codes = rng.normal(size=300), np.arange(300) % 20
    _, noticed = told({"x": x, "y": codes}, "y", learners="stump")
    assert "only 20 different whole numbers, 0 to 19" in noticed["W008"].message
    assert "W008" not in told({"x": x, "y": codes + 18}, "y", learners="stump")[1]
    assert "W008" not in told({"x": x, "y": np.arange(300) % 70}, "y", learners="stump")[1]
    counts = np.minimum(rng.poisson(6, size=300), 30)
    assert "W008" not in told({"x": x, "y": counts}, "y", learners="stump")[1]


def test_a_time_column_of_fractions_in_no_order_is_doubted() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    table = {"x": x, "t": rng.normal(size=60), "y": x + rng.normal(size=60)}
    assert (
        "'t' does not look like a time"
        in told(table, "y", time_column="t", learners="stump")[1]["W014"].message
    )
    for times in (np.sort(table["t"]), np.arange(60), rng.permutation(60)):
        assert "W014" not in told({**table, "t": times}, "y", time_column="t", learners="stump")[1]


def test_the_columns_that_together_make_a_number_are_named() -> None:
    rng = np.random.default_rng(0)
    columns = {f"x{at}": rng.integers(0, 1000, 200).astype(float) for at in range(6)}
    table = Table({**columns, "total": columns["x1"] + columns["x4"]})
    found, noticed = told(table, "total", learners="ridge")
    assert "'x1' and 'x4' together make the target" in noticed["W011"].message
    assert noticed["W011"].repair.flag == "--drop x1 --drop x4"
    assert "Check first: Too good to be true?" in str(found)


def test_the_columns_that_together_make_a_class_are_named() -> None:
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 3, (3, 300))
    names = np.array(["low", "mid", "top"])
    y = np.where((a == 1) | (b == 2), "yes", "no")
    table = Table({"a": names[a], "b": names[b], "c": names[c], "y": y})
    _, noticed = told(table, "y", learners="tree")
    assert "'a' and 'b' together make the target" in noticed["W011"].message


def test_nothing_is_named_where_no_few_columns_make_the_target() -> None:
    assert columns_that_make(make_problem(load_dataset("auto-mpg"), "mpg")) == ()


def test_several_identifiers_are_one_warning() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    table = {"id": [f"P{at:03d}" for at in range(60)], "code": rng.permutation(60) + 1, "x": x}
    _, noticed = told({**table, "y": x > 0}, "y", learners="stump")
    message = noticed["W001"].message
    assert message.startswith("Set aside, because they only name rows: 'id' (")
    assert "'code'" in message
    assert noticed["W001"].repair.flag == "--keep NAME uses one of them all the same"


def _sales(n_rows: int = 120) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    day = np.datetime64("2024-01-01") + np.arange(n_rows)
    return {"day": rng.permutation(day), "x": rng.normal(size=n_rows), "y": rng.normal(size=n_rows)}


def test_a_time_series_in_folds_is_told_with_its_repair() -> None:
    table = Table(_sales())
    found, warned = told(table, "y", learners="ridge")
    assert warned["W031"].repair.flag == "--time-column day tests on later rows"
    assert "[W031]" in str(found)
    _, warned = told(table, "y", learners="ridge", time_column="day")
    assert "W031" not in warned


def test_dates_without_equal_steps_are_no_time_series() -> None:
    rng = np.random.default_rng(8)
    born = np.datetime64("1940-01-01") + rng.choice(20_000, 120, replace=False)
    assert [*time_series(Table(_sales() | {"day": born}))] == []
    assert [*time_series(Table(_sales()))] == ["day"]
    assert [*time_series(Table({"day": _sales()["day"][:40]}))] == []


def test_a_rare_class_is_repaired_by_fewer_folds() -> None:
    rng = np.random.default_rng(9)
    table = Table({"x": rng.normal(size=12), "y": ["no"] * 8 + ["yes"] * 4})
    _, warned = told(table, "y", learners="lda", n_folds=10)
    assert warned["W012"].repair.flag == "--folds 4"
    rare = Table({"x": rng.normal(size=200), "y": ["no"] * 197 + ["yes"] * 3})
    _, warned = told(rare, "y", learners="lda", n_folds=10)
    assert warned["W012"].repair.flag == "--folds 3 --metric auc (or balanced_accuracy)"
