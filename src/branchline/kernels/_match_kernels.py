"""Kernels of matching: the share of columns, or of trees, in which two rows agree.

- ``Hamming``: matches / columns; with ``decay`` θ, θ^(mismatches).
- ``TreeKernel``: the share of a model's trees in whose leaf both rows fall.

A missing value matches nothing, not even another missing value. Neither does a category unseen in
training. Both kernels stay positive semidefinite: a column stands for the product of two vectors,
indicators of the value and 0 for a missing value. So K(o, o) is below 1 for a row with missing
values; ``normalized()`` makes it 1 again.
For the decay, a column's matrix is θ + (1 − θ) × matches, and products of such are Mercer kernels.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Estimator
from branchline._state import malformed
from branchline._validation import AnyOf, OneOf, Real, check_parameters
from branchline.errors import ParameterError, Repair
from branchline.kernels._checks import check_columns
from branchline.kernels._fitted_kernel import FittedKernel, FittedLeaf, Fitting
from branchline.kernels._kernel import Kernel
from branchline.kernels._number_columns import apply_columns, schema_of
from branchline.kernels._points import MatchPart, plain_state
from branchline.table import Schema, Table

__all__ = ["Hamming", "TreeKernel", "count_matches"]

Ranks = npt.NDArray[Any]

# Cells that are compared at a time: they stay in the processor's cache.
_BLOCK_CELLS = 2**17


@dataclass(frozen=True, init=False, repr=False)
class Hamming(Kernel):
    """The share of columns in which two rows have the same value.

    Parameters
    ----------
    columns
        Names of the columns to compare, categories or numbers; none: all.
    decay
        None (default): matches / columns. A number θ from 0 to 1: θ^(mismatches), which is 1 for
        equal rows and falls by θ for each column that differs.

    See Also
    --------
    RBF : exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).
    Intersection : Σ min(x, z).

    Examples
    --------
    >>> from branchline.kernels import Hamming
    >>> Hamming().gram({"color": ["red", "red"], "town": ["Mons", "Gent"]}).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """

    columns: tuple[str, ...]
    decay: float | None

    def __init__(self, *columns: str, decay: float | None = None) -> None:
        check_columns("Hamming", columns)
        allowed = AnyOf((OneOf((None,)), Real(0, 1)))
        check_parameters("Hamming", {"decay": decay}, {"decay": allowed})
        object.__setattr__(self, "columns", tuple(columns))
        object.__setattr__(self, "decay", None if decay is None else float(decay))

    @classmethod
    def _from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        check_columns("Hamming", parameters["columns"])
        return cls(*parameters["columns"], decay=parameters["decay"])

    def _fit(self, fitting: Fitting) -> FittedKernel:
        return FittedHamming(self, fitting.schema, schema_of(fitting.schema, self.columns))

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        plain_state(next(learned, None), set())
        if any(name not in schema.position for name in self.columns):
            raise malformed("a kernel takes a column that is not there")
        return FittedHamming(self, schema, schema_of(schema, self.columns))

    def __repr__(self) -> str:
        shown = [repr(name) for name in self.columns]
        shown += [] if self.decay is None else [f"decay={self.decay!r}"]
        return f"Hamming({', '.join(shown)})"


@dataclass(frozen=True, eq=False)
class FittedHamming(FittedLeaf):
    """A Hamming kernel and the columns that it compares."""

    compared: Schema

    def _prepare_part(self, table: Table) -> MatchPart:
        columns = apply_columns(self.compared, table).columns
        cells = np.empty((len(columns), table.n_rows))
        for place, column in enumerate(columns):
            if column.kind == "category":
                cells[place] = np.where(column.values < 0, np.nan, column.values)
            else:
                cells[place] = column.numbers()
        return MatchPart(cells)

    def _part_gram(self, a: MatchPart, b: MatchPart, n_threads: int) -> Floats:
        return self._of_matches(count_matches(a, b))

    def _part_diag(self, a: MatchPart) -> Floats:
        return self._of_matches((~np.isnan(a.columns)).sum(axis=0).astype(np.float64))

    def _of_matches(self, matches: Floats) -> Floats:
        decay, n_columns = cast("Hamming", self.kernel).decay, max(1, len(self.compared))
        if decay is None:
            return matches / n_columns
        powers: Floats = decay ** np.arange(n_columns, -1.0, -1.0)
        return powers[matches.astype(np.intp)]

    def _unpack_part(self, state: Any) -> MatchPart:
        return unpack_matches(state, len(self.compared))


@dataclass(frozen=True, repr=False)
class TreeKernel(Kernel):
    """The share of trees of a fitted model in whose leaf both rows fall.

    Parameters
    ----------
    model
        A fitted tree, forest or boosted model: anything whose ``apply(X)`` gives the leaf of each
        row, one column per tree. The model is not copied; do not fit it again.

    See Also
    --------
    RandomForestClassifier : a random forest that predicts a class.
    Kernel : a formula of two rows, by which they are compared.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.forest import RandomForestClassifier
    >>> from branchline.kernels import TreeKernel
    >>> X, y = load_dataset("iris").split_target("species")
    >>> kernel = TreeKernel(RandomForestClassifier(n_estimators=10).fit(X, y))
    >>> kernel.gram(X.rows([0, 1, 149])).round(1).tolist()[0]
    [1.0, 1.0, 0.0]
    """

    model: Any

    def __post_init__(self) -> None:
        if not callable(getattr(self.model, "apply", None)):
            raise ParameterError(
                "A tree kernel needs a fitted model whose apply(X) gives the leaf of each row. "
                f"Got {self.model!r} instead.",
                code="P165",
                values=[self.model],
                repair=Repair("kernel = TreeKernel(RandomForestClassifier().fit(X, y))"),
            )

    def _fit(self, fitting: Fitting) -> FittedKernel:
        return FittedTrees(self, fitting.schema)

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        plain_state(next(learned, None), set())
        return FittedTrees(self, schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeKernel) and self.model is other.model

    def __hash__(self) -> int:
        return hash((TreeKernel, id(self.model)))

    def __repr__(self) -> str:
        return f"TreeKernel({type(self.model).__name__})"


@dataclass(frozen=True, eq=False)
class FittedTrees(FittedLeaf):
    """A tree kernel: it learns nothing more."""

    def _prepare_part(self, table: Table) -> MatchPart:
        model = cast("TreeKernel", self.kernel).model
        rows = table if isinstance(model, Estimator) else table.to_numpy()
        leaves = np.asarray(model.apply(rows)).reshape(table.n_rows, -1)
        return MatchPart(np.ascontiguousarray(leaves.T, dtype=np.float64))

    def _part_gram(self, a: MatchPart, b: MatchPart, n_threads: int) -> Floats:
        return count_matches(a, b) / max(1, len(a.columns))

    def _part_diag(self, a: MatchPart) -> Floats:
        return np.ones(len(a))

    def _unpack_part(self, state: Any) -> MatchPart:
        return unpack_matches(state, None)


def count_matches(a: MatchPart, b: MatchPart) -> Floats:
    """Return for each pair of rows the number of columns in which they are equal."""
    ranks = [_shared_ranks(*pair) for pair in zip(a.columns, b.columns, strict=True)]
    matches = np.empty((len(a), len(b)))
    counter = np.uint8 if len(ranks) < 256 else np.uint32
    step = max(1, _BLOCK_CELLS // max(1, len(b)))
    for first in range(0, len(a), step):
        rows = slice(first, first + step)
        counts = np.zeros(matches[rows].shape, dtype=counter)
        for of_a, of_b in ranks:
            counts += (of_a[rows, None] == of_b[None, :]).view(np.uint8)
        matches[rows] = counts
    return matches


def _shared_ranks(a: Floats, b: Floats) -> tuple[Ranks, Ranks]:
    """Return small whole numbers that are equal where cells are; missing values of a and b differ.

    Eight times as many of them as of floats are compared at a time.
    """
    values, ranks = np.unique(np.concatenate([a, b]), return_inverse=True, equal_nan=True)
    small = np.uint8 if len(values) < 255 else np.uint16 if len(values) < 65_535 else np.uint32
    of_a, of_b = ranks[: len(a)].astype(small), ranks[len(a) :].astype(small)
    of_a[np.isnan(a)], of_b[np.isnan(b)] = len(values), len(values) + 1
    return of_a, of_b


def unpack_matches(state: Any, n_columns: int | None) -> MatchPart:
    """Check packed columns, as many as are known to be there, and return them."""
    state = plain_state(state, {"columns", "holes"})
    cells, missing = state["columns"], state["holes"]
    is_block = isinstance(cells, np.ndarray) and isinstance(missing, np.ndarray)
    if not is_block or cells.dtype != np.float64 or missing.dtype != np.bool_:
        raise malformed("the columns of a kernel are not numbers and marks of missing values")
    if cells.ndim != 2 or cells.shape != missing.shape or n_columns not in (None, len(cells)):
        raise malformed("the columns of a kernel are too few or too many")
    if np.isnan(np.asarray(cells)).any():
        raise malformed("the columns of a kernel have missing values that are not marked")
    return MatchPart(np.where(np.asarray(missing), np.nan, np.asarray(cells)))
