"""``scan_table``: files larger than memory as a table of mapped columns."""

import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.table._column import Column
from branchline.table._schema import Schema
from branchline.table.files._options import ReadOptions, several_texts
from branchline.table.files._source import DEFAULT_MISSING
from branchline.table.scanning._cache import (
    Hold,
    Recipe,
    clear,
    damaged,
    open_columns,
    read_record,
    told_from_json,
)
from branchline.table.scanning._convert import convert
from branchline.table.scanning._decide import messages_of, tell
from branchline.table.scanning._open_text import head_of
from branchline.table.scanning._sources import find_files, format_of, known_by
from branchline.table.scanning._sources_of_scan import open_sources
from branchline.table.scanning._table_scan import ScanFolder, TableScan

__all__ = ["scan_table", "scan_with"]

_PART_BYTES = {"csv": 1 << 24, "parquet": 1 << 26}
_OWN = {"manifest.json", "progress.json", "in_use"}


def scan_table(  # noqa: PLR0913 -- the options of files are many, and all have defaults
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    cache: str | PathLike[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    missing: str | Iterable[str] = DEFAULT_MISSING,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    drop: str | Iterable[str] = (),
    skip: int | None = None,
    totals: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> TableScan:
    r"""Open files that are larger than memory as a table.

    The files are read part by part and written, column by column, into a folder; the columns of the
    table are mapped from there. Kinds, names of categories, missing values and warnings are those
    that ``read_table`` gives for the whole file: all rows decide, not the first ones. Gradient
    boosting, random forests and extra-trees are then fitted with a few columns in memory, to the
    same bytes. Small files are better read by ``read_table``.

    Parameters
    ----------
    path
        Delimited text (also gz, bz2, xz, zst) or Parquet: a file, a folder, a pattern such as
        "folder/\*.parquet", or a list of files with the same columns.
    cache
        The folder that keeps the columns. It is used again while the files stay the same, and an
        interrupted conversion goes on there. Default: a temporary folder, removed with the table.
    kinds, missing, delimiter, header, decimal, encoding, drop, skip, totals
        As in ``read_table``.
    on_progress
        Called with the number of rows that are written and the number of all rows.
        Default None: nothing is called.

    Returns
    -------
    TableScan
        A ``Table`` whose columns are on disk.

    Raises
    ------
    DataError
        F120 for files that cannot be read part by part, F121 where files disagree about a column,
        F122 for a folder that cannot be the cache, F123 where the disk is full; and those of
        ``read_table``.

    See Also
    --------
    TableScan : a table in files.
    read_table : read a file into memory.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from branchline import scan_table
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("x,y\n1,a\n2,b\n3,a\n")
    >>> X, y = scan_table(path).split_target("y")
    >>> X.shape
    (3, 1)
    """
    options = ReadOptions(
        kinds=dict(kinds or {}),
        missing=several_texts("missing", missing),
        delimiter=delimiter,
        header=header,
        decimal=decimal,
        encoding=encoding,
        drop=several_texts("drop", drop),
        skip=skip,
        totals=totals,
    )
    return scan_with(path, options, cache=cache, on_progress=on_progress)


def scan_with(
    path: Any,
    options: ReadOptions,
    *,
    cache: str | PathLike[str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    part_bytes: int | None = None,
) -> TableScan:
    """Open files as a table of mapped columns, as the options say."""
    files = find_files(path)
    format = format_of(files, [head_of(file) for file in files])
    recipe = Recipe(tuple(map(known_by, files)), _plain(options, format))
    folder = _folder(cache)
    if (found := _kept(folder, recipe)) is not None:
        return found
    with Hold(folder.path):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sources = open_sources(files, format, options, part_bytes or _PART_BYTES[format])
        told = messages_of(caught)
        manifest = convert(sources, folder.path, recipe, told, on_progress)
    tell(told_from_json(manifest["told"]))
    return _opened(folder, manifest)


def _plain(options: ReadOptions, format: str) -> dict[str, Any]:
    """Return the options as plain data, by which a cache is known."""
    return {
        "format": format,
        "kinds": dict(options.kinds),
        "missing": list(options.missing),
        "delimiter": options.delimiter,
        "header": options.header,
        "decimal": options.decimal,
        "encoding": options.encoding,
        "drop": list(options.drop),
        "skip": options.skip,
        "totals": options.totals,
        "texts": options.texts,
        "tells": options.tells,
        "likely": dict(options.likely),
        "marks": {name: list(marks) for name, marks in options.marks.items()},
        "names": {name: list(names) for name, names in options.names.items()},
    }


def _folder(cache: str | PathLike[str] | None) -> ScanFolder:
    if cache is None:
        return ScanFolder(Path(tempfile.mkdtemp(prefix="branchline-scan-")), is_temporary=True)
    place = Path(cache).expanduser()
    try:
        place.mkdir(parents=True, exist_ok=True)
        others = [entry.name for entry in place.iterdir() if not _is_own(entry.name)]
    except OSError as error:
        raise damaged(place, str(error.strerror or error)) from None
    if others:
        raise damaged(place, f"it holds other files, such as {sorted(others)[0]!r}")
    return ScanFolder(place, is_temporary=False)


def _is_own(name: str) -> bool:
    return name in _OWN or name.startswith(("column_", "known_", "codes_", ".branchline-"))


def _kept(folder: ScanFolder, recipe: Recipe) -> TableScan | None:
    """Return the table that the cache holds, where it was made of the same files."""
    path = folder.path
    record = read_record(path / "manifest.json")
    if record is None:
        if (path / "manifest.json").exists():
            _tell_damaged(path)
            clear(path)
        return None
    if any(record.get(key) != own for key, own in recipe.to_dict().items()):
        return None
    opened = open_columns(path, record)
    if opened is None:
        _tell_damaged(path)
        clear(path)
        return None
    tell(told_from_json(record["told"]))
    return _table(folder, record, *opened)


def _opened(folder: ScanFolder, manifest: dict[str, Any]) -> TableScan:
    opened = open_columns(folder.path, manifest)
    if opened is None:
        raise damaged(folder.path, "what was written there cannot be read back")
    return _table(folder, manifest, *opened)


def _table(
    folder: ScanFolder, manifest: dict[str, Any], schema: Schema, columns: list[Column]
) -> TableScan:
    folder.remember(columns, [entry["values"]["crc"] for entry in manifest["columns"]])
    return TableScan._of_files(schema, columns, folder)


def _tell_damaged(folder: Path) -> None:
    warn(
        BranchlineWarning(
            f"The cache {str(folder)!r} is damaged. It is made again.",
            code="W111",
        )
    )
