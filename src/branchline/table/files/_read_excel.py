"""Excel and OpenDocument workbooks into a table, by python-calamine.

1. The sheet is the one asked for, or the only visible one that has cells.
2. Empty rows and columns round the cells are left out; so are title lines above the header and a
   line of totals below, as in text files.
3. Cells keep their types; texts are read as in text files.
"""

import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any

from branchline._memory import refuse_over_budget
from branchline.errors import DataError
from branchline.table._table import Table
from branchline.table.files._extras import need_extra
from branchline.table.files._files import file_error, part_repair
from branchline.table.files._loose_cells import loose_table, text_of
from branchline.table.files._margins import drops_total_row, n_title_rows, tell_skipped
from branchline.table.files._options import ReadOptions
from branchline.table.files._read_csv import unique_names
from branchline.table.files._sniff import has_header
from branchline.table.files._source import Source

__all__ = ["read_excel"]

_HEADER_SAMPLE = 200
_BYTES_PER_CELL = 32
_CELL = re.compile(rb'<(?:\w+:)?c\s[^>]{0,80}?\br="([A-Z]{1,4})([0-9]{1,9})"')
_ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")


def read_excel(source: Source, options: ReadOptions) -> Table:
    """Return the table that a sheet of a workbook holds."""
    calamine = need_extra("python_calamine", "excel", "Excel and OpenDocument workbooks")
    _refuse_bombs(source)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(source.content))
        sheet = _sheet(source, book)
        rows = sheet.to_python()
    except DataError:
        raise
    except calamine.PasswordError:
        raise file_error(source.name, "the workbook has a password.", code="F102") from None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        why = str(error).partition("\n")[0][:120]
        raise file_error(
            source.name,
            f"the workbook is damaged or cut short ({why}). Save it again, or as CSV.",
            code="F008",
        ) from None
    return _table_of_rows(source, rows, options)


def _sheet(source: Source, book: Any) -> Any:
    names = [
        sheet.name for sheet in book.sheets_metadata if str(sheet.typ).endswith("WorkSheet")
    ] or list(book.sheet_names)
    if source.part is not None:
        if source.part in names:
            return book.get_sheet_by_name(source.part)
        raise part_repair(source.name, "sheet", names, source.part)
    visible = {s.name for s in book.sheets_metadata if str(s.visible).endswith(".Visible")}
    sheets = [book.get_sheet_by_name(name) for name in names if name in visible or not visible]
    full = [sheet for sheet in sheets if sheet.height > 1] or [s for s in sheets if s.height]
    if len(full) != 1:
        largest = max(full, key=lambda sheet: sheet.height * sheet.width, default=None)
        names = [sheet.name for sheet in full]
        raise part_repair(source.name, "sheet", names, None, largest and largest.name)
    return full[0]


def _refuse_bombs(source: Source) -> None:
    """Refuse workbooks whose parts, or whose corner cells, ask for more memory than there is."""
    if not source.content.startswith(b"PK"):
        return
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.content))
        entries = archive.infolist()
        total = sum(entry.file_size for entry in entries)
        refuse_over_budget(4 * total, f"the unpacked sheets of {source.name}")
        for entry in entries:
            if entry.filename.startswith("xl/worksheets/") and entry.filename.endswith(".xml"):
                _refuse_far_corner(source.name, archive.read(entry))
    except DataError:
        raise
    except Exception:  # the reader says what is wrong with the archive
        return


def _refuse_far_corner(name: str, sheet: bytes) -> None:
    right = bottom = 0
    for letters, number in _CELL.findall(sheet):
        place = 0
        for letter in letters:
            place = 26 * place + letter - 64
        right, bottom = max(right, place), max(bottom, int(number))
    refuse_over_budget(_BYTES_PER_CELL * right * bottom, f"{bottom:,} × {right:,} cells of {name}")


def _table_of_rows(source: Source, rows: list[list[Any]], options: ReadOptions) -> Table:
    rows = [[None if cell in _ERRORS or cell == "" else cell for cell in row] for row in rows]
    rows = rows[options.skip or 0 :]
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if options.skip is None:
        n_titles = n_title_rows(rows)
        tell_skipped(source.name, n_titles)
        rows = rows[n_titles:]
    if not rows:
        raise file_error(source.name, "the sheet is empty.", code="F004")
    names, rows = _named(source.name, rows, options)
    if not options.totals and drops_total_row(source.name, rows):
        rows = rows[:-1]
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(names)
    return loose_table(names, columns, options)


def _named(
    file: str, rows: list[list[Any]], options: ReadOptions
) -> tuple[list[str], list[list[Any]]]:
    used = [place for place in range(len(rows[0])) if any(row[place] is not None for row in rows)]
    rows = [[row[place] for place in used] for row in rows]
    header = options.header
    if header is None:
        sample = rows[:_HEADER_SAMPLE]
        texts = [["" if cell is None else text_of(cell) for cell in row] for row in sample]
        header = has_header(texts, options.missing)
    if not header:
        return [f"column_{place}" for place in range(1, len(used) + 1)], rows
    first = ["" if cell is None else text_of(cell).strip() for cell in rows[0]]
    return unique_names(first, file), rows[1:]
