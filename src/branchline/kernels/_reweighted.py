"""g(x) k(x, y) g(y): a kernel whose rows count more or less, by a function of one row."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._state import malformed
from branchline.errors import ParameterError, Repair
from branchline.kernels._algebra import Composite
from branchline.kernels._fitted_algebra import FittedNode
from branchline.kernels._fitted_kernel import FittedKernel
from branchline.kernels._given_kernels import rows_of, unpack_objects
from branchline.kernels._kernel import Kernel
from branchline.kernels._points import ObjectPart, Parts, plain_state
from branchline.table import Schema, Table

__all__ = ["Reweighted"]


@dataclass(frozen=True, repr=False)
class Reweighted(Composite):
    """g(x) k(x, y) g(y): a Mercer kernel when k is one, whatever g.

    See Also
    --------
    Normalized : k(x, y) / √(k(x, x) k(y, y)).
    Scaled : a factor of at least 0 times a kernel.

    Examples
    --------
    >>> from branchline.kernels import Linear
    >>> Linear().reweighted(lambda row: 2.0).gram([[1.0], [2.0]]).tolist()
    [[4.0, 8.0], [8.0, 16.0]]
    """

    kernel: Kernel
    g: Callable[[Any], float]

    def __post_init__(self) -> None:
        if not callable(self.g):
            raise ParameterError(
                f"reweighted takes a function of one row. Got {self.g!r} instead.",
                code="P166",
                values=[self.g],
                repair=Repair("kernel = RBF().reweighted(lambda row: row[0])"),
            )

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernel."""
        return (self.kernel,)

    def _combine(self, schema: Schema, children: tuple[FittedKernel, ...]) -> FittedKernel:
        return FittedReweighted(self, schema, children, self.g)

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        plain_state(next(learned, None), set())
        return super()._restore(learned, schema)

    def __repr__(self) -> str:
        name = getattr(self.g, "__name__", type(self.g).__name__)
        return f"({self.kernel!r}).reweighted({name})"


@dataclass(frozen=True, eq=False)
class FittedReweighted(FittedNode):
    """The fitted kernel below, and g; its first part holds g of each row."""

    g: Callable[[Any], float]

    @property
    def n_parts(self) -> int:
        """One more than the kernel below."""
        return 1 + self.children[0].n_parts

    @property
    def reads_text(self) -> bool:
        """Whether some column is not a number."""
        return any(field.type.kind == "category" for field in self.schema)

    def _prepare(self, table: Table) -> Parts:
        rows = rows_of(table.select(self.schema.names))
        factors = np.array([_number(self.g(row)) for row in rows], dtype=np.float64)
        return (ObjectPart(factors), *self.children[0]._prepare(table))

    def _gram(self, a: Parts, b: Parts, shape: tuple[int, int], n_threads: int) -> Floats:
        gram = self.children[0]._gram(a[1:], b[1:], shape, n_threads)
        gram *= _factors(a)[:, None]
        gram *= _factors(b)[None, :]
        return gram

    def _diag(self, a: Parts, n_rows: int) -> Floats:
        return _factors(a) ** 2 * self.children[0]._diag(a[1:], n_rows)

    def _learned(self) -> list[dict[str, Any]]:
        return [{}, *self.children[0]._learned()]

    def _unpack_parts(self, states: Sequence[Any]) -> Parts:
        factors = unpack_objects(states[0])
        if factors.rows.dtype != np.float64 or factors.rows.ndim != 1:
            raise malformed("the factors of rows are not numbers")
        return (factors, *self.children[0]._unpack_parts(states[1:]))


def _factors(parts: Parts) -> Floats:
    first = parts[0]
    assert isinstance(first, ObjectPart)
    return first.rows


def _number(answer: Any) -> float:
    try:
        number = float(answer)
    except (TypeError, ValueError) as error:
        raise _bad_answer(answer) from error
    if not np.isfinite(number):
        raise _bad_answer(answer)
    return number


def _bad_answer(answer: Any) -> ParameterError:
    return ParameterError(
        "The function that reweights a kernel must give a finite number for a row. "
        f"Got {answer!r}.",
        code="P166",
        values=[answer],
        repair=Repair("kernel = RBF().reweighted(lambda row: row[0])"),
    )
