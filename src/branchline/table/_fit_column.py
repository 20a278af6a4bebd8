"""One column of a later table as the schema knows it: recoded categories, numbers from names.

1. Category names are turned into the codes learned at fit; names not seen then get code −2.
2. A category where numbers were learned is read as numbers, written as they were at fit.
3. A column of another kind is an error that says which values do not fit.
"""

from typing import TYPE_CHECKING

import numpy as np

from branchline._arrays import AnyArray
from branchline._warn import warn
from branchline.errors import BranchlineWarning, KindError, Repair
from branchline.table._column import (
    INTEGER,
    MISSING_CODE,
    UNSEEN_CODE,
    Category,
    Column,
    ColumnType,
    number_of_name,
)

if TYPE_CHECKING:
    from branchline.table._schema import Field

__all__ = ["clock_of", "codes_of_known", "fit_column"]

_MANY_UNSEEN = 10  # a few rows may well hold nothing but new names


def fit_column(field: "Field", column: Column) -> Column:
    """Return ``column`` as a column of type ``field.type``."""
    if field.type.kind == "category":
        return _recode(field, column)
    if column.kind == "category":
        from branchline.table._numbers_from_names import numbers_from_names

        return numbers_from_names(field, column)
    if clock_of(field) != clock_of(column) and not column.is_missing.all():
        is_code = field.type.written is not None and column.type == INTEGER  # 20240131
        converted = _converted(field, column) if is_code else None
        if converted is None:
            raise _other_clock(field, column)
        return converted
    return column


def codes_of_known(field: "Field") -> dict[tuple[type, Category], int] | None:
    """Return the codes of cells that are names of a category column; None for numbers.

    Only texts and booleans: numbers that are names can be written in several ways.
    """
    from branchline.table.frames._from_cells import column_from_cells

    if field.type.kind == "numeric":
        return None
    known: dict[tuple[type, Category], int] = {}
    for kind in (str, bool):
        cells = [name for name in field.type.categories or () if type(name) is kind]
        if cells:
            codes = _recode(field, column_from_cells(field.name, cells)).values.tolist()
            for like in (kind,) if kind is str else (bool, np.bool_):
                known |= zip([(like, cell) for cell in cells], codes, strict=True)
    return known


def clock_of(field: "Field | Column") -> str | None:
    """Return what a number counts: moments, durations, times of day, or nothing in particular."""
    if field.type.source in {"date", "datetime"}:
        return "moments"
    return {"duration": "durations", "time": "times of day"}.get(field.type.source)


def _other_clock(field: "Field", column: Column) -> KindError:
    """Return the error for dates where plain numbers were learned, or the other way round."""
    then, now = clock_of(field) or "plain numbers", clock_of(column) or "plain numbers"
    return KindError(
        f"Column {field.name!r} held {then} when the model was fitted, but now holds {now}.",
        code="K006",
        column=field.name,
        values=column.take(~column.is_missing).take(slice(3)).to_list(),
        repair=Repair(
            "import pandas\n"
            f"X = X.assign(**{{{field.name!r}: pandas.to_datetime(X[{field.name!r}], unit='D')}})"
            if clock_of(field) == "moments" and clock_of(column) is None
            else None
        ),
    )


def _recode(field: "Field", column: Column) -> Column:
    """Translate category codes (or plain numbers) into the codes of ``field``."""
    known = field.type.categories or ()
    if column.kind == "numeric" and column.type.written is not None:
        written = _codes_as_written(field, column)
        if written is not None:
            return written
    if column.kind == "numeric":
        column = _names_from_numbers(field, column)
    if column.categories == known:
        return column
    code_of_name = {_key(name): code for code, name in enumerate(known)}
    if field.type.source == "boolean":
        code_of_name |= {"0": 0, "1": 1, "false": 0, "true": 1}  # as other tools write booleans
        code_of_name |= _yes_and_no(field, column)
    names = [_key(name) for name in column.categories]
    if not any(name in code_of_name for name in names):
        code_of_name = _codes_by_number(known)
        names = [_number_key(name) for name in column.categories]
    marks = dict.fromkeys(map(_key, field.type.marks), MISSING_CODE)
    code_of_name = {**marks, **code_of_name}
    translation = np.array(
        [code_of_name.get(name, UNSEEN_CODE) for name in names]
        + [UNSEEN_CODE, MISSING_CODE],  # reached by the codes −2 and −1
        dtype=np.int32,
    )
    recoded = Column(field.name, field.type, translation[column.values])
    _warn_if_all_unseen(recoded, column)
    return recoded


def _codes_as_written(field: "Field", column: Column) -> Column | None:
    """Return codes of converted cells: the known name "$5" is what the number 5 was read from.

    None where no known name can be read in the way in which the column was written.
    """
    import polars as pl

    from branchline.table.converting._reading import read_as, read_texts
    from branchline.table.converting._written import way_of

    way = way_of(field.name, str(column.type.written))
    names = pl.Series([str(name) for name in field.type.categories or ()], dtype=pl.String)
    fits = read_texts(names, way).is_not_null()
    known = read_as(field.name, names.filter(fits), way) if fits.any() else None
    if known is None or known.type.unit != column.type.unit:
        return None
    codes_of_values: dict[float, int] = {}
    codes = np.flatnonzero(fits.to_numpy()).tolist()
    for code, value in zip(codes, known.numbers().tolist(), strict=True):
        codes_of_values.setdefault(value, code)
    found = [codes_of_values.get(value, UNSEEN_CODE) for value in column.numbers().tolist()]
    recoded = np.array(found, dtype=np.int32)
    recoded[column.is_missing] = MISSING_CODE
    return Column(field.name, field.type, recoded)


def _yes_and_no(field: "Field", column: Column) -> dict[str, int]:
    """Return codes of the words for yes and no, where such were learned or all names are such."""
    from branchline.table.converting._yes_no import truth_of

    truths = {_key(name): truth_of(str(name)) for name in column.categories}
    if field.type.written is None and None in truths.values():
        return {}
    return {name: int(truth) for name, truth in truths.items() if truth is not None}


def _codes_by_number(known: tuple[Category, ...]) -> dict[str, int]:
    """Return codes by the number a name writes, for names such as 04000 that came back as 4000."""
    codes = {_number_key(name): code for code, name in enumerate(known)}
    return codes if len(codes) == len(known) else {}


def _number_key(name: Category) -> str:
    number = number_of_name(name)
    return str(name) if number is None else _key(float(number))


def _warn_if_all_unseen(recoded: Column, column: Column) -> None:
    """Say it when no value of a column is known: most often it is written in another way."""
    n_unseen = int((recoded.values == UNSEEN_CODE).sum())
    if n_unseen < _MANY_UNSEEN or (recoded.values >= 0).any():
        return
    now = ", ".join(repr(name) for name in column.categories[:3])
    then = ", ".join(repr(name) for name in recoded.categories[:3])
    warn(
        f"No value of column {recoded.name!r} was there when the model was fitted: now {now}; "
        f"then {then}. All its rows count as unseen.",
        BranchlineWarning,
    )


def _key(name: Category) -> str:
    """Return the text by which category names are compared: 1, 1.0 and "1" are the same."""
    if isinstance(name, float) and name.is_integer():
        return str(int(name))
    return str(name)


def _names_from_numbers(field: "Field", column: Column) -> Column:
    """Read numbers as category names, for a category that came back as numbers (1, 2, 3)."""
    # Integers stay integers: as floats, long ones would run into each other.
    is_whole = column.type.source == "integer" and column.values.dtype.kind in "iu"
    is_moment = clock_of(column) == "moments"
    values = column.values if is_whole or is_moment else column.numbers()
    distinct, inverse = np.unique(values, return_inverse=True)
    codes = inverse.astype(np.int32)
    codes[column.is_missing] = MISSING_CODE
    if is_moment:
        distinct = _moments_as_written(distinct, column.type, field.type.categories or ())
    names = tuple(distinct[distinct == distinct].tolist())  # NaN differs from itself
    return Column(field.name, ColumnType("category", "category", names), codes)


def _moments_as_written(
    values: AnyArray, kind: ColumnType, names: tuple[Category, ...]
) -> AnyArray:
    """Return moments as ISO texts, in the unit in which the known names are written."""
    moments = values.astype(f"datetime64[{kind.unit}]")
    try:
        coarse = moments.astype(np.datetime64(str(names[0])).dtype)
    except (ValueError, IndexError):  # the names are not moments, or the list is empty
        return np.datetime_as_string(moments)
    is_same = coarse.astype(moments.dtype) == moments
    return np.where(is_same, np.datetime_as_string(coarse), np.datetime_as_string(moments))


def _converted(field: "Field", column: Column) -> Column | None:
    """Read whole numbers (20240131) as dates were written at fit; None when some do not fit."""
    import polars as pl

    from branchline.table.converting._reading import read_as
    from branchline.table.converting._written import way_of

    texts = pl.Series([None if cell is None else str(cell) for cell in column.to_list()])
    written = way_of(field.name, str(field.type.written))
    read = read_as(field.name, texts.cast(pl.String), written)
    return None if read is None or clock_of(read) != clock_of(field) else read
