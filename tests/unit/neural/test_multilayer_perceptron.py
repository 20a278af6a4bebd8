"""Perceptrons on tables: accuracy, averages, edge cases, warnings, files."""

import copy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.neural_network import MLPRegressor as SklearnRegressor
from threadpoolctl import threadpool_limits

from branchline import load_dataset
from branchline.encoding import TableEncoder
from branchline.errors import BranchlineWarning, ModelFileError, NotFittedError, ParameterError
from branchline.neural import MLPClassifier, MLPRegressor
from common.tables import mixed_frame, target

SMALL = {"hidden_layer_sizes": (3,), "tol": 1e-2}


def friedman(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 10))
    signal = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, signal + 10 * X[:, 3] + 6 * X[:, 4] + rng.normal(size=n_rows)


def small(kind: Any, n_rows: int = 60, **parameters: Any) -> tuple[Any, pd.DataFrame]:
    frame = mixed_frame(n_rows)
    model = kind(**SMALL, **parameters)
    return model.fit(frame, target(frame, kind._task)), frame


# -- how good, and what is said of it -----------------------------------------------------------


def test_friedmans_problem_is_learned_almost_to_the_noise() -> None:
    """One of the fifty learning sets of the published comparison.

    Published are error / bias² + noise / variance of networks without decay, which adam gives in
    batches of 32 with learning_rate=0.03, 200 epochs: (10, 10) 4.6 / 1.4 / 3.2, ours 5.0 / 1.7 /
    3.3. Networks with the usual decay, which are asked for here, give 1.5 / 1.2 / 0.3.
    """
    X, y = friedman(500, seed=0)
    X_new, y_new = friedman(2000, seed=1)
    error = np.mean((MLPRegressor().fit(X, y).predict(X_new) - y_new) ** 2)
    assert 1.0 < error < 2.0  # the noise alone is 1; one run of fifty, which averaged 1.5


def test_the_usual_network_beats_a_straight_line_where_the_world_is_bent() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 2))
    is_inside = (X**2).sum(axis=1) < 0.6
    bent = MLPClassifier(alpha=0.3).fit(X[:200], is_inside[:200])
    straight = MLPClassifier(alpha=0.3, activation="identity").fit(X[:200], is_inside[:200])
    assert bent.score(X[200:], is_inside[200:]) > 0.9 > straight.score(X[200:], is_inside[200:])


def test_predictions_are_those_of_scikit_learn_on_the_encoded_table() -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = MLPRegressor(hidden_layer_sizes=(3,), alpha=10.0).fit(X, y)
    matrix = TableEncoder().fit(X).transform(X)
    mean, spread = np.mean(y), np.std(y)
    options = {"solver": "lbfgs", "activation": "tanh", "alpha": 10.0, "max_iter": 5000}
    with threadpool_limits(1):
        peer = SklearnRegressor(hidden_layer_sizes=(3,), random_state=0, **options)
        peer.fit(matrix, (np.asarray(y) - mean) / spread)
    # Rows come in another order, so the descents part in the last bits and end close by.
    expected = peer.predict(matrix) * spread + mean
    np.testing.assert_allclose(model.predict(X), expected, atol=0.05)


@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_restarts_are_averaged(kind: Any, early_stopping: bool) -> None:
    model, frame = small(kind, n_restarts=3, early_stopping=early_stopping)
    say = "predict_proba" if kind is MLPClassifier else "predict"
    whole = getattr(model, say)(frame)
    parts = []
    for trained in model.nets_:
        one = copy.copy(model)
        one.nets_ = (trained,)
        parts.append(getattr(one, say)(frame))
    np.testing.assert_allclose(np.mean(parts, axis=0), whole, rtol=1e-9, atol=1e-12)
    assert len({part.tobytes() for part in parts}) == 3
    assert model.complexity().count == sum(trained.net.n_weights for trained in model.nets_)


@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_the_course_of_training_can_be_read(solver: str) -> None:
    model, _ = small(MLPRegressor, solver=solver, early_stopping=True, n_restarts=2)
    assert [len(curve) for curve in model.loss_curve_] == [
        len(curve) for curve in model.validation_curve_
    ]
    assert model.n_iter_ >= max(len(curve) for curve in model.loss_curve_)
    lines = model.to_text().splitlines()
    n_inputs = model.encoding_.width
    assert lines[0] == f"2 networks of {n_inputs} inputs → 3 tanh → 1 output"
    assert lines[1] == f"{3 * n_inputs + 7} weights each, decay 1"
    assert lines[3].split()[-1] == f"{model.validation_curve_[0].min():.4g}"
    with pytest.raises(NotFittedError):
        MLPRegressor().to_text()
    with pytest.raises(NotFittedError):
        MLPRegressor().n_iter_  # noqa: B018


# -- odd tables and targets ---------------------------------------------------------------------


def test_a_table_that_says_nothing_gives_the_frequencies() -> None:
    X = np.ones((8, 2))
    two = MLPClassifier().fit(X, list("aaaaaabb"))
    np.testing.assert_allclose(two.predict_proba(X[:1]), [[0.75, 0.25]], rtol=1e-12)
    three = MLPClassifier().fit(X, list("aaaabbcc"))
    np.testing.assert_allclose(three.predict_proba(X[:1]), [[0.5, 0.25, 0.25]], rtol=1e-12)
    assert MLPRegressor().fit(X, np.arange(8.0)).predict(X[:2]).tolist() == [3.5, 3.5]
    assert "2 outputs" not in two.to_text()


def test_one_class_and_one_number() -> None:
    X = np.arange(12.0)[:, None]
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = MLPClassifier().fit(X, ["yes"] * 12)
    assert model.predict_proba(X[:1]).tolist() == [[1.0]]
    assert MLPRegressor().fit(X, np.full(12, 0.1)).predict(X[:2]).tolist() == [0.1, 0.1]


def test_several_outputs_of_very_different_size() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.column_stack([1e300 * X[:, 0], 1e-300 * X[:, 1], np.full(80, 7.0)])
    found = MLPRegressor(alpha=0.01).fit(X, y).predict(X)
    assert found.shape == (80, 3)
    assert np.corrcoef(found[:, 0] / 1e300, X[:, 0])[0, 1] > 0.99
    assert np.corrcoef(found[:, 1] / 1e-300, X[:, 1])[0, 1] > 0.99
    np.testing.assert_allclose(found[:, 2], 7.0, rtol=0.05)


def test_the_unit_of_the_target_does_not_matter() -> None:
    model, frame = small(MLPRegressor)
    y = target(frame, "regression")
    larger = MLPRegressor(**SMALL).fit(frame, y * 2.0**40)
    # Rows are put in order by a hash of the target too, so the last bits of sums may differ.
    np.testing.assert_allclose(larger.predict(frame), model.predict(frame) * 2.0**40, rtol=1e-6)


def test_a_class_of_one_row_is_learned_with_early_stopping_too() -> None:
    frame = mixed_frame(40)
    y = np.array(["often"] * 39 + ["once"])
    for solver in ("lbfgs", "adam"):
        model = MLPClassifier(**SMALL, solver=solver, early_stopping=True).fit(frame, y)
        assert model.predict_proba(frame).shape == (40, 2)


def test_an_encoder_can_be_given() -> None:
    model, _ = small(MLPRegressor, encoder=TableEncoder(indicators=False, max_categories=2))
    other, _ = small(MLPRegressor)
    assert model.encoding_.width < other.encoding_.width


# -- parameters ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        {"hidden_layer_sizes": ()},
        {"hidden_layer_sizes": (0,)},
        {"hidden_layer_sizes": (3.5,)},
        {"hidden_layer_sizes": 10},
        {"hidden_layer_sizes": (2,) * 21},
        {"hidden_layer_sizes": (True,)},
        {"alpha": -0.1},
        {"alpha": float("inf")},
        {"learning_rate": 0.0},
        {"validation_fraction": 0.6},
        {"tol": 0.0},
        {"batch_size": 0},
        {"n_restarts": 0},
        {"solver": "sgd"},
        {"encoder": "none"},
    ],
)
def test_bad_parameters_are_named(bad: dict[str, Any]) -> None:
    (name,) = bad
    for kind in (MLPClassifier, MLPRegressor):
        with pytest.raises(ParameterError, match=f"'{name}' parameter of {kind.__name__}"):
            kind(**bad).fit([[0.0], [1.0]], [0, 1])


def test_sizes_may_be_a_list_or_numpy_numbers() -> None:
    frame = mixed_frame(30)
    y = target(frame, "regression")
    one = MLPRegressor(hidden_layer_sizes=[3, 2], tol=1e-2).fit(frame, y)
    two = MLPRegressor(hidden_layer_sizes=tuple(np.array([3, 2])), tol=1e-2).fit(frame, y)
    np.testing.assert_array_equal(one.predict(frame), two.predict(frame))


def test_an_unfinished_training_says_what_to_do() -> None:
    frame = mixed_frame(60)
    y = target(frame, "regression")
    with pytest.warns(BranchlineWarning, match="max_iter=3. Set a larger max_iter") as caught:
        MLPRegressor(max_iter=3).fit(frame, y)
    assert caught[0].filename == __file__
    with pytest.warns(BranchlineWarning, match="of 2 networks"):
        MLPRegressor(max_iter=3, n_restarts=2, solver="adam").fit(frame, y)


def test_the_repair_of_a_divergence_works() -> None:
    frame = mixed_frame(60)
    y = target(frame, "classification")
    model = MLPClassifier(**SMALL, solver="adam", learning_rate=1e150)
    with pytest.raises(ParameterError) as caught:
        model.fit(frame, y)
    assert caught.value.code == "P070"
    with pytest.raises(NotFittedError):
        model.predict(frame)
    exec(caught.value.repair.python, {"model": model})
    assert model.fit(frame, y).score(frame, y) > 0.4


# -- files --------------------------------------------------------------------------------------


def forge(state: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a copy of packed values with one of them replaced."""
    forged = copy.deepcopy(state)
    place = forged
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return forged


FORGERIES: dict[str, tuple[tuple[Any, ...], Any]] = {
    "no networks": (("nets",), []),
    "no list": (("nets",), {}),
    "a weight": (("nets", 0, "weights", 0), np.full((1, 3), np.nan)),
    "other inputs": (("nets", 0, "weights", 0), np.zeros((2, 3))),
    "other outputs": (("nets", 0, "weights", 1), np.zeros((3, 4))),
    "other shape": (("nets", 1, "activation"), "relu"),
    "no steps": (("nets", 0, "n_iter"), 0),
    "steps as a float": (("nets", 0, "n_iter"), 3.0),
    "a negative loss": (("nets", 0, "loss_curve"), np.array([-1.0])),
    "more losses than steps": (("nets", 0, "loss_curve"), np.ones(10**4)),
    "held-out losses without others": (("nets", 0, "validation_curve"), np.ones(3)),
    "something more": (("nets", 0, "more"), 1),
    "a negative decay": (("alpha",), -1.0),
    "no decay": (("alpha",), None),
    "no candidates": (("choices",), None),
    "no encoding": (("encoding",), None),
}


@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
def test_forged_models_are_refused(kind: Any) -> None:
    model, frame = small(kind, n_restarts=2)
    sound = dict(model._pack())
    for name, (path, value) in FORGERIES.items():
        with pytest.raises(ModelFileError) as caught:
            kind()._unpack(forge(sound, path, value), model.schema_)
        assert caught.value.code in {"M004", "M005"}, name
    again = kind()
    again.__dict__.update(again._unpack(sound, model.schema_), schema_=model.schema_)
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(again.loss_curve_[1], model.loss_curve_[1])


def test_classes_and_outputs_must_agree() -> None:
    model, _ = small(MLPClassifier)
    for classes in (["ill", "ok"], ["a", "b", "c", "d"], []):
        with pytest.raises(ModelFileError):
            MLPClassifier()._unpack({**model._pack(), "classes": classes}, model.schema_)
    numbers, _ = small(MLPRegressor)
    scale = {"exponent": np.zeros(2, np.int64), "centre": np.zeros(2), "spread": np.ones(2)}
    with pytest.raises(ModelFileError, match="inputs or outputs"):
        MLPRegressor()._unpack({**numbers._pack(), "scale": scale}, numbers.schema_)


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
@pytest.mark.parametrize("model", [MLPClassifier(max_iter=20), MLPRegressor(max_iter=20)])
def test_two_rows_that_mirror_each_other_do_not_ask_for_the_order_of_columns(model: Any) -> None:
    table, y = {"a": [1.0, 2.0], "b": [7.0, 3.0]}, [0, 1]
    turned = {name: table[name] for name in ("b", "a")}
    one, two = (model.fit(each, y).predict(each) for each in (table, turned))
    np.testing.assert_allclose(one, two, atol=1e-12)
