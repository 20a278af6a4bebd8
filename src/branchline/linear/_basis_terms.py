"""New terms made of encoded ones: products and radial functions.

A basis turns encoded terms z into further terms, on which a linear method is linear no more in z.

1. Products: Π z_i over up to ``degree`` terms, divided by their spread over the training rows.
   Products that say nothing new are left out: of two indicators of one column, of an indicator
   with itself, and of a number with the indicator of its missing values.
2. Radial functions: exp(−‖z − c_k‖² / 2σ²) around centers c_k.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from branchline._arrays import Floats
from branchline._encoding._block import LARGEST, Term
from branchline._memory import refuse_over_budget
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline.errors import ParameterError, Repair

__all__ = [
    "LEAST_SPREAD",
    "MOST_TERMS",
    "Basis",
    "Products",
    "RadialFunctions",
    "factors_of",
    "unpack_basis",
]

MOST_TERMS = 20_000
_FARTHEST = 1e150  # widths: the square is still finite
LEAST_SPREAD = 1e-9  # a product that varies less says nothing
_POWERS = {1: "", 2: "²", 3: "³", 4: "⁴", 5: "⁵"}

Factors = tuple[tuple[int, ...], ...]


class Basis(Protocol):
    """How encoded terms become the terms of a basis."""

    @property
    def adds_up(self) -> bool:
        """Whether a term's share can be divided among the columns that it is made of."""

    def terms(self, encoded: Sequence[Term]) -> tuple[Term, ...]:
        """Return what each number of the basis stands for."""

    def columns(self, encoded: Sequence[Term]) -> list[tuple[str, ...]]:
        """Return the columns of the table that each term is made of."""

    def expand(self, matrix: Floats) -> Floats:
        """Return the terms of the basis for rows of encoded terms."""

    def table_units(self, encoded: Sequence[Term]) -> tuple[Any, Floats]:
        """Return M and o: weights w mean coefficients w M of raw terms, and the constant w·o."""

    def pack(self) -> Mapping[str, Any]:
        """Return the basis as plain values."""


@dataclass(frozen=True, eq=False)
class Products:
    """Encoded terms and their products.

    Parameters
    ----------
    degree
        Maximum number of factors of a product.
    interactions_only
        Whether no term is multiplied by itself.
    factors
        The encoded terms that each product is made of; the encoded terms themselves come first.
    spread
        What each product is divided by; 1 for the encoded terms themselves.
    """

    degree: int
    interactions_only: bool
    factors: Factors
    spread: Floats

    adds_up = True

    def terms(self, encoded: Sequence[Term]) -> tuple[Term, ...]:
        """Return each product as "age × fare" or "age²"."""
        columns = self.columns(encoded)
        made = list(encoded)
        for place in range(len(encoded), len(self.factors)):
            chosen = [encoded[factor] for factor in self.factors[place]]
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                unit = float(np.prod([self.spread[place], *(term.unit for term in chosen)]))
            name = " × ".join(_powers([term.name for term in chosen]))
            made.append(Term(name, " × ".join(columns[place]), None, unit))
        return tuple(made)

    def columns(self, encoded: Sequence[Term]) -> list[tuple[str, ...]]:
        """Return the columns that are multiplied."""
        names = [term.column for term in encoded]
        return [tuple(dict.fromkeys(names[factor] for factor in one)) for one in self.factors]

    def expand(self, matrix: Floats) -> Floats:
        """Multiply, each product from one that has a factor less."""
        matrix, place = _dense(matrix, len(self.factors)), self._place
        made = np.empty((len(matrix), len(self.factors)))
        made[:, : matrix.shape[1]] = matrix
        for at in range(matrix.shape[1], len(self.factors)):
            *shorter, last = self.factors[at]
            product = made[:, place[tuple(shorter)]] * matrix[:, last]
            np.clip(product, -LARGEST, LARGEST, out=made[:, at])
        return np.clip(made / self.spread, -LARGEST, LARGEST)

    def table_units(self, encoded: Sequence[Term]) -> tuple[Any, Floats]:
        """Multiply out Π (x_i − c_i) / u_i, whose shorter products are all terms themselves."""
        unit, center = [term.unit for term in encoded], [term.center for term in encoded]
        offsets, entries = np.zeros(len(self.factors)), []
        for row, factors in enumerate(self.factors):
            scale = 1.0 / (self.spread[row] * float(np.prod([unit[one] for one in factors])))
            for kept in _subsets(len(factors)):
                left = [one for at, one in enumerate(factors) if at not in kept]
                amount = scale * float(np.prod([-center[one] for one in left]))
                if not kept:
                    offsets[row] = amount
                elif amount != 0:
                    entries.append((row, self._place[tuple(factors[at] for at in kept)], amount))
        rows, places, amounts = zip(*entries, strict=True) if entries else ((), (), ())
        shape = (len(self.factors), len(self.factors))
        return sparse.csr_array((amounts, (rows, places)), shape=shape, dtype=np.float64), offsets

    @cached_property
    def _place(self) -> dict[tuple[int, ...], int]:
        return {factors: at for at, factors in enumerate(self.factors)}

    def pack(self) -> Mapping[str, Any]:
        """Return what cannot be made again from the encoding."""
        return {
            "kind": "polynomial",
            "degree": self.degree,
            "interactions_only": self.interactions_only,
            "spread": self.spread,
        }


@dataclass(frozen=True, eq=False)
class RadialFunctions:
    """Radial functions around centers, beside the encoded terms or alone.

    Parameters
    ----------
    centers
        The center of each radial function, one row each.
    width
        The distance at which a radial function has fallen to exp(−1/2) = 0.61.
    keeps_linear
        Whether the encoded terms themselves stay.
    """

    centers: Floats
    width: float
    keeps_linear: bool

    adds_up = False

    def terms(self, encoded: Sequence[Term]) -> tuple[Term, ...]:
        """Return the radial functions as "rbf 1", "rbf 2" and so on."""
        radial = [Term(f"rbf {at + 1}", "all columns") for at in range(len(self.centers))]
        return (*(encoded if self.keeps_linear else ()), *radial)

    def columns(self, encoded: Sequence[Term]) -> list[tuple[str, ...]]:
        """Return all columns for each radial function."""
        every = tuple(dict.fromkeys(term.column for term in encoded))
        linear = [(term.column,) for term in encoded] if self.keeps_linear else []
        return linear + [every] * len(self.centers)

    def expand(self, matrix: Floats) -> Floats:
        """Return the value of each radial function at each row."""
        matrix = _dense(matrix, matrix.shape[1] + len(self.centers))
        # Differences are divided before they are squared: encoded numbers may be as large as 1e100.
        with np.errstate(over="ignore", under="ignore"):
            rows = np.clip(matrix / self.width, -_FARTHEST, _FARTHEST)
            centers = np.clip(self.centers / self.width, -_FARTHEST, _FARTHEST)
            radial = np.exp(-0.5 * cdist(rows, centers, "sqeuclidean"))
        return np.hstack([matrix, radial]) if self.keeps_linear else radial

    def table_units(self, encoded: Sequence[Term]) -> tuple[Any, Floats]:
        """Leave radial functions as they are; they have no unit."""
        linear = encoded if self.keeps_linear else ()
        unit = np.array([term.unit for term in linear])
        center = np.array([term.center for term in linear])
        ones = np.ones(len(self.centers))
        scale = np.concatenate([1.0 / unit, ones])
        return sparse.diags_array(scale).tocsr(), np.concatenate([-center / unit, 0 * ones])

    def pack(self) -> Mapping[str, Any]:
        """Return the radial functions as plain values."""
        return {
            "kind": "rbf",
            "centres": self.centers,
            "width": self.width,
            "keeps_linear": self.keeps_linear,
        }


def factors_of(encoded: Sequence[Term], degree: int, *, interactions_only: bool) -> Factors:
    """Return the products of a basis: those of one factor, then of two, and so on."""
    found: list[tuple[int, ...]] = [(at,) for at in range(len(encoded))]
    shorter = found
    for _ in range(1, degree):
        longer = []
        for product in shorter:
            first = product[-1] + interactions_only
            rest = range(first, len(encoded))
            longer += [(*product, at) for at in rest if _says_more(encoded, product, at)]
            if len(found) + len(longer) > MOST_TERMS:
                raise _too_many(len(encoded), degree)
        found, shorter = found + longer, longer
    return tuple(found)


def _says_more(encoded: Sequence[Term], product: tuple[int, ...], last: int) -> bool:
    new = encoded[last]
    same = [encoded[at] for at in product if encoded[at].column == new.column]
    return all(term.level is None and new.level is None for term in same)


def _too_many(n_encoded: int, degree: int) -> ParameterError:
    return ParameterError(
        f"Products of up to {degree} of {n_encoded} encoded terms are more than {MOST_TERMS:,} "
        "terms. Use a lower degree, fewer columns, or radial functions.",
        code="P050",
        values=[degree],
        repair=Repair('model.set_params(basis="rbf")'),
    )


def _subsets(n: int) -> list[tuple[int, ...]]:
    return [chosen for size in range(n + 1) for chosen in combinations(range(n), size)]


def _powers(names: list[str]) -> list[str]:
    counted = {name: names.count(name) for name in names}
    return [f"{name}{_POWERS[count]}" for name, count in counted.items()]


def _dense(matrix: Any, n_terms: int) -> Floats:
    refuse_over_budget(8 * matrix.shape[0] * n_terms, "the terms of the basis")
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix)


def unpack_basis(state: Any, encoded: Sequence[Term]) -> Basis:
    """Check packed values and return the basis."""
    kind = state.get("kind") if isinstance(state, dict) else None
    if not isinstance(kind, str):
        raise malformed("a basis is of no known kind")
    if kind == "polynomial":
        basis: Basis = _unpack_products(state, encoded)
    elif kind == "rbf":
        basis = _unpack_radial(state, encoded)
    else:
        raise malformed("a basis is of no known kind")
    if set(basis.pack()) != set(state):
        raise malformed("a basis has parts that nothing uses")
    return basis


def _unpack_products(state: Mapping[str, Any], encoded: Sequence[Term]) -> Products:
    degree, alone = state.get("degree"), state.get("interactions_only")
    if type(degree) is not int or not 1 <= degree <= max(_POWERS) or type(alone) is not bool:
        raise malformed("the degree of a basis is out of range")
    try:
        factors = factors_of(encoded, degree, interactions_only=alone)
    except ParameterError as error:
        raise malformed("a basis has too many terms") from error
    spread = numbers_from_state(
        state, "spread", length=len(factors), low=LEAST_SPREAD, high=LARGEST
    )
    if (spread[: len(encoded)] != 1).any():
        raise malformed("a term that is not a product is divided by a spread")
    return Products(degree, alone, factors, spread)


def _unpack_radial(state: Mapping[str, Any], encoded: Sequence[Term]) -> RadialFunctions:
    centers, keeps_linear = state.get("centres"), state.get("keeps_linear")
    width = number_from_state(state, "width")
    if not isinstance(centers, np.ndarray) or centers.dtype != np.float64 or centers.ndim != 2:
        raise malformed("the centers of a basis are not a table of numbers")
    is_known = centers.shape[1] == len(encoded) and len(centers) <= MOST_TERMS
    if not is_known or not (np.abs(centers) <= LARGEST).all():
        raise malformed("the centers of a basis are out of range")
    if not 0 < width <= LARGEST or type(keeps_linear) is not bool:
        raise malformed("the width of a basis is not positive")
    return RadialFunctions(np.ascontiguousarray(centers), width, keeps_linear)
