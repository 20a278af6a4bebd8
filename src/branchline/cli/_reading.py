"""How a verb reads its table: the options, and the table."""

import glob
import inspect
import io
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.cli._options import parse_kinds
from branchline.errors import DataError, ParameterError, Repair

if TYPE_CHECKING:
    from branchline.table import Schema, Table

__all__ = ["AS_IT_IS", "LargeFile", "Reading", "check_column", "open_data", "with_reading"]

_FILE, _CHOICE = "Reading the file", "Columns and rows"


def _option(panel: str, *flags: str, **about: Any) -> Any:
    """Return an option that ``--help`` shows in a panel."""
    return typer.Option(*flags, rich_help_panel=panel, **about)


_TEXTS: dict[str, Any] = {
    "missing": Annotated[
        list[str] | None,
        _option(_FILE, help="A text that means missing, beside NA, ? and so on; may be repeated."),
    ],
    "default_missing": Annotated[
        bool,
        _option(
            _FILE,
            "--default-missing/--no-default-missing",
            help="Whether NA, ?, n/a and null mean missing; --no-default-missing keeps such texts.",
        ),
    ],
    "delimiter": Annotated[
        str | None, _option(_FILE, help="The character that separates cells: ';' or ','.")
    ],
    "header": Annotated[bool | None, _option(_FILE, help="Whether the first line holds names.")],
    "decimal": Annotated[str | None, _option(_FILE, help="The decimal mark: . or ,")],
    "encoding": Annotated[str | None, _option(_FILE, help="The encoding of the text: cp1252.")],
    "format": Annotated[
        str | None, _option(_FILE, help="The format, if the name misleads: csv, excel, arff.")
    ],
    "sheet": Annotated[
        str | None, _option(_FILE, help="The sheet of a workbook, or the table of a database.")
    ],
    "skip": Annotated[
        int | None,
        _option(_FILE, min=0, help="Lines above the table; titles are found by default."),
    ],
    "totals": Annotated[
        bool, _option(_FILE, "--totals", help="Keep a last line that sums up the others.")
    ],
}
_COLUMNS: dict[str, Any] = {
    "ids": Annotated[
        list[str] | None,
        _option(
            _CHOICE,
            "--id",
            help="A column that identifies rows (an id or a name); it is not used as an input, "
            "as with --drop; predict writes it beside the predictions. May be repeated.",
        ),
    ],
    "drop": Annotated[
        list[str] | None, _option(_CHOICE, help="A column to leave out; may be repeated.")
    ],
    "kind": Annotated[
        list[str] | None,
        _option(
            _CHOICE,
            help="Use another kind: zip=category, amount=number, day=date:%d/%m/%Y; may be "
            "repeated.",
        ),
    ],
}
_TARGET: dict[str, Any] = {
    "known_only": Annotated[
        bool, _option(_CHOICE, "--known-only", help="Leave out rows whose target is missing.")
    ],
}


@dataclass(frozen=True)
class Reading:
    """What the command line says of how to read a file."""

    kind: Sequence[str] = ()
    drop: Sequence[str] = ()
    ids: Sequence[str] = ()
    missing: Sequence[str] = ()
    default_missing: bool = True
    delimiter: str | None = None
    header: bool | None = None
    decimal: str | None = None
    encoding: str | None = None
    format: str | None = None
    sheet: str | None = None
    skip: int | None = None
    totals: bool = False
    known_only: bool = False

    def read(self, data: Any, schema: "Schema | None" = None, *, ask: bool = True) -> "Table":
        """Return the table in a file (of ``open_data``).

        With the ``schema`` of a model, cells are read as they were when it was fitted. With
        ``ask=False``, columns that can be read in two ways stay texts.
        """
        from branchline.table.files import as_fitted

        given = {
            "kinds": parse_kinds(self.kind),
            "drop": (*self.drop, *self.ids),
            "texts": "ask" if ask else "keep",
            "tells": ask or schema is not None,
            **as_fitted(schema or ()),
        }
        return self._read(data, {**self._of_texts(), **given})

    def read_whole(self, data: Any) -> "Table":
        """Return the table with all its columns, and none of the kinds that were asked for."""
        given = {name: value for name, value in self._of_texts().items() if name != "missing"}
        return self._read(data, {**given, "texts": "raw"})

    def _read(self, data: Any, given: dict[str, Any]) -> "Table":
        from branchline.table.files import ReadOptions, read_with

        format = given.pop("format", None)
        if isinstance(data, LargeFile):
            from branchline.table import scan_with

            given.pop("sheet", None)
            return scan_with(data.path, ReadOptions(**given))
        return read_with(_from_the_start(data), ReadOptions(**given), format)

    def with_target(self, table: "Table", target: str) -> "Table":
        """Return the rows whose target is known; refuse others unless they may be left out."""
        check_column(table, "--target", target)
        missing = table.column(target).is_missing
        if not missing.any():
            return table
        if self.known_only and not missing.all():
            return table.rows(~missing)
        raise DataError(
            f"{_without_value(int(missing.sum()), table.n_rows)} in the target {target!r}: nothing "
            "can be learned from such rows, or tested on them.",
            code="D071",
            column=target,
            rows=missing.nonzero()[0],
            repair=Repair(flag=None if missing.all() else "--known-only"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data."""
        return asdict(self)

    def _of_texts(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in _TEXTS if name != "default_missing"}
        given["missing"] = self.missing_texts()
        return {name: value for name, value in given.items() if value is not None}

    def missing_texts(self) -> tuple[str, ...] | None:
        """Return all texts that mean missing; None for those that usually do."""
        from branchline.table.files import DEFAULT_MISSING

        if self.default_missing and not self.missing:
            return None
        return (*(DEFAULT_MISSING if self.default_missing else ("",)), *self.missing)


def _without_value(how_many: int, n_rows: int) -> str:
    verb = "has" if how_many == 1 else "have"
    return f"{how_many:,} of the {n_rows:,} rows {verb} no value"


# How many times the size of its file a table in memory may take, while it is read.
_TIMES = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".tab"), 4),
    **dict.fromkeys((".parquet", ".gz", ".bz2", ".xz", ".zst"), 8),
}

# How files are read by default.
AS_IT_IS = Reading()


@dataclass(frozen=True)
class LargeFile:
    """A file that is read part by part, into columns on disk."""

    path: str


def open_data(path: str, scan: bool | None = False) -> Any:
    """Return what can be read more than once: the path, or what standard input held.

    With ``scan``, the file (or folder, or pattern) is read part by part; with None, where it is
    large.
    """
    if path != "-":
        return LargeFile(path) if scan or (scan is None and _is_large(path)) else path
    from branchline.table.files import read_all

    content: Any = io.BytesIO(read_all(sys.stdin.buffer, "-"))
    content.name = "standard input"
    return content


def _is_large(path: str) -> bool:
    """Whether a table of this file, read whole, may take more than the memory budget."""
    from branchline._memory import budget_bytes

    place = Path(path).expanduser()
    try:
        if place.is_dir() or (glob.has_magic(path) and not place.exists()):
            return True
        times = _TIMES.get(place.suffix.lower())
        return times is not None and times * place.stat().st_size > budget_bytes()
    except OSError:
        return False


def _from_the_start(data: Any) -> Any:
    if isinstance(data, io.BytesIO):
        data.seek(0)
    return data


def several_columns(table: "Table", name: str) -> list[str] | None:
    """Return the columns that "a,b" names; None where it does not name several."""
    names = [part.strip() for part in name.split(",")]
    if len(names) < 2 or name in table.names or not all(part in table.names for part in names):
        return None
    return list(dict.fromkeys(names))


def check_column(table: "Table", option: str, name: str) -> None:
    """Refuse a column that is not there, with the nearest name as the repair."""
    several = several_columns(table, name) if option == "--target" else None
    if several is not None:
        raise ParameterError(
            f"One target at a time: {name!r} names {len(several)} columns. Only 'branchline fit' "
            "takes several.",
            code="P879",
            values=several,
            repair=Repair(flag=f"--target {shlex.quote(several[0])}"),
        )
    try:
        table.column(name)
    except DataError as error:
        alike = {other.casefold(): other for other in table.names}
        near = get_close_matches(name.casefold(), alike, n=1)
        repair = f"{option} {shlex.quote(alike[near[0]])}" if near else None
        flag = repair or "branchline look FILE lists the columns"
        mend = Repair(error.repair.python, flag)
        raise DataError(error.message, code=error.code, column=name, repair=mend) from None


def _parameter(name: str, kind: Any) -> inspect.Parameter:
    default = {"default_missing": True, "totals": False}.get(
        name, False if name in _TARGET else None
    )
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def with_reading(
    verb: Callable[..., None], *, columns: bool = True, target: bool = True
) -> Callable[..., None]:
    """Return a verb with the options of reading as well, which it gets as ``reading``."""
    options = {**(_COLUMNS if columns else {}), **(_TARGET if target else {}), **_TEXTS}
    several = {field.name for field in fields(Reading) if field.default == ()}

    def verb_with_reading(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in options}
        chosen |= {name: tuple(chosen[name] or ()) for name in several & set(chosen)}
        verb(**given, reading=Reading(**chosen))

    own = dict(inspect.signature(verb).parameters)
    last = [own.pop(name) for name in ("reading", "as_json") if name in own][1:]
    more = [_parameter(name, kind) for name, kind in options.items()]
    kept = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*own.values(), *last)]
    shown = [*kept[: len(own)], *more, *kept[len(own) :]]
    verb_with_reading.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    verb_with_reading.__annotations__ = {one.name: one.annotation for one in shown}
    verb_with_reading.__name__, verb_with_reading.__doc__ = verb.__name__, verb.__doc__
    return verb_with_reading
