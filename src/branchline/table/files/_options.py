"""The options of reading: checked at the door, compared with the columns, applied at the end."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from branchline.errors import DataError, Repair
from branchline.table._kinds import change_kinds, check_kinds
from branchline.table._names import no_such_column
from branchline.table._table import Table
from branchline.table.files._source import DEFAULT_MISSING

__all__ = ["ReadOptions", "several_texts"]


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file; None means: find out. The fields are the parameters of ``read_table``."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = DEFAULT_MISSING
    delimiter: str | None = None
    header: bool | None = None
    decimal: str | None = None
    encoding: str | None = None
    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        mark = self.delimiter
        if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in '"\n\r\0'):
            wanted = "one ASCII character that is no quote and no line end"
            raise _bad_option("delimiter", mark, wanted, 'delimiter=";"')
        if self.decimal not in (None, ".", ","):
            raise _bad_option("decimal", self.decimal, '"." or ","', 'decimal=","')
        if self.decimal is not None and self.decimal == mark:
            raise _bad_option(
                "decimal", self.decimal, "another mark than the delimiter", 'delimiter=";"'
            )
        if self.header not in (None, True, False):
            raise _bad_option("header", self.header, "True, False or None", "header=True")

    def check(self, names: Collection[str]) -> None:
        """Refuse kinds and drops of columns that are not there."""
        check_kinds(self.kinds, names)
        for name in self.drop:
            if name not in names:
                raise no_such_column(name, tuple(names))

    def apply(self, table: Table) -> Table:
        """Return ``table`` without the dropped columns and with the kinds asked for."""
        self.check(table.schema.position)
        if self.drop:
            table = table.drop(self.drop)
        kept = table.schema.position
        return change_kinds(
            table, {name: kind for name, kind in self.kinds.items() if name in kept}
        )


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
        repair=Repair(f"table = read_table(path, {repair})"),
    )
