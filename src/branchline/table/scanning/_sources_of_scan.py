"""The files of a scan as one table, part by part: the same columns in all of them.

A part is known by its file and its number there, so that an interrupted conversion can go on.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from branchline.errors import DataError, KindError
from branchline.table._kinds import columns_from_texts
from branchline.table._table import Table
from branchline.table.files._files import file_error
from branchline.table.files._options import ReadOptions
from branchline.table.frames._from_polars import from_polars
from branchline.table.scanning._decide import Decision, decide_texts, needs_all_texts
from branchline.table.scanning._parquet_parts import ParquetFile
from branchline.table.scanning._text_facts import DistinctTexts, TextFacts
from branchline.table.scanning._text_parts import IrregularQuotesError, TextFile, open_text
from branchline.table.scanning._typed_facts import TypedFacts, decide_types

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Place", "ScanSources", "open_sources"]

Place: TypeAlias = tuple[int, int]
Each: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]


class ScanSources(Protocol):
    """Files that are scanned."""

    @property
    def names(self) -> list[str]:
        """The columns that are kept."""

    def decide(self, each: Each) -> Decision:
        """Look at all rows and return what the columns are; ``each`` maps over columns."""

    @property
    def n_rows(self) -> int:
        """The number of rows; known when the columns are decided."""

    def parts(self, begin: Place = (0, 0)) -> "Iterator[tuple[Place, list[pl.Series]]]":
        """Yield the cells of each part from a place on, and the place after it."""

    def state(self) -> dict[str, Any]:
        """Return what was found on the way and decides how parts are read, as plain data."""

    def take_state(self, state: dict[str, Any]) -> None:
        """Go on with what an earlier look found."""


def open_sources(
    files: Sequence[Path], format: str, options: ReadOptions, part_bytes: int
) -> ScanSources:
    """Open the files and hold that they have the same columns."""
    if format == "parquet":
        opened = [ParquetFile(path, options, part_bytes) for path in files]
        options.check(opened[0].names)
        return ParquetSources(opened, options)
    texts = [open_text(path, options, part_bytes) for path in files]
    return TextSources(texts, options)


def _columns_of(first: list[str], name: str, names: list[str]) -> list[int]:
    """Return where the columns of the first file stand in another one."""
    place_of = {column: place for place, column in enumerate(names)}
    for column in first:
        if column not in place_of:
            raise _disagree(name, column, "it is not in this file, but in the first one")
    for column in names:
        if column not in set(first):
            raise _disagree(name, column, "it is in this file, but not in the first one")
    return [place_of[column] for column in first]


def _disagree(file: str, column: str, how: str) -> DataError:
    return file_error(
        file,
        f"the files of a scan must have the same columns. Column {column!r}: {how}.",
        code="F121",
        column=column,
    )


def _add_one(given: tuple[Any, Any]) -> None:
    facts, cells = given
    facts.add(cells)


# -- delimited text -------------------------------------------------------------------------------


@dataclass
class TextSources:
    """Delimited texts with the same columns."""

    files: list[TextFile]
    options: ReadOptions
    _n_rows: int = 0

    @cached_property
    def names(self) -> list[str]:
        """The columns that are kept."""
        return [self.files[0].names[at] for at in self.files[0].kept]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._n_rows

    @property
    def decimal(self) -> str | None:
        """The decimal mark; None: numbers tell."""
        marks = {file.decimal for file in self.files}
        return marks.pop() if len(marks) == 1 else None

    def _columns(self, number: int) -> list[int]:
        file = self.files[number]
        return _columns_of(self.names, str(file.path), [file.names[at] for at in file.kept])

    def parts(self, begin: Place = (0, 0)) -> "Iterator[tuple[Place, list[pl.Series]]]":
        """Yield the cells of each part from a place on, and the place after it."""
        for place, cells, _ in self._parts(begin):
            yield place, cells

    def _parts(self, begin: Place = (0, 0)) -> Iterator[tuple[Place, Any, list[list[str]]]]:
        for number in range(begin[0], len(self.files)):
            columns = self._columns(number)
            first = begin[1] if number == begin[0] else 0
            for at, part in enumerate(self.files[number].parts(first), start=first):
                cells = [part.texts.to_series(place) for place in columns]
                yield (number, at + 1), cells, [part.marks[place] for place in columns]

    def decide(self, each: Each) -> Decision:
        """Look at all rows and return what the columns are."""
        facts = [self._facts(name) for name in self.names]
        try:
            marks, self._n_rows = self._look(facts, each)
        except IrregularQuotesError:
            return self.decide(each)
        while True:
            found = self._decided(facts, marks)
            if isinstance(found, Decision):
                return found
            facts = [one.gather() if one.name in found else one for one in facts]
            again = [place for place, one in enumerate(facts) if one.name in found]
            for _, cells in self.parts():
                each(_add_one, [(facts[place], cells[place]) for place in again])
            for place in again:
                facts[place].is_complete = True

    def _facts(self, name: str) -> TextFacts:
        if needs_all_texts(name, self.options):
            return TextFacts(name, DistinctTexts(), readings=set())
        return TextFacts(name)

    def _look(self, facts: list[TextFacts], each: Each) -> tuple[list[list[str]], int]:
        n_rows, marks = 0, [set[str]() for _ in facts]
        try:
            for _, cells, found in self._parts():
                each(_add_one, list(zip(facts, cells, strict=True)))
                n_rows += len(cells[0]) if cells else 0
                for all_marks, here in zip(marks, found, strict=True):
                    all_marks.update(here)
        except IrregularQuotesError:
            for file in self.files:
                file.is_regular = False
            raise
        asked = self.options.more_missing()
        return [[mark for mark in asked if mark in there] for there in marks], n_rows

    def _decided(self, facts: list[TextFacts], marks: list[list[str]]) -> "Decision | set[str]":
        try:
            return decide_texts(facts, marks, self.options, self.decimal)
        except KindError as error:
            if error.code == "K002" and error.column in self.names:
                self._refuse_with_rows(error.column)
            raise

    def _refuse_with_rows(self, column: str) -> None:
        """Read one column whole, so that the error names its rows."""
        import polars as pl

        place = self.names.index(column)
        texts = pl.concat([cells[place] for _, cells in self.parts()]).to_frame()
        own = replace(self.options, kinds={column: self.options.kinds[column]}, drop=())
        conversion = own.conversion()
        decimal = self.decimal or "."
        made = columns_from_texts(texts, [column], decimal=decimal, conversion=conversion)
        own.apply(Table.from_columns(made))

    def state(self) -> dict[str, Any]:
        """Return what was found on the way, as plain data."""
        return {
            "n_rows": self._n_rows,
            "files": [[file.is_regular, file.drops_last, file.width] for file in self.files],
        }

    def take_state(self, state: dict[str, Any]) -> None:
        """Go on with what an earlier look found."""
        self._n_rows = int(state["n_rows"])
        for file, (is_regular, drops_last, width) in zip(self.files, state["files"], strict=True):
            file.is_regular, file.drops_last, file.width = is_regular, drops_last, width


# -- Parquet --------------------------------------------------------------------------------------


@dataclass
class ParquetSources:
    """Parquet files with the same columns."""

    files: list[ParquetFile]
    options: ReadOptions

    @cached_property
    def names(self) -> list[str]:
        """The columns that are kept."""
        return [self.files[0].names[at] for at in self.files[0].kept]

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        return sum(file.n_rows for file in self.files)

    @cached_property
    def dtypes(self) -> "dict[str, pl.DataType]":
        """The type of each column, which all files share; a file may have no value at all."""
        import polars as pl

        found: dict[str, Any] = {}
        for number, file in enumerate(self.files):
            self._columns(number)
            for name in self.names:
                own = file.schema[name]
                known = found.get(name, pl.Null)
                if own != known and pl.Null not in (own, known):
                    raise _disagree(
                        str(file.path), name, f"it holds {own} here and {known} in the first file"
                    )
                found[name] = known if own == pl.Null else own
        return found

    def _columns(self, number: int) -> list[int]:
        file = self.files[number]
        return _columns_of(self.names, str(file.path), [file.names[at] for at in file.kept])

    def parts(self, begin: Place = (0, 0)) -> "Iterator[tuple[Place, list[pl.Series]]]":
        """Yield the cells of each part from a place on, and the place after it."""
        return self._parts(self.names, begin)

    def _parts(
        self, names: list[str], begin: Place = (0, 0)
    ) -> "Iterator[tuple[Place, list[pl.Series]]]":
        for number in range(begin[0], len(self.files)):
            first = begin[1] if number == begin[0] else 0
            for at, frame in enumerate(self.files[number].parts(first, names), start=first):
                cells = [
                    frame.to_series(place).cast(self.dtypes[name])
                    for place, name in enumerate(names)
                ]
                yield (number, at + 1), cells

    def decide(self, each: Each) -> Decision:
        """Look at the rows that must be looked at, and return what the columns are."""
        facts = [TypedFacts.of(name, self.dtypes[name], self.options) for name in self.names]
        self._look([one for one in facts if one.is_plain], each, most=1)
        self._look([one for one in facts if not one.is_plain], each)
        while True:
            try:
                found = decide_types(facts, self.options)
            except KindError as error:
                if error.code == "K002" and error.column in self.names:
                    self._refuse_with_rows(error.column)
                raise
            if isinstance(found, Decision):
                return found
            facts = [one.gather() if one.name in found else one for one in facts]
            self._look([one for one in facts if one.name in found], each)

    def _look(self, facts: list[TypedFacts], each: Each, most: int | None = None) -> None:
        if not facts:
            return
        for _, cells in self._parts([one.name for one in facts]):
            each(_add_one, list(zip(facts, cells, strict=True)))
            if most is not None:
                return

    def _refuse_with_rows(self, column: str) -> None:
        """Read one column whole, so that the error names its rows."""
        import polars as pl

        whole = pl.concat([cells[0] for _, cells in self._parts([column])]).alias(column)
        kinds = {column: self.options.kinds[column]}
        own = ReadOptions(kinds=kinds, missing=self.options.missing)
        own.apply_to_frame(from_polars(whole.to_frame()))

    def state(self) -> dict[str, Any]:
        """Return what was found on the way: nothing."""
        return {}

    def take_state(self, state: dict[str, Any]) -> None:
        """Go on with what an earlier look found."""
