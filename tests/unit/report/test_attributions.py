"""How far columns move what a gradient boosting says: sizes, intervals, directions, words."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from branchline import Table, load_dataset
from branchline.assess import compare
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.errors import BranchlineError
from branchline.report import _attributions, report_document, report_html, report_markdown
from branchline.report._attributions import _intervals, measure_attributions
from unit.report.conftest import HOSTILE, SCRIPT


@pytest.fixture(scope="module")
def model(boosting):
    return boosting.fit()


@pytest.fixture(scope="module")
def found(boosting, model):
    return measure_attributions(boosting, model)


def _on_cars(cars, **settings):
    model = GradientBoostingRegressor(n_estimators=20, **settings)
    return measure_attributions(cars, model.fit(cars.problem.table, cars.problem.target))


def test_sizes_are_means_of_absolute_parts_with_t_intervals(boosting, model, found):
    table = boosting.problem.table
    parts = model.attributions(table)
    assert found.n_rows == 1000
    assert sorted(one.column for one in found.columns) == sorted(table.names)
    for one in found.columns:
        sizes = np.abs(parts[:, table.names.index(one.column)])
        assert one.size.estimate == pytest.approx(sizes.mean(), abs=1e-12)
        if sizes.any():
            ends = stats.t.interval(0.95, 999, sizes.mean(), stats.sem(sizes))
            assert (one.size.low, one.size.high) == pytest.approx(ends)
    estimates = [one.size.estimate for one in found.columns]
    assert estimates == sorted(estimates, reverse=True)


def test_directions_are_those_of_the_class_spoken_of(boosting, model, found):
    table = boosting.problem.table
    parts = model.attributions(table)[:, table.names.index("duration")]
    wanted = stats.spearmanr(table.column("duration").numbers(), -parts).statistic
    one = next(one for one in found.columns if one.column == "duration")
    assert model.classes_.tolist() == ["bad", "good"]
    assert found.about == "log-odds of “bad”"
    assert one.direction == pytest.approx(wanted)
    assert one.is_rising
    kinds = {one.column: one.direction is None for one in found.columns}
    assert kinds["checking_status"]  # a category has no direction


def test_the_positive_class_turns_directions_around(model, found):
    table = load_dataset("german-credit")
    other = compare(table, "class", learners="gradient_boosting", n_folds=2, positive="good")
    turned = {one.column: one for one in measure_attributions(other, model).columns}
    for one in found.columns:
        assert turned[one.column].size == one.size
        if one.direction is not None:
            assert turned[one.column].direction == pytest.approx(-one.direction)


def test_all_forms_have_the_numbers(boosting, model, found):
    told = report_document(boosting, model=model)["model"]["attributions"]
    first = found.columns[0]
    assert told["n_rows"] == 1000
    assert told["columns"][0]["column"] == first.column == "checking_status"
    assert told["columns"][0]["size"]["low"] == first.size.low
    title = "How far each column moves the log-odds of “bad”"
    text = report_markdown(boosting, model=model).split(f"### {title}")[1].split("### ")[0]
    assert "A part of 0.7 doubles or halves the odds." in text
    second = found.columns[1]
    name = second.column.replace("_", "\\_")
    assert f"| {name} | {second.size.estimate:.3f} (" in text
    assert "| raise it |" in text
    page = report_html(boosting, model=model)
    assert page.count(f"<figcaption><b>{title}</b>") == 1
    assert ">↑ " in page
    assert ">↓ " in page


def test_several_classes_are_averaged_and_have_no_direction(iris):
    problem = iris.problem
    model = GradientBoostingClassifier(n_estimators=10).fit(problem.table, problem.target)
    found = measure_attributions(iris, model)
    parts = np.abs(model.attributions(problem.table)[..., :-1]).mean(axis=(0, 1))
    sizes = {one.column: one.size.estimate for one in found.columns}
    assert [sizes[name] for name in problem.table.names] == pytest.approx(parts.tolist())
    assert all(one.direction is None for one in found.columns)
    text = report_markdown(iris, model=model)
    assert "How far each column moves the scores of the classes" in text
    assert "on average over classes and all 150 rows" in text
    assert "| higher values |" not in text
    assert "↑" not in text


@pytest.mark.parametrize(
    ("settings", "about", "doubling"),
    [
        ({}, "predicted “mpg”", ""),
        ({"loss": "poisson"}, "logarithm of the predicted “mpg”", "0.7 doubles"),
        ({"loss": "quantile", "quantile": [0.1, 0.9]}, "predicted quantiles of “mpg”", ""),
    ],
)
def test_numbers_are_told_in_their_units(cars, settings, about, doubling):
    found = _on_cars(cars, **settings)
    assert found.about == about
    assert doubling in found.doubling
    assert bool(found.doubling) == bool(doubling)


def test_the_exponential_loss_is_half_log_odds(boosting):
    model = GradientBoostingClassifier(loss="exponential", n_estimators=5)
    model.fit(boosting.problem.table, boosting.problem.target)
    found = measure_attributions(boosting, model)
    assert found.about == "score of “bad” (half its log-odds)"
    assert found.doubling == "A part of 0.35 doubles or halves the odds."


def test_heavy_cars_need_more_fuel(cars):
    ways = {one.column: one for one in _on_cars(cars).columns}
    assert ways["weight"].is_falling
    assert not ways["weight"].is_rising


def test_rows_that_belong_together_count_once():
    sizes = np.random.default_rng(0).exponential(size=(40, 3))
    alone = _intervals(sizes, None)
    twice = _intervals(np.repeat(sizes, 2, axis=0), np.repeat(np.arange(40), 2))
    for one, other in zip(alone, twice, strict=True):
        assert other.estimate == pytest.approx(one.estimate)
        assert (other.low, other.high) == pytest.approx((one.low, one.high))
    narrower = _intervals(np.repeat(sizes, 2, axis=0), None)
    assert narrower[0].high < alone[0].high


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(0)
    found = _intervals(rng.exponential(size=(200, 2000)), None)
    held = np.mean([one.low <= 1.0 <= one.high for one in found])
    assert 0.93 < held < 0.96  # skewed sizes: a little below 95 %


def test_huge_parts_and_single_rows_stay_sound():
    (huge,) = _intervals(np.array([[1e300], [2e300]]), None)
    assert huge.estimate == pytest.approx(1.5e300)
    assert np.isfinite(huge.high)
    (alone,) = _intervals(np.array([[2.0]]), None)
    assert alone.estimate == 2.0
    assert np.isnan(alone.low)


def test_which_rows_are_taken_does_not_depend_on_their_order(cars, monkeypatch):
    monkeypatch.setattr(_attributions, "_MOST_ROWS", 100)
    problem = cars.problem
    model = GradientBoostingRegressor(n_estimators=10).fit(problem.table, problem.target)
    found = measure_attributions(cars, model)
    shuffled = problem.rows(np.random.default_rng(0).permutation(problem.n_rows))
    other = measure_attributions(replace(cars, problem=shuffled), model)
    assert found.n_rows == other.n_rows == 100
    for one, two in zip(found.columns, other.columns, strict=True):
        assert one.column == two.column
        assert one.size.estimate == pytest.approx(two.size.estimate)
    assert "over 100 rows of 398" in report_markdown(cars, model=model)


def test_large_models_are_asked_about_fewer_rows(cars, monkeypatch):
    monkeypatch.setattr(_attributions, "_MOST_LEAF_VISITS", 1)
    assert _on_cars(cars).n_rows == 50
    monkeypatch.setattr(_attributions, "_MOST_PARTS", 24)
    assert _on_cars(cars).n_rows == 3


def test_columns_are_known_by_name_whatever_their_order(cars):
    problem = cars.problem
    names = list(reversed(problem.table.names))
    model = GradientBoostingRegressor(n_estimators=20).fit(problem.table[names], problem.target)
    found = {one.column: one for one in measure_attributions(cars, model).columns}
    parts = np.abs(model.attributions(problem.table)[:, names.index("weight")])
    assert found["weight"].size.estimate == pytest.approx(parts.mean())
    assert found["weight"].is_falling


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_holes_and_constants_do_no_harm():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = 2 * np.nan_to_num(x) + rng.normal(size=300)
    x[::3] = np.nan
    holed = Table({"x": x, "same": np.ones(300), "none": np.full(300, np.nan), "y": y})
    comparison = compare(holed, "y", learners="gradient_boosting", n_folds=2)
    columns = report_document(comparison)["model"]["attributions"]["columns"]
    found = {one["column"]: one for one in columns}
    assert found["x"]["direction"] > 0.5
    assert found["same"]["direction"] is found["none"]["direction"] is None
    assert found["same"]["size"]["estimate"] == 0


def test_where_no_column_moves_anything_there_is_no_picture(cars):
    problem = cars.problem
    model = GradientBoostingRegressor(n_estimators=2, min_samples_leaf=10_000)
    model.fit(problem.table, problem.target)
    assert "How far each column moves" not in report_markdown(cars, model=model)


def test_a_model_of_other_kinds_of_columns_is_not_asked(cars):
    problem = cars.problem
    words = {name: problem.table.column(name).to_list() for name in problem.table.names}
    words["weight"] = ["heavy" if weight > 3000 else "light" for weight in words["weight"]]
    model = GradientBoostingRegressor(n_estimators=5).fit(problem.table, problem.target)
    other = replace(cars, problem=replace(problem, table=Table(words)))
    with pytest.raises(BranchlineError):
        model.attributions(other.problem.table)
    assert measure_attributions(other, model) is None


def test_names_of_the_data_stay_text(hostile):
    problem = hostile.problem
    model = GradientBoostingClassifier(n_estimators=5).fit(problem.table, problem.target)
    page = report_html(hostile, model=model)
    assert "How far each column moves" in page
    assert SCRIPT not in page
    assert HOSTILE not in page


def test_a_baseline_has_no_attributions(noise):
    assert report_document(noise)["model"]["attributions"] is None
