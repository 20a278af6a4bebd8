"""The kernels of a grid: each name with each gamma, degree and coef0, and each kernel as it is.

1. A grid's ``kernel`` is one kernel or a list of them (``listed_kernels``).
2. A name has parameters of its own, a list of values each; a kernel object has none.
3. ``settings_of`` puts all of them into rows, rising: kernel, gamma, degree, coef0 (and epsilon).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline._validation import AnyOf, Constraint, Given, Real, Whole
from branchline.errors import ParameterError, Repair
from branchline.kernels import Kernel, kernel_of
from branchline.svm._kernel_training import KERNEL_PARAMETERS

__all__ = ["COEF0", "DEGREE", "GRID_KERNEL", "KernelSettings", "listed_kernels", "settings_of"]

# The parameters that a kernel has when it is given by name.
_OWN: dict[str, tuple[str, ...]] = {
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "poly": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
}
_LISTS = (list, tuple, np.ndarray)
_LARGEST = 1e300
_ALLOWED = KERNEL_PARAMETERS["kernel"]
GRID_KERNEL = AnyOf((_ALLOWED, Given((list, tuple), "a list of them")))
DEGREE = AnyOf((KERNEL_PARAMETERS["degree"], Given(_LISTS, "a list of whole numbers from 1")))
COEF0 = AnyOf((KERNEL_PARAMETERS["coef0"], Given(_LISTS, "a list of numbers of at least 0")))
_ONE_OF_MANY: dict[str, Constraint] = {"degree": Whole(1, 100), "coef0": Real(0.0)}


@dataclass(frozen=True, eq=False)
class KernelSettings:
    """The kernels that a grid tries, one for each row of its scores.

    Parameters
    ----------
    listed
        The names, kernels and functions that a user gave.
    member
        Which of them each row takes.
    gammas, degrees, coef0s
        The parameters of its name; 0 where it does not have them.
    epsilons
        The width of the tube, for numbers.
    """

    listed: tuple[Any, ...]
    member: npt.NDArray[np.int64]
    gammas: Floats
    degrees: Floats
    coef0s: Floats
    epsilons: Floats

    def __len__(self) -> int:
        return len(self.member)

    def own(self, k: int) -> dict[str, Any]:
        """Return the own parameters of one row's kernel, as an estimator takes them."""
        values = {
            "gamma": float(self.gammas[k]),
            "degree": int(self.degrees[k]),
            "coef0": float(self.coef0s[k]),
        }
        return {name: values[name] for name in own_parameters(self.listed[self.member[k]])}

    def kernel(self, k: int) -> Kernel:
        """Return the kernel of one row."""
        return kernel_of(self.listed[self.member[k]], **self.own(k))

    def told(self, k: int) -> dict[str, Any]:
        """Return what differs between rows: kernel (of several), its parameters, epsilon."""
        listed = {"kernel": self.listed[self.member[k]]} if len(self.listed) > 1 else {}
        tube = {"epsilon": float(self.epsilons[k])} if self.epsilons[k] > 0 else {}
        return {**listed, **self.own(k), **tube}

    def runs(self) -> list[npt.NDArray[np.int64]]:
        """Return the rows in runs of the same kernel, which differ in epsilon alone."""
        columns = np.column_stack([self.member, self.gammas, self.degrees, self.coef0s])
        is_new = (np.diff(columns, axis=0) != 0).any(axis=1)
        return np.split(np.arange(len(self)), np.flatnonzero(is_new) + 1)

    def pack(self) -> dict[str, Any]:
        """Return the rows as a model file holds them: gammas, and what is not 0 everywhere."""
        columns = {
            "kernel_of_row": self.member,
            "degrees": self.degrees,
            "coef0s": self.coef0s,
            "epsilons": self.epsilons,
        }
        others = {name: values for name, values in columns.items() if values.any()}
        return {"gammas": self.gammas, **others}

    @classmethod
    def unpack(cls, state: FittedState, listed: tuple[Any, ...]) -> Self:
        """Return the rows of a model file, checked."""
        gammas = state.get("gammas")
        if not isinstance(gammas, np.ndarray) or gammas.ndim != 1 or len(gammas) == 0:
            raise malformed("a grid has no kernels")
        n, zeros = len(gammas), np.zeros(len(gammas))
        full = {"degrees": zeros, "coef0s": zeros, "epsilons": zeros, **state}
        full.setdefault("kernel_of_row", np.zeros(n, dtype=np.int64))
        columns = [
            numbers_from_state(full, name, length=n, low=0.0, high=_LARGEST)
            for name in ("gammas", "degrees", "coef0s", "epsilons")
        ]
        member = array_from_state(full, "kernel_of_row", np.dtype(np.int64))
        made = cls(listed, member, *columns)
        made._check()
        return made

    def _check(self) -> None:
        if len(self.member) != len(self.gammas):
            raise malformed("the kernels of a grid have different lengths")
        if self.member.min() < 0 or self.member.max() >= len(self.listed):
            raise malformed("a grid names a kernel that is not there")
        columns = [self.member, self.gammas, self.degrees, self.coef0s, self.epsilons]
        rows = np.column_stack(columns).tolist()
        if any(after <= before for before, after in pairwise(rows)):
            raise malformed("the kernels of a grid do not rise")
        for k in range(len(self)):
            own = self.own(k)
            if own.get("gamma", 1.0) <= 0 or own.get("degree", 1) < 1:
                raise malformed("the parameter of a kernel is out of range")


def own_parameters(kernel: Any) -> tuple[str, ...]:
    """Return the names of the parameters that a kernel by name has."""
    return _OWN.get(kernel, ()) if isinstance(kernel, str) else ()


def listed_kernels(given: Any) -> tuple[Any, ...]:
    """Return the kernels that a grid's parameter names: one, or those of a list."""
    listed = tuple(given) if isinstance(given, list | tuple) else (given,)
    if not listed or not all(_ALLOWED.allows(one) for one in listed):
        raise ParameterError(
            "The 'kernel' parameter must be a kernel (a name, a kernel such as RBF(), or a "
            f"function of two blocks of rows) or a list of them. Got {given!r} instead.",
            code="P892",
            values=[given],
            repair=Repair("model.set_params(kernel=['rbf', 'laplacian'])"),
        )
    return listed


def settings_of(
    listed: tuple[Any, ...], gammas: Floats, degree: Any, coef0: Any, epsilons: Sequence[float]
) -> KernelSettings:
    """Return every kernel with every value of its own parameters (and epsilon), rising."""
    tried = {
        "gamma": gammas.tolist(),
        "degree": _one_or_many(degree, "degree"),
        "coef0": _one_or_many(coef0, "coef0"),
    }
    rows = []
    for k, kernel in enumerate(listed):
        own = own_parameters(kernel)
        choices = [values if name in own else [0.0] for name, values in tried.items()]
        rows += [(float(k), *row) for row in product(*choices, epsilons)]
    columns = np.array(rows, dtype=np.float64).T
    return KernelSettings(listed, columns[0].astype(np.int64), *np.ascontiguousarray(columns[1:]))


def _one_or_many(given: Any, name: str) -> list[float]:
    """Return the values of a parameter to try, rising, each once."""
    listed = list(given) if isinstance(given, _LISTS) else [given]
    if not listed or not all(_ONE_OF_MANY[name].allows(value) for value in listed):
        wanted = "whole numbers from 1 to 100" if name == "degree" else "numbers of at least 0"
        raise ParameterError(
            f"The {name!r} parameter must be a list of {wanted}. Got {given!r} instead.",
            code="P893",
            values=[given],
            repair=Repair(f"model.set_params({name}=[1, 2, 3])"),
        )
    return sorted({float(value) for value in listed})
