"""Encoded rows of a large table, made again a block of rows at a time: they are never held at once.

1. A table is large when it has more than ``LARGE_CELLS`` cells. Its rows stay where they are, in
   the order in which they came: in memory, or in files that are mapped.
2. Each column is read once to learn its block; sums are exact (``_large_scales``).
3. A pass over blocks gives the mean of each term, its largest number, and (where rows are drawn) a
   hash of each row, which depends on nothing but its content.
4. Learners pass over the blocks again, and add what they need exactly (``_exact_products``). So
   what they learn depends neither on the order of rows nor on blocks, and weight k equals k copies
   but for the last digits.

Memory: a few numbers for each row, and some thousand rows of terms.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from branchline._arrays import Bools, Floats
from branchline._encoding._block import Block, Options
from branchline._encoding._category_block import CategoryBlock, fit_category
from branchline._encoding._column_terms import column_terms, is_scalable, usable
from branchline._encoding._date_block import DateBlock, fit_date
from branchline._encoding._encoding import Encoding
from branchline._encoding._large_scales import (
    Facts,
    facts_of_column,
    facts_of_matrix,
    fit_large_number,
    terms_of_facts,
)
from branchline._encoding._number_block import NumberBlock
from branchline._exact_products import ROWS_AT_ONCE
from branchline._exact_sum import parts_of_sum, parts_of_weighted_sum, rounded_once
from branchline._memory import refuse_over_budget
from branchline._row_keys import scramble
from branchline.table import Column, Table

__all__ = [
    "LARGE_CELLS",
    "ROWS_PER_COLUMN",
    "EncodedBlocks",
    "fit_in_blocks",
    "is_large",
    "pieces_of",
]

# A table of more cells is not copied: it is read a block of rows at a time.
LARGE_CELLS = 2**23
# A wider one is taken whole: products of all pairs of its terms would be larger than its rows.
ROWS_PER_COLUMN = 64
# Where few passes are all that is needed, they are faster than to sort and copy the rows from here
# on.
_FEW_PASSES_CELLS, _FEW_PASSES_ROWS_PER_COLUMN = 2**20, 1024
# What is held for each row while columns are learned from, and for each cell of a block.
_BYTES_PER_ROW, _BYTES_PER_CELL = 64, 64
# Rows that are predicted at a time.
_PIECE = 2**16

Words = npt.NDArray[np.uint64]


def is_large(table: Table, *, in_few_passes: bool = False) -> bool:
    """Whether learners that can do so read a table a block of rows at a time.

    ``in_few_passes`` says that a learner goes over the rows few times.
    """
    n_rows, n_columns = table.shape
    least = [(LARGE_CELLS, ROWS_PER_COLUMN)]
    if in_few_passes:
        least.append((_FEW_PASSES_CELLS, _FEW_PASSES_ROWS_PER_COLUMN))
    cells = n_rows * n_columns
    is_long = any(cells > most and n_rows >= ratio * n_columns for most, ratio in least)
    return table.sparse is None and is_long


def pieces_of(table: Table) -> Iterator[Table]:
    """Go through a large table piece by piece, to predict; one that is not large is one piece."""
    step = _PIECE if is_large(table) else max(1, table.n_rows)
    for first in range(0, max(1, table.n_rows), step):
        yield table.rows(slice(first, first + step)) if step < table.n_rows else table


@dataclass(frozen=True, eq=False)
class EncodedBlocks:
    """The matrix of a large table's rows, as blocks.

    Parameters
    ----------
    table
        The rows.
    encoding
        How they become numbers.
    largest
        The largest absolute number of each term.
    is_switch
        Which terms are 0 or 1 in every row.
    rows_at_once
        How many rows a block has; no result depends on it.
    """

    table: Table
    encoding: Encoding
    largest: Floats
    is_switch: Bools
    rows_at_once: int = ROWS_AT_ONCE

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and terms."""
        return self.table.n_rows, self.encoding.width

    def blocks(self, *, marks_missing: bool = False) -> Iterator[tuple[slice, Floats]]:
        """Go through the rows: which ones they are, and their terms, one term in each row.

        A block is overwritten by the next. With ``marks_missing``, terms of missing cells are NaN.
        """
        blocks = self.encoding.blocks
        return _blocks(self.table, blocks, self.rows_at_once, marks_missing=marks_missing)

    def row_keys(self) -> Words:
        """Return a hash of each row's terms; order and names of columns do not matter.

        A term of 0 adds nothing.
        """
        salts = np.array([_salt(block) for block in self.encoding.blocks], dtype=np.uint64)
        first = np.concatenate([[0], np.cumsum([block.width for block in self.encoding.blocks])])
        keys = np.zeros(self.shape[0], dtype=np.uint64)
        for some, terms in self.blocks():
            for at, salt in enumerate(salts):
                keys[some] += _words(terms[first[at] : first[at + 1]], salt)
        return keys


def fit_in_blocks(table: Table, weights: Floats | None, options: Options) -> EncodedBlocks:
    """Learn the encoding of a large table; ``weights`` is None where all rows weigh 1."""
    refuse_over_budget(_BYTES_PER_ROW * table.n_rows, "a few numbers for each row")
    known = dict(enumerate(facts_of_matrix(table))) if weights is None else {}
    found = [_fit_block(table, place, weights, options, known) for place in range(table.n_columns)]
    blocks = tuple(block for some in found for block in some)
    width = sum(block.width for block in blocks)
    refuse_over_budget(_BYTES_PER_CELL * ROWS_AT_ONCE * width, "blocks of the encoded table")
    largest, mean = _facts_of_terms(table, blocks, weights, known)
    encoding = Encoding(blocks, None, mean)
    return EncodedBlocks(table, encoding, largest, _switches(blocks))


def _facts_of_terms(
    table: Table, blocks: Sequence[Block], weights: Floats | None, known: dict[int, Facts]
) -> tuple[Floats, Floats]:
    """Return the largest absolute number of each term, and its mean.

    Those of ``known`` columns follow from what is known of them; others take a pass over the rows.
    """
    is_known = [isinstance(block, NumberBlock) and block.place in known for block in blocks]
    others = [block for block, is_done in zip(blocks, is_known, strict=True) if not is_done]
    read = iter(_read_terms(table, others, weights)) if others else iter(())
    largest, mean = list[Floats](), list[Floats]()
    for block, is_done in zip(blocks, is_known, strict=True):
        if is_done and isinstance(block, NumberBlock):
            found = terms_of_facts(block, known[block.place], table.n_rows)
        else:
            found = next(read)
        largest.append(found[0])
        mean.append(found[1])
    none = [np.zeros(0)]
    return np.concatenate(largest or none), np.concatenate(mean or none)


def _read_terms(
    table: Table, blocks: Sequence[Block], weights: Floats | None
) -> Iterator[tuple[Floats, Floats]]:
    """Return the largest absolute number and the mean of each block's terms, by one pass."""
    width = sum(block.width for block in blocks)
    largest = np.zeros(width)
    parts: list[list[float]] = [[] for _ in range(width)]
    for some, terms in _blocks(table, blocks, ROWS_AT_ONCE):
        np.maximum(largest, np.abs(terms).max(axis=1), out=largest)
        for at, term in enumerate(terms):
            if weights is None:
                parts[at] += parts_of_sum(term)
            else:
                parts[at] += parts_of_weighted_sum(term, weights[some])
    total = float(table.n_rows) if weights is None else float(weights.sum())
    mean = np.array([rounded_once(some) for some in parts], dtype=np.float64) / total
    first = 0
    for block in blocks:
        some = slice(first, first + block.width)
        yield largest[some], mean[some]
        first += block.width


def _fit_block(
    table: Table,
    place: int,
    weights: Floats | None,
    options: Options,
    known: dict[int, Facts],
) -> Sequence[Block]:
    """Return the blocks of a column: none, one, or of a date two; what is found is then known."""
    column = _fresh(table.column(table.names[place]))
    if column.kind == "category":
        weighed = np.broadcast_to(1.0, len(column)) if weights is None else weights
        found: list[Block | None] = [fit_category(place, column, weighed, options)]
    else:
        if weights is None and place not in known:
            known[place] = facts_of_column(column)
        facts = known.get(place)
        found = [fit_large_number(place, column, weights, options, facts)]
        if facts is not None and not facts.fits:
            del known[place]
        if column.type.is_time:
            found.append(fit_date(place, column, options))
    return [block for block in found if block is not None]


def _fresh(column: Column) -> Column:
    """Return a column that remembers nothing: what it finds out goes when it goes."""
    return column.renamed(column.name)


def _blocks(
    table: Table, blocks: Sequence[Block], rows_at_once: int, *, marks_missing: bool = False
) -> Iterator[tuple[slice, Floats]]:
    ends = np.cumsum([block.width for block in blocks]).tolist()
    room = np.empty((ends[-1] if ends else 0, min(rows_at_once, table.n_rows)))
    write_numbers, others = _number_writer(table, blocks, marks_missing=marks_missing)
    columns = [(at, table.column(table.names[blocks[at].place])) for at in others]
    for first in range(0, table.n_rows, rows_at_once):
        some = slice(first, min(first + rows_at_once, table.n_rows))
        terms = room[:, : some.stop - first]
        write_numbers(some, terms)
        for at, column in columns:
            block, cells = blocks[at], column.take(some)
            own = terms[ends[at] - block.width : ends[at]]
            _write(block, cells, own)
            if marks_missing:
                own[:, cells.is_missing] = np.nan
        yield some, terms


def _number_writer(
    table: Table, blocks: Sequence[Block], *, marks_missing: bool
) -> tuple[Callable[[slice, Floats], None], list[int]]:
    """Return what writes the terms of numbers, and which blocks it leaves out."""
    ends = np.cumsum([block.width for block in blocks]).tolist()
    own: list[tuple[NumberBlock, int]] = []
    others: list[int] = []
    for at, block in enumerate(blocks):
        if is_scalable(block):
            own.append((block, ends[at] - block.width))
        else:
            others.append(at)
    if table.matrix is not None and own:
        matrix = table.matrix
        places = np.array([block.place for block, _ in own], dtype=np.int64)
        terms_of = column_terms(own, places)

        def write_matrix(some: slice, terms: Floats) -> None:
            terms_of.write(usable(matrix[some]), terms, marks_missing)

        return write_matrix, others
    none = np.zeros(1, dtype=np.int64)
    alone = [(table.column(table.names[one[0].place]), column_terms([one], none)) for one in own]

    def write_columns(some: slice, terms: Floats) -> None:
        for column, terms_of in alone:
            numbers = usable(np.asarray(column.take(some).numbers()))
            terms_of.write(numbers[:, None], terms, marks_missing)

    return write_columns, others


def _write(block: Block, column: Column, terms: Floats) -> None:
    """Write the terms of some cells, one term in each row: the numbers of ``block.encode``."""
    if isinstance(block, CategoryBlock):
        _write_levels(block, column, terms)
    else:
        terms[:] = block.encode(column).T


def _write_levels(block: CategoryBlock, column: Column, terms: Floats) -> None:
    levels = block.levels_of(column)
    place_of_level = np.full(len(block.levels) + 1, -1, dtype=np.intp)
    place_of_level[block.kept] = np.arange(block.width)
    places = place_of_level[levels]
    terms[:] = 0.0
    rows = np.flatnonzero(places >= 0)
    terms[places[rows], rows] = 1.0
    unknown = levels < 0
    if unknown.any():
        terms[:, unknown] = block.frequency[block.kept][:, None]


def _switches(blocks: Sequence[Block]) -> Bools:
    """Return which terms are 0 or 1: indicators of levels and of missing cells."""
    found: list[bool] = []
    for block in blocks:
        if isinstance(block, CategoryBlock):
            found += [True] * block.width
        elif isinstance(block, NumberBlock):
            found += [False] * (block.spread > 0) + [True] * block.has_indicator
        else:
            found += [False] * block.width
    return np.array(found, dtype=bool)


def _salt(block: Block) -> int:
    """Return a hash of what was learned of a column, without its place and its name."""
    learned: tuple[object, ...]
    if isinstance(block, NumberBlock):
        learned = ("number", block.exponent, block.center, block.spread, block.fill)
    elif isinstance(block, CategoryBlock):
        learned = ("category", *(block.levels[level] for level in block.kept))
        learned += tuple(block.frequency.tolist())
    else:
        assert isinstance(block, DateBlock)
        learned = ("date", *block.parts)
    digest = blake2b(repr(learned).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _words(terms: Floats, salt: np.uint64) -> Words:
    """Return the sum of the hashes of a column's terms, for each row."""
    total = np.zeros(terms.shape[1], dtype=np.uint64)
    for number, term in enumerate(terms):
        own = scramble(np.array([salt + np.uint64(number)], dtype=np.uint64))
        hashed = scramble(np.ascontiguousarray(term).view(np.uint64) ^ own)
        total += np.where(term == 0, np.uint64(0), hashed)
    return total
