"""``branchline reproduce``: published tables next to ours."""

import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.cli._drawing import Draw, check_drawing, save_drawing
from branchline.cli._emit import EXIT_REQUIREMENT, emit
from branchline.cli._options import DrawSeed, Json
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.reproduce import Reproduction

__all__ = ["NAMES", "register", "reproduce_table"]

NAMES = (
    "eigenfaces",
    "friedman",
    "golub",
    "image-codes",
    "labels-in-noise",
    "orientation",
    "promoters",
    "selection-bias",
    "sine",
    "splice",
    "stocks",
    "threes",
    "worked-examples",
)
_WITH_FOLDER = ("eigenfaces", "golub", "promoters", "splice", "threes")
_DRAWN = ("eigenfaces", "image-codes", "orientation", "stocks", "threes")
_WITHOUT_DRAWS = ("promoters", "worked-examples")


def reproduce_table(
    name: str, *, quick: bool = False, data: str | None = None, seed: int = 0, quiet: bool = False
) -> "Reproduction":
    """Return the reproduction of this name; each finished part is told on stderr."""
    if name not in NAMES:
        near = get_close_matches(str(name), NAMES, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(
            f"{name!r} is not a table that is reproduced.{hint} The tables: {', '.join(NAMES)}.",
            code="P123",
            values=[name],
            repair=Repair(flag=f"branchline reproduce {(near or NAMES)[0]}"),
        )
    if data is not None and name not in _WITH_FOLDER:
        raise ParameterError(
            f"--data names the folder of {', '.join(_WITH_FOLDER)}; {name!r} needs none.",
            code="P130",
            values=[data],
            repair=Repair(flag=f"branchline reproduce {name}"),
        )
    # The learners are imported when they are needed, so that other verbs start at once.
    from branchline import reproduce as tables

    options: dict[str, Any] = {"tell": None if quiet else _tell}
    if name in _WITH_FOLDER:
        options["data"] = data
    if name not in _WITHOUT_DRAWS:
        options |= {"quick": quick, "random_state": seed}
    found: Reproduction = getattr(tables, name.replace("-", "_"))(**options)
    return found


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def reproduce(
    name: Annotated[str, typer.Argument(help=f"The table: {', '.join(NAMES)}.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer draws, and without what takes minutes.")
    ] = False,
    data: Annotated[
        str | None,
        typer.Option(help=f"The folder of data that are not bundled: {', '.join(_WITH_FOLDER)}."),
    ] = None,
    draw: Draw = None,
    seed: DrawSeed = 0,
    as_json: Json = False,
) -> None:
    """Recompute a published table.

    The numbers are compared with the printed ones. Exit code 5: a line differs.

    Example: branchline reproduce worked-examples

    Example: branchline reproduce friedman --quick

    Example: branchline reproduce golub --data golub_leukemia

    Example: branchline reproduce promoters --data promoters

    Example: branchline reproduce eigenfaces --data olivetti --draw faces.png
    """
    _check_draw(name, draw)
    found = reproduce_table(name, quick=quick, data=data, seed=seed)
    drawn = save_drawing(found.draw(), draw) if isinstance(found, _drawn_kind()) else []
    text = "\n".join([found.to_text(), *drawn])
    emit(as_json, {"reproduce": {"name": name, **found.to_dict(), "drawn": draw}}, text)
    if not found.agrees:
        raise typer.Exit(EXIT_REQUIREMENT)


def _check_draw(name: str, draw: str | None) -> None:
    """Refuse a file for a table that has no picture."""
    check_drawing(draw)
    if draw is not None and name in NAMES and name not in _DRAWN:
        raise ParameterError(
            f"--draw is for what has a picture: {', '.join(_DRAWN)}; {name!r} has none.",
            code="P743",
            values=[draw],
            repair=Repair(flag=f"branchline reproduce {name}"),
        )


def _drawn_kind() -> Any:
    from branchline.reproduce import DrawnReproduction

    return DrawnReproduction


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(reproduce)
