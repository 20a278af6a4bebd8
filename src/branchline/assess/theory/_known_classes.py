"""Problems of classes whose truth is known: inputs, and the probability of each class given them.

On such a problem the error of a classifier can be taken apart exactly: the best possible prediction
(the Bayes model) and its error are known.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._validation import Real, Whole, check_parameters
from branchline.assess.theory._known_function import sine_function
from branchline.errors import ParameterError, Repair

__all__ = ["KnownClasses", "sine_classes"]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class KnownClasses:
    """Classes that are drawn with known probabilities.

    Parameters
    ----------
    draw_inputs
        A function of the number of rows and a ``numpy.random.Generator`` that returns a table with
        that number of rows: an array, or a frame with categories.
    probabilities
        Takes such a table and returns the probability of each class, one row per case.
    classes
        The names of the classes, sorted, in the order of the probabilities.

    See Also
    --------
    sine_classes : return two classes along a wave.

    Examples
    --------
    >>> from branchline.assess.theory import sine_classes
    >>> X, y = sine_classes().draw(1000, seed=0)
    >>> round(float((y == "up").mean()), 1)
    0.5
    """

    draw_inputs: Callable[[int, np.random.Generator], Any]
    probabilities: Callable[[Any], Any]
    classes: Sequence[Any] = ("no", "yes")

    def draw(self, n_rows: int, seed: Any) -> tuple[Any, Any]:
        """Return a table of ``n_rows`` rows and its classes; the seed decides everything."""
        check_parameters("KnownClasses.draw", {"n_rows": n_rows}, {"n_rows": Whole(1)})
        rng = np.random.default_rng(seed)
        X = self.draw_inputs(n_rows, rng)
        bounds = np.cumsum(self.truth(X, n_rows), axis=1)
        place = (rng.uniform(size=n_rows)[:, None] >= bounds[:, :-1]).sum(axis=1)
        return X, np.asarray(self.classes)[place]

    def truth(self, X: Any, n_rows: int | None = None) -> Floats:
        """Return the probabilities of each row, checked: not negative, and 1 in sum."""
        wanted = (len(X) if n_rows is None else n_rows, len(self.classes))
        try:
            values = np.asarray(self.probabilities(X), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise _not_probabilities(f"gave no numbers: {error}") from error
        if values.shape != wanted:
            raise _not_probabilities(f"gave the shape {values.shape}, not {wanted}")
        is_right = np.abs(values.sum(axis=1) - 1) < _ROUNDING
        if not (is_right.all() and (values >= 0).all()):
            raise _not_probabilities("gave numbers below 0, or whose sum is not 1")
        return values


def _not_probabilities(what: str) -> ParameterError:
    return ParameterError(
        "The function must give the probability of each class for each row that is drawn; it "
        f"{what}.",
        code="P363",
        repair=Repair("KnownClasses(draw, lambda X: np.column_stack([1 - p(X), p(X)]))"),
    )


def sine_classes(steepness: float = 2.0, n_waves: int = 2) -> KnownClasses:
    """Return two classes along a wave: P(up) = 1 / (1 + exp(−steepness · f(x))).

    f is the wave of ``sine_function``. A larger steepness leaves less noise, more waves make the
    Bayes model more complex.

    See Also
    --------
    KnownClasses : classes that are drawn with known probabilities.

    Examples
    --------
    >>> from branchline.assess.theory import sine_classes
    >>> sine_classes().truth([[0.0]]).tolist()
    [[0.5, 0.5]]
    """
    check_parameters("sine_classes", {"steepness": steepness}, {"steepness": Real(0.0)})
    wave = sine_function(n_waves=n_waves)

    def probabilities(X: Any) -> Floats:
        up = 1 / (1 + np.exp(-steepness * wave.function(X)))
        return np.column_stack([1 - up, up])

    return KnownClasses(wave.draw_inputs, probabilities, ("down", "up"))
