"""The options of reading: checked at the door, compared with the columns, applied at the end."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from branchline._names import no_such_column
from branchline.errors import DataError, Repair
from branchline.table._change_kinds import change_kinds, check_kinds
from branchline.table._table import Table
from branchline.table.converting._conversion import Conversion
from branchline.table.converting._written import Written, parse_kind
from branchline.table.files._files import DEFAULT_MISSING, IMPORT
from branchline.table.frames._text_columns import convert_texts, without_marks

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ReadOptions", "several_texts"]


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file; None means: find out. The fields are the parameters of ``read_table``.

    Some are for programs: ``likely`` are kinds to use where a column is there and its cells fit,
    ``marks`` texts that mean missing in a column, and ``names`` texts that do not, although they
    usually do (a model remembers all three); ``counted`` is how many cells hold each text, where
    texts stand for more cells; ``texts`` says what
    becomes of money, dates and the like that two ways of reading fit: "ask" for a decision, "keep"
    them texts, or leave all such columns "raw"; ``tells`` whether to warn of cells that
    count as missing.
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = DEFAULT_MISSING
    delimiter: str | None = None
    header: bool | None = None
    decimal: str | None = None
    encoding: str | None = None
    drop: tuple[str, ...] = ()
    skip: int | None = None
    totals: bool = False
    sheet: str | None = None
    likely: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tells: bool = True
    texts: Literal["ask", "keep", "raw"] = "ask"
    counted: "Mapping[str, pl.DataFrame]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        mark = self.delimiter
        if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in '"\n\r\0'):
            wanted = "one ASCII character, neither a quote nor a line end"
            raise _bad_option("delimiter", mark, wanted, 'delimiter=";"')
        if self.decimal not in (None, ".", ","):
            raise _bad_option("decimal", self.decimal, '"." or ","', 'decimal=","')
        if self.decimal is not None and self.decimal == mark:
            raise _bad_option(
                "decimal", self.decimal, "another mark than the delimiter", 'delimiter=";"'
            )
        if self.header is not None and not isinstance(self.header, bool):  # not 0 or 1
            raise _bad_option("header", self.header, "True, False or None", "header=True")
        if self.skip is not None and (not isinstance(self.skip, int) or self.skip < 0):
            raise _bad_option("skip", self.skip, "a number of lines, or None", "skip=2")

    def words(self) -> list[str]:
        """Return the columns that are categories whatever they look like."""
        return [
            name
            for name, kind in {**self.likely, **self.kinds}.items()
            if parse_kind(name, kind) == "category"
        ]

    def conversion(self) -> Conversion | None:
        """Return how money, dates and the like are converted."""
        if self.texts == "raw":
            return None
        return Conversion(
            _ways(self.kinds),
            _ways(self.likely),
            self.texts,
            self.decimal,
            marks=self.marks,
            tells=self.tells,
            origin="file",
            counted=self.counted,
        )

    def check(self, names: Collection[str]) -> None:
        """Refuse kinds and drops of columns that are not there."""
        check_kinds(self.kinds, names)
        for name in self.drop:
            if name not in names:
                raise no_such_column(name, tuple(names))

    def missing_in(self, column: str) -> tuple[str, ...]:
        """Return the texts that mean missing in a column."""
        known = self.names.get(column, ())
        return tuple(text for text in self.missing if text not in known)

    def more_missing(self) -> tuple[str, ...]:
        """Return the texts that mean missing beside those that usually do."""
        return tuple(text.strip() for text in self.missing if text not in DEFAULT_MISSING)

    def apply_to_frame(self, table: Table) -> Table:
        """Return a table whose columns have types, its texts converted and the options applied."""
        table = without_marks(table, self.more_missing())
        conversion = self.conversion()
        if conversion is not None:
            leave = {*self.kinds, *self.words(), *self.drop}
            table = convert_texts(table, conversion, leave)
        return self.apply(table)

    def apply(self, table: Table) -> Table:
        """Return ``table`` without the dropped columns and with the kinds asked for."""
        self.check(table.schema.position)
        if self.drop:
            table = table.drop(self.drop)
        kept = table.schema.position
        kinds = {name: kind for name, kind in self.kinds.items() if name in kept}
        return change_kinds(table, kinds)


def _ways(kinds: Mapping[str, str]) -> dict[str, Written]:
    """Return the kinds that say how texts are written."""
    parsed = {name: parse_kind(name, kind) for name, kind in kinds.items()}
    return {name: kind for name, kind in parsed.items() if isinstance(kind, Written)}


def several_texts(option: str, given: object) -> tuple[str, ...]:
    """Return one text, or several, as a tuple."""
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        raise _bad_option(option, given, "a text or a list of texts", f"{option}={[str(given)]!r}")
    return tuple(map(str, given))


def _bad_option(option: str, value: object, wanted: str, repair: str) -> DataError:
    return DataError(
        f"{option} is {value!r}, but must be {wanted}.",
        code="F012",
        values=(value,),
        repair=Repair(f"{IMPORT}\ntable = read_table(path, {repair})"),
    )
