"""Separation of classes: what is proved cheaply agrees with the linear programme."""

from typing import Any

import numpy as np
import pytest

from branchline.linear import LogisticRegression
from branchline.linear import _separation as separation
from branchline.linear._logistic_solver import SoftmaxProblem, choose_solver, solve


def small_problem(seed: int) -> SoftmaxProblem:
    """Return rows on a coarse grid: of such classes many are separated, wholly or in part."""
    rng = np.random.default_rng(seed)
    n_rows, n_terms, n_classes = rng.integers(6, 40), rng.integers(1, 4), rng.integers(2, 4)
    matrix = rng.integers(-2, 3, size=(n_rows, n_terms)).astype(np.float64)
    scores = matrix @ rng.normal(size=(n_terms, n_classes)) * 3
    truth = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    truth[:n_classes] = np.arange(n_classes)
    weights = rng.integers(1, 4, n_rows).astype(np.float64)
    return SoftmaxProblem(matrix, truth, weights, int(n_classes), np.inf, 0.0, 10_000, 0, None)


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_what_is_proved_agrees_with_the_linear_programme() -> None:
    found = {True: 0, False: 0, None: 0}
    for seed in range(400):
        problem = small_problem(seed)
        solution = solve(problem, choose_solver(problem)[0])
        proved = separation._proved(problem, solution)
        found[proved] += 1
        exact = separation._has_direction(separation._differences(problem))
        assert proved in (exact, None), seed
        assert separation.is_separated(problem, solution) == exact, seed
    # Both verdicts occur, and few are left to the linear programme.
    assert found[True] > 50
    assert found[False] > 50
    assert found[None] < 40


def large(n_rows: int) -> tuple[Any, Any]:
    """Return rows of two classes whose largest log-odds are suspicious."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 10))
    y = rng.random(n_rows) < 1 / (1 + np.exp(-X @ rng.normal(size=10) * 3))
    return X, y.astype(int)


def test_a_long_table_needs_no_linear_programme(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Any) -> bool:
        raise AssertionError("the linear programme was asked")

    monkeypatch.setattr(separation, "_has_direction", refused)
    X, y = large(3_000)
    model = LogisticRegression(penalty=None).fit(X, y)
    assert np.abs(model.decision_function(X)).max() > 10
    assert not model.is_separated_
    assert model.standard_errors_ is not None


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_category_of_one_class_in_a_long_table(n_classes: int) -> None:
    X, _ = large(3_000)
    y = np.digitize(X[:, 0] + np.random.default_rng(1).normal(size=3_000), [0.0, 1.0, 2.0])
    y = np.minimum(y, n_classes - 1)
    X[:, 1] = 0.0
    X[:30, 1] = 1.0
    y[:30] = n_classes - 1
    with pytest.warns(UserWarning, match="one class only"):
        assert LogisticRegression(penalty=None).fit(X, y).is_separated_
    y[0] = 0  # now the category has two classes
    y[1] = n_classes // 2
    y[2:4] = [1, 2][: n_classes // 2]
    assert not LogisticRegression(penalty=None).fit(X, y).is_separated_
