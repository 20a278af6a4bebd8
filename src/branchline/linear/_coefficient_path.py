"""The weights of a linear model along the values of a parameter: ridge and logistic paths.

The model is fitted anew for each value, with all else as it is. A lasso has its path already
(``path_``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import Floats
from branchline._drawable import Drawable
from branchline._plain_numbers import count
from branchline._result_frame import Library, result_frame
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["CoefficientPath", "coefficient_path"]

_PARAMETERS = ("alpha", "C")


@dataclass(frozen=True, eq=False)
class CoefficientPath(Drawable):
    """Weights along the values of a parameter.

    Parameters
    ----------
    parameter
        The parameter that varies.
    values
        Its values.
    weights
        The weight of each encoded term at each value, one row per value.
    terms
        The names of the terms.
    chosen
        The value that the model takes by itself; None where that is not known.

    See Also
    --------
    coefficient_path : fit a linear model for each value of its price and return all weights.

    Examples
    --------
    >>> import branchline as bl
    >>> from branchline.linear import Ridge, coefficient_path
    >>> X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    >>> len(coefficient_path(Ridge(), X, y, values=[1.0, 1000.0]).weights)
    2
    """

    parameter: str
    values: Floats
    weights: Floats
    terms: tuple[str, ...]
    chosen: float | None

    def __repr__(self) -> str:
        terms, values = count(len(self.terms), "term"), count(len(self.values), "value")
        return f"<CoefficientPath: {terms} along {values} of {self.parameter}>"

    __str__ = __repr__

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each value, a column for each term, as a frame of pandas or polars."""
        columns = {term: self.weights[:, place] for place, term in enumerate(self.terms)}
        return result_frame({self.parameter: self.values, **columns}, library)

    def to_dict(self) -> dict[str, Any]:
        """Return the path as plain data."""
        return {
            "parameter": self.parameter,
            "values": self.values.tolist(),
            "terms": list(self.terms),
            "weights": self.weights.tolist(),
            "chosen": self.chosen,
        }

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_path

        name, chosen = self.parameter, self.chosen
        return draw_path(self.values, self.weights, self.terms, chosen=chosen, price=name)


def coefficient_path(
    model: Any, X: Any, y: Any, *, values: Sequence[float] | None = None
) -> CoefficientPath:
    """Fit a linear model for each value of its price and return all weights.

    Parameters
    ----------
    model
        An unfitted linear model with the parameter ``alpha`` (``Ridge``) or ``C``
        (``LogisticRegression``).
    X, y
        The table and its target: a number, or two classes.
    values
        The values of the parameter; None (default): 40 around the one that the model takes.

    See Also
    --------
    CoefficientPath : weights along the values of a parameter.

    Examples
    --------
    >>> import branchline as bl
    >>> from branchline.linear import Ridge, coefficient_path
    >>> X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    >>> path = coefficient_path(Ridge(), X, y, values=[1.0, 1000.0])
    >>> bool(abs(path.weights[1]).sum() < abs(path.weights[0]).sum())
    True
    """
    name = next((one for one in _PARAMETERS if hasattr(model, one)), None)
    if name is None or not hasattr(model, "coefficients"):
        raise ParameterError(
            f"{type(model).__name__} is not a linear model with 'alpha' or 'C'.",
            code="P533",
            values=[type(model).__name__],
            repair=Repair("coefficient_path(Ridge(), X, y)"),
        )
    chosen = _taken(clone(model).fit(X, y), name)
    tried = _usual(name, chosen) if values is None else np.array(values, dtype=np.float64)
    weights, terms = [], ()
    for value in tried.tolist():
        fitted = clone(model).set_params(**{name: value}).fit(X, y)
        found = np.atleast_2d(fitted.weights_)
        weights.append(found[-1])
        terms = tuple(term.name for term in fitted.encoding_.terms)
    return CoefficientPath(name, tried, np.array(weights), terms, chosen)


def _taken(fitted: Any, name: str) -> float | None:
    found = getattr(fitted, f"{name}_", getattr(fitted, name))
    return float(found) if isinstance(found, int | float | np.number) else None


def _usual(name: str, chosen: float | None) -> Floats:
    """Return values around the chosen one, mostly on the side of stronger prices."""
    middle = chosen if chosen is not None and chosen > 0 else 1.0
    low, high = (1e-2, 1e4) if name == "alpha" else (1e-4, 1e2)
    return np.geomspace(middle * low, middle * high, 40)
