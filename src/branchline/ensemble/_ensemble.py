"""What ensembles share: members, their weighted mean, reading and saving.

1. ``members_`` are fitted copies of the learners, called by ``labels_``.
2. An averaging ensemble predicts Σ w_m f_m(x): of probabilities, of votes (1 for the class a member
   decides for), or of numbers. Members are added in their order, so equal fits give equal bits.
3. A model file holds each member as a whole model (``_member_state``).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, Estimator, FittedState, Regressor
from branchline._explanation import Explanation
from branchline._member_state import (
    can_be_packed,
    labels_from_state,
    member_from_state,
    member_to_state,
)
from branchline._named_learners import is_estimator, label_learners, make_learner
from branchline._plain_numbers import count, number, percent
from branchline._state import (
    classes_from_state,
    classes_to_state,
    frequencies_from_state,
    malformed,
    numbers_from_state,
)
from branchline._validation import Owner, check_target
from branchline.ensemble._ambiguity import Ambiguity, ambiguity_decomposition
from branchline.ensemble._composite import Composite
from branchline.ensemble._fitting import Job, fit_jobs, outputs_of, refuse_unweighted
from branchline.ensemble._training_rows import TrainingRows
from branchline.errors import DataError
from branchline.table import Schema, Table

__all__ = ["Averaging", "AveragingClassifier", "AveragingRegressor", "Ensemble"]

_MOST_NOTES = 12


class Ensemble(Composite):
    """Fitted members with labels."""

    labels_: list[str]
    members_: list[Any]
    scores_: Floats | None

    def _prepare(self, rows: TrainingRows) -> list[tuple[str, Any]]:
        """Return the learners as estimators, after refusing weights that one cannot use."""
        labeled = label_learners(getattr(self, self._lists[0]))
        members = [(label, make_learner(learner, self._task)) for label, learner in labeled]
        refuse_unweighted(members, rows)
        return members

    def _fit_whole(self, rows: TrainingRows, members: list[tuple[str, Any]]) -> list[Any]:
        """Return each learner fitted on all rows."""
        jobs = [Job(label, learner, rows.units) for label, learner in members]
        return [member for member, _ in fit_jobs(rows, jobs, getattr(self, "n_jobs", None))]

    def _class_names(self) -> npt.NDArray[Any] | None:
        return getattr(self, "classes_", None)

    def _outputs(self, table: Table) -> Iterator[Floats]:
        """Yield the predictions of each member for checked rows."""
        for label, member in zip(self.labels_, self.members_, strict=True):
            yield outputs_of(member, table, self._class_names(), label)

    # -- reading ----------------------------------------------------------------------------------

    def _inside(self) -> list[Any]:
        return self.members_

    def _complexity(self) -> Complexity:
        sizes = [
            one.complexity().count if isinstance(one, Estimator) else 1 for one in self._inside()
        ]
        return Complexity(sum(sizes), "parts")

    def _explain(self, row: Table) -> Explanation:
        predicted = [outputs[0] for outputs in self._outputs(row)]
        notes = [self._note(place, what) for place, what in enumerate(predicted[:_MOST_NOTES])]
        if len(predicted) > _MOST_NOTES:
            notes.append(f"and {count(len(predicted) - _MOST_NOTES, 'more member')}")
        return replace(super()._explain(row), notes=tuple(notes))

    def _note(self, place: int, predicted: Any) -> str:
        classes, label = self._class_names(), self.labels_[place]
        if classes is None:
            return f"{label}{self._share(place)}: {number(predicted, 6)}"
        best = int(np.argmax(predicted))
        return f"{label}{self._share(place)}: {classes[best]} ({percent(predicted[best])})"

    def _share(self, place: int) -> str:
        return ""

    def to_text(self) -> str:
        """Return the ensemble as text: a line for each member with its weight, score and size."""
        self._check_fitted()
        return "\n".join(" | ".join(cells).rstrip() for cells in _in_columns(self._lines()))

    def _lines(self) -> list[list[str]]:
        score = "accuracy" if self._class_names() is not None else "error (RMSE)"
        head = ["member", "learner", *self._weight_cells("weight", None)]
        head += [] if self.scores_ is None else [f"{score} out of fold"]
        lines = [[*head, "size"]]
        for place, member in enumerate(self.members_):
            size = str(member.complexity()) if isinstance(member, Estimator) else ""
            cells = [self.labels_[place], type(member).__name__, *self._weight_cells("", place)]
            cells += [] if self.scores_ is None else [number(self.scores_[place])]
            lines.append([*cells, size])
        return lines

    def _weight_cells(self, head: str, place: int | None) -> list[str]:
        return []

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        packed: dict[str, Any] = {
            "labels": list(self.labels_),
            "members": [member_to_state(member) for member in self.members_],
            "scores": self.scores_,
        }
        classes = self._class_names()
        return packed if classes is None else {"classes": classes_to_state(classes), **packed}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state) if self._task == "classification" else None
        packed = state.get("members")
        if not isinstance(packed, list) or not packed:
            raise malformed("the list of members is empty")
        members = [member_from_state(one, schema, classes) for one in packed]
        fitted: dict[str, Any] = {
            "labels_": labels_from_state(state, len(members)),
            "members_": members,
            "scores_": self._unpack_scores(state, len(members)),
        }
        return fitted if classes is None else {"classes_": classes, **fitted}

    def _unpack_scores(self, state: FittedState, n_members: int) -> Floats | None:
        if state.get("scores") is None:
            return None
        highest = 1.0 if self._task == "classification" else np.inf
        return numbers_from_state(state, "scores", length=n_members, low=0.0, high=highest)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled ensemble; members of other libraries have no form to be checked in."""
        members = state.get("members_")
        inside = [*(members if isinstance(members, list) else ()), state.get("final_")]
        if all(can_be_packed(one) for one in inside if is_estimator(one)):
            super().__setstate__(state)
        else:
            BaseEstimator.__setstate__(self, state)


class Averaging(Ensemble):
    """The weighted mean of the members' predictions."""

    weights_: Floats

    def _votes(self, outputs: Floats) -> Floats:
        """Return a member's probabilities or, with vote="hard", 1 for its class."""
        if getattr(self, "vote", "soft") == "soft":
            return outputs
        votes: Floats = np.eye(outputs.shape[1])[outputs.argmax(axis=1)]
        return votes

    def _mean(self, X: Any) -> Floats:
        table = self._check_rows(X).table
        pairs = zip(self.weights_, self._outputs(table), strict=True)
        # One after the other, as every sum of floats here: the same for one row and for many.
        total: Any = sum(weight * self._votes(outputs) for weight, outputs in pairs)
        return np.asarray(total)

    def ambiguity(self, X: Any, y: Any) -> Ambiguity:
        """Decompose the squared error: the mean error of the members less their spread.

        For classes the error is that of the probabilities (with vote="hard": of the votes), the
        Brier score: the squared distance from 1 for the true class and 0 for the others.

        Parameters
        ----------
        X, y
            Rows and their targets; use rows that were not in the training data.
        """
        table = self._check_rows(X).table
        owner = Owner(type(self).__name__, None)
        target: Any = check_target(y, table.n_rows, task=self._task, owner=owner)
        predicted = np.stack([self._votes(outputs) for outputs in self._outputs(table)])
        classes = self._class_names()
        truth = target.values if classes is None else _indicators(target, classes)
        return ambiguity_decomposition(predicted, truth, self.weights_)

    def _share(self, place: int) -> str:
        return f" (weight {number(self.weights_[place], 3)})"

    def _weight_cells(self, head: str, place: int | None) -> list[str]:
        return [head if place is None else number(self.weights_[place], 3)]

    def _pack(self) -> FittedState:
        return {**super()._pack(), "weights": self.weights_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = super()._unpack(state, schema)
        weights = frequencies_from_state(state, "weights", length=len(fitted["members_"]))
        return {**fitted, "weights_": weights}


class AveragingClassifier(Averaging, Classifier):
    """The weighted mean of probabilities or votes."""

    def predict_proba(self, X: Any) -> Floats:
        """Return the weighted mean of the members' probabilities, or of their votes."""
        # Shares of members add up to 1 but for rounding, and a probability is not above 1.
        return np.minimum(self._mean(X), 1.0)


class AveragingRegressor(Averaging, Regressor):
    """The weighted mean of numbers."""

    def predict(self, X: Any) -> Floats:
        """Return the weighted mean of the members' numbers."""
        return self._mean(X)


def _indicators(target: Any, classes: npt.NDArray[Any]) -> Floats:
    """Return 1 for the true class of each row, 0 for the others."""
    place_of_name = {name: place for place, name in enumerate(classes.tolist())}
    names = target.classes.tolist()
    strange = [name for name in names if name not in place_of_name]
    if strange:
        raise DataError(
            f"The target y holds a class that the ensemble does not know: {strange[0]!r}.",
            code="D121",
            values=strange,
        )
    places = np.array([place_of_name[name] for name in names])
    indicators: Floats = np.eye(len(classes))[places[target.class_of_row]]
    return indicators


def _in_columns(lines: list[list[str]]) -> list[list[str]]:
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    return [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
