"""Files that come in: written piece by piece into the workspace, under a name made here."""

from pathlib import Path

from fastapi import Request

from branchline.errors import DataError

__all__ = ["MODEL_ENDINGS", "NAMES_ENDINGS", "TABLE_ENDINGS", "ending_in", "received", "shown_name"]

_PACKED = ("", ".gz", ".bz2", ".xz", ".zst", ".zip")
_TEXTS = (".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".arff", ".libsvm", ".svm")
_BINARY = (".xlsx", ".xls", ".ods", ".parquet", ".arrow", ".feather", ".sqlite", ".db", ".sav",
           ".dta", ".sas7bdat", ".xpt")  # fmt: skip
TABLE_ENDINGS = tuple(text + packed for text in _TEXTS for packed in _PACKED) + _BINARY
TABLE_ENDINGS += (".data", ".test")  # the rows of a pair of C4.5
NAMES_ENDINGS = (".names",)
MODEL_ENDINGS = (".branchline",)


def ending_in(name: str, endings: tuple[str, ...]) -> str:
    """Return the ending of a file name, which must be one of ``endings``."""
    lower = name.lower()
    found = [ending for ending in endings if lower.endswith(ending)]
    if not found:
        some = ", ".join(endings if len(endings) < 4 else (".csv", ".xlsx", ".parquet", "…"))
        raise DataError(f"Files of this kind are not taken here; {some} are.", code="F961")
    return max(found, key=len)


def shown_name(name: str) -> str:
    """Return a file name as it may be shown and printed: its last part, without odd characters."""
    last = name.replace("\\", "/").split("/")[-1]
    kept = "".join(c if c.isprintable() and c not in '<>:"|?*' else "-" for c in last)
    return kept[-100:].lstrip(".-") or "table.csv"


async def received(request: Request, path: Path) -> None:
    """Write the body of a request into a new file; nothing is left of one that is too large."""
    try:
        with path.open("xb") as file:
            async for piece in request.stream():  # the guard ends a stream that is too long
                file.write(piece)
        if not path.stat().st_size:
            raise DataError("The file is empty.", code="F961")
    except BaseException:
        path.unlink(missing_ok=True)
        raise
