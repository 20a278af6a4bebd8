"""``draw`` returns a drawing; ``save`` writes it. A file name given to ``draw`` is a slip."""

from os import PathLike
from typing import Any

from branchline.errors import ParameterError, Repair

__all__ = ["refuse_file_name"]


def refuse_file_name(given: Any, what: str) -> None:
    """Refuse a file name in place of ``what`` ``draw`` takes."""
    if isinstance(given, str | PathLike):
        raise ParameterError(
            f"draw() takes {what}, not a file name; save() writes the drawing.",
            code="P920",
            values=[str(given)],
            repair=Repair(f"model.draw().save({str(given)!r})"),
        )
