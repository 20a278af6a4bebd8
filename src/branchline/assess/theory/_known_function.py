"""Problems whose truth is known: inputs that can be drawn without end, and y = f(x) + noise.

On such a problem the error of a learner can be taken apart exactly, and every learning set is new.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._validation import Real, Whole, check_parameters
from branchline.errors import ParameterError, Repair

__all__ = ["KnownFunction", "friedman_function", "sine_function"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class KnownFunction:
    """A function with normal noise: y = f(x) + N(0, σ²).

    Parameters
    ----------
    draw_inputs
        A function of the number of rows and a ``numpy.random.Generator`` that returns a table with
        that number of rows: an array, or a frame with categories.
    function
        Takes such a table and returns f(x), a number for each row.
    noise_variance
        σ². Numbers that the function gives are known up to this.

    See Also
    --------
    friedman_function : return Friedman's problem.
    sine_function : return a wave of one input.

    Examples
    --------
    >>> from branchline.assess.theory import KnownFunction
    >>> line = KnownFunction(lambda n, rng: rng.uniform(size=(n, 1)), lambda X: 2 * X[:, 0], 0.01)
    >>> X, y = line.draw(100, seed=0)
    >>> round(float(((y - line.truth(X)) ** 2).mean()), 2)
    0.01
    """

    draw_inputs: Callable[[int, np.random.Generator], Any]
    function: Callable[[Any], Any]
    noise_variance: float = 1.0

    def draw(self, n_rows: int, seed: Any) -> tuple[Any, Floats]:
        """Return a table of ``n_rows`` rows and its target; the seed decides everything."""
        check_parameters("KnownFunction.draw", {"n_rows": n_rows}, {"n_rows": Whole(1)})
        values = {"noise_variance": self.noise_variance}
        check_parameters("KnownFunction", values, {"noise_variance": Real(0.0)})
        rng = np.random.default_rng(seed)
        X = self.draw_inputs(n_rows, rng)
        truth = self.truth(X, n_rows)
        return X, truth + np.sqrt(self.noise_variance) * rng.standard_normal(n_rows)

    def truth(self, X: Any, n_rows: int | None = None) -> Floats:
        """Return f(x) of each row, checked: one finite number for each."""
        wanted = len(X) if n_rows is None else n_rows
        try:
            values = np.asarray(self.function(X), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise _not_numbers(f"gave no numbers: {error}") from error
        if values.shape != (wanted,):
            raise _not_numbers(f"gave the shape {values.shape} for {wanted} rows")
        if not np.isfinite(values).all():
            raise _not_numbers("gave numbers that are not finite")
        return values


def _not_numbers(what: str) -> ParameterError:
    return ParameterError(
        f"The function must give a finite number for each row that is drawn; it {what}.",
        code="P120",
        repair=Repair("KnownFunction(lambda n, rng: rng.uniform(size=(n, 2)), lambda X: X[:, 0])"),
    )


def friedman_function(noise_variance: float = 1.0) -> KnownFunction:
    """Return Friedman's problem: ten uniform inputs, of which five matter.

    f(x) = 10 sin(π x₁ x₂) + 20 (x₃ − ½)² + 10 x₄ + 6 x₅.

    See Also
    --------
    KnownFunction : a function with normal noise.

    Examples
    --------
    >>> from branchline.assess.theory import friedman_function
    >>> float(friedman_function().truth([[0.5, 1.0, 0.5, 1.0, 1.0] + [0.0] * 5])[0])
    26.0
    """
    return KnownFunction(lambda n, rng: rng.uniform(size=(n, 10)), _friedman, noise_variance)


def _friedman(X: Any) -> Floats:
    x1, x2, x3, x4, x5 = np.asarray(X, dtype=np.float64).T[:5]
    value: Floats = 10 * np.sin(np.pi * x1 * x2) + 20 * (x3 - 0.5) ** 2 + 10 * x4 + 6 * x5
    return value


def sine_function(noise_variance: float = 2.0, n_waves: int = 2) -> KnownFunction:
    """Return a wave of one input: sin x + sin 2x, x uniform from 0 to 10.

    Parameters
    ----------
    noise_variance
        The variance of the noise. Default 2.0.
    n_waves
        How complex the function is: √(2/n) (sin x + … + sin nx). Its size stays about the same.
        Default 2.

    See Also
    --------
    KnownFunction : a function with normal noise.

    Examples
    --------
    >>> from branchline.assess.theory import sine_function
    >>> float(sine_function().truth([[0.0]])[0])
    0.0
    """
    check_parameters("sine_function", {"n_waves": n_waves}, {"n_waves": Whole(1)})

    def wave(X: Any) -> Floats:
        x = np.asarray(X, dtype=np.float64)[:, 0]
        waves = [np.sin(number * x) for number in range(1, n_waves + 1)]
        value: Floats = np.sqrt(2 / n_waves) * np.sum(waves, axis=0)
        return value

    return KnownFunction(lambda n, rng: rng.uniform(0, 10, size=(n, 1)), wave, noise_variance)
