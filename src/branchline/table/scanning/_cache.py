"""The folder of a scan: what is in it, what tells that it is whole, and how it is made.

1. ``manifest.json``: the format, the sources and how they were read, the schema, the number of
   rows, and for each column its type and the CRC-32 of its files. It is written last: a folder
   without it is not finished.
2. ``progress.json``: the same, while the folder is made: up to which part of which source.
3. ``column_00000.values`` and ``column_00000.missing``: the columns.

Each of the two JSON files ends with a checksum of what it says.
"""

import json
import os
import shutil
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from branchline._atomic_file import replacing
from branchline.errors import BranchlineWarning, DataError, ModelFileError, Repair
from branchline.table._column import Column
from branchline.table._schema import Schema
from branchline.table.scanning._column_files import ColumnFile, checksum_of, mapped
from branchline.table.scanning._plans import LookUp, Plain, Plan, Values
from branchline.table.scanning._sources import SourceFile

__all__ = [
    "FORMAT",
    "VERSION",
    "Hold",
    "Recipe",
    "clear",
    "damaged",
    "open_columns",
    "plan_from_json",
    "plan_to_json",
    "read_record",
    "refuse_full_disk",
    "remove_working_files",
    "told_from_json",
    "told_to_json",
    "write_record",
]

FORMAT, VERSION = "branchline scan", 1
_DTYPES = {"<f4", "<f8", "<i4", "<i8", "<i2", "<u2", "<u4", "<u8", "|i1", "|u1", "<f2"}
_LOCK = "in_use"
_ROOM = 1 << 26  # bytes that should stay free


@dataclass(frozen=True)
class Recipe:
    """What a cache was made of: it can be used again where all of this is the same."""

    sources: tuple[SourceFile, ...]
    options: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"sources": [asdict(one) for one in self.sources], "options": self.options}


def write_record(path: Path, record: dict[str, Any]) -> None:
    """Write a JSON file that appears whole or not at all, with a checksum."""
    body = json.dumps(record, ensure_ascii=False, sort_keys=True)
    whole = {"record": record, "crc": zlib.crc32(body.encode())}
    with replacing(path) as file:
        file.write(json.dumps(whole, ensure_ascii=False, sort_keys=True).encode())


def read_record(path: Path) -> dict[str, Any] | None:
    """Return what a JSON file says; None where it is not there or damaged."""
    try:
        whole = json.loads(path.read_bytes())
        record = whole["record"]
        body = json.dumps(record, ensure_ascii=False, sort_keys=True)
        is_whole = isinstance(record, dict) and zlib.crc32(body.encode()) == whole["crc"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    known = is_whole and record.get("format") == FORMAT and record.get("version") == VERSION
    return record if known else None


# -- a finished folder ----------------------------------------------------------------------------


def open_columns(folder: Path, record: dict[str, Any]) -> tuple[Schema, list[Column]] | None:
    """Return the columns of a finished folder; None where one of its files is damaged."""
    try:
        schema, _ = Schema.from_json(record["schema"]), told_from_json(record["told"])
        n_rows = int(record["n_rows"])
        if len(schema) != len(record["columns"]) or n_rows < 0:
            return None
        columns = []
        for place, (field, entry) in enumerate(zip(schema, record["columns"], strict=True)):
            dtype = np.dtype(entry["dtype"] if entry["dtype"] in _DTYPES else "")
            values = _checked(folder, f"column_{place:05}.values", entry["values"], dtype, n_rows)
            missing = None
            if entry["missing"] is not None:
                marks = np.dtype(np.uint8)
                found = _checked(
                    folder, f"column_{place:05}.missing", entry["missing"], marks, n_rows
                )
                missing = found.view(np.bool_)
            columns.append(Column(field.name, field.type, values, missing))
    except (LookupError, TypeError, ValueError, OSError, AttributeError, ModelFileError):
        return None
    return schema, columns


def _checked(
    folder: Path, name: str, entry: dict[str, Any], dtype: np.dtype[Any], n_rows: int
) -> Any:
    path, n_bytes = folder / name, n_rows * dtype.itemsize
    if path.stat().st_size != n_bytes or checksum_of(path, n_bytes) != entry["crc"]:
        raise ValueError(name)
    return mapped(path, dtype, n_rows)


def told_to_json(told: tuple[BranchlineWarning, ...]) -> list[dict[str, Any]]:
    """Return warnings as plain data."""
    return [
        {
            "message": one.message,
            "code": one.code,
            "python": one.repair.python,
            "flag": one.repair.flag,
        }
        for one in told
    ]


def told_from_json(data: list[dict[str, Any]]) -> tuple[BranchlineWarning, ...]:
    """Return the warnings that were told when the cache was made."""
    return tuple(
        BranchlineWarning(
            str(one["message"]), code=one["code"], repair=Repair(one["python"], one["flag"])
        )
        for one in data
    )


# -- plans ----------------------------------------------------------------------------------------


def plan_to_json(folder: Path, place: int, plan: Plan) -> dict[str, Any]:
    """Return how a column is converted as plain data; what is looked up goes into files."""
    if isinstance(plan, Plain):
        return {"reading": plan.reading, "dtype": plan.dtype.str, "marks": list(plan.marks)}
    texts = [str(text) for text in plan.cells.to_list()]
    write_record(_texts_of(folder, place), {"format": FORMAT, "version": VERSION, "texts": texts})
    known = ColumnFile(folder / f"known_{place:05}.values")
    known.add(plan.known.values)
    marks = ColumnFile(folder / f"known_{place:05}.missing")
    if plan.known.missing is not None:
        marks.add(plan.known.missing.view(np.uint8))
    return {
        "dtype": plan.dtype.str,
        "n_known": len(texts),
        "crc": known.crc,
        "missing": None if plan.known.missing is None else marks.crc,
    }


def plan_from_json(folder: Path, place: int, field: Any, entry: dict[str, Any]) -> Plan:
    """Return the plan; ValueError where its files are damaged."""
    import polars as pl

    dtype = np.dtype(entry["dtype"])
    if "reading" in entry:
        return Plain(field.name, field.type, entry["reading"], dtype, tuple(entry["marks"]))
    record = read_record(_texts_of(folder, place))
    n_known = int(entry["n_known"])
    path = folder / f"known_{place:05}.values"
    if record is None or len(record["texts"]) != n_known:
        raise ValueError("texts")
    if checksum_of(path, n_known * dtype.itemsize) != entry["crc"]:
        raise ValueError("values")
    values = np.fromfile(path, dtype=dtype, count=n_known)
    missing = None
    if entry["missing"] is not None:
        marks = folder / f"known_{place:05}.missing"
        if checksum_of(marks, n_known) != entry["missing"]:
            raise ValueError("missing")
        missing = np.fromfile(marks, dtype=np.bool_, count=n_known)
    cells = pl.Series(record["texts"], dtype=pl.String)
    return LookUp(field.name, field.type, cells, Values(values, missing))


def _texts_of(folder: Path, place: int) -> Path:
    return folder / f"known_{place:05}.json"


def remove_working_files(folder: Path) -> None:
    """Remove what only an unfinished conversion needs."""
    for path in [*folder.glob("known_*"), folder / "progress.json"]:
        with suppress(OSError):
            path.unlink()


def clear(folder: Path) -> None:
    """Remove what an earlier conversion left."""
    for path in [*folder.glob("column_*"), *folder.glob("codes_*"), folder / "manifest.json"]:
        with suppress(OSError):
            path.unlink()
    remove_working_files(folder)


# -- the folder -----------------------------------------------------------------------------------


class Hold:
    """Hold a folder while it is made, so that two programs do not write it at once."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _LOCK

    def __enter__(self) -> None:
        for _ in range(2):
            try:
                with self._path.open("x") as file:
                    file.write(str(os.getpid()))
                return
            except FileExistsError:
                if self._is_held():
                    raise _in_use(self._path.parent) from None
                with suppress(OSError):
                    self._path.unlink()
        raise _in_use(self._path.parent)

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._path.unlink()

    def _is_held(self) -> bool:
        try:
            process = int(self._path.read_text() or 0)
            os.kill(process, 0)
        except (OSError, ValueError):
            return False
        return process != os.getpid()


def _in_use(folder: Path) -> DataError:
    return DataError(
        f"The cache {str(folder)!r} is being made by another program. Wait until it has ended, or "
        "name another folder.",
        code="F122",
        repair=Repair(f"scan_table(path, cache={str(folder) + '_2'!r})"),
    )


def damaged(folder: Path, what: str) -> DataError:
    """Return the error for a folder that cannot be used as a cache."""
    return DataError(
        f"The folder {str(folder)!r} cannot be used as a cache: {what}.",
        code="F122",
        repair=Repair(f"scan_table(path, cache={str(folder) + '_2'!r})"),
    )


def refuse_full_disk(folder: Path, needed: int) -> None:
    """Refuse to write more bytes than the disk has room for."""
    free = shutil.disk_usage(folder).free
    if needed + _ROOM <= free:
        return
    raise DataError(
        f"The columns need {needed / 2**30:.2f} GiB in {str(folder)!r}, where only "
        f"{free / 2**30:.2f} GiB are free.",
        code="F123",
        repair=Repair('scan_table(path, cache="FOLDER ON A LARGER DISK")'),
    )
