"""Kernels by name, as estimators take them: "rbf", a ``Kernel``, or a function of two blocks."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from branchline.errors import ParameterError, Repair
from branchline.kernels._given_kernels import FunctionKernel, Precomputed
from branchline.kernels._kernel import Kernel
from branchline.kernels._number_kernels import (
    RBF,
    Gamma,
    Laplacian,
    Linear,
    Polynomial,
    Sigmoid,
)

__all__ = ["KERNEL_NAMES", "kernel_of"]

_BY_NAME: dict[str, Callable[[Gamma, int, float], Kernel]] = {
    "rbf": lambda gamma, degree, coef0: RBF(gamma=gamma),
    "linear": lambda gamma, degree, coef0: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(degree, gamma=gamma, coef0=coef0),
    "sigmoid": lambda gamma, degree, coef0: Sigmoid(gamma=gamma, coef0=coef0),
    "laplacian": lambda gamma, degree, coef0: Laplacian(gamma=gamma),
    "precomputed": lambda gamma, degree, coef0: Precomputed(),
}
KERNEL_NAMES = tuple(_BY_NAME)


def kernel_of(kernel: Any, gamma: Gamma = "scale", degree: int = 3, coef0: float = 0.0) -> Kernel:
    """Return the kernel that an estimator's parameters stand for.

    A function is taken as scikit-learn takes it: function(A, B) gives the matrix of two blocks.
    ``gamma``, ``degree`` and ``coef0`` belong to names; a kernel has its own.

    See Also
    --------
    Kernel : a formula of two rows, by which they are compared.

    Examples
    --------
    >>> from branchline.kernels import kernel_of
    >>> kernel_of("rbf", gamma=0.5).gram([[0.0], [1.0]]).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel in _BY_NAME:
        return _BY_NAME[kernel](gamma, degree, coef0)
    if callable(kernel) and not isinstance(kernel, type):
        return FunctionKernel(kernel)
    near = get_close_matches(kernel, KERNEL_NAMES, n=1, cutoff=0.5) if _is_text(kernel) else []
    listed = ", ".join(repr(name) for name in KERNEL_NAMES)
    raise ParameterError(
        f"The 'kernel' parameter must be one of {listed}, a kernel such as RBF(), or a function of "
        f"two blocks of rows. Got {kernel!r} instead.",
        code="P162",
        values=[kernel],
        repair=Repair(f"model.set_params(kernel={near[0]!r})" if near else None),
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
