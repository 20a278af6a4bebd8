"""Problems whose truth is known."""

from typing import Any

import numpy as np
import pytest

from branchline.assess.theory import KnownFunction, friedman_function, sine_function
from branchline.errors import ParameterError


def uniform(n: int, rng: np.random.Generator) -> Any:
    return rng.uniform(size=(n, 2))


def test_friedmans_function() -> None:
    problem = friedman_function()
    X, y = problem.draw(4000, seed=0)
    assert X.shape == (4000, 10)
    by_hand = [
        10 * np.sin(np.pi * row[0] * row[1]) + 20 * (row[2] - 0.5) ** 2 + 10 * row[3] + 6 * row[4]
        for row in X[:5]
    ]
    assert problem.truth(X[:5]) == pytest.approx(by_hand)
    assert np.var(y - problem.truth(X)) == pytest.approx(1.0, rel=0.1)


def test_the_wave() -> None:
    X, _ = sine_function().draw(500, seed=0)
    assert 0 <= X.min() < 1 < 9 < X.max() <= 10
    assert sine_function().truth(np.array([[1.0]])) == pytest.approx(np.sin(1.0) + np.sin(2.0))


def test_the_seed_decides_everything() -> None:
    problem = sine_function()
    first, again, other = (problem.draw(5, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])


def test_no_noise_gives_the_truth() -> None:
    problem = KnownFunction(uniform, lambda X: X[:, 0], 0.0)
    X, y = problem.draw(10, seed=0)
    assert np.array_equal(y, X[:, 0])


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda X: X, "gave the shape"),
        (lambda X: 1.0, "gave the shape"),
        (lambda X: X[:3, 0], "gave the shape"),
        (lambda X: ["a"] * len(X), "gave no numbers"),
        (lambda X: np.full(len(X), np.nan), "not finite"),
    ],
)
def test_a_function_that_gives_something_else(function: Any, what: str) -> None:
    with pytest.raises(ParameterError, match=what) as caught:
        KnownFunction(uniform, function).draw(10, seed=0)
    assert caught.value.code == "P120"


@pytest.mark.parametrize(("n_rows", "noise"), [(0, 1.0), (2.0, 1.0), (5, -1.0), (5, np.inf)])
def test_numbers_are_checked(n_rows: Any, noise: float) -> None:
    with pytest.raises(ParameterError) as caught:
        KnownFunction(uniform, lambda X: X[:, 0], noise).draw(n_rows, seed=0)
    assert caught.value.code == "P001"
