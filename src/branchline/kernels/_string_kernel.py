"""What kernels on texts share: each takes one column of texts, as it is.

A kernel on texts is a frozen dataclass with a field ``column`` (None: the only column of texts) and
its parameters, plain values that its ``__post_init__`` checks. It defines

- ``_gram(a, b, n_threads)``: the matrix of K(a_i, b_j) for two ``StringPart``; ``b is a`` when
  both are the same rows;
- ``_diag(a)``: K(a_i, a_i).

A missing text is an empty one.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from branchline._arrays import Floats
from branchline._state import malformed
from branchline.errors import DataError
from branchline.kernels._fitted_kernel import FittedKernel, FittedLeaf, Fitting
from branchline.kernels._kernel import Kernel
from branchline.kernels._points import StringPart, plain_state
from branchline.table import Schema, Table

__all__ = ["StringKernel"]


@dataclass(frozen=True, repr=False)
class StringKernel(Kernel):
    """A kernel on one column of texts: similar texts share many substrings."""

    column: str | None = None

    @abstractmethod
    def _gram(self, a: StringPart, b: StringPart, n_threads: int) -> Floats:
        """Return K(a_i, b_j); ``b is a`` when both are the same rows."""

    @abstractmethod
    def _diag(self, a: StringPart) -> Floats:
        """Return K(a_i, a_i)."""

    def _fit(self, fitting: Fitting) -> FittedKernel:
        return FittedString(self, fitting.schema, _text_column(self.column, fitting.schema))

    def _restore(self, learned: Iterator[Any], schema: Schema) -> FittedKernel:
        name = plain_state(next(learned, None), {"column"})["column"]
        if not isinstance(name, str) or name not in schema.position:
            raise malformed("a kernel on texts has no column")
        if schema[name].kind != "category" or self.column not in (None, name):
            raise malformed("a kernel on texts has another column than its formula says")
        return FittedString(self, schema, name)

    def __repr__(self) -> str:
        shown = [] if self.column is None else [repr(self.column)]
        others = {name: value for name, value in self._parameters().items() if name != "column"}
        shown += [f"{name}={value!r}" for name, value in others.items()]
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, eq=False)
class FittedString(FittedLeaf):
    """A kernel on texts, and the column that it takes."""

    column: str

    @property
    def reads_text(self) -> bool:
        """Yes."""
        return True

    def _prepare_part(self, table: Table) -> StringPart:
        column = table.column(self.column)
        if column.kind != "category" and not column.is_missing.all():
            raise _no_text(self.column)
        names = column.categories
        encoded = [str(name).encode("utf-8", "surrogatepass") for name in names]
        encoded += [b"", b""]  # reached by the codes −2 (unseen) and −1 (missing)
        if column.kind != "category":
            return StringPart([b""] * len(column))
        return StringPart([encoded[code] for code in column.values.tolist()])

    def _part_gram(self, a: StringPart, b: StringPart, n_threads: int) -> Floats:
        return cast("StringKernel", self.kernel)._gram(a, b, n_threads)

    def _part_diag(self, a: StringPart) -> Floats:
        return cast("StringKernel", self.kernel)._diag(a)

    def _learn(self) -> dict[str, Any]:
        return {"column": self.column}

    def _unpack_part(self, state: Any) -> StringPart:
        texts = plain_state(state, {"texts"})["texts"]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise malformed("the texts of a kernel are not texts")
        return StringPart([text.encode("utf-8", "surrogatepass") for text in texts])


def _text_column(name: str | None, schema: Schema) -> str:
    """Return the name of the column to take: the one that was named, or the only one of texts."""
    texts = [field.name for field in schema if field.type.kind == "category"]
    if name is None and len(texts) == 1:
        return texts[0]
    if name is None or (name in schema.position and name not in texts):
        raise _no_text(name)
    if name not in schema.position:
        from branchline._names import no_such_column

        raise no_such_column(name, schema.names)
    return name


def _no_text(name: str | None) -> DataError:
    which = "There is not exactly one column of texts" if name is None else f"{name!r} holds none"
    return DataError(
        f"A kernel on texts takes one column of texts. {which}; give the kernel the name of one, "
        "and read numbers that are texts as a category.",
        code="D161",
        column=name,
    )
