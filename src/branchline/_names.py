"""Column names: what to call columns without any, and what to say when a name does not serve.

1. Names are texts, and every column has its own.
2. Columns that have none are called x0, x1, …; labels such as 0, 1, … are positions, not names.
3. A name that is not there is answered with the nearest one that is.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from branchline.errors import DataError, ParameterError

__all__ = [
    "column_names",
    "made_up_names",
    "nearest_name",
    "no_such_column",
    "no_such_column_words",
    "refuse_bad_names",
    "refuse_double_names",
]

_MOST_LISTED = 12


def made_up_names(n_columns: int) -> list[str]:
    """Return x0, x1, …: the names of columns that have none."""
    return [f"x{place}" for place in range(n_columns)]


def column_names(labels: Iterable[object]) -> tuple[list[str], bool]:
    """Return the labels as texts, and whether they are names that columns may be found by.

    The labels 0, 1, … are positions, not names: such columns are called x0, x1, …
    """
    given = list(labels)
    if all(isinstance(label, str) for label in given):
        return [str(label) for label in given], True
    if all(type(label) is int for label in given) and given == list(range(len(given))):
        return made_up_names(len(given)), False
    return [str(label) for label in given], False


def refuse_bad_names(names: Sequence[str], n_columns: int) -> None:
    """Refuse names that are not texts, not one a column, or not all different."""
    if isinstance(names, str) or len(names) != n_columns:
        given = f"The text {names!r}" if isinstance(names, str) else f"{len(names)} names"
        raise ParameterError(
            f"{given} cannot name {n_columns} columns: a list of {n_columns} texts is needed.",
            code="P005",
        )
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ParameterError("Column names must be texts.", code="P005", values=wrong)
    refuse_double_names(names)


def refuse_double_names(names: Sequence[str]) -> None:
    """Refuse names of which two are the same."""
    if len(set(names)) == len(names):
        return
    double = next(name for name, count in Counter(names).items() if count > 1)
    raise DataError(
        f"Two columns are called {double!r}; every column needs its own name.",
        code="D005",
        column=double,
    )


def no_such_column(name: object, names: Sequence[str]) -> DataError:
    """Return the error for a column that is not there, with the nearest name that is."""
    words = no_such_column_words(name, names, nearest_name(name, names))
    return DataError(words, code="D003", column=str(name))


def no_such_column_words(name: object, names: Sequence[str], near: str | None) -> str:
    """Say that a column is not there, which one may be meant, and which ones there are."""
    hint = "" if near is None else f" Did you mean {near!r}?"
    listed = ", ".join(names[:_MOST_LISTED]) + (", …" if len(names) > _MOST_LISTED else "")
    return f"There is no column {name!r}.{hint} The columns are: {listed}."


def nearest_name(name: object, names: Sequence[str]) -> str | None:
    """Return the name that was probably meant; None when none is near."""
    near = get_close_matches(str(name), names, n=1)
    return near[0] if near else None
