"""A kernel that has seen training rows: it knows columns, scales and the number gamma became.

1. ``prepare`` turns a table into ``Points``: one part for each leaf of the formula.
2. ``gram``, ``diag`` and ``sums`` compute on points alone.
3. ``pack`` gives the formula and what each leaf has learned as plain values; ``unpack_kernel``
   (``_packed_kernel.py``) checks them.

A fitted kernel never changes. A leaf (``FittedLeaf``) has one part; the nodes of the algebra
(``_fitted_algebra.py``) hand to each of their children the parts that belong to it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import Floats
from branchline._encoding._block import Options
from branchline._encoding._table_encoder import options_of
from branchline._memory import refuse_over_budget
from branchline._one_thread import limit_threads
from branchline._state import malformed
from branchline._validation import RowWeights, TrainingData
from branchline.encoding import TableEncoder
from branchline.errors import DataError
from branchline.kernels._points import Part, Parts, Points, plain_state
from branchline.table import Schema, Table

if TYPE_CHECKING:
    from branchline.kernels._kernel import Kernel

__all__ = ["FittedKernel", "FittedLeaf", "Fitting", "finite"]

# Blocks of kernel values that are held at a time, whatever the number of threads.
_BLOCK_CELLS = 2**22
_LARGEST = float(np.finfo(np.float64).max)
_FEW_VALUES = 16


@dataclass(frozen=True, eq=False)
class Fitting:
    """What a kernel learns from.

    Parameters
    ----------
    table
        The training rows.
    weights
        The weight of each row.
    encoder
        How number kernels turn the table into numbers; its scale "none" leaves them as they are.
    """

    table: Table
    weights: Floats
    encoder: TableEncoder

    @property
    def schema(self) -> Schema:
        """The columns of the training rows."""
        return self.table.schema

    def options(self) -> Options:
        """Return how columns are encoded, given how much the rows weigh in all."""
        n_rows = self.table.n_rows
        unit = float(self.weights.sum()) / max(1, n_rows)
        rows = TrainingData(self.table, None, RowWeights(unit=unit))
        return options_of(self.encoder, rows)


@dataclass(frozen=True, eq=False)
class FittedKernel(ABC):
    """A kernel that can be evaluated on rows of one schema.

    Parameters
    ----------
    kernel
        The formula that was fitted.
    schema
        The columns of the training rows.

    See Also
    --------
    Kernel : ``fit`` returns it.
    Trainable : ``at`` returns it.
    unpack_kernel : check a packed fitted kernel against its columns and return it.

    Examples
    --------
    >>> from branchline import Table
    >>> from branchline.kernels import RBF
    >>> table = Table([[0.0], [1.0]])
    >>> fitted = RBF(gamma=0.5).fit(table)
    >>> points = fitted.prepare(table)
    >>> fitted.gram(points, points).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """

    kernel: "Kernel"
    schema: Schema

    @property
    def reads_text(self) -> bool:
        """Whether texts are read as they are, so that no schema may be applied to them before."""
        return False

    @property
    @abstractmethod
    def n_parts(self) -> int:
        """How many leaves the formula has."""

    @property
    def form(self) -> Any:
        """The native form of a kernel that is one number kernel on one matrix; else None."""
        return None

    def prepare(self, table: Table) -> Points:
        """Return the rows of a table, whose columns are found by name (or place, without names).

        Tables may come as they are: leaves apply the schema to the columns that they take. A text
        that was unseen in training is lost in a table to which the schema was applied before.
        """
        if not (self.schema.named and table.schema.named) and table.names != self.schema.names:
            table = self.schema._by_position(table)
        return Points(self._prepare(table), table.n_rows)

    def gram(self, a: Points, b: Points, *, n_threads: int = 1) -> Floats:
        """Return K(a_i, b_j). Give the same object twice when a and b are the same rows."""
        refuse_over_budget(8 * len(a) * len(b), "the kernel matrix")
        return finite(self._gram(a.parts, b.parts, (len(a), len(b)), n_threads))

    def diag(self, a: Points) -> Floats:
        """Return K(a_i, a_i)."""
        return finite(self._diag(a.parts, len(a)))

    def diag_of_new(self, a: Points) -> Floats:
        """Return K(a_i, a_i) of rows to predict: at most the largest number, refused never."""
        found: Floats = np.nan_to_num(self._diag(a.parts, len(a)), nan=_LARGEST)
        return found

    def sums(
        self,
        a: Points,
        b: Points,
        coefficients: Floats,
        *,
        n_threads: int = 1,
        single: bool = False,
    ) -> Floats:
        """Return Σ_j K(a_i, b_j) coefficients[j, c], without ever holding the whole matrix.

        ``single`` lets number kernels compute kernel values in single precision; sums are double.
        """
        del single  # a matter of number kernels
        step = max(1, _BLOCK_CELLS // max(1, len(b)))
        sums = np.zeros((len(a), coefficients.shape[1]))
        for first in range(0, len(a), step):
            rows = slice(first, first + step)
            block = self.gram(a.take(rows), b, n_threads=n_threads)
            with limit_threads("blas"):
                sums[rows] = block @ coefficients
        return sums

    # -- saving -------------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return the formula and what its leaves have learned, as plain values.

        Functions and fitted models stay objects in arrays, which no model file takes.
        """
        from branchline.kernels._packed_kernel import pack_formula

        return {
            "formula": pack_formula(self.kernel, live=True),
            "learnt": self._learned(),
        }  # words: ok

    def unpack_points(self, state: Any) -> Points:
        """Check packed points and return them."""
        state = plain_state(state, {"parts", "n_rows"})
        packed, n_rows = state["parts"], state["n_rows"]
        if type(n_rows) is not int or n_rows < 0:
            raise malformed("a number of rows is not whole")
        if not isinstance(packed, list) or len(packed) != self.n_parts:
            raise malformed("prepared rows have another number of parts than their kernel")
        parts = self._unpack_parts(packed)
        if any(len(part) != n_rows for part in parts):
            raise malformed("parts of prepared rows are of different lengths")
        return Points(parts, n_rows)

    # -- what leaves and nodes of the algebra define ------------------------------------------

    @abstractmethod
    def _prepare(self, table: Table) -> Parts: ...

    @abstractmethod
    def _gram(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> Floats: ...

    @abstractmethod
    def _diag(self, a: Parts, n_rows: int) -> Floats: ...

    @abstractmethod
    def _learned(self) -> list[dict[str, Any]]:
        """Return what each leaf has learned, in the order of the formula."""

    @abstractmethod
    def _unpack_parts(self, states: Sequence[Any]) -> Parts: ...


@dataclass(frozen=True, eq=False)
class FittedLeaf(FittedKernel):
    """A kernel that is not a combination of others: it has one part."""

    @property
    def n_parts(self) -> int:
        """One."""
        return 1

    @abstractmethod
    def _prepare_part(self, table: Table) -> Part:
        """Return what the kernel needs of each row."""

    @abstractmethod
    def _part_gram(self, a: Any, b: Any, n_threads: int) -> Floats:
        """Return K(a_i, b_j); ``b is a`` when both are the same rows."""

    @abstractmethod
    def _part_diag(self, a: Any) -> Floats:
        """Return K(a_i, a_i)."""

    @abstractmethod
    def _unpack_part(self, state: Any) -> Part:
        """Check a packed part and return it."""

    def _learn(self) -> Mapping[str, Any]:
        """Return what the leaf has learned as plain values; by default nothing."""
        return {}

    def _prepare(self, table: Table) -> Parts:
        return (self._prepare_part(table),)

    def _gram(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> Floats:
        return self._part_gram(a[0], b[0], n_threads)

    def _diag(self, a: Parts, n_rows: int) -> Floats:
        return self._part_diag(a[0])

    def _learned(self) -> list[dict[str, Any]]:
        return [dict(self._learn())]

    def _unpack_parts(self, states: Sequence[Any]) -> Parts:
        return (self._unpack_part(states[0]),)


def finite(values: Floats) -> Floats:
    """Return kernel values, or refuse those that are too large for a number.

    The core writes the largest number for what is larger; NumPy writes infinity.
    """
    if values.size <= _FEW_VALUES and all(abs(v) < _LARGEST for v in values.ravel().tolist()):
        return values
    if values.size == 0 or max(values.max(), -values.min()) < _LARGEST:  # no, where one is NaN
        return values
    rows = np.unique(np.argwhere(~(np.abs(values) < _LARGEST))[:, 0])
    raise DataError(
        "The kernel has values that are not finite numbers: its inputs are too large for its "
        "degree or its factors. Standardize the columns, or use a smaller gamma or degree.",
        code="D163",
        rows=rows[:5],
        n_rows=len(rows),
    )
