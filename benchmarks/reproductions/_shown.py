"""A figure that was asked for and the one that was reached, and how they are printed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Shown", "mean_and_error", "table_of"]


@dataclass(frozen=True)
class Shown:
    """A line of the table.

    Parameters
    ----------
    what
        What was measured, and on what.
    asked
        The figure that was asked for, in words; "": none.
    reached
        The figure that was reached, in words.
    met
        Whether it is what was asked for; None: nothing was asked, or a peer is not installed.
    """

    what: str
    asked: str
    reached: str
    met: bool | None = None


def mean_and_error(values: Any) -> str:
    """Return a mean ± its standard error over draws."""
    found = np.asarray(values, dtype=float)
    error = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else float("nan")
    return f"{found.mean():.4f} ± {error:.4f}"


def table_of(lines: list[Shown]) -> str:
    """Return the lines as a table of Markdown."""
    words = {True: "yes", False: "**no**", None: ""}
    head = ["| what | asked | reached | met |", "|---|---|---|---|"]
    rows = [f"| {one.what} | {one.asked} | {one.reached} | {words[one.met]} |" for one in lines]
    return "\n".join([*head, *rows])
