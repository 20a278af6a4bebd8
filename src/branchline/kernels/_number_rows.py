"""Kernels of rows of numbers, computed by the compiled core: the one place that calls it.

The five forms, on rows x and z:

- linear      x·z
- polynomial  (γ x·z + c)^d
- rbf         exp(−γ ‖x − z‖²)
- laplacian   exp(−γ ‖x − z‖₁)
- sigmoid     tanh(γ x·z + c)
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from branchline import _core
from branchline._arrays import Floats
from branchline.kernels._points import DensePart

__all__ = ["KINDS", "NumberForm", "number_diag", "number_gram", "number_sums"]

# In the order of the core's ``KernelKind``.
KINDS = ("linear", "polynomial", "rbf", "laplacian", "sigmoid")


@dataclass(frozen=True)
class NumberForm:
    """A number kernel whose parameters are numbers."""

    kind: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 1

    def native(self) -> Any:
        """Return the form as the core knows it."""
        return _native_form(self.kind, self.gamma, self.coef0, self.degree)


@lru_cache(maxsize=64)
def _native_form(kind: str, gamma: float, coef0: float, degree: int) -> Any:
    return _core.KernelForm(KINDS.index(kind), gamma, coef0, degree)


def number_gram(form: NumberForm, a: DensePart, b: DensePart, n_threads: int) -> Floats:
    """Return K(a_i, b_j)."""
    return _core.kernel_matrix_double(form.native(), a.matrix, b.matrix, n_threads)


def number_sums(
    form: NumberForm, parts: tuple[DensePart, DensePart], coefficients: Floats, threads: int
) -> Floats:
    """Return Σ_j K(a_i, b_j) coefficients[j, c]."""
    a, b = parts
    weights = np.ascontiguousarray(coefficients, dtype=np.float64)
    return _core.kernel_sums_double(form.native(), a.matrix, b.matrix, weights, threads)


def number_sums_single(
    form: NumberForm, parts: tuple[DensePart, DensePart], coefficients: Floats, threads: int
) -> Floats:
    """Return the same with kernel values in single precision."""
    a, b = parts
    weights = np.ascontiguousarray(coefficients, dtype=np.float64)
    return _core.kernel_sums_single(form.native(), a.single, b.single, weights, threads)


def number_diag(form: NumberForm, a: DensePart) -> Floats:
    """Return K(a_i, a_i)."""
    if form.kind in ("rbf", "laplacian"):
        return np.ones(len(a))
    squares: Floats = np.einsum("ij,ij->i", a.matrix, a.matrix)
    if form.kind == "linear":
        return squares
    with np.errstate(over="ignore"):
        inner = form.gamma * squares + form.coef0
        return np.tanh(inner) if form.kind == "sigmoid" else inner**form.degree
