"""Linear trees: tests chosen by linear models, sums in leaves, saving, words."""

from itertools import product

import numpy as np
import pytest

import branchline
from branchline import Table, _core, load_dataset
from branchline.errors import ModelFileError
from branchline.linear import Ridge
from branchline.tree import M5, DecisionTreeRegressor, LinearTreeRegressor


def friedman(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 10))
    signal = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, signal + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n_rows)


def ridge_error(design: np.ndarray, y: np.ndarray, weight: np.ndarray, ridge: float) -> float:
    """The penalized error of the ridge model, by solving the normal equations."""
    z = np.column_stack([np.ones(len(y)), design])
    price = ridge * weight.sum() * np.eye(z.shape[1])
    price[0, 0] = 0.0
    w = np.linalg.solve(z.T @ (z * weight[:, None]) + price, z.T @ (weight * y))
    return float(weight @ (y - z @ w) ** 2 + w @ price @ w)


def order_of_categories(
    code: np.ndarray, design: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> list[int]:
    """Categories by the mean residual of one ridge model for all rows."""
    z = np.column_stack([np.ones(len(y)), design])
    price = 0.01 * weight.sum() * np.diag([0.0, 1.0, 1.0])
    w = np.linalg.solve(z.T @ (z * weight[:, None]) + price, z.T @ (weight * y))
    residual = y - z @ w
    mean = {c: np.average(residual[code == c], weights=weight[code == c]) for c in set(code)}
    return sorted(mean, key=mean.__getitem__)


@pytest.mark.parametrize("seed", range(6))
def test_finder_agrees_with_solving_every_split(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows, n_bins = 60, 5
    codes = rng.integers(1, n_bins + 1, size=(3, n_rows)).astype(np.uint16)
    codes[1, rng.uniform(size=n_rows) < 0.2] = 0  # missing
    is_category = np.array([0, 0, 1], dtype=np.uint8)
    terms = rng.normal(size=(n_rows, 2))
    y = terms[:, 0] * (codes[0] > 3) + 2.0 * (codes[2] == 2) + 0.1 * rng.normal(size=n_rows)
    weight = rng.integers(1, 4, size=n_rows).astype(np.float64)
    table = _core.LinearTable(
        np.ravel(codes),
        np.full(3, n_bins, dtype=np.uint32),
        is_category,
        np.array([-1, -1, -1], dtype=np.int32),
        np.ravel(terms),
        y,
        weight,
    )
    # Two categories must differ by weight and residual; their order is that of mean residuals.
    options = _core.LinearTestOptions(0.01, 8.0, 1.0, 2)
    found = _core.find_linear_test(
        table, np.arange(n_rows, dtype=np.uint32), np.arange(2, dtype=np.int32), options
    )
    centered = terms - weight @ terms / weight.sum()
    best = np.inf
    for column, n_left, with_missing in product(range(3), range(1, n_bins + 1), (False, True)):
        order = list(range(1, n_bins + 1))
        if is_category[column]:
            order = order_of_categories(codes[column], centered, y, weight)
        left = np.isin(codes[column], order[:n_left])
        if with_missing:
            left |= codes[column] == 0
        if min(weight[left].sum(), weight[~left].sum()) >= 8.0:
            sides = (left, ~left)
            error = sum(ridge_error(centered[s], y[s], weight[s], 0.01) for s in sides)
            best = min(best, error)
    assert found.error == pytest.approx(best, rel=1e-8)
    assert found.node_error == pytest.approx(ridge_error(centered, y, weight, 0.01), rel=1e-8)


def test_finder_refuses_what_does_not_fit() -> None:
    ones = np.ones(4)
    table = _core.LinearTable(
        np.array([9, 1, 1, 1], dtype=np.uint16),
        np.array([2], dtype=np.uint32),
        np.zeros(1, dtype=np.uint8),
        np.array([-1], dtype=np.int32),
        np.zeros(4),
        ones,
        ones,
    )
    options = _core.LinearTestOptions(0.01, 1.0, 1.0, 1)
    none = np.empty(0, dtype=np.int32)
    with pytest.raises(ValueError, match="out of range"):
        _core.find_linear_test(table, np.arange(4, dtype=np.uint32), none, options)
    with pytest.raises(ValueError, match="row does not exist"):
        _core.find_linear_test(table, np.array([7], dtype=np.uint32), none, options)


def test_piecewise_line_is_found_exactly() -> None:
    x = np.linspace(-1, 1, 400)
    y = np.where(x <= 0, 2 * x, 5 - x)
    model = LinearTreeRegressor(smoothing=0.0, alpha=1e-9, max_bins=400).fit(x[:, None], y)
    assert model.get_n_leaves() == 2
    assert model.tree_.threshold[0] == pytest.approx(0.0, abs=0.07)
    assert model.score(x[:, None], y) > 0.99


def test_one_leaf_without_smoothing_is_ridge() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, -2.0, 0.0] + rng.normal(size=80)
    alpha = 0.02
    tree = LinearTreeRegressor(min_samples_leaf=80, alpha=alpha, clip=False).fit(X, y)
    ridge = Ridge(alpha=alpha * 80).fit(X, y)
    assert tree.get_n_leaves() == 1
    np.testing.assert_allclose(tree.predict(X), ridge.predict(X), rtol=1e-6)


def test_friedman_is_better_than_a_plain_tree() -> None:
    X, y = friedman(3000, 0)
    new, truth = friedman(3000, 1)
    error = np.mean((LinearTreeRegressor().fit(X, y).predict(new) - truth) ** 2)
    plain = np.mean((DecisionTreeRegressor().fit(X, y).predict(new) - truth) ** 2)
    assert error < 1.5
    assert error < plain / 2


def test_noise_gets_one_leaf() -> None:
    rng = np.random.default_rng(3)
    sizes = [
        LinearTreeRegressor().fit(rng.normal(size=(300, 5)), rng.normal(size=300)).get_n_leaves()
        for _ in range(10)
    ]
    assert np.mean(np.array(sizes) == 1) >= 0.8


def test_threads_and_row_order_do_not_matter() -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    y = np.asarray(y, dtype=float)
    order = np.random.default_rng(0).permutation(len(y))
    one = LinearTreeRegressor(n_jobs=1).fit(X, y)
    many = LinearTreeRegressor(n_jobs=4).fit(X.rows(order), y[order])
    np.testing.assert_array_equal(one.predict(X), many.predict(X))


def test_predictions_stay_in_the_range_of_the_leaf() -> None:
    x = np.linspace(0, 1, 100)[:, None]
    y = 3 * x[:, 0]
    model = LinearTreeRegressor().fit(x, y)
    far = model.predict(np.array([[1000.0], [-1000.0]]))
    assert far.tolist() == [y.max(), y.min()]
    assert LinearTreeRegressor(clip=False).fit(x, y).predict([[1000.0]])[0] > 1000


@pytest.mark.parametrize("make", [LinearTreeRegressor, M5])
def test_dirty_tables(make: type) -> None:
    rng = np.random.default_rng(0)
    n_rows = 200
    size = rng.normal(size=n_rows)
    town = rng.choice(["a", "b", "c"], n_rows).astype(object)
    y = size * (town == "a") + rng.normal(size=n_rows) * 0.1
    size[::7] = np.nan
    town[::11] = None
    table = Table({"size": size.tolist(), "town": town.tolist(), "same": [1.0] * n_rows})
    model = make().fit(table, y)
    assert np.isfinite(model.predict(table)).all()
    unseen = Table({"size": [None, 0.5], "town": ["new", None], "same": [None, 2.0]})
    assert np.isfinite(model.predict(unseen)).all()


@pytest.mark.parametrize(("n_rows", "n_columns"), [(12, 3), (60, 2000)])
def test_tiny_and_wide(n_rows: int, n_columns: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_rows, n_columns)), rng.normal(size=n_rows)
    model = LinearTreeRegressor().fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert len(model.leaves_.places) <= 64


def test_words_and_coefficients() -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = LinearTreeRegressor().fit(X, y)
    assert "·weight" in model.to_text()
    leaf = int(model.apply(X.rows([0]))[0])
    row = X.rows([0])
    terms = model.leaves_.coefficients(leaf)
    total = model.leaves_.intercept(leaf)
    for name, slope in terms.items():
        column, _, level = name.partition("=")
        if level:
            total += slope * (str(row.column(column).to_list()[0]) == level)
        elif name in X.names:
            total += slope * row.column(name).to_list()[0]
    unclipped = LinearTreeRegressor(clip=False).fit(X, y).predict(row)[0]
    assert total == pytest.approx(unclipped, rel=1e-6)
    rules = model.rules()
    np.testing.assert_array_equal(rules.predict(X), model.predict(X))
    assert "THEN" in str(rules) or "ALWAYS" in str(rules)
    path = model.path(X.rows([0]))
    assert path.outcome == pytest.approx(float(model.predict(X.rows([0]))[0]))
    assert "<svg" in model.draw().svg
    assert model.to_dict()["nodes"][leaf]["model"]


def test_saving_and_damaged_values(tmp_path) -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = LinearTreeRegressor().fit(X, y)
    model.save(tmp_path / "m.branchline")
    again = branchline.load(tmp_path / "m.branchline")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.to_text() == model.to_text()
    packed = model._pack()
    for name, bad in [
        ("weights", packed["leaves"]["weights"][:-1]),
        ("low", packed["leaves"]["high"] + 1.0),
        ("places", np.array([10**6], dtype=np.int32)),
    ]:
        broken = {**packed, "leaves": {**packed["leaves"], name: bad}}
        with pytest.raises(ModelFileError):
            model._unpack(broken, model.schema_)


def test_m5_prunes_and_smooths() -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = M5().fit(X, y)
    assert 1 < model.get_n_leaves() < 40
    rough = M5(smoothing=0.0).fit(X, y)
    assert not np.array_equal(model.predict(X), rough.predict(X))


def test_a_drawing_has_a_line_for_each_term_of_a_long_sum():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    drawn = str(LinearTreeRegressor(max_depth=1).fit(X, y).draw())
    assert "− 0.00" in drawn
    assert "…ight" not in drawn
