"""What a fitted model predicts over one or two columns of a table, the others held still.

1. A grid of places over the two columns: numbers a little beyond the range of the rows, categories
   by name. For a decision tree the grid has its thresholds as edges, so its regions are exact.
2. The other columns keep the cells of one row, given or typical.
3. Regions are colored by the predicted class, the stronger the more probable; numbers by their
   size.
4. Rows lie over them. For support vector machines of two classes, lines where f = −1, 0 and 1 and
   rings around support vectors; with weights (AdaBoost), the area of a dot is its row's weight.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._column_places import ColumnPlaces, typical_row
from branchline._plain_numbers import count, noun
from branchline._plain_text import shorten
from branchline._validation import Whole, check_parameters
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Cells, Line, Mark, Stack
from branchline.charts.figures._boundary_grid import (
    Answer,
    Grid,
    ask,
    grid_edges,
    make_grid,
    places_of,
)
from branchline.charts.figures._boundary_rows import margin_lines, row_marks, truth_marks
from branchline.errors import ParameterError, Repair
from branchline.table import Table, as_table

__all__ = ["boundaries"]


def boundaries(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    columns: Sequence[str] | str | None = None,
    row: Any = None,
    sample_weight: Any = None,
    n_steps: int = 100,
) -> Chart:
    """Draw what a fitted classifier or regressor predicts over one or two columns of a table.

    Parameters
    ----------
    model
        Any fitted classifier or regressor, also of other libraries.
    X
        The table, with all columns that the model needs. Its rows are drawn; where they are the
        training rows of a support vector machine of two classes, rings mark the support vectors.
    y
        The target of the rows; None (default): only regions are drawn.
    columns
        One or two names. None (default): all columns, if there are one or two.
    row
        The row whose cells the other columns keep: its number in X, or a mapping from names to
        values. None (default): typical values (the middle number, the most frequent category).
    sample_weight
        A weight for each row of X, drawn as the area of its dot, such as
        ``AdaBoostClassifier.row_weights``. Default None: all dots have one size.
    n_steps
        The number of places along a numeric column, 2 to 300. Default 100.

    Notes
    -----
    With more than two columns the chart shows one slice: at other values of the other
    columns the regions can be different. Rows are drawn at their place whatever their other cells
    are, so rows can lie in regions of another class although the model predicts them correctly.

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> import branchline as bl
    >>> from branchline.charts import boundaries
    >>> X, y = bl.load_dataset("iris").split_target("species")
    >>> tree = bl.make("tree", task="classification").fit(X, y)
    >>> chart = boundaries(tree, X, y, columns=("petal_length", "petal_width"))
    >>> chart.marks[0].names
    ('setosa', 'versicolor', 'virginica')
    """
    check_parameters("boundaries", {"n_steps": n_steps}, {"n_steps": Whole(2, 300)})
    if hasattr(model, "_check_fitted"):
        model._check_fitted()
    table = as_table(X, texts="raw")
    names = _checked_columns(table, columns)
    held = _held_row(table, row)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    truth = None if y is None else np.asarray(y)
    finer = n_steps if len(names) == 2 else 3 * n_steps
    places = [places_of(table.column(name), model, finer) for name in names]
    grid = make_grid(held, places)
    answer = ask(model, grid)
    if len(names) == 1:
        return _along_one(grid, answer, table, truth)
    marks = [_regions(grid, answer), *row_marks(grid, answer, truth, weights)]
    marks += margin_lines(model, grid, table, truth)
    return _chart(grid, answer, tuple(marks), table, row)


def _checked_columns(table: Table, columns: Sequence[str] | str | None) -> list[str]:
    given = (
        [columns] if isinstance(columns, str) else list(table.names if columns is None else columns)
    )
    unknown = [name for name in given if name not in table.names]
    if unknown:
        table.column(str(unknown[0]))  # the error of a column that is not there
    if 1 <= len(given) <= 2 and len(set(given)) == len(given):
        return [str(name) for name in given]
    shown = tuple(table.names[:2])
    raise ParameterError(
        f"Boundaries are drawn over one or two different columns. Got {len(given)}"
        f"{' (all columns of the table)' if columns is None else ''} instead.",
        code="P372",
        values=[given[:5]],
        repair=Repair(
            f"boundaries(model, X, y, columns={shown!r})", f"--columns {','.join(shown)}"
        ),
    )


def _held_row(table: Table, row: Any) -> Table:
    """Return the one row that the other columns keep."""
    if row is None:
        return typical_row(table)
    if isinstance(row, int | np.integer) and not isinstance(row, bool) and 0 <= row < table.n_rows:
        return table.rows([int(row)])
    if isinstance(row, dict) and set(row) <= set(table.names) and row:
        given = as_table([{name: row.get(name) for name in table.names}], texts="raw")
        typical = typical_row(table)
        made = table.schema.apply(given)
        return Table.from_columns(
            [(made if name in row else typical).column(name) for name in table.names],
            named=table.schema.named,
        )
    raise ParameterError(
        f"'row' is the number of a row of X, 0 to {table.n_rows - 1}, or a mapping from names "
        "of columns to values. "
        f"Got {shorten(repr(row), 60)} instead.",
        code="P373",
        values=[row],
        repair=Repair("boundaries(model, X, y, columns=(...), row=0)", "--row 0"),
    )


def _regions(grid: Grid, answer: Answer) -> Cells:
    shape = grid.shape[::-1]
    x, y = (grid_edges(places) for places in grid.places)
    if answer.names:
        strength = None if answer.strength is None else answer.strength.reshape(shape)
        return Cells(x, y, answer.values.reshape(shape), names=answer.names, strength=strength)
    return Cells(x, y, answer.values.reshape(shape), name="prediction")


def _axis(grid: Grid, which: int) -> Axis:
    places = grid.places[which]
    if places.names:
        return Axis(places.axis_name, categories=places.names)
    edges = grid_edges(places)
    return Axis(places.axis_name, ends=(float(edges[0]), float(edges[-1])))


def _chart(grid: Grid, answer: Answer, marks: tuple[Mark, ...], table: Table, row: Any) -> Chart:
    title = "Predicted class" if answer.names else "Predicted number"
    title += f" over {grid.places[0].name} and {grid.places[1].name}"
    return Chart(marks, _axis(grid, 0), _axis(grid, 1), title, _note(grid, table, row))


def _note(grid: Grid, table: Table, row: Any) -> str:
    told = [places.note for places in grid.places]
    others = table.n_columns - len(grid.places)
    if others:
        how = "typical values" if row is None else "the values of one row"
        kept = f"{others:,} other columns are" if others > 1 else "1 other column is"
        told.append(f"{kept} held at {how}; at other values the regions can differ.")
    absent = np.zeros(table.n_rows, dtype=bool)
    for places in grid.places:
        absent |= ~np.isfinite(places.of_rows())
    if absent.any():
        have = noun(n_absent := int(absent.sum()), "has", "have")
        why = "(missing values or rare categories)"
        told.append(f"{count(n_absent, 'row')} {have} no place here {why}.")
    return " ".join(part for part in told if part)


def _curve(places: ColumnPlaces, answer: Answer) -> Line:
    """Return predictions along numbers, each up to the end of its stretch; dots for categories."""
    if places.edges is None:
        return Line(places.at, answer.values, "prediction", 1, dots=True)
    steps = np.append(answer.values, answer.values[-1])
    return Line(places.edges, steps, "prediction", 1, steps=True)


def _probabilities(places: ColumnPlaces, answer: Answer) -> list[Mark]:
    """Return the probability of each class, stacked along numbers; a line each for categories."""
    assert answer.probabilities is not None
    parts = list(zip(answer.names, answer.probabilities.T, strict=True))
    if places.edges is None:
        return [Line(places.at, part, name, dots=True) for name, part in parts]
    at = np.repeat(places.edges, 2)[1:-1]
    return [Stack(at, tuple((name, np.repeat(part, 2)) for name, part in parts), 0)]


def _along_one(grid: Grid, answer: Answer, table: Table, truth: npt.NDArray[Any] | None) -> Chart:
    """Draw predictions along one column: a curve of numbers, or the probability of each class."""
    [places] = grid.places
    marks: list[Mark]
    if answer.probabilities is not None:
        marks, axis = _probabilities(places, answer), Axis("probability", (0.0, 1.0))
    elif answer.names:
        marks = [Line(places.at, answer.values, "predicted class", 0, steps=True)]
        axis = Axis("predicted class", categories=answer.names)
    else:
        marks = truth_marks(places, truth)
        marks, axis = [*marks, _curve(places, answer)], Axis("prediction")
    title = f"Prediction along {places.name}"
    return Chart(tuple(marks), _axis(grid, 0), axis, title, _note(grid, table, None))
