"""Charts of chosen inputs: how often each was chosen, and the error against their number."""

from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._validation import OneOf, check_parameters
from branchline.charts import Axis, Band, Chart, Line, Points
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.assess.comparing._selection import Selection

__all__ = ["selection_chart"]

KINDS = ("shares", "path")
_MANY = 50  # with more inputs, equal ratios have equal lengths


def selection_chart(selection: "Selection", kind: str = "shares") -> Chart:
    """Return the chart of a kind."""
    check_parameters("draw", {"kind": kind}, {"kind": OneOf(KINDS)})
    found = _shares(selection) if kind == "shares" else _path(selection)
    if found is None:
        raise ParameterError(
            "There is nothing to draw: "
            + (
                "one training set has no shares."
                if kind == "shares"
                else "this selector tries no numbers of inputs."
            ),
            code="P623",
            values=[kind],
            repair=Repair("compare(X, y, select='mutual_information:auto')"),
        )
    return found


def _shares(selection: "Selection") -> Chart | None:
    return None if selection.stability is None else selection.stability.draw()


def _path(selection: "Selection") -> Chart | None:
    """Return inner errors as a line, and errors of test rows as points with intervals."""
    path = selection.path
    if path is None:
        return None
    x, low = list(path.sizes), np.maximum(path.errors - path.standard_errors, 0.0)
    marks: list[Any] = [
        Band(x, low, path.errors + path.standard_errors),
        Line(x, path.errors, name=f"inner folds, {selection.path_learner}"),
    ]
    against = selection.against_all
    note = "Line: inner folds of the training sets, with one standard error on each side."
    if against is not None:
        ends = [against.error, against.error_all]
        sizes = [float(np.median(selection.sizes)), float(selection.n_inputs)]
        marks.append(
            Points(
                sizes,
                [one.estimate for one in ends],
                name=f"test rows, {against.learner}",
                low=[one.low for one in ends],
                high=[one.high for one in ends],
            )
        )
        note += " Points: test rows that took no part in the choice, with 95 % intervals."
    return Chart(
        tuple(marks),
        Axis("number of inputs", form="whole", log=x[-1] > _MANY),
        Axis(path.of_what),
        "Error against the number of inputs",
        note,
    )
