"""Compiled kernels of Branchline. Private: no checks beyond shapes."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def cpu_levels() -> list: ...

def fit_codes(columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, max_bins: int, n_threads: int) -> list:
    """Learn codes; per column: codes, lowest and highest value of each code."""

def apply_codes(columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: list, highest: list, cpu_level: int, n_threads: int) -> list:
    """Encode new values with codes learnt earlier."""

def philox(counter: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], key: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """One block of the counter-based generator Philox 4×64-10."""

def row_keys(columns: list, target: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """A hash of each row's codes and target."""

def first_copies(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The number of each row's first copy among the rows with its key."""

def bootstrap_counts(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, task: int, n_threads: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """Poisson(1) draws summed over each row's copies."""

class SearchOptions:
    def __init__(self) -> None: ...

    @property
    def criterion(self) -> int: ...

    @criterion.setter
    def criterion(self, arg: int, /) -> None: ...

    @property
    def multiway(self) -> bool: ...

    @multiway.setter
    def multiway(self, arg: bool, /) -> None: ...

    @property
    def min_branch_units(self) -> int: ...

    @min_branch_units.setter
    def min_branch_units(self, arg: int, /) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

class SearchTarget:
    """Class of each row, or fixed-point sum of each row, and units."""

    def __init__(self, class_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sum_of_row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int) -> None: ...

class FoundTest:
    @property
    def column(self) -> int: ...

    @property
    def is_threshold(self) -> bool: ...

    @property
    def left_code(self) -> int: ...

    @property
    def right_code(self) -> int: ...

    @property
    def n_branches(self) -> int: ...

    @property
    def missing_branch(self) -> int: ...

    @property
    def gain(self) -> float: ...

    @property
    def branch_of_code(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """A copy: the branch of each code, −1 for none."""

def find_test(codes: list, n_codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_category: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], target: SearchTarget, options: SearchOptions) -> FoundTest:
    """The best test of a node that holds all rows."""

class BorrowedTree:
    def __init__(self, kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_branch: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pool_offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pool: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def find_leaves(self, columns: list, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The node that each row ends in."""
