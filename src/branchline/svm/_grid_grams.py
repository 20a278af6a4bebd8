"""The kernel matrices of a grid, with what they share computed once.

1. All kernels see the same canonical rows, so that the same folds serve all of them.
2. RBF kernels by name are functions of one matrix of squared distances.
3. Every other kernel is fitted to the rows and gives its own matrix.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from branchline import _core
from branchline._arrays import Floats
from branchline._memory import refuse_over_budget
from branchline._validation import TrainingData
from branchline.encoding import TableEncoder
from branchline.kernels import RBF, kernel_of
from branchline.svm._grid_kernels import KernelSettings, own_parameters
from branchline.svm._kernel_rows import KernelRows, kernel_rows, with_kernel

__all__ = ["BYTES", "GridGrams", "rows_of_grid"]

# Distances, kernel values, and the parts that are being worked on: bytes for each pair of rows.
BYTES = 24


@dataclass(frozen=True, eq=False)
class GridGrams:
    """The kernel matrix of each row of a grid's scores.

    Parameters
    ----------
    rows
        The training rows; with an RBF kernel when a name has a gamma.
    data
        The rows as they were given.
    settings
        The kernels.
    standardize, encoder
        As in ``SVC``.
    """

    rows: KernelRows
    data: TrainingData
    settings: KernelSettings
    standardize: bool
    encoder: TableEncoder | None

    def stack(self, which: Iterable[int]) -> Floats:
        """Return some of the matrices, one behind the other."""
        what = "the matrices of distances and kernel values"
        refuse_over_budget(BYTES * len(self.rows) ** 2, what)
        places = list(which)
        grams = np.empty((len(places), len(self.rows), len(self.rows)))
        for at, k in enumerate(places):
            grams[at] = self._gram(k)
        return grams

    def _gram(self, k: int) -> Floats:
        settings, n_threads = self.settings, self.rows.n_threads
        if _is_named(settings, k, "rbf"):
            gamma = float(settings.gammas[k])
            return _core.rbf_of_distances_double(self._distances, gamma, n_threads)
        seen = with_kernel(
            self.rows, self.data, settings.kernel(k),
            standardize=self.standardize, encoder=self.encoder,
        )  # fmt: skip
        return seen.gram

    @cached_property
    def _distances(self) -> Floats:
        matrix = self.rows.points.matrix
        return _core.squared_distances_double(matrix, matrix, self.rows.n_threads)


def _is_named(settings: KernelSettings, k: int, name: str) -> bool:
    listed = settings.listed[settings.member[k]]
    return isinstance(listed, str) and listed == name


def rows_of_grid(
    data: TrainingData,
    listed: tuple[Any, ...],
    n_threads: int,
    *,
    standardize: bool,
    encoder: TableEncoder | None,
) -> KernelRows:
    """Return the training rows: as RBF sees them when a gamma is tried, else as the first kernel.

    The RBF kernel has gamma="scale", of which relative gammas are multiples.
    """
    has_gamma = any("gamma" in own_parameters(one) for one in listed)
    kernel = RBF() if has_gamma else kernel_of(listed[0])
    return kernel_rows(data, kernel, n_threads, standardize=standardize, encoder=encoder)
