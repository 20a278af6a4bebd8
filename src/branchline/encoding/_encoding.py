"""A fitted encoding: from a table in the model's schema to a matrix of numbers.

1. Every column has a block (number, category, date parts) or none, when it says nothing.
2. ``encode`` puts the blocks side by side: a dense matrix, or a sparse one when it is large and
   most of it indicators.
3. ``terms`` says what each column of the matrix stands for; ``mean`` is its training mean.
A large sparse table keeps its zeros: its columns are divided by their spread, not centred.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._memory import refuse_over_budget
from branchline._state import malformed, numbers_from_state
from branchline.encoding._block import LARGEST, Block, Floats, Options, Term
from branchline.encoding._category_block import CategoryBlock, fit_category
from branchline.encoding._date_block import DateBlock, fit_date
from branchline.encoding._number_block import NumberBlock, fit_number
from branchline.encoding._number_matrix import (
    contiguous_columns,
    encode_matrix,
    is_matrix_of_numbers,
)
from branchline.encoding._sparse_columns import SparseColumns, fit_sparse_columns
from branchline.table import Schema, Table

__all__ = ["Encoding", "fit_encoding", "means_from_state"]

# Matrices of more cells than this may be sparse.
_DENSE_CELLS = 2**22
_SPARSE_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class Encoding:
    """How a table becomes a matrix.

    Parameters
    ----------
    blocks
        The encoding of each column that says something, in the order of columns.
    sparse_columns
        The scales of a large sparse table, which has no blocks.
    mean
        The weighted mean of each term over the training rows.
    """

    blocks: tuple[Block, ...]
    sparse_columns: SparseColumns | None
    mean: Floats

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """What each column of the matrix stands for."""
        if self.sparse_columns is not None:
            return self.sparse_columns.terms
        return tuple(term for block in self.blocks for term in block.terms)

    @property
    def width(self) -> int:
        """The number of terms."""
        if self.sparse_columns is not None:  # of which there are many, and their names wait
            return len(self.sparse_columns.places)
        return len(self.terms)

    def column_of_term(self, schema: Schema) -> npt.NDArray[np.intp]:
        """Return where each term's column stands in the table."""
        return np.array([schema.position[term.column] for term in self.terms], dtype=np.intp)

    def encode(self, table: Table) -> Any:
        """Return the matrix of a table that has the schema of the training rows."""
        if self.sparse_columns is not None:
            return self.sparse_columns.encode(table)
        if self._is_sparse(table.n_rows):
            return self._encode_sparse(table)
        refuse_over_budget(8 * table.n_rows * self.width, "the encoded table")
        if is_matrix_of_numbers(self.blocks, table):
            return encode_matrix(self.blocks, table)
        matrix = np.empty((table.n_rows, self.width))
        at = 0
        for block in self.blocks:
            numbers = block.encode(table.column(table.names[block.place]))
            matrix[:, at : at + numbers.shape[1]] = numbers
            at += numbers.shape[1]
        return matrix

    def _is_sparse(self, n_rows: int) -> bool:
        if n_rows * self.width <= _DENSE_CELLS:
            return False
        n_filled = sum(
            1 if isinstance(block, CategoryBlock) else len(block.terms) for block in self.blocks
        )
        return n_filled / self.width < _SPARSE_SHARE

    def _encode_sparse(self, table: Table) -> Any:
        parts = []
        for block in self.blocks:
            column = table.column(table.names[block.place])
            parts.append(sparse.csc_array(block.encode(column)))
        return sparse.hstack(parts, format="csr")

    # -- saving -------------------------------------------------------------------------------

    def pack(self) -> Mapping[str, Any]:
        """Return the encoding as plain values."""
        columns = self.sparse_columns
        return {
            "blocks": [dict(block.pack()) for block in self.blocks],
            "sparse_columns": None if columns is None else dict(columns.pack()),
            "mean": self.mean,
        }

    @staticmethod
    def unpack(state: Any, schema: Schema) -> "Encoding":
        """Check packed values and return the encoding."""
        if not isinstance(state, dict) or set(state) != {"blocks", "sparse_columns", "mean"}:
            raise malformed("an encoding lacks a part, or has one too many")
        columns, packed = state["sparse_columns"], state["blocks"]
        if not isinstance(packed, list) or (columns is not None and packed):
            raise malformed("the blocks of an encoding are no list")
        scales = None if columns is None else SparseColumns.unpack(columns, schema)
        blocks = tuple(_unpack_block(block, schema) for block in packed)
        places = [(block.place, isinstance(block, DateBlock)) for block in blocks]
        if places != sorted(set(places)):
            raise malformed("the blocks of an encoding are not in the order of columns")
        terms = scales.terms if scales is not None else [t for b in blocks for t in b.terms]
        return Encoding(blocks, scales, means_from_state(state, len(terms)))


def means_from_state(state: Mapping[str, Any], n_terms: int) -> Floats:
    """Return the means of encoded terms, which are no larger than the terms themselves."""
    return numbers_from_state(state, "mean", length=n_terms, low=-LARGEST, high=LARGEST)


def fit_encoding(table: Table, weights: Floats, options: Options) -> tuple[Encoding, Any]:
    """Learn an encoding from training rows; return it and their matrix."""
    if table.sparse is not None and table.n_rows * table.n_columns > _DENSE_CELLS:
        columns = fit_sparse_columns(table, weights, options)
        return _with_mean((), columns, table, weights)
    blocks: list[Block] = []
    for place, column in enumerate(contiguous_columns(table)):
        blocks.extend(_fit_blocks(place, column, weights, options))
    return _with_mean(blocks, None, table, weights)


def _with_mean(
    blocks: Sequence[Block], columns: SparseColumns | None, table: Table, weights: Floats
) -> tuple[Encoding, Any]:
    draft = Encoding(tuple(blocks), columns, np.zeros(0))
    matrix = draft.encode(table)
    mean = np.asarray(weights @ matrix / weights.sum()) if draft.width else np.zeros(0)
    return Encoding(draft.blocks, columns, mean), matrix


def _fit_blocks(place: int, column: Any, weights: Floats, options: Options) -> list[Block]:
    if column.kind == "category":
        found: list[Block | None] = [fit_category(place, column, weights, options)]
    else:
        found = [fit_number(place, column, weights, options), fit_date(place, column, options)]
    return [block for block in found if block is not None]


def _unpack_block(state: Any, schema: Schema) -> Block:
    place = state.get("place") if isinstance(state, dict) else None
    if type(place) is not int or not 0 <= place < len(schema):
        raise malformed("a block of an encoding belongs to no column")
    field = schema.fields[place]
    is_category, kind = field.type.kind == "category", state.get("kind")
    if not isinstance(kind, str):
        raise malformed("a block of an encoding is of no kind")
    if kind == "category" and is_category:
        block: Block = CategoryBlock.unpack(state, place, field.name, field.type)
    elif kind == "number" and not is_category:
        block = NumberBlock.unpack(state, place, field.name)
    elif kind == "date" and field.type.source in {"date", "datetime", "time"}:
        block = DateBlock.unpack(state, place, field.name, field.type.source)
    else:
        raise malformed("a block of an encoding is not of its column's kind")
    if set(block.pack()) != set(state):
        raise malformed("a block of an encoding has parts that nothing uses")
    return block
