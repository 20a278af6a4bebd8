"""``structural-risk`` and ``selection-curve``: how large a model, and how far a choice deceives."""

from typing import Annotated, Any

import typer

from branchline.cli._drawing import Draw, check_drawing, save_drawing
from branchline.cli._emit import emit
from branchline.cli._fit_verbs import rows_to_learn
from branchline.cli._options import Data, Json, Seed, Target, check_choices, parse_list
from branchline.cli._reading import AS_IT_IS, Reading, with_reading
from branchline.errors import ParameterError, Repair

__all__ = ["register"]

_ALONG = ("degree", "leaves", "inputs", "margin")
Sizes = Annotated[
    str | None, typer.Option(help="The sizes to try, as a list: 1,2,4,8. Default: a usual range.")
]


def structural_risk(  # noqa: PLR0913
    path: Data,
    target: Target,
    along: Annotated[str, typer.Option(help="degree, leaves, inputs or margin.")] = "leaves",
    sizes: Sizes = None,
    folds: Annotated[int, typer.Option(min=2, help="The number of folds.")] = 5,
    draw: Draw = None,
    seed: Seed = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Choose the size of a model by five rules side by side.

    The VC bound, AIC, BIC, description length and cross-validation choose the degree of a
    polynomial, the leaves of a tree, the number of inputs, or a margin. The error of each choice is
    measured on rows that had no part in it.

    Example: branchline structural-risk credit.csv -t class --along leaves
    """
    from branchline.assess.theory import structural_risk as choose

    check_choices({"--along": (along, _ALONG)})
    check_drawing(draw)
    table, note = rows_to_learn(path, target, reading)
    options: dict[str, Any] = {"along": along, "n_folds": folds, "random_state": seed}
    found = choose(table, target, sizes=_numbers(sizes), **options)
    lines = [found.to_text(), *note]
    if draw is not None:
        lines += save_drawing(found.draw(), draw)
    emit(as_json, {"structural_risk": {**found.to_dict(), "drawn": draw}}, "\n".join(lines))


def selection_curve(
    path: Annotated[
        str | None, typer.Argument(help="A table; none: 50 rows × 1,000 inputs of pure noise.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The column to predict, of a table.")
    ] = None,
    sizes: Sizes = None,
    draw: Draw = None,
    seed: Seed = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Show how optimistic selecting inputs on all rows is.

    Five estimates of the error against the number of inputs kept: training, internal and external
    cross-validation, .632+, and rows set aside.

    Example: branchline selection-curve

    Example: branchline selection-curve genes.csv -t class --sizes 1,10,100
    """
    from branchline import reproduce

    check_drawing(draw)
    wanted = _numbers(sizes)
    note: list[str] = []
    if path is None:
        given: dict[str, Any] = {} if wanted is None else {"sizes": wanted}
        curve = reproduce.selection_curve(random_state=seed, **given)
    elif target is None:
        raise ParameterError(
            "A table needs the name of the column to predict.",
            code="P362",
            repair=Repair(flag=f"branchline selection-curve {path} --target NAME"),
        )
    else:
        table, note = rows_to_learn(path, target, reading)
        curve = reproduce.table_selection_curve(table, target, sizes=wanted, random_state=seed)
    lines = [curve.to_text(), *note]
    if draw is not None:
        lines += save_drawing(curve.draw(), draw)
    emit(as_json, {"selection_curve": {**curve.to_dict(), "drawn": draw}}, "\n".join(lines))


def _numbers(text: str | None) -> list[Any] | None:
    """Return a list of numbers such as "1,2,4"; whole ones as whole numbers."""
    if text is None:
        return None
    try:
        found = [float(part) for part in parse_list(text)]
    except ValueError:
        found = []
    if not found:
        raise ParameterError(
            f"--sizes takes a list of numbers such as 1,2,4. Got {text!r} instead.",
            code="P362",
            values=[text],
            repair=Repair(flag="--sizes 1,2,4,8"),
        )
    return [int(value) if value.is_integer() else value for value in found]


def register(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    app.command("structural-risk")(with_reading(structural_risk))
    app.command("selection-curve")(with_reading(selection_curve))
