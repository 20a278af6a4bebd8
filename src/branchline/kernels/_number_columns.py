"""The columns that a number kernel takes, and how they become numbers.

1. The columns that were named, or all of them, in the order of the table.
2. Standardized (or as the encoder says): ``branchline.encoding``, as for every learner on numbers.
3. As they are: every column of numbers stands for itself, constant ones too (a linear kernel sees
   them); categories become indicators; a missing value takes the weighted median and, where
   training rows had missing values, is marked by an indicator.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._encoding._block import Block, Options
from branchline._encoding._category_block import fit_category
from branchline._encoding._encoding import Encoding, fit_encoding
from branchline._encoding._number_block import NumberBlock, known_numbers
from branchline._encoding._number_matrix import contiguous_columns
from branchline._encoding._number_scales import weighted_median
from branchline._encoding._sparse_columns import SparseColumns
from branchline._memory import refuse_over_budget
from branchline._names import no_such_column
from branchline._one_thread import limit_threads
from branchline._state import malformed
from branchline.kernels._fitted_kernel import Fitting
from branchline.kernels._points import DensePart, plain_state
from branchline.table import Column, Schema, Table

__all__ = ["NumberColumns", "apply_columns", "fit_number_columns", "schema_of"]


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """How some columns of a table become a dense matrix.

    Parameters
    ----------
    schema
        The columns that are taken.
    encoding
        How they become numbers; its places are those of ``schema``.
    """

    schema: Schema
    encoding: Encoding

    @property
    def width(self) -> int:
        """How many numbers a row becomes."""
        return self.encoding.width

    def encode(self, table: Table) -> DensePart:
        """Return the numbers of each row."""
        refuse_over_budget(8 * table.n_rows * self.width, "the encoded table")
        matrix = self.encoding.encode(apply_columns(self.schema, table))
        dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        return DensePart(np.ascontiguousarray(dense, dtype=np.float64))

    def pack(self) -> dict[str, Any]:
        """Return the encoding as plain values; the columns follow from the formula."""
        return {"encoding": dict(self.encoding.pack())}

    @staticmethod
    def unpack(state: Any, schema: Schema, names: tuple[str, ...]) -> "NumberColumns":
        """Check packed values and return the columns."""
        if any(name not in schema.position for name in names):
            raise malformed("a kernel takes a column that is not there")
        taken = schema_of(schema, names)
        packed = plain_state(state, {"encoding"})["encoding"]
        return NumberColumns(taken, Encoding.unpack(packed, taken))


def fit_number_columns(
    fitting: Fitting, names: tuple[str, ...]
) -> tuple[NumberColumns, Floats | None]:
    """Learn how columns become numbers; return the numbers, too, where they were made."""
    taken = schema_of(fitting.schema, names)
    table = apply_columns(taken, fitting.table)
    options = fitting.options()
    if options.scale == "none":
        return NumberColumns(taken, _as_they_are(table, fitting.weights, options)), None
    with limit_threads("blas"):  # means of columns: bits must not depend on threads
        encoding, matrix = fit_encoding(table, fitting.weights, options)
    is_dense = isinstance(matrix, np.ndarray)
    return NumberColumns(taken, encoding), matrix if is_dense else None


def schema_of(schema: Schema, names: tuple[str, ...]) -> Schema:
    """Return the schema of the named columns, in the table's order; of all without names."""
    for name in names:
        if name not in schema.position:
            raise no_such_column(name, schema.names)
    if not names:
        return schema
    return Schema(tuple(field for field in schema if field.name in names), schema.named)


def apply_columns(schema: Schema, table: Table) -> Table:
    """Return the columns of a schema, in its codes, from a table that may have others too."""
    if table.names != schema.names and set(schema.names) <= set(table.names):
        table = table.select(schema.names)
    return schema.apply(table)


def _as_they_are(table: Table, weights: Floats, options: Options) -> Encoding:
    if table.sparse is not None:
        places = np.arange(table.n_columns, dtype=np.int64)
        columns = SparseColumns(places, table.names, np.ones(table.n_columns))
        return Encoding((), columns, np.zeros(table.n_columns))
    blocks: list[Block] = []
    for place, column in enumerate(contiguous_columns(table)):
        block = _block(place, column, weights, options)
        if block is not None:
            blocks.append(block)
    draft = Encoding(tuple(blocks), None, np.zeros(0))
    return Encoding(draft.blocks, None, np.zeros(draft.width))


def _block(place: int, column: Column, weights: Floats, options: Options) -> Block | None:
    if column.kind == "category":
        return fit_category(place, column, weights, options)
    present, of_present, missing_weight = known_numbers(column, weights)
    fill = weighted_median(present, of_present) if len(present) else 0.0
    marked = bool(options.indicators and missing_weight >= options.rare and len(present))
    return NumberBlock(place, column.name, 0, 0.0, 1.0, fill, marked)
