"""What a model is asked for: numbers, or probabilities of some classes."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._model_rows import rows_for
from branchline.errors import DataError, ParameterError, Repair
from branchline.table import Table

__all__ = ["Asked", "asked_outputs"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Asked:
    """A model with the outputs that are looked at.

    Parameters
    ----------
    model
        The fitted model.
    classes
        The classes looked at; empty for numbers.
    """

    model: Any
    classes: tuple[Any, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the outputs are called."""
        return tuple(str(name) for name in self.classes) or ("prediction",)

    def of(self, model: Any) -> "Asked":
        """Return the same question to another model."""
        return replace(self, model=model)

    def rows(self, table: Table) -> Any:
        """Return rows in the form that the model takes."""
        return rows_for(self.model, table)

    def outputs(self, table: Table) -> Floats:
        """Return a column for each output; 0 for a class that a refit has not seen."""
        given = self.rows(table)
        if not self.classes:
            return _numbers(np.asarray(self.model.predict(given)))
        known = np.asarray(self.model.classes_).tolist()
        if hasattr(self.model, "predict_proba"):
            shares = np.asarray(self.model.predict_proba(given), dtype=np.float64)
        else:
            shares = np.asarray(self.model.predict(given))[:, None] == np.asarray(
                self.model.classes_
            )
        found = np.zeros((table.n_rows, len(self.classes)))
        for place, name in enumerate(self.classes):
            if name in known:
                found[:, place] = shares[:, known.index(name)]
        return found


def _numbers(predicted: npt.NDArray[Any]) -> Floats:
    if predicted.ndim == 1:
        return predicted.astype(np.float64)[:, None]
    raise DataError(
        f"The model predicts {predicted.shape[1]} numbers for each row; effect curves show one.",
        code="D483",
        repair=Repair("fit a model of one of the targets"),
    )


def asked_outputs(model: Any, positive: Any) -> Asked:
    """Return what is looked at: the number, the second of two classes, or all of more."""
    if not hasattr(model, "classes_"):
        return Asked(model)
    classes = np.asarray(model.classes_).tolist()
    if positive is None:
        return Asked(model, tuple(classes[1:] if len(classes) == 2 else classes))
    named = {str(name): name for name in classes}
    if str(positive) in named:
        return Asked(model, (named[str(positive)],))
    raise ParameterError(
        f"'positive' must be a class of the model: {', '.join(named)}. Got {positive!r} instead.",
        code="P531",
        values=[positive],
        repair=Repair(
            f"effect_curves(model, X, positive={classes[-1]!r})", f"--positive {classes[-1]}"
        ),
    )
