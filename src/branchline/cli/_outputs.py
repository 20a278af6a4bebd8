"""Where results go: tried before the first fit, and a place that works when one does not.

1. Every output that is asked for is tried before anything is fitted: a missing folder, a folder
   without permission or a full disk is refused while it costs nothing.
2. The run file, which keeps every result, stands in the current folder; where that cannot be
   written, in the folder of the report, or else among the system's temporary files.
"""

import hashlib
import shlex
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from branchline.cli._file_names import stem_of
from branchline.errors import DataError, Repair

__all__ = ["check_output", "place_of_run_file", "why_not_written"]

# A report has some hundred thousand bytes: a disk with less room is full.
_TRIED_BYTES = 1 << 19


def check_output(option: str, path: str) -> None:
    """Refuse a path that cannot be written, before any work is done."""
    why = why_not_written(Path(path))
    if why is None:
        return
    folder = Path(path).expanduser().parent
    name = shlex.quote(Path(path).name)
    repair = f"{option} {name}, which is in the current folder"
    if not folder.exists():
        repair = f"mkdir -p {shlex.quote(str(folder))}"
    elif option == "--report" and str(folder) == ".":
        repair = "--report FOLDER/report.html, or --report none"
    raise DataError(
        f"{option}: {path} cannot be written ({why}). Nothing was fitted.",
        code="F023",
        repair=Repair(flag=repair),
    )


def why_not_written(path: Path) -> str | None:
    """Return why a file cannot be written; None when it can. What is there stays as it is."""
    try:
        place = path.expanduser()
        if place.is_dir():
            return "it is a folder"
        if not place.parent.is_dir():
            return f"there is no folder {str(place.parent)!r}"
        with tempfile.TemporaryFile(dir=place.parent) as file:
            file.write(bytes(_TRIED_BYTES))
            file.flush()
    except (OSError, ValueError) as error:
        return str(getattr(error, "strerror", None) or error)
    return None


def place_of_run_file(path: str, report: str | None, *, resume: bool) -> Path:
    """Return where results wait: the first place that can be written, or that holds them."""
    places = _places(path, report)
    if resume:
        with suppress(StopIteration):
            return next(place for place in places if place.exists())
    able = (place for place in places if why_not_written(place) is None)
    return next(able, places[0])


def _places(path: str, report: str | None) -> Sequence[Path]:
    name = f"{stem_of(path)}.compare.jsonl"
    whose = hashlib.blake2b(str(Path.cwd()).encode(), digest_size=4).hexdigest()
    in_folder = [] if report in {None, "none"} else [Path(str(report)).expanduser().parent / name]
    temporary = Path(tempfile.gettempdir()) / f"branchline-{whose}-{name}"
    return [Path(name), *in_folder, temporary]
