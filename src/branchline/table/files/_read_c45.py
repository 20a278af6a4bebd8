r"""C4.5: a .names file declares classes and attributes, the .data and .test files hold rows.

1. The names file: ``|`` begins a comment, ``\`` takes the next character as it is, an entry ends
   with a dot or at the end of the line, a list goes on after a comma.
2. First entry: the classes. Others: ``name: continuous``, ``discrete N``, ``ignore`` or the values.
3. Rows: cells separated by commas, ``?`` for missing, perhaps a dot at the end; the class is last.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from branchline.errors import DataError
from branchline.table._table import Table
from branchline.table.files._cells import Cells, split_cells
from branchline.table.files._declared import Attribute, declared_table
from branchline.table.files._encoding import decode
from branchline.table.files._options import ReadOptions
from branchline.table.files._read_csv import holed, stripped, unique_names
from branchline.table.files._source import BLANKS, Source, file_error, open_source, read_again

if TYPE_CHECKING:
    import polars as pl

__all__ = ["names_beside", "read_c45"]

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)\|[^\n]*")
_TOKEN = re.compile(r"((?:\\.|\.(?=\S)|[^\\,:.\n])*)([,:\n]|\.(?=\s|$)|$)", re.S)
_ESCAPE = re.compile(r"\\(.)", re.S)
_BLANK_RUN = re.compile(r"\s+")
_DISCRETE = re.compile(r"discrete\s+([0-9]{1,9})", re.I)
# private-use characters stand for escaped ones while rows are split
_HIDDEN = {",": "\ue000", "|": "\ue001", ".": "\ue002", " ": "\ue003"}
_ENTRIES = "an entry is a name, a colon, then continuous, discrete N, ignore or a list of values"


def names_beside(path: Path) -> Path | None:
    """Return the .names file that belongs to a .data or .test file, if it is there."""
    stem = Path(path.name.removesuffix(".gz")).stem
    for name in (f"{stem}.names", f"{stem}.names.gz"):
        if path.with_name(name).is_file():
            return path.with_name(name)
    return None


def read_c45(source: Source, options: ReadOptions) -> Table:
    """Return the table of a .data or .test file, with the kinds of the .names file beside it."""
    names, rows = _pair(source)
    attributes = _read_names(names.name, decode(names, options.encoding))
    text = decode(rows, options.encoding)
    escaped = "\\" in text
    if escaped:
        text = _ESCAPE.sub(lambda found: _HIDDEN.get(found[1], found[1]), text)
    cells = split_cells(rows.name, _COMMENT.sub(r"\1", text), ",", quote="", width=len(attributes))
    known = Cells(_plain(cells, escaped), cells.lines)
    return declared_table(rows.name, known, attributes, options)


def _pair(source: Source) -> tuple[Source, Source]:
    """Return the names file and the file of rows, whichever of the two was given."""
    path = source.path
    if path is None:
        raise file_error(
            source.name, "C4.5 files are read by path: two belong together.", code="F017"
        )
    if source.suffix != ".names":
        names = names_beside(path)
        if names is not None:
            return open_source(names), source
        raise _absent(source.name, path.with_name(f"{path.stem}.names"))
    for data in (path.with_suffix(".data"), path.with_suffix(".data.gz")):
        if data.is_file():
            return source, open_source(data)
    raise _absent(source.name, path.with_suffix(".data"))


def _plain(cells: Cells, escaped: bool) -> "pl.DataFrame":
    """Return the cells without outer blanks, escapes and the dot that may end a row."""
    import polars as pl

    last = pl.col(cells.frame.columns[-1]).str.strip_chars(BLANKS).str.strip_suffix(".")
    frame = holed(stripped(cells.frame.with_columns(last)), ("?",))
    if not escaped:
        return frame
    return frame.select(pl.all().str.replace_many(list(_HIDDEN.values()), list(_HIDDEN)))


# -- the names file -----------------------------------------------------------------------------


def _read_names(file: str, text: str) -> list[Attribute]:
    """Return the attributes in the order of the cells, the class last."""
    entries = list(_entries(_COMMENT.sub(r"\1", text)))
    line, name, classes = entries[0] if entries else (1, None, [])
    if name is not None or not classes:
        raise _bad_entry(file, line, name or "", "the first entry lists the classes")
    attributes = [_attribute(file, *entry) for entry in entries[1:]]
    if not attributes:
        raise _bad_entry(file, line, ", ".join(classes), "the attributes come after the classes")
    if len(classes) == 1 and classes[0] in {attribute.name for attribute in attributes}:
        names = unique_names([attribute.name for attribute in attributes], file)
    else:
        attributes.append(Attribute("class", "values", tuple(dict.fromkeys(classes))))
        names = unique_names([attribute.name for attribute in attributes], file)
    return [replace(old, name=new) for old, new in zip(attributes, names, strict=True)]


def _entries(text: str) -> Iterator[tuple[int, str | None, list[str]]]:
    """Yield line, name (None without a colon) and values of each entry."""
    name: str | None = None
    values: list[str] = []
    goes_on, begin, line, counted = False, 0, 1, 0
    for token in _TOKEN.finditer(text):
        word = _BLANK_RUN.sub(" ", _ESCAPE.sub(r"\1", token[1])).strip()
        if not goes_on and (word or token[2] == ":"):
            begin = token.start(1) + len(token[1]) - len(token[1].lstrip())
        if token[2] == ":" and name is None and not values:
            name, goes_on = word, True
            continue
        if word:
            values.append(word)
        goes_on = token[2] == "," or (goes_on and not word and token[2] == "\n")
        if not goes_on and (values or name is not None):
            line, counted = line + text.count("\n", counted, begin), begin
            yield line, name, values
            name, values = None, []


def _attribute(file: str, line: int, name: str | None, values: Sequence[str]) -> Attribute:
    if not name or not values:
        raise _bad_entry(file, line, name or ", ".join(values), _ENTRIES)
    word = values[0].lower()
    if len(values) == 1 and word in {"continuous", "ignore"}:
        return Attribute(name, "number" if word == "continuous" else "ignore")
    discrete = _DISCRETE.fullmatch(values[0]) if len(values) == 1 else None
    if discrete:
        return Attribute(name, "words", most=int(discrete[1]))
    return Attribute(name, "values", tuple(dict.fromkeys(values)))


def _absent(name: str, wanted: Path) -> DataError:
    return file_error(
        name,
        f"C4.5 needs the file {wanted.name!r} beside it, which is not there.",
        code="F017",
        repair=read_again(name, 'format="csv"') + "  # if it has no declarations",
        flag="--format csv",
    )


def _bad_entry(file: str, line: int, seen: str, wanted: str) -> DataError:
    shown = seen if len(seen) <= 40 else f"{seen[:40]}…"
    data = str(Path(file).with_suffix(".data"))
    return file_error(
        file,
        f"{shown!r} is not understood; {wanted}. Is this a description rather than declarations?",
        code="F018",
        line=line,
        repair=read_again(data, 'format="csv"') + "  # reads the rows without it",
        flag="--format csv",
    )
