"""Names of the files that belong to a table: its seal, its run file, its report."""

from pathlib import Path

__all__ = ["record_of", "stem_of", "usual_report"]


def record_of(path: str) -> Path:
    """Return where the record of a file's seal is."""
    return Path(f"{stem_of(path)}.seal.json")


def stem_of(path: str) -> str:
    """Return a file's name without its endings, in the current folder."""
    if path == "-":
        return "table"
    return Path(path).name.split(".")[0] or "table"


def usual_report(path: str) -> str:
    """Return where the report of a table goes by default."""
    return f"{stem_of(path)}-report.html"
