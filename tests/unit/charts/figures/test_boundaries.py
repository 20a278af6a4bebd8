"""What a model predicts over two columns: the same as asking it, on any kind of column."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression as PeerLogistic

import branchline as bl
from branchline.boosting import AdaBoostClassifier
from branchline.charts import Cells, Line, Points, Segments, Stack, boundaries
from branchline.charts.figures._contours import contour
from branchline.errors import DataError, NotFittedError, ParameterError
from branchline.svm import SVC
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from unit.charts.drawing_checks import check_picture

RNG = np.random.default_rng(4)
N_ROWS = 120
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=N_ROWS),
        "age": RNG.integers(20, 60, N_ROWS),
        "town": RNG.choice(["Mons", "Gent", "Lier"], N_ROWS),
        "day": pd.date_range("2020-01-01", periods=N_ROWS, freq="D"),
    }
)
FRAME.loc[:5, "size"] = np.nan
FRAME.loc[3:9, "town"] = None
CLASSES = np.where(FRAME["age"] + 10 * (FRAME["town"] == "Mons") > 42, "old", "young")
NUMBERS = FRAME["age"].to_numpy() * 2.0 + np.where(FRAME["town"] == "Gent", 5.0, 0.0)


def made(name, task, y):
    return bl.make(name, task=task).fit(FRAME, y)


@pytest.mark.parametrize(
    "columns", [("size", "age"), ("age", "town"), ("town", "size"), ("day", "age"), ("age",)]
)
@pytest.mark.parametrize(("name", "task"), [
    ("tree", "classification"), ("logistic", "classification"), ("svm", "classification"),
    ("forest", "regression"), ("ridge", "regression"), ("neighbors", "classification"),
])  # fmt: skip
def test_any_model_over_any_kinds_of_columns(name: str, task: str, columns) -> None:
    y = CLASSES if task == "classification" else NUMBERS
    chart = boundaries(made(name, task, y), FRAME, y, columns=columns, n_steps=12)
    check_picture(chart)
    assert "held at typical values" in chart.note


def test_every_cell_is_what_the_model_predicts_there() -> None:
    model = made("logistic", "classification", CLASSES)
    chart = boundaries(model, FRAME, CLASSES, columns=("size", "town"), row=20, n_steps=7)
    cells = chart.marks[0]
    assert isinstance(cells, Cells)
    middles = cells.x_edges[:-1] / 2 + cells.x_edges[1:] / 2
    rows = [
        {**FRAME.iloc[20].to_dict(), "size": size, "town": None if town == "missing" else town}
        for town in chart.y.categories
        for size in middles
    ]
    asked = pd.DataFrame(rows).astype({"town": "string"})
    probabilities = model.predict_proba(asked)
    assert [cells.names[int(one)] for one in cells.values.ravel()] == model.predict(asked).tolist()
    np.testing.assert_allclose(cells.strength.ravel(), probabilities.max(axis=1))
    assert chart.y.categories[-1] == "missing"


def test_the_regions_of_a_tree_end_at_its_thresholds() -> None:
    tree = DecisionTreeClassifier(prune=None, max_depth=3).fit(FRAME[["size", "age"]], CLASSES)
    cells = boundaries(tree, FRAME[["size", "age"]], CLASSES).marks[0]
    asked = tree.tree_.feature == 1
    assert set(tree.tree_.threshold[asked]) <= set(cells.y_edges.tolist())


def test_along_one_column() -> None:
    tree = DecisionTreeRegressor(prune=None, max_leaf_nodes=3).fit(FRAME[["age"]], NUMBERS)
    chart = boundaries(tree, FRAME[["age"]], NUMBERS)
    line = next(mark for mark in chart.marks if isinstance(mark, Line))
    assert len(np.unique(line.y)) == 3
    assert line.steps
    classes = DecisionTreeClassifier().fit(FRAME[["age"]], CLASSES)
    stack = boundaries(classes, FRAME[["age"]], CLASSES).marks[0]
    assert isinstance(stack, Stack)
    np.testing.assert_allclose(stack.tops[-1], 1.0)


def test_margins_and_support_vectors() -> None:
    X = np.vstack([RNG.normal(size=(30, 2)) - 2, RNG.normal(size=(30, 2)) + 2])
    y = np.repeat(["a", "b"], 30)
    model = SVC(10.0).fit(X, y)
    chart = boundaries(model, X, y)
    lines = [mark for mark in chart.marks if isinstance(mark, Segments)]
    assert [line.name for line in lines] == ["margin", "boundary", "margin"]
    ends = np.column_stack([lines[1].x, lines[1].y])
    assert np.abs(model.decision_function(ends)).max() < 0.05
    rings = [mark for mark in chart.marks if isinstance(mark, Points) and mark.symbol == "ring"]
    np.testing.assert_array_equal(rings[0].x, X[model.support_, 0])
    other = boundaries(model, X[::-1], y[::-1])  # rows that the numbers do not belong to
    assert not [mark for mark in other.marks if getattr(mark, "symbol", "") == "ring"]


def test_weights_of_boosting_are_areas() -> None:
    X = FRAME[["age", "size"]].fillna(0.0).to_numpy()
    model = AdaBoostClassifier(n_estimators=5).fit(X, CLASSES)
    weights = model.row_weights(X, CLASSES)
    chart = boundaries(model, X, CLASSES, sample_weight=weights)
    sizes = np.concatenate([mark.size for mark in chart.marks if isinstance(mark, Points)])
    assert sizes.max() == pytest.approx(22.0)


def test_models_of_other_libraries() -> None:
    X = FRAME[["age", "size"]].fillna(0.0)
    peer = PeerLogistic().fit(X, CLASSES)
    check_picture(boundaries(peer, X, CLASSES, columns=("age", "size"), n_steps=5))


def test_a_mapping_holds_some_cells() -> None:
    model = made("logistic", "classification", CLASSES)
    given = {"columns": ("size", "age"), "n_steps": 5}
    by_town = [
        boundaries(model, FRAME, **given, row={"town": town}).marks[0].strength
        for town in ("Mons", "Gent")
    ]
    assert not np.allclose(*by_town)


def test_what_cannot_be_drawn_is_told() -> None:
    model = made("tree", "classification", CLASSES)
    with pytest.raises(ParameterError, match="one or two") as told:
        boundaries(model, FRAME, CLASSES)
    assert told.value.code == "P372"
    with pytest.raises(ParameterError) as told:
        boundaries(model, FRAME, columns=("age", "size"), row=10_000)
    assert told.value.code == "P373"
    with pytest.raises(DataError) as told:
        boundaries(model, FRAME, CLASSES[:5], columns=("age", "size"))
    assert told.value.code == "D484"
    with pytest.raises(NotFittedError):
        boundaries(DecisionTreeClassifier(), FRAME, columns=("age", "size"))
    with pytest.raises(bl.errors.BranchlineError):
        boundaries(model, FRAME, columns=("age", "nothing"))


def test_an_empty_column_has_no_range() -> None:
    X = FRAME.assign(empty=np.nan)
    model = bl.make("tree", task="classification").fit(X, CLASSES)
    with pytest.raises(DataError) as told:
        boundaries(model, X, CLASSES, columns=("age", "empty"))
    assert told.value.code == "D482"
    assert told.value.column == "empty"


def test_contours_of_a_circle() -> None:
    at = np.linspace(-2, 2, 81)
    field = at[None, :] ** 2 + at[:, None] ** 2
    line = contour(at, at, field, 1.0)
    for x, y in ((line.x, line.y), (line.x_to, line.y_to)):
        np.testing.assert_allclose(np.hypot(x, y), 1.0, atol=2e-3)
    lengths = np.hypot(line.x - line.x_to, line.y - line.y_to)
    assert lengths.sum() == pytest.approx(2 * np.pi, rel=2e-3)


def test_a_million_rows_make_a_small_file() -> None:
    X = np.random.default_rng(0).normal(size=(1_000_000, 2))
    y = np.where(X[:, 0] > X[:, 1], "a", "b")
    model = PeerLogistic().fit(X[:1000], y[:1000])
    svg = boundaries(model, X, y).to_svg()
    assert len(svg) < 400_000
