"""One network's training: scikit-learn's result, early stopping, Ctrl-C, divergence."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import RandomState
from sklearn.neural_network import MLPClassifier as SklearnClassifier
from sklearn.neural_network import MLPRegressor as SklearnRegressor
from sklearn.neural_network import _stochastic_optimizers as optimizers
from threadpoolctl import threadpool_limits

from branchline._folds import FoldRows, fold_rows
from branchline._validation import RowWeights, TrainingData
from branchline.errors import ParameterError
from branchline.neural._tasks import ClassTask, NumberTask, probabilities
from branchline.neural._training import Recipe, TrainedNet, quiet_descent, train_net
from branchline.table import Table

RECIPE = Recipe(
    hidden_layer_sizes=(4,),
    activation="tanh",
    solver="lbfgs",
    alpha=0.5,
    learning_rate=0.02,
    batch_size=16,
    max_iter=300,
    tol=1e-4,
    patience=10,
    validation_fraction=None,
)
ADAM = replace(RECIPE, solver="adam", max_iter=30)


def folds_of(rows: np.ndarray) -> FoldRows:
    return fold_rows(TrainingData(Table(rows), None, RowWeights()))


STOPPED = {"validation_fraction": 0.25, "patience": 4}


@pytest.fixture(scope="module")
def matrix() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(80, 3))


@pytest.fixture(scope="module")
def numbers(matrix: np.ndarray) -> NumberTask:
    return NumberTask((np.sin(2 * matrix[:, 0]) + 0.3 * matrix[:, 1])[:, None], folds_of(matrix))


@pytest.fixture(scope="module")
def classes(matrix: np.ndarray) -> ClassTask:
    places = np.digitize(matrix[:, 0] * matrix[:, 1], [-0.3, 0.3]).astype(np.uint32)
    return ClassTask(places, 3, folds_of(matrix))


def train(*arguments: Any) -> TrainedNet:
    with quiet_descent():
        return train_net(*arguments)


def options_for_peer(recipe: Recipe, n_rows: int, seed: int) -> dict[str, Any]:
    names = ("hidden_layer_sizes", "activation", "solver", "alpha", "batch_size", "max_iter", "tol")
    chosen = {name: getattr(recipe, name) for name in names}
    # Its stochastic solver divides the decay by the batch, not by all rows.
    share = recipe.batch_size / n_rows if recipe.solver == "adam" else 1.0
    return chosen | {
        "alpha": recipe.alpha * share,
        "learning_rate_init": recipe.learning_rate,
        "random_state": seed,
        "max_fun": 10**6,
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("recipe", [RECIPE, ADAM])
def test_weights_are_those_of_scikit_learn(
    recipe: Recipe, matrix: np.ndarray, numbers: NumberTask, classes: ClassTask
) -> None:
    # The same descent from the same seed: equal but for the last bits of linear algebra.
    options = options_for_peer(recipe, len(matrix), seed=3)
    with threadpool_limits(1):
        peer = SklearnRegressor(**options).fit(matrix, numbers.scaled[:, 0])
    found = train(matrix, numbers, recipe, 3)
    np.testing.assert_allclose(found.net.outputs(matrix)[:, 0], peer.predict(matrix), atol=1e-6)
    assert found.n_iter == peer.n_iter_
    with threadpool_limits(1):
        peer = SklearnClassifier(**options).fit(matrix, classes.class_of_row)
    shares = probabilities(train(matrix, classes, recipe, 3).net.outputs(matrix), 3)
    np.testing.assert_allclose(shares, peer.predict_proba(matrix), atol=1e-6)


@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_early_stopping_keeps_the_best_weights(
    solver: str, kind: str, matrix: np.ndarray, request: pytest.FixtureRequest
) -> None:
    task = request.getfixturevalue(kind)
    recipe = replace(RECIPE, solver=solver, alpha=0.0, tol=1e-9, max_iter=2000, **STOPPED)
    trained = train(matrix, task, recipe, 0)
    held = task.folds.hold_out(0.25).test > 0
    assert held is not None
    loss = task.loss(trained.net.outputs(matrix[held]), held)
    assert loss == pytest.approx(trained.validation_curve.min(), rel=1e-12)
    best = int(np.argmin(trained.validation_curve))
    assert trained.is_finished
    assert len(trained.validation_curve) <= best + 1 + 4
    assert len(trained.loss_curve) == len(trained.validation_curve)


def test_each_epoch_draws_new_batches(matrix: np.ndarray, numbers: NumberTask) -> None:
    recipe = replace(ADAM, max_iter=15, patience=100, validation_fraction=0.25)
    watched = train(matrix, numbers, recipe, 5)
    held = numbers.folds.hold_out(0.25).test > 0
    assert held is not None
    # A generator goes on where it stopped; a number would give the same batches in every epoch.
    options = options_for_peer(recipe, int((~held).sum()), seed=5)
    peer = SklearnRegressor(**options | {"random_state": RandomState(5)})
    losses = [
        peer.partial_fit(matrix[~held], numbers.scaled[~held, 0]).loss_ for _ in watched.loss_curve
    ]
    np.testing.assert_allclose(watched.loss_curve, losses, rtol=1e-9)
    assert (watched.n_iter, watched.is_finished) == (15, False)


def test_both_solvers_have_one_objective(matrix: np.ndarray, numbers: NumberTask) -> None:
    """A long descent by adam in small batches ends near lbfgs, also with much decay."""
    exact = replace(RECIPE, alpha=8.0, tol=1e-8, activation="identity")
    steps = {"learning_rate": 0.003, "batch_size": 10, "max_iter": 100, "patience": 100}
    slow = replace(exact, solver="adam", **steps)
    found = [train(matrix, numbers, recipe, 0).net.outputs(matrix) for recipe in (exact, slow)]
    np.testing.assert_allclose(*found, atol=0.1)  # eight times the decay would be 1.1 away


def test_networks_differ_by_turn_and_not_by_time(matrix: np.ndarray, numbers: NumberTask) -> None:
    first, again, other = (train(matrix, numbers, ADAM, 0, turn) for turn in (0, 0, 1))
    np.testing.assert_array_equal(first.net.weights[0], again.net.weights[0])
    assert not np.array_equal(first.net.weights[0], other.net.weights[0])


@pytest.mark.parametrize("recipe", [RECIPE, ADAM])
def test_threads_of_linear_algebra_change_no_bit(recipe: Recipe) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 40))
    task = NumberTask(rows[:, :1] * rows[:, 1:2], folds_of(rows))
    recipe = replace(recipe, hidden_layer_sizes=(50,), max_iter=10, batch_size=300)
    with threadpool_limits(1):
        one = train(rows, task, recipe, 0)
    with threadpool_limits(2):
        two = train(rows, task, recipe, 0)
    for left, right in zip(one.net.weights, two.net.weights, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("fraction", [None, 0.25])
def test_ctrl_c_is_not_swallowed(
    fraction: float | None,
    matrix: np.ndarray,
    numbers: NumberTask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def press(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(optimizers.AdamOptimizer, "iteration_ends", press)
    with pytest.raises(KeyboardInterrupt):
        train(matrix, numbers, replace(ADAM, validation_fraction=fraction), 0)


@pytest.mark.parametrize("rate", [1e101, 1e200])
def test_divergence_has_a_code(rate: float, matrix: np.ndarray, numbers: NumberTask) -> None:
    with pytest.raises(ParameterError, match="diverged") as caught:
        train(matrix, numbers, replace(ADAM, learning_rate=rate, activation="relu"), 0)
    assert caught.value.code == "P070"


def test_other_errors_of_the_descent_stay_what_they_are() -> None:
    with pytest.raises(ValueError, match="something else"), quiet_descent():
        raise ValueError("something else")


def test_losses_by_hand() -> None:
    rows = np.ones(2, dtype=bool)
    outputs = np.array([[0.0], [np.log(3.0)]])
    folds = folds_of(np.eye(2))
    two = ClassTask(np.array([0, 1], dtype=np.uint32), 2, folds)
    assert two.loss(outputs, rows) == pytest.approx(-(np.log(0.5) + np.log(0.75)) / 2)
    three = ClassTask(np.array([0, 2], dtype=np.uint32), 3, folds)
    scores = np.log([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
    assert three.loss(scores, rows) == pytest.approx(-(np.log(0.2) + np.log(0.8)) / 2)
    halves = NumberTask(np.array([[1.0, 2.0], [3.0, 4.0]]), folds)
    assert halves.loss(np.zeros((2, 2)), rows) == pytest.approx((1 + 4 + 9 + 16) / 8)


def test_probabilities_by_hand() -> None:
    assert probabilities(np.array([[0.0], [np.log(3.0)]]), 2) == pytest.approx(
        np.array([[0.5, 0.5], [0.25, 0.75]])
    )
    assert probabilities(np.array([[1e100, -1e100, 0.0]]), 3).tolist() == [[1.0, 0.0, 0.0]]
    assert probabilities(np.array([[-7.0]]), 1).tolist() == [[1.0]]
