"""``draw`` and ``effects``: what a saved model predicts over columns of a table, as pictures."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.cli._drawing import Draw, check_drawing, save_drawing
from branchline.cli._emit import emit
from branchline.cli._open_test_verb import inputs_of, model_and_rows, needed_schema
from branchline.cli._options import Data, Json, check_choices, parse_list
from branchline.cli._reading import AS_IT_IS, Reading, check_column, with_reading

if TYPE_CHECKING:
    from branchline.table import Table

__all__ = ["register"]

Model = Annotated[str, typer.Argument(help="A model saved by fit, tree or compare --save.")]
_METHODS = ("partial_dependence", "accumulated")


def draw(
    model: Model,
    path: Data,
    columns: Annotated[str, typer.Option(help="One or two columns: age,income.")],
    output: Annotated[
        str,
        typer.Option("--output", "-o", "--draw", help="The picture: .svg, .png, .html or .pdf."),
    ] = "boundaries.svg",
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Draw the rows by this column, the target.")
    ] = None,
    row: Annotated[
        int | None, typer.Option(min=0, help="Hold other columns at this row, counted from 0.")
    ] = None,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Draw what a saved model predicts over two columns.

    The other columns keep the values of one row, or typical values.

    Example: branchline draw m.branchline credit.csv --columns age,amount
    """
    from branchline.charts import boundaries

    check_drawing(output)
    fitted, table = model_and_rows(model, path, reading)
    names = parse_list(columns)
    rows = _inputs(fitted, table, names)
    given: dict[str, Any] = {"columns": names, "row": row}
    if target is not None:
        check_column(table, "--target", target)
        given["y"] = _truth(table, target)
    chart = boundaries(fitted, rows, **given)
    [line] = save_drawing(chart, output)
    emit(as_json, {"drawing": {"file": output, "text": chart.text}}, f"{chart.text}\n{line}")


def _inputs(model: Any, table: "Table", names: list[str]) -> "Table":
    for name in names:
        check_column(table, "--columns", name)
    if model.schema_.named:
        needed_schema(model).refuse_absent(table)
    return inputs_of(model, table)


def _truth(table: "Table", target: str) -> Any:
    """Return the target as an array; missing cells are a name of their own."""
    column = table.column(target)
    if column.kind == "numeric":
        return column.numbers()
    return ["missing" if value is None else value for value in column.to_list()]


def effects(  # noqa: PLR0913
    model: Model,
    path: Data,
    column: Annotated[
        str | None, typer.Option("--column", help="A column, or several: age,income. Default: all.")
    ] = None,
    method: Annotated[str, typer.Option(help="partial_dependence or accumulated.")] = _METHODS[0],
    draw: Draw = None,
    positive: Annotated[
        str | None,
        typer.Option(
            help="The class whose probability is shown. Default: the second of two classes; of "
            "several, all."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the rows drawn for the band.")] = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Show how predictions of a model change with a column.

    Partial dependence or accumulated local effects, with bands over the rows.

    Example: branchline effects m.branchline credit.csv --column age
    """
    from branchline.assess import effect_curves

    check_choices({"--method": (method, _METHODS)})
    check_drawing(draw)
    fitted, table = model_and_rows(model, path, reading)
    names = parse_list(column) if column is not None else None
    rows = _inputs(fitted, table, names or [])
    given: dict[str, Any] = {"method": method, "positive": positive, "random_state": seed}
    found = effect_curves(fitted, rows, columns=names, **given)
    lines = save_drawing(found.draw(), draw) if draw is not None else []
    emit(as_json, {"effects": {**found.to_dict(), "drawn": draw}}, "\n".join([str(found), *lines]))


def register(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    app.command()(with_reading(draw, target=False))
    app.command()(with_reading(effects, target=False))
