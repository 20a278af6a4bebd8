"""Soft trees: exact shares, margins that pay, words, saving."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchline
from branchline import Table, load_dataset
from branchline.errors import ModelFileError
from branchline.tree import DecisionTreeClassifier, SoftTreeClassifier, SoftTreeRegressor


def test_width_0_is_the_crisp_tree() -> None:
    X, y = load_dataset("iris").split_target("species")
    soft = SoftTreeClassifier(width=0).fit(X, y)
    crisp = DecisionTreeClassifier(missing="fractional").fit(X, y)
    np.testing.assert_allclose(soft.predict_proba(X), crisp.predict_proba(X), atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), width=st.floats(0.01, 3.0))
def test_shares_sum_to_one_exactly(seed: int, width: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3))
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) > 0).astype(int)
    if len(set(y.tolist())) < 2:
        return
    shares = SoftTreeClassifier(width=width, max_depth=4).fit(X, y).memberships(X)
    assert (shares.sum(axis=1) == 1.0).all()
    assert (shares[:, ::-1].sum(axis=1) == 1.0).all()
    assert (shares >= 0).all()


def test_shares_agree_with_the_formula() -> None:
    X, y = load_dataset("iris").split_target("species")
    model = SoftTreeClassifier(width=0.5, max_depth=1).fit(X, y)
    x = np.asarray(X.column(model.used_columns_[0]).numbers())
    t, m = model.tree_.threshold[0], model.margins_[0]
    np.testing.assert_allclose(
        model.memberships(X)[:, 0], np.clip((t + m - x) / (2 * m), 0, 1), atol=1e-12
    )


def test_log_loss_improves_on_noisy_thresholds() -> None:
    rng = np.random.default_rng(0)

    def draw(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.uniform(-2, 2, size=(n_rows, 2))
        return X, (rng.uniform(size=n_rows) < 1 / (1 + np.exp(-2.5 * X[:, 0]))).astype(int)

    (X, y), (new, truth) = draw(600), draw(4000)
    soft = SoftTreeClassifier().fit(X, y)
    crisp = DecisionTreeClassifier(missing="fractional").fit(X, y)
    rows = np.arange(len(truth))
    loss = [-np.log(m.predict_proba(new)[rows, truth].clip(1e-15)).mean() for m in (soft, crisp)]
    assert soft.factor_ > 0
    assert loss[0] < loss[1]


def test_a_real_step_stays_crisp_or_nearly() -> None:
    x = np.linspace(0, 1, 400)[:, None]
    y = (x[:, 0] > 0.5).astype(float)
    model = SoftTreeRegressor().fit(x, y)
    assert model.factor_ <= 0.05
    assert model.score(x, y) > 0.98


def test_row_order_and_copies() -> None:
    X, y = load_dataset("heart").split_target("disease")
    y = np.array([str(one) for one in y])
    order = np.random.default_rng(0).permutation(len(y))
    one = SoftTreeClassifier(n_jobs=1).fit(X, y)
    other = SoftTreeClassifier(n_jobs=4).fit(X.rows(order), y[order])
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_words_path_and_drawing() -> None:
    X, y = load_dataset("iris").split_target("species")
    model = SoftTreeClassifier(width=0.5).fit(X, y)
    assert " ± " in model.to_text()
    assert " ± " in model.draw().svg
    t = float(model.tree_.threshold[0])
    near = dict.fromkeys(X.names, 1.0) | {model.used_columns_[0]: t + 0.01}
    path = model.path(near)
    assert len(path.ends) >= 2
    assert sum(end.share for end in path.ends) == pytest.approx(1.0)
    np.testing.assert_allclose(path.value, model.predict_proba(Table([near]))[0], atol=1e-9)


def test_saving_and_damaged_values(tmp_path) -> None:
    X, y = load_dataset("heart").split_target("disease")
    model = SoftTreeClassifier().fit(X, y)
    model.save(tmp_path / "m.branchline")
    again = branchline.load(tmp_path / "m.branchline")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    packed = model._pack()
    for name, bad in [
        ("margins", packed["margins"] - 1e6),
        ("leaf_values", packed["leaf_values"] + 1.0),
        ("factor", -1.0),
    ]:
        with pytest.raises(ModelFileError):
            model._unpack({**packed, name: bad}, model.schema_)


def test_missing_values_are_shared_by_weights() -> None:
    x = np.concatenate([np.linspace(0, 1, 30), np.linspace(2, 3, 90)])[:, None]
    y = (x[:, 0] > 1.5).astype(int)
    model = SoftTreeClassifier(width=0.01, max_depth=1).fit(x, y)
    shares = model.memberships(np.array([[np.nan]]))[0]
    np.testing.assert_allclose(shares, [0.25, 0.75], atol=1e-9)
