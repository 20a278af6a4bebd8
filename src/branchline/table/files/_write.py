"""Tables into files: CSV for everyone, ARFF for Weka.

1. Cells become text: floats with every digit that is needed to read them back, dates as ISO,
   missing as nothing (CSV) or as ``?`` (ARFF), durations and times of day as days.
2. Names are quoted where the format asks for it.
3. Everything goes to a new file in the same folder, which then takes the old one's place: a reader
   never sees half a table, and a failed write changes nothing.
"""

import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, cast

import numpy as np

from branchline._atomic_file import replacing
from branchline._warn import warn
from branchline.errors import BranchlineError, BranchlineWarning
from branchline.table._column import Category, Column
from branchline.table.files._moments import iso_texts, moment_unit
from branchline.table.files._source import BLANKS, DEFAULT_MISSING, file_error

if TYPE_CHECKING:
    import polars as pl

    from branchline.table._table import Table

__all__ = ["replace_file", "write_arff", "write_csv"]

_BARE = re.compile(r"[A-Za-z0-9_.+\-/<>=:]+")
_MUST_ESCAPE = re.compile(r"[\x00-\x1f'\\%\x7f\x85\u2028\u2029]")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "'": "\\'", "\\": "\\\\", "%": "\\%"}
_ARFF_SPECIAL = {"nan": "?", "inf": "Infinity", "-inf": "-Infinity"}
_JAVA_TIME = "yyyy-MM-dd'T'HH:mm:ss"


# -- CSV ----------------------------------------------------------------------------------------


def write_csv(table: "Table", path: str | Path) -> None:
    """Write ``table`` as UTF-8 CSV with a header, gzipped when the name ends in .gz.

    Parameters
    ----------
    table
        The table. A sparse one is written with its zeros.
    path
        Where to write; an existing file is replaced in one step.
    """
    import polars as pl

    def write(file: IO[bytes]) -> None:
        frame = pl.DataFrame([_series(column) for column in table.columns])
        # a line without a single character would count as no row at all
        quotes: Literal["always", "necessary"] = "always" if frame.width == 1 else "necessary"
        frame.write_csv(file, null_value="", quote_style=quotes)

    _warn_of_changed_names(table, str(path))
    _warn_of_numbers(table, str(path))
    replace_file(path, write)


def _series(column: Column) -> "pl.Series":
    """Return the column as polars shall write it, null for missing."""
    import polars as pl

    if column.kind == "category":
        names = pl.Series([_text(name) for name in column.categories] or [""], dtype=pl.String)
        codes = pl.Series(column.values).replace([-1, -2], [None, None])
        return names.gather(codes).alias(column.name)
    absent = pl.Series(column.is_missing)
    if column.type.source in {"date", "datetime"}:
        texts = _moment_texts(column, moment_unit(column))
        return pl.Series(column.name, texts, dtype=pl.String)
    if column.type.is_time or column.values.dtype.kind == "f":
        return pl.Series(column.name, column.numbers().astype(np.float64), nan_to_null=True)
    numbers = column.values.astype(np.uint8) if column.values.dtype == bool else column.values
    return pl.Series(column.name, numbers).set(absent, None)


def _text(name: Category) -> str:
    return str(name).lower() if isinstance(name, bool) else str(name)


def _moment_texts(column: Column, unit: str) -> list[str | None]:
    zone = "" if column.type.timezone is None else "Z"
    texts = iso_texts(column, unit).tolist()
    return [
        None if gone else text + zone
        for text, gone in zip(texts, column.is_missing.tolist(), strict=True)
    ]


def _warn_of_numbers(table: "Table", path: str) -> None:
    """Warn of category names that come back as other numbers: 04000, +1, 1.0."""
    changed: dict[str, str] = {}
    for column in table.columns:
        name = _changed_number(column) if column.kind == "category" else None
        if name is not None:
            changed[column.name] = name
    if changed:
        column_name, name = next(iter(changed.items()))
        kinds = dict.fromkeys(changed, "category")
        warn(
            f"{path}: names such as {name!r} in column {column_name!r} are read back as numbers; "
            f"read_table(path, kinds={kinds!r}) keeps them.",
            BranchlineWarning,
        )


def _changed_number(column: Column) -> str | None:
    """Return a name that reading as a number would change, None when names stay or are words."""
    import polars as pl

    used = np.unique(column.values[column.values >= 0])
    text_of = {name: _text(name).strip(BLANKS) for name in map(column.categories.__getitem__, used)}
    known = {name: text for name, text in text_of.items() if text not in DEFAULT_MISSING}
    if not all(text.isascii() for text in known.values()):
        return None
    for number in (pl.Int64, pl.Float64):
        read = pl.Series(known.values(), dtype=pl.String).cast(number, strict=False)
        if not read.null_count():
            pairs = zip(known, map(_number_text, read), strict=True)
            return next((n for n, back in pairs if isinstance(n, str) and n != back), None)
    return None


def _number_text(value: float) -> str:
    return str(int(value)) if value == value // 1 and abs(value) < 2**63 else repr(value)


def _warn_of_changed_names(table: "Table", path: str) -> None:
    """Warn of categories that CSV cannot tell from missing, and of names with outer blanks."""
    changed = [repr(name) for name in table.names if not name or name != name.strip(BLANKS)]
    for column in table.columns:
        used = np.unique(column.values[column.values >= 0]) if column.kind == "category" else ()
        names = (_text(column.categories[code]) for code in used)
        changed += [
            f"{name!r} in column {column.name!r}"
            for name in names
            if name in DEFAULT_MISSING or name != name.strip(BLANKS)
        ]
    if changed:
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        warn(
            f"{path}: CSV cannot keep {', '.join(changed[:3])}{more}: outer blanks are cut and "
            "tokens for missing are missing when the file is read with the default options.",
            BranchlineWarning,
        )


# -- ARFF ---------------------------------------------------------------------------------------


def write_arff(table: "Table", path: str | Path, *, relation: str = "table") -> None:
    """Write ``table`` as Weka's ARFF, gzipped when the name ends in .gz.

    Parameters
    ----------
    table
        The table. Categories are declared as lists of values, in their order.
    path
        Where to write; an existing file is replaced in one step.
    relation
        The name of the relation.
    """
    replace_file(path, lambda file: file.writelines(_arff_lines(table, relation)))


def _arff_lines(table: "Table", relation: str) -> Iterator[bytes]:
    """Yield the lines of the file; rows are joined only as they are written."""
    yield f"@relation {_quoted(relation)}\n\n".encode()
    texts: list[Sequence[str]] = []
    for column in table.columns:
        declared, cells = _arff_column(column)
        texts.append(cells)
        yield f"@attribute {_quoted(column.name)} {declared}\n".encode()
    yield b"\n@data\n"
    for row in zip(*texts, strict=True):
        yield (",".join(row) + "\n").encode()


def _arff_column(column: Column) -> tuple[str, Sequence[str]]:
    """Return how a column is declared and its cells."""
    if column.kind == "category":
        names = [_quoted(_text(name)) for name in column.categories]
        listed = [*names, "?", "?"]  # codes −1 and −2 end up here
        return f"{{{','.join(names)}}}", [listed[code] for code in column.values.tolist()]
    if column.type.source in {"date", "datetime"}:
        return _arff_moments(column)
    if column.type.is_time or column.values.dtype.kind == "f":
        texts = map(repr, column.numbers().astype(np.float64).tolist())
        return "real", [_ARFF_SPECIAL.get(text, text) for text in texts]
    whole = map(str, (column.values + 0).tolist())  # adding 0 turns booleans into integers
    absent = column.is_missing.tolist()
    return "integer", ["?" if gone else text for text, gone in zip(whole, absent, strict=True)]


def _arff_moments(column: Column) -> tuple[str, Sequence[str]]:
    unit = moment_unit(column)
    if unit in {"us", "ns"}:
        warn(
            f"Column {column.name!r}: ARFF keeps milliseconds; finer parts of moments are cut.",
            BranchlineWarning,
        )
        unit = "ms"
    pattern = {"D": "yyyy-MM-dd", "s": _JAVA_TIME, "ms": f"{_JAVA_TIME}.SSS"}[unit]
    pattern += "" if column.type.timezone is None else "XXX"
    return f'date "{pattern}"', [text or "?" for text in _moment_texts(column, unit)]


def _quoted(name: str) -> str:
    if _BARE.fullmatch(name) and name not in DEFAULT_MISSING:
        return name
    return f"'{_MUST_ESCAPE.sub(_escaped, name)}'"


def _escaped(found: "re.Match[str]") -> str:
    return _SHORT_ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}"


# -- the file -----------------------------------------------------------------------------------


def replace_file(path: str | Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file that appears whole or not at all; an existing one is replaced."""
    try:
        with replacing(path) as file, _packed(file, Path(path)) as target:
            write(target)
    except BranchlineError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise file_error(str(path), f"the file cannot be written ({why}).", code="F023") from None


def _packed(file: IO[bytes], place: Path) -> AbstractContextManager[IO[bytes]]:
    if place.suffix.lower() != ".gz":
        return nullcontext(file)
    # no name and no time inside: the same table gives the same bytes
    return cast("AbstractContextManager[IO[bytes]]", gzip.GzipFile("", "wb", 6, file, 0))
