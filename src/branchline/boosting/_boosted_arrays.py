"""Fitted boosting is arrays: the trees of all rounds, and what each leaf adds to a score.

1. Round r has a tree for each of K outputs: tree t adds to output t mod K.
2. Tests are those of ``CodedTrees``. A leaf holds the value that it adds (shrinkage included, in 32
   bits) and its cover, the weight of the rows it was grown on.
3. The raw score of a row is the initial score plus its leaves' values, added tree by tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import native_columns
from branchline._trees._coded_trees import CodedTrees
from branchline._trees._tree_arrays import LEAF
from branchline.boosting._linear_leaves import LinearTerms
from branchline.table import Table

__all__ = ["BoostedArrays"]

Floats = npt.NDArray[np.float64]

_LARGE = 1000
_MOST = np.finfo(np.float64).max


@dataclass(frozen=True, eq=False)
class BoostedArrays(CodedTrees):
    """The trees of a boosted model.

    Parameters
    ----------
    value
        What each leaf adds, in units of 2 to the power ``exponent``.
    cover
        The weight of the rows in each leaf.
    exponent
        Targets of any size then fit 32 bits.
    initial
        The score of every row before the first round, for each output.
    terms
        The terms of leaves that are linear sums; None: leaves are constant.
    """

    of_leaves: ClassVar[tuple[str, ...]] = ("value", "cover")

    value: npt.NDArray[np.float32]
    cover: npt.NDArray[np.float32]
    exponent: int
    initial: Floats
    terms: LinearTerms | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what makes up the trees; the rest is worked out anew, and checked."""
        from branchline.boosting._boosted_state import pack_alone, unpack_alone

        return unpack_alone, (pack_alone(self),)

    @property
    def leaf_value(self) -> Floats:
        """One row a leaf: what it adds."""
        return np.ldexp(self.value.astype(np.float64), self.exponent)[:, None]

    def in_units_of(self, exponent: int) -> "BoostedArrays":
        """Return the same trees with values in larger units."""
        assert self.terms is None, "a warm start of linear leaves is refused"
        value = np.ldexp(self.value, self.exponent - exponent)
        return replace(self, value=value.astype(np.float32), exponent=exponent)

    @property
    def n_outputs(self) -> int:
        """The scores of a row."""
        return len(self.initial)

    @property
    def n_rounds(self) -> int:
        """The number of rounds."""
        return self.n_trees // self.n_outputs

    def scores(self, table: Table, n_threads: int) -> Floats:
        """Return the raw scores: a row for each output."""
        if self.terms is not None:
            return next(self._linear_scores(table, n_threads, in_stages=False))
        columns, n_categories = native_columns(table, self.pooling)
        sums = self.walker.sum(columns, n_categories, n_threads, 0, -1, self.n_outputs)
        return self._raw(sums)

    def scores_of_few(self, matrix: npt.NDArray[Any]) -> Floats | None:
        """Return the same for a few rows of plain floats, or None when a number is infinite."""
        if self.terms is not None:
            return None
        sums = self.walker.sum_of_few(matrix, self.n_outputs)
        return None if sums is None else self._raw(sums)

    def _raw(self, sums: Floats) -> Floats:
        by_output = np.ascontiguousarray(sums.reshape(-1, self.n_outputs).T)
        if self.exponent < _LARGE:
            return by_output + self.initial[:, None]
        with np.errstate(over="ignore"):  # targets near the largest number there is
            return np.clip(by_output + self.initial[:, None], -_MOST, _MOST)

    def staged_scores(self, table: Table, n_threads: int) -> Iterator[Floats]:
        """Yield the raw scores after each round; the array is the same one every time."""
        if self.terms is not None:
            yield from self._linear_scores(table, n_threads, in_stages=True)
            return
        columns, n_categories = native_columns(table, self.pooling)
        k = self.n_outputs
        sums = np.zeros((k, table.n_rows))
        for first in range(0, self.n_trees, k):
            more = self.walker.sum(columns, n_categories, n_threads, first, k, k)
            sums += more.reshape(-1, k).T
            yield self._raw(np.ascontiguousarray(sums.T))

    def add_to(self, raw: Floats, table: Table, n_threads: int) -> None:
        """Add the values of leaves to scores, tree by tree: as fitting does, to the last bit."""
        columns, n_categories = native_columns(table, self.pooling)
        k = self.n_outputs
        for first in range(0, self.n_trees, k):
            raw += self.walker.sum(columns, n_categories, n_threads, first, k, k).reshape(-1, k).T

    def attributions(self, table: Table, n_threads: int) -> Floats:
        """Return the Shapley values of each row, output and column; at last what all rows share."""
        columns, n_categories = native_columns(table, self.pooling)
        k = self.n_outputs
        shares = _core.attributions(self._attributed(), columns, n_categories, n_threads).reshape(
            table.n_rows, k, self.n_columns + 1
        )
        shares[:, :, -1] += self.initial
        if self.terms is not None:
            shares += self._attributions_of_terms(columns, n_categories, shares.shape, n_threads)
        return shares

    def _attributed(self) -> _core.AttributedTrees:
        return _core.AttributedTrees(self.view(), self.cover.astype(np.float64), self.n_outputs)

    # -- leaves that are sums -----------------------------------------------------------------

    def first(self, n_trees: int) -> Self:
        """Return the first trees alone."""
        some = super().first(n_trees)
        if self.terms is None:
            return some
        return replace(some, terms=self.terms.of_leaves(int(self.first_leaf[n_trees])))

    def _linear_scores(self, table: Table, n_threads: int, *, in_stages: bool) -> Iterator[Floats]:
        """Yield the raw scores after each round, or after all: added as fitting does."""
        terms, k = self.terms, self.n_outputs
        assert terms is not None
        used, place = np.unique(terms.column.astype(np.int64), return_inverse=True)
        native = terms.native(place.astype(np.uint32))
        value = self.value.astype(np.float64)
        leaf_of_node = (np.cumsum(self.kind == LEAF) - 1).astype(np.int32)
        leaves = self.find_leaves(table, n_threads) + self.first_node[:-1]
        leaves = leaf_of_node[leaves]
        z = terms.z_of(table, used)
        raw = np.repeat(np.ldexp(self.initial, -self.exponent)[:, None], table.n_rows, axis=1)
        step = k if in_stages else self.n_trees
        for begin in range(0, self.n_trees, step):
            if table.n_rows:
                some = np.ascontiguousarray(leaves[:, begin : begin + step]).reshape(-1)
                _core.add_linear_trees(native, value, some, z, raw, n_threads)
            with np.errstate(over="ignore"):  # targets near the largest number there is
                yield np.clip(np.ldexp(raw, self.exponent), -_MOST, _MOST)

    def _attributions_of_terms(
        self, columns: list[Any], n_categories: Any, shape: tuple[int, ...], n_threads: int
    ) -> Floats:
        terms = self.terms
        assert terms is not None
        shares = np.zeros(shape)
        _core.attribute_terms(
            self._attributed(),
            _core.ScaledTerms(terms.native(terms.column), terms.middle, terms.half),
            columns,
            n_categories,
            shares.reshape(-1),
            n_threads,
        )
        return np.ldexp(shares, self.exponent)
