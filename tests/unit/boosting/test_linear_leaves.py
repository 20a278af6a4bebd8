"""Linear leaves of gradient boosting: formulas, exact shares, promises, refusals, files."""

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline import load, load_dataset
from branchline._trees._coded_trees import first_children
from branchline._trees._tree_arrays import LEAF
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.boosting._boosted_state import pack_alone, unpack_alone
from branchline.errors import BranchlineError, ModelFileError, ParameterError

ALONE = {"n_estimators": 1, "learning_rate": 1.0, "subsample": 1.0, "max_features": None}


def rows(n_rows=300, seed=0):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": random.uniform(-3, 3, n_rows),
            "b": 1e6 + 1e3 * random.normal(size=n_rows),
            "c": random.normal(size=n_rows),
            "word": random.choice(["u", "v", "w"], n_rows),
        }
    )
    y = np.abs(X["a"]) * 2 + (X["b"] - 1e6) / 1e3 + (X["word"] == "u") * X["a"]
    X.loc[random.random(n_rows) < 0.15, "a"] = np.nan
    return X, np.nan_to_num(y.to_numpy()) + 0.2 * random.normal(size=n_rows)


def numbers(**parameters):
    return GradientBoostingRegressor(leaf_model="linear", **parameters)


def paths(trees):
    """Return the tested columns on the path of each leaf of the first tree."""
    kind = trees.kind[: trees.n_nodes[0]]
    first, _ = first_children(kind)
    known, of_leaf, inner = {0: []}, [], 0
    for node, its_kind in enumerate(kind):
        if its_kind == LEAF:
            of_leaf.append(known[node])
            continue
        column = int(trees.feature[inner])
        below = known[node] + [column] * (column not in known[node])
        known[first[node]] = known[first[node] + 1] = below
        inner += 1
    return of_leaf


def known_of(values):
    return values[~np.isnan(values)]


def slopes_of_leaf(z, gradient, l2):
    """Return slopes and centers of one leaf of hessian 1: formulas of linear_leaves.hpp."""
    n = len(gradient)
    known = ~np.isnan(z)
    center = np.array([z[known[:, j], j].mean() for j in range(z.shape[1])])
    d = np.where(known, z - center, 0)
    products, sums = d.T @ d, d.T @ gradient
    step = -np.linalg.solve(products + np.diag(np.diag(products)) * l2 / n, sums)
    gained = -sums @ step
    noise = (((gradient - gradient.mean()) ** 2).sum() - gained) / (n - 1 - z.shape[1])
    return step * max(0, 1 - z.shape[1] * noise / gained), center


@settings(deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([0.0, 0.5, 5.0, 100.0]),
    st.integers(40, 400),
    st.integers(10, 60),
)
def test_slopes_are_those_of_the_formulas(seed, l2, n_rows, least):
    X, y = rows(n_rows, seed)
    of_leaves = {"min_samples_leaf": least, "l2_regularization": 0.0, "slope_l2": l2}
    model = numbers(**ALONE, **of_leaves).fit(X, y)
    trees, terms = model.trees_, model.trees_.terms
    leaf_of_row = trees.leaf_numbers(model.apply(X))[:, 0]
    columns = [X[name].to_numpy() for name in ("a", "b", "c")]
    scaled = np.stack(
        [(x - terms.middle[i]) / terms.half[i] for i, x in enumerate(columns)], axis=1
    )
    raw = np.full(len(y), y.mean())
    for leaf, path in enumerate(paths(trees)):
        here = leaf_of_row == leaf
        gradient = y.mean() - y[here]
        raw[here] -= gradient.mean()
        used = [c for c in path if c < 3 and len(np.unique(known_of(scaled[here, c]))) > 1]
        if used:
            z = scaled[np.ix_(here, used)]
            slope, center = slopes_of_leaf(z, gradient, l2)
            raw[here] += np.where(np.isnan(z), 0, z - center) @ slope
    np.testing.assert_allclose(model.predict(X), raw, rtol=1e-5, atol=1e-5)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.integers(30, 300), st.integers(1, 6))
def test_attributions_add_up_to_predictions(seed, n_rows, n_rounds):
    X, y = rows(n_rows, seed)
    model = numbers(n_estimators=n_rounds, learning_rate=0.5).fit(X, y)
    shares = model.attributions(X)
    np.testing.assert_allclose(shares.sum(axis=1), model.predict(X), rtol=1e-9, atol=1e-9)


def value_of_known(model, row, known):
    """Return what the first tree gives when only some columns of a row are known."""
    trees, terms = model.trees_, model.trees_.terms
    kind = trees.kind[: trees.n_nodes[0]]
    first, _ = first_children(kind)
    is_leaf = kind == LEAF
    cover = np.zeros(len(kind))
    cover[is_leaf] = trees.cover[: is_leaf.sum()]
    for node in np.flatnonzero(~is_leaf)[::-1]:
        cover[node] = cover[first[node]] + cover[first[node] + 1]
    inner_of, leaf_of = np.cumsum(~is_leaf) - 1, np.cumsum(is_leaf) - 1
    threshold = trees.thresholds()

    def leaf_value(leaf):
        value = float(trees.value[leaf])
        begin = int(terms.n_terms[:leaf].sum())
        for term in range(begin, begin + int(terms.n_terms[leaf])):
            c = int(terms.column[term])
            z = np.float32((row[c] - terms.middle[c]) / terms.half[c])
            if c in known and not np.isnan(z):
                kept = np.clip(z, terms.low[term], terms.high[term])
                value += float(terms.slope[term]) * (float(kept) - float(terms.center[term]))
        return value

    def below(node):
        if is_leaf[node]:
            return leaf_value(leaf_of[node])
        test = inner_of[node]
        c, left = int(trees.feature[test]), int(first[node])
        if c in known:
            x = row[c]
            to_left = trees.missing_left[test] if np.isnan(x) else x <= threshold[test]
            return below(left if to_left else left + 1)
        share = cover[left] / cover[node]
        return share * below(left) + (1 - share) * below(left + 1)

    return float(np.ldexp(below(0), trees.exponent))


def shapley_value(model, row, i, n_columns):
    """Return the Shapley value of column i by its definition."""
    others = [c for c in range(n_columns) if c != i]
    sets = [set(some) for size in range(n_columns) for some in combinations(others, size)]
    gains = [
        (value_of_known(model, row, some | {i}) - value_of_known(model, row, some))
        / (n_columns * comb(n_columns - 1, len(some)))
        for some in sets
    ]
    return sum(gains)


@pytest.mark.parametrize("seed", range(4))
def test_attributions_are_shapley_values_of_the_game(seed):
    X, y = rows(seed=seed)
    X = X[["a", "b", "c"]]
    model = numbers(**ALONE, min_samples_leaf=20, max_leaf_nodes=8).fit(X, y)
    assert len(model.trees_.terms.slope) > 0
    shares, predicted = model.attributions(X), model.predict(X)
    for place, row in enumerate(X.to_numpy()[:6]):
        expected = [shapley_value(model, row, i, 3) for i in range(3)]
        np.testing.assert_allclose(shares[place, :3], expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(shares.sum(axis=1), predicted, rtol=1e-9)


def test_weights_order_threads_and_columns_do_not_matter():
    X, y = rows(600)
    model = numbers(n_estimators=20).fit(X, y)
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = numbers(n_estimators=20).fit(X, y, sample_weight=weights)
    copied = numbers(n_estimators=20).fit(
        X.loc[X.index.repeat(weights)].reset_index(drop=True), np.repeat(y, weights)
    )
    np.testing.assert_array_equal(weighted.predict(X), copied.predict(X))
    order = np.random.default_rng(2).permutation(len(y))
    shuffled = numbers(n_estimators=20, n_jobs=2).fit(X.iloc[order], y[order])
    np.testing.assert_array_equal(model.predict(X), shuffled.predict(X))
    turned = numbers(n_estimators=20).fit(X[X.columns[::-1]], y)
    np.testing.assert_array_equal(model.predict(X), turned.predict(X))


def test_stages_end_in_the_prediction_and_single_rows_agree():
    X, y = rows()
    model = numbers(n_estimators=15).fit(X, y)
    together = model.predict(X)
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], together)
    alone = [model.predict(X.iloc[[place]])[0] for place in range(10)]
    np.testing.assert_array_equal(alone, together[:10])


def test_classes():
    X, y = rows(600)
    names = np.array(["low", "middle", "high"])[np.digitize(y, [0.0, 3.0])]
    model = GradientBoostingClassifier(leaf_model="linear", n_estimators=15).fit(X, names)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    shares = model.attributions(X)
    np.testing.assert_allclose(shares.sum(axis=2), model.decision_function(X), atol=1e-9)


def test_a_smooth_relation_is_learned_better():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (2000, 3))
    y = 3 * X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * random.normal(size=2000)
    errors = [
        np.mean(
            (
                GradientBoostingRegressor(leaf_model=kind).fit(X[:1000], y[:1000]).predict(X[1000:])
                - y[1000:]
            )
            ** 2
        )
        for kind in ("constant", "linear")
    ]
    assert errors[1] < 0.9 * errors[0]


def test_predictions_stay_bounded_beyond_the_training_rows():
    X, y = rows()
    model = numbers().fit(X, y)
    far = X.assign(b=[1e300, -1e300] * (len(X) // 2))
    spread = y.max() - y.min()
    assert np.abs(model.predict(far) - y.mean()).max() < 2 * spread


def test_noise_leaves_few_slopes():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(400, 5)), random.normal(size=400)
    terms = numbers(**ALONE).fit(X, y).trees_.terms
    assert np.mean(terms.n_terms == 0) > 0.3


@pytest.mark.parametrize(
    "parameters",
    [
        {"monotonic_cst": {"a": 1}},
        {"warm_start": True},
        {"second_order": False},
        {"loss": "absolute_error"},
        {"loss": "quantile"},
        {"loss": "huber"},
    ],
)
def test_what_linear_leaves_cannot_keep_is_refused(parameters):
    X, y = rows(50)
    with pytest.raises(ParameterError) as caught:
        numbers(**parameters).fit(X, y)
    assert caught.value.code == "P557"


@pytest.mark.parametrize(
    "change",
    [
        {"n_terms": np.zeros(3, np.uint8)},
        {"term_column": b""},
        {"term_half": np.zeros(4)},
        {"term_middle": np.full(4, np.nan)},
    ],
)
def test_damaged_terms_are_refused(change):
    X, y = rows()
    packed = pack_alone(numbers(n_estimators=3).fit(X, y).trees_)
    with pytest.raises((ModelFileError, BranchlineError)):
        unpack_alone({**packed, **change})


def test_saved_and_loaded(tmp_path):
    X, y = rows()
    model = numbers(n_estimators=10).fit(X, y)
    model.save(tmp_path / "model.branchline")
    again = load(tmp_path / "model.branchline")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.attributions(X), model.attributions(X))


def test_targets_of_any_size():
    X, y = rows()
    large = numbers().fit(X, y * 2.0**990)
    assert np.corrcoef(np.ldexp(large.predict(X), -990), y)[0, 1] > 0.95


@pytest.mark.parametrize("n_rows", [1, 2, 3, 5, 12])
def test_tiny_tables(n_rows):
    X, y = rows(n_rows)
    assert np.isfinite(numbers().fit(X, y).predict(X)).all()


def test_golden():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = numbers(n_estimators=50).fit(X, y)
    assert model.score(X, y) == pytest.approx(0.9154105046750526, abs=1e-12)
