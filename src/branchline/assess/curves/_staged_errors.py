"""The error after each round of boosting, or with more and more trees of a forest.

Boosting: the predictions after each round (``staged_predict``). Forests: those of the first 1, 2,
3, … trees, at up to 40 numbers of trees; "out of bag" are training rows, each predicted by the
trees that had not seen it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._drawable import Drawable
from branchline._model_rows import rows_for
from branchline._plain_numbers import number
from branchline._result_frame import Library, result_frame
from branchline._trees._costs import decide
from branchline.errors import ParameterError, Repair
from branchline.table import as_table

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["StagedErrors", "staged_errors"]

Floats = npt.NDArray[np.float64]
_MOST_SIZES, _MOST_LINES = 40, 12


@dataclass(frozen=True, eq=False)
class StagedErrors(Drawable):
    """Errors against rounds or trees; print them to read them.

    Parameters
    ----------
    unit
        What a step is: "rounds" or "trees".
    metric
        "error" (the share of wrong classes) or "mse" (the mean squared error).
    steps
        The number of rounds or trees.
    errors
        For each set of rows ("training rows", "out of bag", "held-out rows"), the error at each
        step.

    See Also
    --------
    staged_errors : return the error of a fitted boosting or forest against its rounds or trees.

    Examples
    --------
    >>> import branchline as bl
    >>> from branchline.assess.curves import staged_errors
    >>> X, y = bl.load_dataset("iris").split_target("species")
    >>> model = bl.make("adaboost", task="classification", n_estimators=5).fit(X, y)
    >>> len(staged_errors(model, X, y).steps)
    5
    """

    unit: str
    metric: str
    steps: npt.NDArray[np.int64]
    errors: dict[str, Floats]

    def __str__(self) -> str:
        shown = np.unique(np.geomspace(1, len(self.steps), _MOST_LINES).round().astype(int)) - 1
        heads = [self.unit, *self.errors]
        lines = ["  ".join(f"{head:>14}" for head in heads)]
        for place in shown:
            cells = [
                f"{self.steps[place]:,}",
                *(number(one[place]) for one in self.errors.values()),
            ]
            lines.append("  ".join(f"{cell:>14}" for cell in cells))
        return "\n".join(lines)

    __repr__ = __str__

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each step, as a frame of pandas or polars."""
        return result_frame({self.unit: self.steps, **self.errors}, library)

    def to_dict(self) -> dict[str, Any]:
        """Return the curves as plain data."""
        errors = {name: values.tolist() for name, values in self.errors.items()}
        return {"metric": self.metric, self.unit: self.steps.tolist(), "errors": errors}

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_steps

        title = f"Error against {self.unit}"
        names = {"error": "share of wrong classes", "mse": "mean squared error"}
        note = ""
        if "held-out rows" in self.errors:
            note = "The dot is the least error on held-out rows; it is too good to be true."
        return draw_steps(
            self.steps,
            self.errors,
            unit=self.unit,
            measure=names[self.metric],
            title=title,
            note=note,
        )


def staged_errors(model: Any, X: Any, y: Any, *, eval_set: Any = None) -> StagedErrors:
    """Return the error of a fitted boosting or forest against its rounds or trees.

    Parameters
    ----------
    model
        A fitted model of ``branchline.boosting`` or ``branchline.forest``, or any with
        ``staged_predict``.
    X, y
        The training rows and their target.
    eval_set
        Held-out rows as a pair (X, y); None (default): only training rows (and those out of bag)
        are shown.

    See Also
    --------
    StagedErrors : errors against rounds or trees.

    Examples
    --------
    >>> import branchline as bl
    >>> from branchline.assess.curves import staged_errors
    >>> X, y = bl.load_dataset("iris").split_target("species")
    >>> model = bl.make("adaboost", task="classification", n_estimators=5).fit(X, y)
    >>> staged_errors(model, X, y).steps.tolist()
    [1, 2, 3, 4, 5]
    """
    if hasattr(model, "_check_fitted"):
        model._check_fitted()
    sets = {"training rows": (X, y)}
    if eval_set is not None:
        sets["held-out rows"] = (eval_set[0], eval_set[1])
    is_forest = hasattr(model, "_first_trees")
    if not is_forest and not hasattr(model, "staged_predict"):
        raise ParameterError(
            f"{type(model).__name__} has neither rounds nor trees whose errors could be followed.",
            code="P532",
            values=[type(model).__name__],
            repair=Repair("staged_errors(GradientBoostingClassifier().fit(X, y), X, y)"),
        )
    steps = _sizes(model.n_estimators_) if is_forest else None
    errors = {
        name: np.array(list(_errors(model, rows, target, steps)))
        for name, (rows, target) in sets.items()
    }
    if steps is None:
        steps = np.arange(1, len(errors["training rows"]) + 1)
    else:
        errors = _with_out_of_bag(model, steps, errors)
    metric = "error" if hasattr(model, "classes_") else "mse"
    return StagedErrors("trees" if is_forest else "rounds", metric, steps.astype(np.int64), errors)


def _sizes(n_trees: int) -> npt.NDArray[np.int64]:
    return np.unique(np.geomspace(1, n_trees, _MOST_SIZES).round().astype(np.int64))


def _errors(model: Any, X: Any, y: Any, sizes: npt.NDArray[np.int64] | None) -> Iterator[float]:
    rows, truth = rows_for(model, as_table(X, texts="raw")), np.asarray(y)
    if sizes is None:
        for predicted in model.staged_predict(rows):
            yield _error(truth, np.asarray(predicted))
    else:
        for size in sizes.tolist():
            yield _error(truth, model._first_trees(size).predict(rows))


def _error(truth: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> float:
    if truth.dtype.kind in "fiu" and predicted.dtype.kind == "f":
        return float(np.mean(np.square(truth.astype(np.float64) - predicted)))
    return float(np.mean(truth != predicted))


def _with_out_of_bag(
    model: Any, sizes: npt.NDArray[np.int64], errors: dict[str, Floats]
) -> dict[str, Floats]:
    """Return the errors with those of rows out of bag, where they are known."""
    found = [model._oob_of_first(size) for size in sizes.tolist()]
    if all(one is None for one in found):
        return errors
    own = np.array([np.nan if one is None else _oob_error(model, *one) for one in found])
    first = {"training rows": errors["training rows"], "out of bag": own}
    return {**first, **{name: values for name, values in errors.items() if name not in first}}


def _oob_error(model: Any, truth: npt.NDArray[Any], mean: Floats) -> float:
    if hasattr(model, "classes_"):
        return float(np.mean(decide(mean, model.__dict__.get("_costs")) != truth))
    return float(np.mean(np.square(truth - mean)))
