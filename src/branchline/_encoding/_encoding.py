"""A fitted encoding: from a table in the model's schema to a matrix of numbers.

1. Every column has a block (number, category, date parts) or none, when it says nothing.
2. ``encode`` puts the blocks side by side: a dense matrix, or a sparse one when it is large and
   most of it indicators.
3. ``terms`` says what each column of the matrix stands for; ``mean`` is its training mean.
A large sparse table keeps its zeros: its columns are divided by their spread, not centerd.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline import _core
from branchline._arrays import Floats
from branchline._encoding._block import LARGEST, Block, Options, Term
from branchline._encoding._category_block import CategoryBlock, fit_category
from branchline._encoding._column_terms import column_terms, is_scalable, usable
from branchline._encoding._date_block import DateBlock, fit_date
from branchline._encoding._number_block import NumberBlock
from branchline._encoding._number_blocks import (
    MANY,
    NumberBlocks,
    blocks_as_arrays,
    fit_number_blocks,
)
from branchline._encoding._number_matrix import encode_matrix
from branchline._encoding._sparse_columns import SparseColumns, fit_sparse_columns
from branchline._memory import refuse_over_budget
from branchline._one_thread import one_thread_for
from branchline._state import malformed, numbers_from_state
from branchline.table import Schema, Table

__all__ = ["Encoding", "fit_encoding", "means_from_state"]

# Matrices of more cells than this may be sparse.
_DENSE_CELLS = 2**22
_SPARSE_SHARE = 0.2
# Of so few rows, a step for each column costs more than the numbers themselves.
_FEW_ROWS = 64


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

    blocks: Sequence[Block]
    sparse_columns: SparseColumns | None
    mean: Floats

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """What each column of the matrix stands for."""
        if self.sparse_columns is not None:
            return self.sparse_columns.terms
        if isinstance(self.blocks, NumberBlocks):
            return self.blocks.terms
        return tuple(term for block in self.blocks for term in block.terms)

    @property
    def term_names(self) -> Sequence[str]:
        """What reports call each column of the matrix."""
        if isinstance(self.blocks, NumberBlocks):
            return self.blocks.names
        return [term.name for term in self.terms]

    @cached_property
    def width(self) -> int:
        """The number of terms."""
        # Of many columns the names wait until somebody asks for them.
        if self.sparse_columns is not None:
            return len(self.sparse_columns.places)
        if isinstance(self.blocks, NumberBlocks):
            return len(self.blocks)
        return sum(block.width for block in self.blocks)

    @cached_property
    def _plain(self) -> tuple[NumberBlock, ...]:
        """The columns that become a number and nothing else."""
        return tuple(b for b in self.blocks if isinstance(b, NumberBlock) and b.is_plain)

    @cached_property
    def _plain_arrays(self) -> NumberBlocks:
        return blocks_as_arrays(self._plain)

    @property
    def units(self) -> tuple[Floats, Floats]:
        """Of each term, how much of the original unit one step is, and what is encoded as 0."""
        if isinstance(self.blocks, NumberBlocks):
            return self.blocks.units
        unit = np.array([term.unit for term in self.terms], dtype=np.float64)
        return unit, np.array([term.center for term in self.terms], dtype=np.float64)

    def column_of_term(self, schema: Schema) -> npt.NDArray[np.intp]:
        """Return where each term's column stands in the table."""
        if isinstance(self.blocks, NumberBlocks):
            return self.blocks.places.astype(np.intp)
        return np.array([schema.position[term.column] for term in self.terms], dtype=np.intp)

    def encode(self, table: Table) -> Any:
        """Return the matrix of a table that has the schema of the training rows."""
        if self.sparse_columns is not None:
            return self.sparse_columns.encode(table)
        if self._is_sparse(table.n_rows):
            return self._encode_sparse(table)
        refuse_over_budget(8 * table.n_rows * self.width, "the encoded table", is_copy=True)
        if isinstance(self.blocks, NumberBlocks):
            return encode_matrix(self.blocks, table)
        is_few = table.n_rows <= _FEW_ROWS
        is_matrix = table.matrix is not None or table.sparse is not None
        if len(self._plain) == len(self.blocks) and (is_matrix or is_few):
            return encode_matrix(self._plain_arrays, table)
        is_worth = len(self._plain) >= MANY or (is_few and len(self._plain) > 1)
        return self._encode_blocks(table, self._plain if is_worth else ())

    def scores(self, table: Table, weights: Floats, bias: Floats) -> Floats | None:
        """Return b + Σ w_j z_j of each row and sum, without a matrix of terms; None: not known.

        Only for a matrix of many rows, of which every term is a number or marks missing ones.
        """
        matrix, terms = table.matrix, self._scored_terms
        if matrix is None or terms is None or len(matrix) <= _FEW_ROWS:
            return None
        return terms.scores(usable(matrix), np.ascontiguousarray(weights), bias)

    @cached_property
    def _scored_terms(self) -> _core.ColumnTerms | None:
        blocks = [block for block in self.blocks if is_scalable(block)]
        if self.sparse_columns is not None or not blocks or len(blocks) < len(self.blocks):
            return None
        ends = np.cumsum([block.width for block in blocks]).tolist()
        own = [(block, end - block.width) for block, end in zip(blocks, ends, strict=True)]
        return column_terms(own, np.array([block.place for block in blocks], dtype=np.int64))

    def __getstate__(self) -> dict[str, Any]:
        """Return what was learned: what is made of it for the core is made again."""
        return {name: kept for name, kept in self.__dict__.items() if name != "_scored_terms"}

    def _encode_blocks(self, table: Table, together: Sequence[NumberBlock]) -> Floats:
        """Return the blocks side by side; some numbers are encoded together, if there are many."""
        matrix = np.empty((table.n_rows, self.width))
        ends = np.cumsum([block.width for block in self.blocks]).tolist()
        end_of = {id(block): end for block, end in zip(self.blocks, ends, strict=True)}
        for block in self.blocks:
            if not (together and isinstance(block, NumberBlock) and block.is_plain):
                numbers = block.encode(table.column(table.names[block.place]))
                matrix[:, end_of[id(block)] - numbers.shape[1] : end_of[id(block)]] = numbers
        if together:
            where = [end_of[id(block)] - 1 for block in together]
            matrix[:, where] = encode_matrix(self._plain_arrays, table)
        return matrix

    def _is_sparse(self, n_rows: int) -> bool:
        if n_rows * self.width <= _DENSE_CELLS or isinstance(self.blocks, NumberBlocks):
            return False
        n_filled = sum(
            1 if isinstance(block, CategoryBlock) else block.width for block in self.blocks
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
        many = [self.blocks] if isinstance(self.blocks, NumberBlocks) else self.blocks
        return {
            "blocks": [dict(block.pack()) for block in many],
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
            raise malformed("the blocks of an encoding are not a list")
        scales = None if columns is None else SparseColumns.unpack(columns, schema)
        draft = Encoding(_unpack_blocks(packed, schema), scales, np.zeros(0))
        return Encoding(draft.blocks, scales, means_from_state(state, draft.width))


def means_from_state(state: Mapping[str, Any], n_terms: int) -> Floats:
    """Return the means of encoded terms, which are no larger than the terms themselves."""
    return numbers_from_state(state, "mean", length=n_terms, low=-LARGEST, high=LARGEST)


def fit_encoding(table: Table, weights: Floats, options: Options) -> tuple[Encoding, Any]:
    """Learn an encoding from training rows; return it and their matrix."""
    if table.sparse is not None and table.n_rows * table.n_columns > _DENSE_CELLS:
        columns = fit_sparse_columns(table, weights, options)
        return _with_mean((), columns, table, weights)
    numbers = fit_number_blocks(table, weights, options)
    others = _fit_others(table, weights, options)
    blocks = numbers if not others else _in_order([*numbers, *others])
    return _with_mean(blocks, None, table, weights)


def _with_mean(
    blocks: Sequence[Block], columns: SparseColumns | None, table: Table, weights: Floats
) -> tuple[Encoding, Any]:
    draft = Encoding(blocks, columns, np.zeros(0))
    matrix = draft.encode(table)
    with one_thread_for(matrix.size):
        mean = np.asarray(weights @ matrix / weights.sum()) if draft.width else np.zeros(0)
    return Encoding(draft.blocks, columns, mean), matrix


def _fit_others(table: Table, weights: Floats, options: Options) -> list[Block]:
    """Learn the blocks of categories, and of the parts of dates."""
    if table.matrix is not None:  # all of its columns are plain numbers
        return []
    found: list[Block | None] = []
    for place, field in enumerate(table.schema):
        if field.type.kind == "category":
            column = table.column(field.name)
            found.append(fit_category(place, column, weights, options))
        elif field.type.is_time:
            found.append(fit_date(place, table.column(field.name), options))
    return [block for block in found if block is not None]


def _in_order(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return blocks in the order of columns; of a date, the number comes first."""
    return tuple(sorted(blocks, key=lambda block: (block.place, isinstance(block, DateBlock))))


def _unpack_blocks(packed: list[Any], schema: Schema) -> Sequence[Block]:
    if len(packed) == 1 and isinstance(packed[0], dict) and packed[0].get("kind") == "numbers":
        return NumberBlocks.unpack(packed[0], schema)
    blocks = tuple(_unpack_block(block, schema) for block in packed)
    places = [(block.place, isinstance(block, DateBlock)) for block in blocks]
    if places != sorted(set(places)):
        raise malformed("the blocks of an encoding are not in the order of columns")
    return blocks


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
