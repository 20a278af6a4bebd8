"""The one family of errors: every error has a stable code, a place and a repair.

An error says, in this order: what is wrong (first line), where (column, rows, sample values), how
to mend it (as Python and as a command-line flag), where to read more (``branchline errors CODE``).
The codes and their long explanations live in ``branchline._error_codes``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from branchline._error_codes import ERROR_CODES, ErrorCode

__all__ = [
    "ERROR_CODES",
    "BranchlineError",
    "BranchlineWarning",
    "ClusterError",
    "DataError",
    "ErrorCode",
    "KindError",
    "MissingExtra",
    "ModelFileError",
    "NotEnoughMemoryError",
    "NotFittedError",  # noqa: F822 (made when first asked for, below)
    "ParameterError",
    "Repair",
    "UnknownParameterError",
]

_MOST_ROWS_SHOWN = 5
_NO_MEMORY = (
    "There is not enough memory for this. It grows with the number of rows and columns, and for "
    "ensembles of trees also with the number of classes and trees."
)


@dataclass(frozen=True)
class Repair:
    """How to mend a problem: lines of Python that run as printed, and a command-line flag.

    See Also
    --------
    BranchlineError : base of every error that Branchline raises on purpose.

    Examples
    --------
    >>> from branchline.errors import Repair
    >>> Repair("model.set_params(C=1.0)", "--set C=1").flag
    '--set C=1'
    """

    python: str | None = None
    flag: str | None = None


class BranchlineError(Exception):
    """Base of every error that Branchline raises on purpose.

    Parameters
    ----------
    message
        What is wrong, in one or two sentences.
    code
        The stable code, a key of ``ERROR_CODES``.
    column
        The column concerned.
    rows
        Positions of the rows concerned, counted from 0. Only the first few are kept.
    n_rows
        How many rows are concerned; by default the number of ``rows``.
    values
        A few of the offending values.
    repair
        How to mend it.

    See Also
    --------
    Comparison : ``nothing_to_compare`` returns it.

    Examples
    --------
    >>> from branchline.errors import BranchlineError
    >>> str(BranchlineError("Too few rows.", code="D001", n_rows=1)).count("D001")
    2
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        column: str | None = None,
        rows: Iterable[int] = (),
        n_rows: int | None = None,
        values: Iterable[Any] = (),
        repair: Repair | None = None,
    ) -> None:
        super().__init__(message)
        if code not in ERROR_CODES:
            raise LookupError(f"error code {code!r} is not in ERROR_CODES")
        all_rows = [int(row) for row in rows]
        self.message = message
        self.code = code
        self.column = column
        self.rows = tuple(all_rows[:_MOST_ROWS_SHOWN])
        self.n_rows = len(all_rows) if n_rows is None else int(n_rows)
        self.values = tuple(list(values)[:_MOST_ROWS_SHOWN])
        self.repair = repair or Repair()

    def __str__(self) -> str:
        flag = self.repair.flag
        repairs = [] if flag is None else [f"  on the command line: {flag}"]
        if self.repair.python:
            lines = self.repair.python.splitlines()
            repairs = ["  repair:", *(f"    {line}" for line in lines), *repairs]
        return self._text(repairs)

    def command_line_text(self) -> str:
        """Return the error with the repair of the command line only."""
        return self._text([f"  repair: {self.repair.flag}"] if self.repair.flag else [])

    def _text(self, repairs: list[str]) -> str:
        lines = [self.message]
        if self.column is not None:
            lines.append(f"  column: {self.column}")
        if self.rows:
            lines.append(f"  rows: {_some(self.rows, self.n_rows)} (counted from 0)")
        if self.values:
            lines.append(f"  values: {', '.join(repr(value) for value in self.values)}")
        lines.extend(repairs)
        lines.append(f"  [{self.code}] more: branchline errors {self.code}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.to_dict(), self.values)

    def with_rows(self, rows: Iterable[int]) -> Self:
        """Return the same error about other rows: those of the whole that a part was taken from."""
        fields = {**self.to_dict(), "rows": [int(row) for row in rows]}
        again: Self = _rebuild(type(self), fields, self.values)  # type: ignore[assignment]
        return again

    def to_dict(self) -> dict[str, Any]:
        """Return the error as plain data, for ``--json``."""
        return {
            "code": self.code,
            "type": type(self).__name__,
            "message": self.message,
            "column": self.column,
            "rows": list(self.rows),
            "n_rows": self.n_rows,
            "values": [str(value) for value in self.values],
            "repair": {"python": self.repair.python, "flag": self.repair.flag},
        }


class DataError(BranchlineError, ValueError):
    """The data cannot be used as they are.

    See Also
    --------
    BranchlineError : base of every error that Branchline raises on purpose.
    KindError : a value or column is of a kind that cannot be used here.

    Examples
    --------
    >>> from branchline import Table
    >>> from branchline.errors import DataError
    >>> try:
    ...     Table({"a": [1.0], "b": [1.0, 2.0]})
    ... except DataError as error:
    ...     print(error.code)
    D004
    """


class ParameterError(BranchlineError, ValueError):
    """A parameter has a value that is not allowed.

    See Also
    --------
    UnknownParameterError : a parameter name does not exist.
    BranchlineError : base of every error that Branchline raises on purpose.

    Examples
    --------
    >>> from branchline.errors import ParameterError
    >>> from branchline.tree import DecisionTreeClassifier
    >>> try:
    ...     DecisionTreeClassifier(max_depth=-1).fit([[1.0], [2.0]], ["a", "b"])
    ... except ParameterError as error:
    ...     print(error.code)
    P001
    """


class UnknownParameterError(ParameterError, TypeError):
    """A parameter name does not exist.

    See Also
    --------
    ParameterError : a parameter has a value that is not allowed.

    Examples
    --------
    >>> from branchline.errors import UnknownParameterError
    >>> from branchline.tree import DecisionTreeClassifier
    >>> try:
    ...     DecisionTreeClassifier().set_params(depth=3)
    ... except UnknownParameterError as error:
    ...     print(error.code)
    P002
    """


class KindError(BranchlineError, TypeError):
    """A value or column is of a kind that cannot be used here.

    See Also
    --------
    DataError : the data cannot be used as they are.
    BranchlineError : base of every error that Branchline raises on purpose.

    Examples
    --------
    >>> from branchline.errors import KindError
    >>> KindError("A category is not a number.", code="K001", column="town", rows=[3]).rows
    (3,)
    """


class ModelFileError(BranchlineError, ValueError):
    """A saved model is damaged, forged or of another format.

    See Also
    --------
    load : read a model written by ``model.save``.
    BranchlineError : base of every error that Branchline raises on purpose.

    Examples
    --------
    >>> import io
    >>> from branchline import load
    >>> from branchline.errors import ModelFileError
    >>> try:
    ...     load(io.BytesIO(b"not a model"))
    ... except ModelFileError as error:
    ...     print(error.code)
    M001
    """


class NotEnoughMemoryError(BranchlineError, MemoryError):
    """The machine has too little memory for what was asked.

    See Also
    --------
    BranchlineError : base of every error that Branchline raises on purpose.

    Examples
    --------
    >>> from branchline.errors import NotEnoughMemoryError
    >>> NotEnoughMemoryError().code
    'D167'
    """

    def __init__(self, message: str = _NO_MEMORY, *, code: str = "D167", **where: Any) -> None:
        super().__init__(message, code=code, **where)


class MissingExtra(BranchlineError, ImportError):  # noqa: N818 (it is the extra that is missing)
    """An optional library is needed and not installed.

    See Also
    --------
    BranchlineError : base of every error that Branchline raises on purpose.

    Examples
    --------
    >>> from branchline.errors import MissingExtra
    >>> MissingExtra("Excel files need python-calamine.", code="X001").code
    'X001'
    """


class ClusterError(BranchlineError, RuntimeError):
    """The machines that work was given to are gone, or cannot be reached.

    See Also
    --------
    BranchlineError : base of every error that Branchline raises on purpose.

    Examples
    --------
    >>> from branchline.errors import ClusterError
    >>> ClusterError("All workers are gone.", code="X010").code
    'X010'
    """


class BranchlineWarning(UserWarning):
    """Something was decided for the user, or looks wrong, that they may want to know of.

    Parameters
    ----------
    message
        What it is, in one or two sentences.
    code
        The stable code, a key of ``ERROR_CODES``; None for warnings without one.
    repair
        What to do about it, in Python and on the command line.

    See Also
    --------
    BranchlineError : base of every error that Branchline raises on purpose.
    Repair : how to mend a problem.

    Examples
    --------
    >>> from branchline.errors import BranchlineWarning
    >>> len(str(BranchlineWarning("Look at this.", code="W020"))) > 13
    True
    """

    def __init__(
        self, message: str, *, code: str | None = None, repair: Repair | None = None
    ) -> None:
        super().__init__(message)
        if code is not None and code not in ERROR_CODES:
            raise LookupError(f"warning code {code!r} is not in ERROR_CODES")
        self.message = message
        self.code = code
        self.repair = repair or Repair()

    def __str__(self) -> str:
        return _remark(self.message, self.code, self.repair.python)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_warning, (type(self), self.message, self.code, self.repair)

    def command_line_text(self) -> str:
        """Return the warning with the repair of the command line instead of Python's."""
        return _remark(self.message, self.code, self.repair.flag)

    def to_dict(self) -> dict[str, Any]:
        """Return the warning as plain data, for ``--json``."""
        repair = {"python": self.repair.python, "flag": self.repair.flag}
        return {"code": self.code, "message": self.message, "repair": repair}


def _remark(message: str, code: str | None, repair: str | None) -> str:
    """Return a warning as text: on one line where the repair is a short one."""
    text = message if code is None else f"{message} [{code}]"
    if not repair:
        return text
    if "\n" in repair:
        return "\n".join([text, "  repair:", *(f"    {line}" for line in repair.splitlines())])
    return f"{text}\n  repair: {repair}"


def _rebuild_warning(
    kind: type[BranchlineWarning], message: str, code: str | None, repair: Repair
) -> BranchlineWarning:
    return kind(message, code=code, repair=repair)


def _rebuild(
    kind: type[BranchlineError], fields: dict[str, Any], values: tuple[Any, ...]
) -> BranchlineError:
    return kind(
        fields["message"],
        code=fields["code"],
        column=fields["column"],
        rows=fields["rows"],
        n_rows=fields["n_rows"],
        values=values,
        repair=Repair(**fields["repair"]),
    )


def _some(rows: tuple[int, ...], n_rows: int) -> str:
    shown = ", ".join(str(row) for row in rows)
    return shown if n_rows <= len(rows) else f"{shown}, … ({n_rows} in all)"


def _make_not_fitted_error() -> type[BranchlineError]:
    # scikit-learn's own class must be a base (its checks ask for it), but importing scikit-learn
    # takes over a second: the class is made when somebody first asks for it.
    from sklearn.exceptions import NotFittedError as SklearnNotFittedError

    class NotFittedError(BranchlineError, SklearnNotFittedError):
        """The estimator has not been fitted yet.

        See Also
        --------
        BranchlineError : base of every error that Branchline raises on purpose.

        Examples
        --------
        >>> from branchline.errors import NotFittedError
        >>> from branchline.tree import DecisionTreeClassifier
        >>> try:
        ...     DecisionTreeClassifier().predict([[1.0]])
        ... except NotFittedError as error:
        ...     print(error.code)
        N001
        """

    NotFittedError.__module__ = __name__
    NotFittedError.__qualname__ = "NotFittedError"
    return NotFittedError


def __getattr__(name: str) -> Any:
    if name == "NotFittedError":
        made = _make_not_fitted_error()
        globals()["NotFittedError"] = made
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
