"""``--draw FILE``: one option for every verb that holds a curve."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from branchline.cli._outputs import check_output
from branchline.errors import ParameterError, Repair

__all__ = ["DRAWN_AS", "TREES_DRAWN_AS", "Draw", "DrawTree", "check_drawing", "save_drawing"]

DRAWN_AS = (".svg", ".png", ".html", ".pdf")
TREES_DRAWN_AS = (".svg", ".png", ".html")
Draw = Annotated[
    str | None,
    typer.Option("--draw", help="Draw the chart into this file: .svg, .png, .html or .pdf."),
]
DrawTree = Annotated[
    str | None, typer.Option("--draw", help="Draw the tree into this file: .svg, .png or .html.")
]


def check_drawing(path: str | None, endings: tuple[str, ...] = DRAWN_AS) -> None:
    """Refuse a file that cannot be drawn in or written, before anything is read."""
    if path is None:
        return
    if Path(path).suffix.lower() not in endings:
        known = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise ParameterError(
            f"--draw writes {known}. Got {path!r} instead.",
            code="P300",
            values=[path],
            repair=Repair(flag=f"--draw {shlex.quote(str(Path(path).with_suffix('.svg')))}"),
        )
    check_output("--draw", path)


def save_drawing(picture: Any, path: str | None) -> list[str]:
    """Write a chart or a drawing, if that is asked for; return a line about it."""
    if path is None:
        return []
    picture.save(path)
    return [f"Drawn in {path}"]
