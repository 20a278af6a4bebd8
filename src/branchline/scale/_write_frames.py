"""Frames that come one after the other into one file, which appears whole or not at all.

- CSV: the header once, then the rows of each frame; the same bytes as of all rows at once.
- JSON: the rows of all frames as one list.
- Parquet: each frame into a file beside the result, then all of them, row group by row group.
"""

import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from branchline.errors import ParameterError, Repair
from branchline.table.files import replace_file

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_ending", "write_frames"]


def check_ending(output: str, what: str = "Predictions") -> str:
    """Return the ending that says how predictions, or other rows, are written."""
    name = Path(output).name.lower()
    ending = Path(name.removesuffix(".gz")).suffix
    if ending not in _WRITERS or (name.endswith(".gz") and ending != ".csv"):
        raise ParameterError(
            f"{what} are written as .csv, .csv.gz, .parquet or .json, not {output!r}.",
            code="P107",
            values=[output],
            repair=Repair(flag=_other_output(output)),
        )
    return ending


def _other_output(output: str) -> str:
    """Return how the predictions are written, or printed where the name stands for that."""
    if output in {"-", "/dev/stdout"}:
        return "leave --output out: predictions are printed, as CSV in a pipe"
    return f"--output {shlex.quote(f'{Path(output).stem}.csv')}"


def write_frames(frames: "Iterable[pl.DataFrame]", output: str) -> None:
    """Write frames of the same columns, by the ending of the name."""
    writer = _WRITERS[check_ending(output)]
    replace_file(output, lambda file: writer(iter(frames), file, Path(output).parent))


def _csv(frames: "Iterator[pl.DataFrame]", file: IO[bytes], folder: Path) -> None:
    del folder
    for number, frame in enumerate(frames):
        frame.write_csv(file, include_header=number == 0)


def _json(frames: "Iterator[pl.DataFrame]", file: IO[bytes], folder: Path) -> None:
    del folder
    begin = b"["
    for frame in frames:
        rows = frame.write_json().encode()[1:-1]
        if rows:
            file.write(begin + rows)
            begin = b","
    file.write(b"[]" if begin == b"[" else b"]")


def _parquet(frames: "Iterator[pl.DataFrame]", file: IO[bytes], folder: Path) -> None:
    import polars as pl

    first = next(frames)
    second = next(frames, None)
    if second is None:
        first.write_parquet(file)
        return
    kinds: Any = {}
    with tempfile.TemporaryDirectory(dir=folder, prefix=".branchline-") as place:
        parts = []
        for number, frame in enumerate(_chained(first, second, frames)):
            parts.append(Path(place) / f"{number}.parquet")
            frame.write_parquet(parts[-1])
            # A part may have no value at all; another one then tells the type of the column.
            own = dict(frame.schema)
            kinds |= {name: own[name] for name in own if kinds.get(name, pl.Null) == pl.Null}
        lazy = [pl.scan_parquet(part, glob=False).cast(kinds) for part in parts]
        pl.concat(lazy).sink_parquet(file)


def _chained(
    first: "pl.DataFrame", second: "pl.DataFrame", others: "Iterator[pl.DataFrame]"
) -> "Iterator[pl.DataFrame]":
    yield first
    yield second
    yield from others


_WRITERS: "dict[str, Callable[[Iterator[pl.DataFrame], IO[bytes], Path], None]]" = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".json": _json,
}
