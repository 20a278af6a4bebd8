"""The file of results: one entry for each (set, learner, repeats, seed), and the table made of it.

An entry holds the mean error in percent, its standard error, leaves, seconds, and what was seen on
every fold. The standard error is corrected for the overlap of training sets (Nadeau and Bengio,
2003): with n = repeats × 10 errors of variance s², it is √(s² (1/n + test rows / training rows)).
"""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, median, variance
from typing import Any, TypeAlias

from benchmarks.reproductions._folds import Fold, Splits

__all__ = ["Entry", "Key", "key_of", "markdown", "read_entries", "summarize", "write_entries"]

Entry: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[str, str, int, int]


def key_of(entry: Entry) -> Key:
    """Return what an entry is found by."""
    return entry["set"], entry["learner"], entry["repeats"], entry["seed"]


def summarize(folds: Sequence[Fold], splits: Splits) -> Entry:
    """Return the numbers of an entry from what was seen on every fold."""
    if len(folds) != len(splits):
        raise RuntimeError(f"{len(folds)} folds came back of {len(splits)}")
    errors = [100 * fold.wrong / len(split.test) for fold, split in zip(folds, splits, strict=True)]
    overlap = fmean(len(split.test) / len(split.train) for split in splits)
    return {
        "error": fmean(errors),
        "standard_error": (variance(errors) * (1 / len(errors) + overlap)) ** 0.5,
        "leaves": fmean(fold.leaves for fold in folds),
        "seconds": median(fold.seconds for fold in folds),
        "wrong_of_fold": [fold.wrong for fold in folds],
        "leaves_of_fold": [fold.leaves for fold in folds],
        "seconds_of_fold": [round(fold.seconds, 6) for fold in folds],
    }


def read_entries(path: Path) -> dict[Key, Entry]:
    """Return the entries of the file, none when there is no file."""
    if not path.exists():
        return {}
    entries = json.loads(path.read_text(encoding="utf-8"))["entries"]
    return {key_of(entry): entry for entry in entries}


def write_entries(entries: Iterable[Entry], path: Path) -> None:
    """Write all entries, sorted by key; the old file stays whole until the new one is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(entry, ensure_ascii=False) for entry in sorted(entries, key=key_of)]
    draft = path.with_suffix(".tmp")
    draft.write_text('{"entries": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")
    os.replace(draft, path)


def markdown(entries: dict[Key, Entry], sets: list[str], learners: list[str], run: Any) -> str:
    """Return "error ± standard error (leaves)" by set and learner; ``run`` is (repeats, seed).

    The last row averages over the sets, for learners that have all of them.
    """
    columns = {one: [entries.get((name, one, *run)) for name in sets] for one in learners}
    columns = {one: column for one, column in columns.items() if any(column)}
    rows = [["set", *columns]]
    cells = [[_cell(entry) for entry in column] for column in columns.values()]
    rows += [[name, *row] for name, *row in zip(sets, *cells, strict=True)]
    rows.append(["average", *map(_average, columns.values())])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * len(columns) + "|", *lines[1:]])


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return "—"
    return f"{entry['error']:.2f} ± {entry['standard_error']:.2f} ({entry['leaves']:.1f})"


def _average(entries: list[Entry | None]) -> str:
    known = [entry for entry in entries if entry is not None]
    if len(known) < len(entries):
        return "—"
    error, leaves = (fmean(entry[name] for entry in known) for name in ("error", "leaves"))
    return f"{error:.2f} ({leaves:.1f})"
