"""Any supported file into a table: the format is found by extension and by content.

1. Open the file; compression is undone.
2. Binary formats show themselves in their first bytes; those that cannot be read are named.
3. Text formats go by extension, and where that says little (.txt, .train, none) by the first lines.
4. One reader for each format makes the table.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import TypeAlias

from branchline.errors import DataError
from branchline.table._table import Table
from branchline.table.files._options import ReadOptions, several_texts
from branchline.table.files._read_adbc import is_adbc_address, read_adbc
from branchline.table.files._read_arff import read_arff
from branchline.table.files._read_binary import read_arrow, read_parquet
from branchline.table.files._read_c45 import names_beside, read_c45
from branchline.table.files._read_csv import read_csv
from branchline.table.files._read_excel import read_excel
from branchline.table.files._read_json import read_json
from branchline.table.files._read_libsvm import read_libsvm
from branchline.table.files._read_sql import is_database_address, read_address, read_sqlite
from branchline.table.files._read_stats import read_sas, read_spss, read_stata, read_xport
from branchline.table.files._source import (
    DEFAULT_MISSING,
    IMPORT,
    AnyFile,
    Source,
    file_error,
    open_source,
)

__all__ = ["find_format", "read_table", "read_with"]

Reader: TypeAlias = Callable[[Source, ReadOptions], Table]

_READERS: dict[str, Reader] = {
    "csv": read_csv,
    "tsv": read_csv,
    "arff": read_arff,
    "c45": read_c45,
    "libsvm": read_libsvm,
    "svmlight": read_libsvm,
    "parquet": read_parquet,
    "arrow": read_arrow,
    "feather": read_arrow,
    "json": read_json,
    "jsonl": read_json,
    "ndjson": read_json,
    "excel": read_excel,
    "xlsx": read_excel,
    "sqlite": read_sqlite,
    "spss": read_spss,
    "stata": read_stata,
    "sas": read_sas,
    "xport": read_xport,
}
_FORMAT_OF_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"PK\x03\x04": "excel",
    b"\xd0\xcf\x11\xe0": "excel",
    b"SQLite format 3\x00": "sqlite",
    b"$FL2@(#)": "spss",
    b"$FL3@(#)": "spss",
    b"<stata_dta>": "stata",
    b"HEADER RECORD*******LIB": "xport",
    b"\x00" * 12 + b"\xc2\xea\x81\x60": "sas",
}
_UNREADABLE = {
    b"FEA1": "a Feather file of version 1",
    b"\x89HDF": "an HDF5 file",
    b"%PDF": "a PDF document",
}
_FORMAT_OF_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".arff": "arff",
    ".names": "c45",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".por": "spss",
    ".dta": "stata",
}
_HEAD = 1 << 16
_LINES_LOOKED_AT = 20
_ARFF = re.compile(r"(?:\s*%[^\n]*\n)*\s*@(?:relation|attribute)\b", re.I)
_PAGE = re.compile(r"<!doctype\b|<html\b|<\?xml\b", re.I)
_JSON = re.compile(r'\[\s*[\[{]|\{\s*"')
_PAIRS = re.compile(
    r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:e[+-]?[0-9]++)?"
    r"(?:\s++qid:[0-9]++)?(?P<pairs>(?:\s++[0-9]++:[^\s:,;]++)*+)\s*+",
    re.I,
)


def read_table(  # noqa: PLR0913 -- the options of files are many, and all have defaults
    path: AnyFile,
    *,
    kinds: Mapping[str, str] | None = None,
    missing: str | Iterable[str] = DEFAULT_MISSING,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    drop: str | Iterable[str] = (),
    format: str | None = None,
    sheet: str | None = None,
    skip: int | None = None,
    totals: bool = False,
) -> Table:
    r"""Read a file as a table.

    Parameters
    ----------
    path
        A path, "-" for standard input, an open file, or the address of a database (of SQLAlchemy,
        or with "adbc+" before it of an ADBC driver: "adbc+sqlite:///my.db#table"). CSV and other
        delimited text, Excel and OpenDocument, JSON and JSON lines, Parquet, Arrow, SQLite, ARFF,
        C4.5 (.names with .data or .test), libsvm, Orange, SPSS, Stata and SAS are read; files may
        be compressed (gz, bz2, xz, zst, zip).
    kinds
        Kinds to use instead of the inferred ones, by column name: "number" (or "numeric"),
        "category", "date", "time", "duration", "boolean". Details follow a colon: "number:," has a
        decimal comma, "date:%d/%m/%Y" the day first. A category made of numbers is named by their
        texts: 007 stays "007". Default None: all kinds are inferred.
    missing
        The texts that mean missing.
        Default: an empty cell, NA, ?, NaN, N/A, null and their spellings.
    delimiter
        What separates the cells of delimited text; a blank stands for any run of blanks.
        Default None: found in the file.
    header
        Whether delimited text begins with the column names. Default None: found in the file.
    decimal
        The decimal mark of delimited text, "." or ",". Default None: found in the file.
    encoding
        The encoding of a text, such as "utf-8" or "cp1252". Default None: found in the file.
    drop
        Names of columns to leave out. Default: none.
    format
        "csv", "excel", "json", "arff" and so on, when neither name nor content tell.
        Default None: name and content tell.
    sheet
        The sheet of a workbook, the table of a database, the file of a zip archive, when there are
        several. ``file.xlsx#name`` says the same. Default None: the only one that holds cells.
    skip
        How many lines stand above the table; by default, title lines are found.
    totals
        Keep a last line that sums up the others; by default it is left out.

    Raises
    ------
    DataError
        A code F… that says which file and line, what was seen and how to mend it.
    KindError
        K002 when a column that shall be numeric holds other text; K101 and K102 when numbers or
        dates can be read in two ways and no value decides.

    See Also
    --------
    Table : named columns, each numeric or a category, with missing values.

    Examples
    --------
    >>> import io
    >>> from branchline import read_table
    >>> table = read_table(io.StringIO("price,sold\n$1.50,31/12/2024\n?,02/01/2025\n"))
    >>> table.to_dicts()[0]
    {'price': 1.5, 'sold': datetime.date(2024, 12, 31)}
    """
    options = ReadOptions(
        kinds=dict(kinds or {}),
        missing=several_texts("missing", missing),
        delimiter=delimiter,
        header=header,
        decimal=decimal,
        encoding=encoding,
        drop=several_texts("drop", drop),
        sheet=sheet,
        skip=skip,
        totals=totals,
    )
    return read_with(path, options, format)


def read_with(path: AnyFile, options: ReadOptions, format: str | None = None) -> Table:
    """Read a file as a table, as the options say."""
    if format is not None and format.lower() not in _READERS:
        raise _unknown_format(format)
    if isinstance(path, str) and is_adbc_address(path):
        return read_adbc(path, options)
    if isinstance(path, str) and is_database_address(path):
        return read_address(path, options)
    source = open_source(path, options.sheet)
    reader = _READERS[format.lower() if format else find_format(source)]
    return reader(source, options)


def find_format(source: Source) -> str:
    """Return the format of a file by its name and first bytes; refuse web pages and the like."""
    for magic, what in _UNREADABLE.items():
        if source.content.startswith(magic):
            raise file_error(
                source.name,
                f"this is {what}, which cannot be read. Save the table as CSV or Parquet.",
                code="F009",
            )
    for magic, name in _FORMAT_OF_MAGIC.items():
        if source.content.startswith(magic):
            return name
    if source.suffix in {".data", ".test"} and source.path and names_beside(source.path):
        return "c45"
    text = _head_of_text(source.content[:_HEAD])
    cut = len(source.content) >= _HEAD
    found = _FORMAT_OF_SUFFIX.get(source.suffix) or _format_of_text(text, cut=cut)
    if found == "csv" and _JSON.match(text.lstrip()):
        found = "json"
    if found == "csv":
        _refuse_markup(source, text)
    return found


def _head_of_text(head: bytes) -> str:
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    return head.decode("utf-16" if wide else "utf-8", "replace").removeprefix("\ufeff")


def _refuse_markup(source: Source, head: str) -> None:
    """Refuse web pages and XML, which would pass for odd delimited text."""
    begin = head.lstrip()
    page = _PAGE.match(begin)
    if page:
        what = "an XML document" if page[0].startswith("<?") else "a web page (HTML)"
        raise file_error(
            source.name,
            f"this is {what}, not a table. Was a page saved instead of the file it links to? "
            "Download that file, or save the table as CSV.",
            code="F009",
        )


def _format_of_text(text: str, *, cut: bool) -> str:
    """Tell ARFF, JSON and libsvm from delimited text by the first lines."""
    if _ARFF.match(text):
        return "arff"
    if _JSON.match(text.lstrip()):
        return "json"
    lines = text.split("\n")
    if cut:
        lines[-1] = lines[-1].rpartition(" ")[0]  # the last line, and its last pair, are cut
    lines = [line.partition("#")[0] for line in lines[:_LINES_LOOKED_AT]]
    found = [_PAIRS.fullmatch(line) for line in lines if line.strip()]
    pairs = any(match["pairs"] for match in found if match)
    return "libsvm" if pairs and all(found) else "csv"


def _unknown_format(name: str) -> DataError:
    near = get_close_matches(name.lower(), _READERS, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return file_error(
        "format",
        f"the format {name!r} does not exist.{hint} The formats are {', '.join(_READERS)}.",
        code="F009",
        repair=f'{IMPORT}\ntable = read_table(path, format="{near[0] if near else "csv"}")',
        flag=f"--format {near[0] if near else 'csv'}",
    )
