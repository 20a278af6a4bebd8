"""Settings that depend on the table, the search for the number of rounds, and time budgets."""

import time
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from branchline._trees._draws import draws_of
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.boosting._gradient_boosting_problem import BoostingProblem, make_problem
from branchline.boosting._gradient_boosting_settings import BoostingSettings
from branchline.boosting._rounds import Rounds

Floats = npt.NDArray[np.float64]


def plain(n_rows: int) -> tuple[Floats, Floats]:
    """Return three columns of numbers, and a number that depends on two of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    return X, 2 * X[:, 0] + np.sin(3 * X[:, 1]) + 0.3 * rng.normal(size=n_rows)


def problem_of(model: Any, X: Floats, y: Any) -> BoostingProblem:
    data, draws = draws_of(model._begin(X, y, None))
    is_number = isinstance(model, GradientBoostingRegressor)
    loss = model._fitted_loss() if is_number else model._loss(len(np.unique(y)))
    settings = BoostingSettings.from_parameters(model.get_params(deep=False))
    return make_problem(data, draws, loss, settings, seed=0, n_threads=1)


def test_auto_settings_depend_on_rows_and_columns() -> None:
    def sizes(n_rows: float, n_columns: int, **given: Any) -> tuple[Any, ...]:
        model = GradientBoostingRegressor(**given)
        settings = BoostingSettings.from_parameters(model.get_params(deep=False))
        own = settings.for_table(n_rows, n_columns)
        return own.max_leaf_nodes, own.min_samples_leaf, own.max_features, own.max_bins

    assert sizes(50, 3) == (6, 3, 3, 255)
    assert sizes(400, 10) == (10, 10, 5, 255)
    assert sizes(2000, 7) == sizes(31_400, 7) == (31, 20, 4, 255)
    assert sizes(45_000, 7) == (45, 20, 4, 255)
    assert sizes(1e6, 7) == (63, 20, 4, 255)
    assert sizes(72, 7129)[3] == 24
    given = {"max_leaf_nodes": None, "min_samples_leaf": 1, "max_features": 0.3, "max_bins": 9}
    assert sizes(50, 3, **given) == tuple(given.values())


def test_the_search_takes_at_most_three_times_the_final_fit() -> None:
    X, y = plain(2000)
    model = GradientBoostingRegressor(n_estimators="auto", n_jobs=1)

    def seconds(model: GradientBoostingRegressor) -> float:
        begin = time.process_time()
        model.fit(X, y)
        return time.process_time() - begin

    model.fit(X, y)
    final = GradientBoostingRegressor(n_estimators=model.n_estimators_, n_jobs=1)
    pairs = [(seconds(model), seconds(final)) for _ in range(5)]  # side by side: alike disturbed
    assert min(whole / alone for whole, alone in pairs) < 5  # 4, and noise of the clock
    assert len(model.validation_loss_) < 1.5 * model.n_estimators_ + 10


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
def test_folds_side_by_side_keep_directions(loss: str) -> None:
    X, y = plain(300)
    cst = [1, 0, 0]
    model = GradientBoostingRegressor(loss=loss, n_estimators="auto", monotonic_cst=cst).fit(X, y)
    grid = np.repeat(X[:1], 50, axis=0)
    grid[:, 0] = np.linspace(X[:, 0].min(), X[:, 0].max(), 50)
    assert (np.diff(model.predict(grid)) >= 0).all()


def test_models_side_by_side_are_those_boosted_alone() -> None:
    X, y = plain(240)
    three = np.digitize(y, [-1.0, 1.0])
    for model, target in ((GradientBoostingRegressor, y), (GradientBoostingClassifier, three)):
        problem = problem_of(model(subsample=0.8, max_features=None), X, target)
        folds = np.stack([problem.fold_units(fold, 3)[0] for fold in range(3)])
        joint = Rounds(problem, folds)
        alone = [Rounds(problem, units) for units in folds]
        for rounds in (joint, *alone):
            rounds.step()
        expected = np.concatenate([rounds.raw for rounds in alone], axis=1)
        np.testing.assert_array_equal(joint.raw[0, :240], expected[0, :240])
        # Gradients are rounded anew for each tree, so tests that gain alike may change places.
        assert np.mean(np.isclose(joint.raw, expected, rtol=1e-6)) > 0.95


def test_a_time_budget_holds_for_search_and_fit_together() -> None:
    X, y = plain(3000)
    for rounds in ("auto", 100_000):
        model = GradientBoostingRegressor(
            n_estimators=rounds, learning_rate=1e-3, time_budget=1.0, n_jobs=1
        )
        begin = time.process_time()  # at most as long as the budget's: the machine may be busy
        model.fit(X, y)
        assert time.process_time() - begin < 2.5
        assert model.n_estimators_ >= 1
