"""The prepared numbers of a large table, made again a block of rows at a time.

The formulas are those of ``_prepared_table``; sums are exact, so that what is learned depends
neither on the order of rows nor on blocks. Rows are drawn by a hash of their content.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats, Places
from branchline._canonical_rows import canonical_rows
from branchline._encoding._encoded_blocks import EncodedBlocks, fit_in_blocks
from branchline._exact_sum import parts_of_sum, parts_of_weighted_sum, rounded_once
from branchline._prepared_table import NOTHING, Preparation, options_for, preparation_of
from branchline._row_keys import scramble
from branchline._validation import TrainingData

__all__ = ["PreparedBlocks", "prepare_in_blocks"]


@dataclass(frozen=True, eq=False)
class PreparedBlocks:
    """Rows of a large table as centered numbers, NaN where cells are missing.

    Parameters
    ----------
    encoded
        The rows as terms.
    data
        The rows as they were before.
    weights
        The weight of each row.
    preparation
        How terms become prepared numbers.
    largest
        The largest absolute number of each term that is kept.
    variance
        The mean over the terms of the weighted mean of squares; missing cells count as 0.
    """

    encoded: EncodedBlocks
    data: TrainingData
    weights: Floats
    preparation: Preparation
    largest: Floats
    variance: float

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and terms that are kept."""
        return len(self.weights), len(self.preparation.center)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Go through the rows: which ones they are, and their numbers, one term in each row."""
        prepared = self.preparation
        for some, terms in self.encoded.blocks(marks_missing=True):
            kept = terms[prepared.kept]
            kept -= prepared.center[:, None]
            kept /= prepared.scale[:, None]
            yield some, kept

    def drawn_order(self, seed: int) -> Places:
        """Return the rows in an order that depends on their content and on the seed.

        Rows of equal content stand together, those of unequal weight by their weight.
        """
        drawn = scramble(np.array([seed % 2**64], dtype=np.uint64))
        keys = scramble(self.encoded.row_keys ^ drawn)
        units = self.data.weights.units
        return np.argsort(keys) if units is None else np.lexsort((units, keys))

    def drawn_rows(self, most: int) -> TrainingData:
        """Return rows that are drawn evenly, at most so many, in canonical order."""
        order = self.drawn_order(0)
        return canonical_rows(self.data.rows(np.sort(order[:: -(-len(order) // most)])), merge=True)


def prepare_in_blocks(data: TrainingData, *, standardize: bool) -> PreparedBlocks:
    """Learn how a large table becomes prepared numbers."""
    n_rows = data.table.n_rows
    given = None if data.weights.units is None else data.weights.of_rows(n_rows)
    total = float(n_rows) if given is None else float(given.sum())
    encoded = fit_in_blocks(data.table, given, options_for(total))
    known, center, ends = _centers(encoded, given)
    size, reach = np.abs(ends).max(axis=0), np.abs(ends - center).max(axis=0)
    unit = np.where(reach > 0, reach, 1.0)  # squares of shares of it stay finite
    share = _squares(encoded, given, center, unit) / known
    deviation = reach * np.sqrt(share)
    kept = deviation > NOTHING * size
    encoding = encoded.encoding
    preparation = preparation_of(encoding, center, deviation, kept, standardize=standardize)
    squares = (deviation[kept] / preparation.scale) ** 2 * known[kept] / total
    weights = np.broadcast_to(1.0, n_rows) if given is None else given
    return PreparedBlocks(
        encoded,
        data,
        weights,
        preparation,
        reach[kept] / preparation.scale,
        float(squares.mean()) if kept.any() else 0.0,
    )


def _centers(encoded: EncodedBlocks, weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return of each term the weight of the known cells, their mean, the least and the largest."""
    width = encoded.shape[1]
    ends = np.array([np.full(width, np.inf), np.full(width, -np.inf)])
    sums, held = _Sums(width), _Sums(width)
    for some, terms in encoded.blocks(marks_missing=True):
        missing = np.isnan(terms)
        ends[0] = np.fmin(ends[0], np.fmin.reduce(terms, axis=1))
        ends[1] = np.fmax(ends[1], np.fmax.reduce(terms, axis=1))
        heavy = None if weights is None else weights[some]
        held.add((~missing).astype(np.float64), heavy)
        terms[missing] = 0.0
        sums.add(terms, heavy)
    known = np.maximum(held.total(), np.finfo(np.float64).tiny)
    ends = np.where(np.isfinite(ends), ends, 0.0)
    return known, sums.total() / known, ends


def _squares(
    encoded: EncodedBlocks, weights: Floats | None, center: Floats, unit: Floats
) -> Floats:
    """Return Σ w ((x − center) / unit)² of the known cells of each term."""
    sums = _Sums(len(center))
    for some, terms in encoded.blocks(marks_missing=True):
        terms -= center[:, None]
        terms /= unit[:, None]
        np.square(terms, out=terms)
        terms[np.isnan(terms)] = 0.0
        sums.add(terms, None if weights is None else weights[some])
    return sums.total()


class _Sums:
    """The sums of some terms over blocks of rows, rounded once."""

    def __init__(self, width: int) -> None:
        self._parts: list[list[float]] = [[] for _ in range(width)]

    def add(self, terms: Floats, weights: Floats | None) -> None:
        """Add a block, one term in each row."""
        for parts, term in zip(self._parts, terms, strict=True):
            if weights is None:
                parts += parts_of_sum(term)
            else:
                parts += parts_of_weighted_sum(term, weights)

    def total(self) -> Floats:
        """Return the sums."""
        return np.array([rounded_once(parts) for parts in self._parts], dtype=np.float64)
