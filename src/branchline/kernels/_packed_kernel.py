"""Kernels as plain values, for model files, and checked when they come back.

A formula is {"kernel": name, "parameters": {…}}; parameters are plain values, lists of names, and
formulas again. A fitted kernel is its formula and what each leaf has learned, in order.

Kernels that hold a function or a fitted model have no place in a model file. They are packed as
what they are, in an array of objects: saving refuses it, and no file can hold one, but a pickled
estimator is checked by the same code.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from branchline._state import malformed
from branchline.kernels._algebra import Constant, Normalized, Power, Product, Scaled, Sum
from branchline.kernels._ard import ARD
from branchline.kernels._fitted_kernel import FittedKernel
from branchline.kernels._given_kernels import Precomputed
from branchline.kernels._graph_kernel import WeisfeilerLehman
from branchline.kernels._histogram_kernels import ChiSquare, Intersection
from branchline.kernels._kernel import Kernel
from branchline.kernels._match_kernels import Hamming
from branchline.kernels._number_kernels import RBF, Laplacian, Linear, Polynomial, Sigmoid
from branchline.kernels._points import cannot_be_packed, plain_state
from branchline.kernels._series_kernel import GlobalAlignment
from branchline.kernels._string_kernel import StringKernel
from branchline.table import Schema

__all__ = ["pack_formula", "unpack_formula", "unpack_kernel"]

_PLAIN = (bool, int, float, str)
_MOST_DEPTH = 32
_MOST_PARTS = 10_000


@cache
def _classes() -> Mapping[str, type[Kernel]]:
    """Return the kernels that a model file may name."""
    from branchline.kernels import _string_kernels

    own: tuple[type[Kernel], ...] = (
        ARD, ChiSquare, Constant, GlobalAlignment, Hamming, Intersection, Laplacian, Linear,
        Normalized, Polynomial, Power, Precomputed, Product, RBF, Scaled, Sigmoid, Sum,
        WeisfeilerLehman,
    )  # fmt: skip
    offered = [getattr(_string_kernels, name) for name in _string_kernels.__all__]
    texts = [one for one in offered if isinstance(one, type) and issubclass(one, StringKernel)]
    return {kernel.__name__: kernel for kernel in (*own, *texts)}


def pack_formula(kernel: Kernel, *, live: bool = False, depth: int = 0) -> Any:
    """Return a formula as plain values.

    A kernel that no file can hold is refused, or (``live``) stays an object in an array.
    """
    name = type(kernel).__name__
    if depth > _MOST_DEPTH:
        raise cannot_be_packed("a kernel of too many levels")
    if _classes().get(name) is type(kernel):
        values = kernel._parameters().items()
        packed = {key: _pack(value, live=live, depth=depth + 1) for key, value in values}
        return {"kernel": name, "parameters": packed}
    if not live:
        raise cannot_be_packed(f"the kernel {kernel!r}")
    held = np.empty(1, dtype=object)
    held[0] = kernel
    return held


def _pack(value: Any, *, live: bool, depth: int) -> Any:
    if isinstance(value, Kernel):
        return pack_formula(value, live=live, depth=depth)
    if isinstance(value, tuple):
        return [_pack(part, live=live, depth=depth) for part in value]
    if value is None or isinstance(value, _PLAIN):
        return value
    raise cannot_be_packed(f"a {type(value).__name__}")


def unpack_formula(state: Any, depth: int = 0) -> Kernel:
    """Check packed values and return the kernel."""
    if isinstance(state, np.ndarray):
        return _live_kernel(state)
    state = plain_state(state, {"kernel", "parameters"})
    name, packed = state["kernel"], state["parameters"]
    kind = _classes().get(name) if isinstance(name, str) else None
    if kind is None or depth > _MOST_DEPTH:
        raise malformed("a kernel is not known, or is made of too many levels")
    if not isinstance(packed, dict):
        raise malformed("the parameters of a kernel are not names and values")
    return kind._restored({key: _unpack(value, depth) for key, value in packed.items()})


def _live_kernel(held: Any) -> Kernel:
    kernel = held[0] if held.dtype == object and held.shape == (1,) else None
    if not isinstance(kernel, Kernel) or _classes().get(type(kernel).__name__) is type(kernel):
        raise malformed("what should be a kernel is none")
    return kernel


def _unpack(value: Any, depth: int) -> Any:
    if isinstance(value, dict | np.ndarray):
        return unpack_formula(value, depth + 1)
    if isinstance(value, list):
        if len(value) > _MOST_PARTS or any(isinstance(part, list) for part in value):
            raise malformed("a parameter of a kernel is not a plain list")
        return tuple(_unpack(part, depth) for part in value)
    if value is None or type(value) in _PLAIN:
        return value
    raise malformed("a parameter of a kernel is not a plain value")


def unpack_kernel(state: Any, schema: Schema) -> FittedKernel:
    """Check a packed fitted kernel against its columns and return it.

    See Also
    --------
    FittedKernel : a kernel that can be evaluated on rows of one schema.

    Examples
    --------
    >>> from branchline import Table
    >>> from branchline.kernels import RBF, unpack_kernel
    >>> table = Table([[0.0], [1.0]])
    >>> fitted = RBF(gamma=0.5).fit(table)
    >>> points = fitted.prepare(table)
    >>> again = unpack_kernel(fitted.pack(), fitted.schema)
    >>> again.gram(points, points).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """
    state = plain_state(state, {"formula", "learnt"})  # words: ok
    kernel, learned = unpack_formula(state["formula"]), state["learnt"]  # words: ok
    if not isinstance(learned, list):
        raise malformed("what a kernel has learned is not a list")
    left = iter(learned)
    fitted = kernel._restore(left, schema)
    if len(learned) != fitted.n_parts:
        raise malformed("a kernel has learned more than its formula says")
    return fitted
