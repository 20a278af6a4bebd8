"""From files to column files, part by part, in bounded memory; what was interrupted goes on.

1. One pass, or two, find what the columns are (``_decide``).
2. One pass converts each part and adds it to the files of its columns. Up to where this went is
   written down every second, with checksums; after an interruption it goes on from there.
3. The manifest is written last.
"""

import os
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from branchline.errors import BranchlineWarning, ModelFileError
from branchline.table._schema import Field, Schema
from branchline.table.scanning import _cache
from branchline.table.scanning._cache import FORMAT, VERSION, Recipe, read_record, write_record
from branchline.table.scanning._column_files import ColumnFile
from branchline.table.scanning._decide import Decision, messages_of
from branchline.table.scanning._plans import Plan, Values
from branchline.table.scanning._sources_of_scan import Place, ScanSources

__all__ = ["convert"]

_SECONDS = 1.0  # between two notes of how far it went
_MOST_THREADS = 8


class _Written:
    """The files of a column while they grow."""

    def __init__(self, folder: Path, place: int, plan: Plan, n_rows: int = 0) -> None:
        self.plan, self.n_rows = plan, n_rows
        self.values = ColumnFile(folder / f"column_{place:05}.values")
        self.missing = ColumnFile(folder / f"column_{place:05}.missing")

    def add(self, made: Values) -> None:
        """Add the values of a part."""
        self.values.add(made.values)
        if made.missing is not None or self.missing.n_bytes:
            if not self.missing.n_bytes:
                self.missing.add_zeros(self.n_rows)
            if made.missing is None:
                self.missing.add_zeros(len(made.values))
            else:
                self.missing.add(made.missing.view(np.uint8))
        self.n_rows += len(made.values)

    def to_json(self) -> dict[str, Any]:
        """Return what is written so far."""
        marks = {"crc": self.missing.crc} if self.missing.n_bytes else None
        return {
            "dtype": self.plan.dtype.str,
            "values": {"crc": self.values.crc},
            "missing": marks,
        }

    def take(self, entry: dict[str, Any], n_rows: int) -> bool:
        """Go on behind what was written before; False where it is damaged."""
        self.n_rows = n_rows
        self.values.n_bytes = n_rows * self.plan.dtype.itemsize
        self.values.crc = int(entry["values"]["crc"])
        if entry["missing"] is not None:
            self.missing.n_bytes, self.missing.crc = n_rows, int(entry["missing"]["crc"])
        return self.values.is_whole() and (entry["missing"] is None or self.missing.is_whole())


def convert(
    sources: ScanSources,
    folder: Path,
    recipe: Recipe,
    told: Sequence[BranchlineWarning],
    on_progress: Callable[[int, int], None] | None,
) -> dict[str, Any]:
    """Convert the sources into column files, and return the manifest.

    ``told`` are the warnings of opening the sources, which the manifest remembers.
    """
    with ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1)) as pool:

        def each(work: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
            return list(pool.map(work, items))

        resumed = _resumed(sources, folder, recipe)
        if resumed is None:
            _cache.clear(folder)
            with warnings.catch_warnings(record=True) as more:
                warnings.simplefilter("always")
                decision = sources.decide(each)
            all_told = (*told, *messages_of(more), *decision.told)
            _cache.refuse_full_disk(folder, _bytes_of(decision, sources.n_rows))
            plans = [
                _cache.plan_to_json(folder, place, plan)
                for place, plan in enumerate(decision.plans)
            ]
            head = {
                "format": FORMAT,
                "version": VERSION,
                **recipe.to_dict(),
                "schema": decision.schema.to_json(),
                "told": _cache.told_to_json(all_told),
                "plans": plans,
                "state": sources.state(),
            }
            files = [_Written(folder, at, plan) for at, plan in enumerate(decision.plans)]
            resumed = head, files, (0, 0)
        head, files, place = resumed
        _write(sources, folder, head, files, place, each, on_progress)
    return _finish(folder, head, files)


def _bytes_of(decision: Decision, n_rows: int) -> int:
    return n_rows * sum(plan.dtype.itemsize for plan in decision.plans)


def _write(
    sources: ScanSources,
    folder: Path,
    head: dict[str, Any],
    files: list[_Written],
    place: Place,
    each: Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]],
    on_progress: Callable[[int, int], None] | None,
) -> None:
    last = time.monotonic()
    _note(folder, head, files, place)
    for after, cells in sources.parts(place):
        made = each(_convert_one, list(zip(files, cells, strict=True)))
        for file, values in zip(files, made, strict=True):
            file.add(values)
        if time.monotonic() - last >= _SECONDS:
            _note(folder, head, files, after)
            last = time.monotonic()
        if on_progress is not None:
            on_progress(files[0].n_rows if files else 0, sources.n_rows)


def _convert_one(given: tuple[_Written, Any]) -> Values:
    file, cells = given
    return file.plan.convert(cells)


def _note(folder: Path, head: dict[str, Any], files: list[_Written], place: Place) -> None:
    """Write down up to where the conversion went."""
    written = {
        **head,
        "n_rows": files[0].n_rows if files else 0,
        "columns": [file.to_json() for file in files],
        "place": list(place),
    }
    write_record(folder / "progress.json", written)


def _finish(folder: Path, head: dict[str, Any], files: list[_Written]) -> dict[str, Any]:
    for file in files:
        file.values.end()
        if file.missing.n_bytes:
            file.missing.end()
    manifest = {
        **{name: value for name, value in head.items() if name not in {"plans", "state"}},
        "n_rows": files[0].n_rows if files else 0,
        "columns": [file.to_json() for file in files],
    }
    write_record(folder / "manifest.json", manifest)
    _cache.remove_working_files(folder)
    return manifest


def _resumed(
    sources: ScanSources, folder: Path, recipe: Recipe
) -> tuple[dict[str, Any], list[_Written], Place] | None:
    """Return where an interrupted conversion of the same sources went; None for the beginning."""
    record = read_record(folder / "progress.json")
    if record is None or any(record.get(key) != own for key, own in recipe.to_dict().items()):
        return None
    try:
        schema, _ = Schema.from_json(record["schema"]), _cache.told_from_json(record["told"])
        files = []
        fields: Sequence[Field] = schema.fields
        for place, (field, plan, entry) in enumerate(
            zip(fields, record["plans"], record["columns"], strict=True)
        ):
            file = _Written(folder, place, _cache.plan_from_json(folder, place, field, plan))
            if not file.take(entry, int(record["n_rows"])):
                return None
            files.append(file)
        sources.take_state(record["state"])
        number, part = record["place"]
    except (LookupError, TypeError, ValueError, OSError, AttributeError, ModelFileError):
        return None
    head = {key: record[key] for key in record if key not in {"n_rows", "columns", "place"}}
    return head, files, (int(number), int(part))
