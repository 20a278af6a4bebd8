"""Effect curves against loops that do what the formulas say, and their invariances."""

from datetime import date, timedelta
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor as Peer

import branchline as bl
from branchline._column_places import date_words
from branchline.assess import effect_curves
from branchline.charts import Panels
from branchline.errors import DataError, ParameterError
from branchline.linear import LinearRegression
from unit.charts.drawing_checks import check_picture

RNG = np.random.default_rng(11)
N_ROWS = 90
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=N_ROWS),
        "b": RNG.integers(0, 12, N_ROWS).astype(float),
        "town": RNG.choice(["Mons", "Gent", "Lier", "Ieper"], N_ROWS, p=[0.4, 0.3, 0.2, 0.1]),
    }
)
FRAME["b"] += FRAME["a"].round()
Y = 2 * FRAME["a"] ** 2 + FRAME["b"] + np.where(FRAME["town"] == "Gent", 3.0, 0.0)
CLASSES = np.where(Y.median() < Y, "high", "low")
FOREST = bl.make("forest", task="regression", n_estimators=20).fit(FRAME, Y)


def slow_partial_dependence(model, frame, column, places):
    means = []
    for place in places:
        moved = frame.copy()
        moved[column] = place
        means.append(np.mean([model.predict(moved.iloc[[row]])[0] for row in range(len(frame))]))
    return np.array(means)


def slow_accumulated(model, frame, column, edges):
    effect = [0.0]
    for low, high in pairwise(edges):
        steps = []
        for row in range(len(frame)):
            value = frame[column].iloc[row]
            inside = low < value <= high or (value == low == edges[0])
            if inside:
                at = [frame.iloc[[row]].assign(**{column: end}) for end in (high, low)]
                steps.append(model.predict(at[0])[0] - model.predict(at[1])[0])
        effect.append(effect[-1] + (np.mean(steps) if steps else 0.0))
    effect = np.array(effect)
    upper = np.clip(np.searchsorted(edges, frame[column], side="left"), 1, len(edges) - 1)
    return effect - np.mean((effect[upper] + effect[upper - 1]) / 2)


@pytest.mark.parametrize("column", ["a", "b", "town"])
def test_partial_dependence_is_the_mean_of_moved_rows(column: str) -> None:
    curve = effect_curves(FOREST, FRAME, columns=column, n_steps=6)[column]
    places = curve.names or curve.at
    slow = slow_partial_dependence(FOREST, FRAME, column, places)
    np.testing.assert_allclose(curve.effect, slow, rtol=1e-9)
    assert (curve.low <= curve.effect).all()
    assert (curve.effect <= curve.high).all()


@pytest.mark.parametrize("column", ["a", "b"])
def test_accumulated_effects_are_sums_of_local_changes(column: str) -> None:
    curve = effect_curves(FOREST, FRAME, columns=column, n_steps=6, method="accumulated")[column]
    slow = slow_accumulated(FOREST, FRAME, column, curve.at)
    np.testing.assert_allclose(curve.effect, slow, atol=1e-9)


def test_a_linear_model_has_straight_effects() -> None:
    model = LinearRegression().fit(FRAME, Y)
    slope = next(row.value for row in model.coefficients() if row.term == "a")
    for method in ("partial_dependence", "accumulated"):
        curve = effect_curves(model, FRAME, columns="a", method=method)["a"]
        np.testing.assert_allclose(np.diff(curve.effect) / np.diff(curve.at), slope, rtol=1e-6)
    towns = effect_curves(model, FRAME, columns="town", method="accumulated")["town"]
    weights = {row.term: row.value for row in model.coefficients()}
    told = dict(zip(towns.names, towns.effect, strict=True))
    expected = weights.get("town=Gent", 0.0) - weights.get("town=Mons", 0.0)
    assert told["Gent"] - told["Mons"] == pytest.approx(expected)
    counts = FRAME["town"].value_counts()
    assert sum(told[name] * counts[name] for name in told) == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("method", ["partial_dependence", "accumulated"])
def test_the_order_of_rows_does_not_matter(method: str) -> None:
    order = RNG.permutation(N_ROWS)
    given = {"columns": ["a", "town"], "method": method, "max_rows": 50}
    first = effect_curves(FOREST, FRAME, **given)
    second = effect_curves(FOREST, FRAME.iloc[order], **given)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one.effect, other.effect)
        np.testing.assert_allclose(one.low, other.low)
    assert "50 of 90 rows" in first.notes[0]


def test_correlated_columns_mislead_partial_dependence_only() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(size=400)
    frame = pd.DataFrame({"x": x, "twin": x + 0.01 * rng.normal(size=400)})
    model = bl.make("forest", task="regression").fit(frame, x)

    class Strange:  # as the model near the rows, and something else where there are none
        schema_ = model.schema_

        def _check_rows(self, X):
            raise NotImplementedError

        def predict(self, X):
            x, twin = (X.column(name).numbers() for name in ("x", "twin"))
            return np.where(np.abs(x - twin) < 0.2, x, 50.0)

    partial = effect_curves(Strange(), frame, columns="x")["x"]
    local = effect_curves(Strange(), frame, columns="x", method="accumulated")["x"]
    assert partial.effect.max() > 20
    assert local.reach == pytest.approx(1.0, abs=0.05)


def test_missing_cells_have_a_prediction_of_their_own() -> None:
    X = FRAME.copy()
    X.loc[:9, "a"] = np.nan
    X.loc[5:12, "town"] = None
    model = bl.make("tree", task="regression").fit(X, Y)
    found = effect_curves(model, X, columns=["a", "town"])
    moved = X.assign(a=np.nan)
    assert found["a"].when_missing.estimate == pytest.approx(model.predict(moved).mean())
    assert found["town"].names[-1] == "missing"
    assert (
        "missing" not in effect_curves(model, X, columns="town", method="accumulated")["town"].names
    )


def test_classes_have_probabilities() -> None:
    model = bl.make("logistic", task="classification").fit(FRAME, CLASSES)
    [curve] = effect_curves(model, FRAME, columns="b")
    assert curve.output == "low"
    other = effect_curves(model, FRAME, columns="b", positive="high")["b"]
    np.testing.assert_allclose(curve.effect + other.effect, 1.0)
    X, y = bl.load_dataset("iris").split_target("species")
    three = effect_curves(
        bl.make("tree", task="classification").fit(X, y), X, columns="petal_width"
    )
    np.testing.assert_allclose(sum(one.effect for one in three), 1.0)
    check_picture(three.draw())


def test_refits_show_what_the_model_does_not_know() -> None:
    model = bl.make("tree", task="regression").fit(FRAME, Y)
    given = {"columns": "a", "n_steps": 8}
    rows = effect_curves(model, FRAME, **given)["a"]
    refits = effect_curves(model, FRAME, Y, n_draws=8, **given)["a"]
    np.testing.assert_allclose(rows.effect, refits.effect)
    assert refits.band == "refits"
    assert (refits.high - refits.low).mean() > (rows.high - rows.low).mean()
    bare = effect_curves(model, FRAME, n_draws=0, **given)["a"]
    np.testing.assert_array_equal(bare.low, bare.high)


def test_models_of_other_libraries_dates_and_constants() -> None:
    X = FRAME[["a", "b"]]
    found = effect_curves(Peer(n_estimators=5).fit(X, Y), X)
    assert isinstance(found.draw(), Panels)
    check_picture(found["a"].draw())
    dated = X.assign(day=pd.date_range("2020-01-01", periods=N_ROWS), same=1.0)
    model = bl.make("tree", task="regression").fit(dated, Y)
    for method in ("partial_dependence", "accumulated"):
        many = effect_curves(model, dated, method=method)
        assert many["day"].at[0] == pytest.approx(2020.0, abs=0.01)
        np.testing.assert_allclose(many["same"].effect, many["same"].effect[0])
    assert len(found.to_frame()) == sum(len(one.at) for one in found)
    assert "95 % band" in str(found)


def test_what_is_wrong_is_told() -> None:
    for given, code in (
        ({"n_draws": 1}, "P530"),
        ({"positive": "none"}, "P531"),
    ):
        model = bl.make("tree", task="classification").fit(FRAME, CLASSES)
        with pytest.raises(ParameterError) as told:
            effect_curves(model, FRAME, **given)
        assert told.value.code == code
    with pytest.raises(DataError) as told:
        effect_curves(FOREST, FRAME, Y[:3])
    assert told.value.code == "D484"
    with pytest.raises(DataError) as told:
        effect_curves(FOREST, FRAME.iloc[:0])
    assert told.value.code == "D530"


def test_dates_are_printed_as_dates():
    days = [date(2024, 1, 1) + timedelta(days=day) for day in range(0, 300, 5)]
    y = np.arange(60.0) + np.random.default_rng(0).normal(size=60)
    model = bl.make("ridge", task="regression").fit({"day": days}, y)
    words = str(effect_curves(model, {"day": days}, columns="day")["day"]).splitlines()
    assert words[1].split()[0] == "2024-01-01"
    assert words[-1].split()[0] == "2024-10-22"


def test_hours_are_printed_to_the_minute():
    found = date_words(1970 + np.array([0.0, 0.5]) / 365.2425)
    assert found == ["1970-01-01 00:00", "1970-01-01 12:00"]
