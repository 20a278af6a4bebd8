"""What least squares needs to know of a large table: products of its terms and targets, exactly.

1. A pass over blocks of rows adds Σ w x xᵀ of x = (1, terms − origin, targets − origin), without
   rounding (``_exact_products``). The origin is the mean, rounded: no digits are lost to it.
2. The sums are centered in 32 digits, and taken apart, G = Rᵀ R (``_double_double``): R is the
   triangle of a QR decomposition of all rows.
"""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats
from branchline._double_double import (
    Pairs,
    divided,
    multiplied,
    pivoted_cholesky,
    subtracted,
)
from branchline._encoding._encoded_blocks import EncodedBlocks
from branchline._exact_products import Cutter, ProductSums, exponents_of
from branchline._memory import refuse_over_budget
from branchline._one_thread import one_thread

__all__ = ["CenteredProducts", "centered_products"]

_SLICES = 3
# A direction that keeps less than this share of a term's own square is rounding.
_LEAST = 2.0**-84
# Bytes for each pair of terms: slices of them, in whole numbers and in pairs of floats.
_BYTES_PER_PAIR = 400


@dataclass(frozen=True, eq=False)
class CenteredProducts:
    """Weighted sums of products about the weighted means, terms first and then targets."""

    products: Pairs
    mean: Floats
    n_terms: int

    @property
    def target_squares(self) -> Floats:
        """The weighted sum of squares of each centered target."""
        return np.maximum(np.diag(self.products[0])[self.n_terms :], 0.0)

    def triangle(self) -> tuple[Floats, Floats]:
        """Return R, and what is left of each target's square beyond it."""
        size = np.frexp(np.sqrt(np.maximum(np.diag(self.products[0]), 0.0)))[1]
        down = -(size[:, None] + size[None])
        scaled = np.ldexp(self.products[0], down), np.ldexp(self.products[1], down)
        triangle, _, left = pivoted_cholesky(scaled, self.n_terms, _LEAST)
        return np.ldexp(triangle, size[None]), np.ldexp(left, 2 * size[self.n_terms :])


@one_thread
def centered_products(blocks: EncodedBlocks, weights: Floats, targets: Floats) -> CenteredProducts:
    """Return the products of all pairs of terms and targets (one column per output)."""
    n_terms, n_targets = blocks.shape[1], targets.shape[1]
    width = 1 + n_terms + n_targets
    refuse_over_budget(_BYTES_PER_PAIR * width**2, "the products of all pairs of terms")
    is_weighted = bool(weights.min() != 1.0 or weights.max() != 1.0)
    origin = np.where(blocks.is_switch, 0.0, blocks.encoding.mean)
    y_origin = targets.min(axis=0) / 2 + targets.max(axis=0) / 2  # row order does not change it
    cutter = _cutter(blocks, origin, targets, y_origin, float(weights.max()) if is_weighted else 0)
    sums = ProductSums(cutter, cutter)
    room = np.empty((width, blocks.rows_at_once))
    for some, terms in blocks.blocks():
        rows = room[:, : terms.shape[1]]
        rows[0] = 1.0
        np.subtract(terms, origin[:, None], out=rows[1 : n_terms + 1])
        np.subtract(targets[some].T, y_origin[:, None], out=rows[n_terms + 1 :])
        sums.add_squares(rows, np.sqrt(weights[some]) if is_weighted else None)
    return _centered(sums.total(), np.concatenate([origin, y_origin]), n_terms)


def _cutter(
    blocks: EncodedBlocks, origin: Floats, targets: Floats, y_origin: Floats, heaviest: float
) -> Cutter:
    """Return how the constant, terms and targets are cut; ``heaviest`` is 0 without weights."""
    reach = np.maximum(targets.max(axis=0) - y_origin, y_origin - targets.min(axis=0))
    largest = np.concatenate([[1.0], blocks.largest + np.abs(origin), reach])
    is_switch = np.concatenate([[True], blocks.is_switch, np.zeros(len(reach), dtype=bool)])
    if heaviest:
        largest, is_switch = largest * np.sqrt(heaviest), np.zeros(len(largest), dtype=bool)
    return Cutter(exponents_of(largest), is_switch, _SLICES)


def _centered(products: Pairs, origin: Floats, n_terms: int) -> CenteredProducts:
    """Take the means off sums about an origin, of which the first term is the constant."""
    weight = products[0][0, 0], products[1][0, 0]
    first = products[0][0, 1:], products[1][0, 1:]
    mean = divided(first, weight)
    outer = multiplied((first[0][:, None], first[1][:, None]), (mean[0][None], mean[1][None]))
    centered = subtracted((products[0][1:, 1:], products[1][1:, 1:]), outer)
    return CenteredProducts(centered, mean[0] + origin, n_terms)
