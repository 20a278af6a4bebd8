"""The features behind a linear or polynomial kernel, written out.

(γ x·z + c)^d is the sum over exponents α₁ … α_n with k = Σ α ≤ d of

    d! / (α₁! … α_n! (d − k)!) γ^k c^(d−k) x^α z^α,

so that each α is a feature: the root of its coefficient times x^α. There are C(n + d, d) of them,
or C(n + d − 1, d) for c = 0, where only k = d is left.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._memory import refuse_over_budget
from branchline.errors import ParameterError, Repair
from branchline.kernels._fitted_numbers import FittedNumbers
from branchline.kernels._inputs import table_of
from branchline.kernels._kernel import Kernel
from branchline.kernels._number_kernels import Linear, Polynomial

__all__ = ["FeatureMap", "feature_map"]


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """Features whose products are the kernel.

    Parameters
    ----------
    matrix
        One row for each row of the table, one column for each feature.
    names
        What each feature is, without its factor: "1", "height", "height^2 age".

    See Also
    --------
    feature_map : return the explicit features of a linear or polynomial kernel.

    Examples
    --------
    >>> from branchline.kernels import Polynomial, feature_map
    >>> feature_map(Polynomial(2), {"a": [1.0, 2.0], "b": [0.0, 3.0]}).matrix.shape
    (2, 6)
    """

    matrix: Floats
    names: tuple[str, ...]


def feature_map(kernel: Kernel, X: Any) -> FeatureMap:
    """Return the explicit features of a linear or polynomial kernel.

    See Also
    --------
    FeatureMap : features whose products are the kernel.

    Examples
    --------
    >>> from branchline.kernels import Polynomial, feature_map
    >>> feature_map(Polynomial(2), {"a": [1.0, 2.0], "b": [0.0, 3.0]}).names
    ('1', 'a', 'b', 'a^2', 'a b', 'b^2')
    """
    if not isinstance(kernel, Linear | Polynomial) or not kernel.is_mercer:
        raise ParameterError(
            "Explicit features are known for Linear() and for Polynomial() with coef0 of at least "
            f"0. Got {kernel!r} instead.",
            code="P167",
            values=[kernel],
            repair=Repair("low_rank(kernel, X).factor  # features of any kernel, approximately"),
        )
    table = table_of(X)
    fitted = kernel.fit(table)
    assert isinstance(fitted, FittedNumbers)
    matrix = fitted.prepare(table).matrix
    names = tuple(term.name for term in fitted.columns.encoding.terms)
    if isinstance(kernel, Linear):
        return FeatureMap(matrix, names)
    return _polynomial_features(kernel, fitted.number_form.gamma, matrix, names)


def _polynomial_features(
    kernel: Polynomial, gamma: float, matrix: Floats, names: tuple[str, ...]
) -> FeatureMap:
    n_rows, width = matrix.shape
    degree, coef0 = kernel.degree, kernel.coef0
    sizes = range(degree + 1) if coef0 > 0 else [degree]
    n_features = sum(math.comb(width + size - 1, size) if width else size == 0 for size in sizes)
    refuse_over_budget(8 * n_rows * n_features, "the features of a polynomial kernel")
    features, shown = np.empty((n_rows, n_features)), []
    chosen = [c for size in sizes for c in combinations_with_replacement(range(width), size)]
    for at, columns in enumerate(chosen):
        powers = Counter(columns)
        factor = _coefficient(powers, degree) * gamma ** len(columns)
        factor *= coef0 ** (degree - len(columns))
        features[:, at] = math.sqrt(factor) * matrix[:, list(columns)].prod(axis=1)
        shown.append(_name(powers, names))
    return FeatureMap(features, tuple(shown))


def _coefficient(powers: Counter[int], degree: int) -> float:
    """Return d! / (α₁! … α_n! (d − k)!)."""
    below = math.factorial(degree - powers.total())
    for power in powers.values():
        below *= math.factorial(power)
    return float(math.factorial(degree) // below)


def _name(powers: Counter[int], names: tuple[str, ...]) -> str:
    parts = [names[at] + (f"^{power}" if power > 1 else "") for at, power in powers.items()]
    return " ".join(parts) or "1"
