"""The stack itself: members, their predictions out of fold, and the final learner.

1. Out of fold, each row has what every member says of it: a number, or probabilities of classes
   (of the second class alone when there are two). These are the columns of the final table; with
   ``passthrough`` the columns of the input stand before them.
2. The final learner is fitted on that table, or weights of a mean are found (``_weights``).
3. A new row goes through the members fitted on all rows, then through the final learner.
"""

from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState
from branchline._member_state import member_from_state, member_to_state
from branchline._named_learners import make_learner
from branchline._plain_numbers import number
from branchline._state import frequencies_from_state, malformed
from branchline._validation import TrainingData, check_seed
from branchline.ensemble._ensemble import Ensemble
from branchline.ensemble._fitting import (
    Job,
    OutOfFold,
    fit_jobs,
    out_of_fold,
    outputs_of,
    refuse_unweighted,
)
from branchline.ensemble._training_rows import TrainingRows, arrange_rows
from branchline.ensemble._weights import score_members, stacked_weights
from branchline.table import Schema, Table

__all__ = ["CONVEX", "Stack"]

# The final learner that is a weighted mean.
CONVEX = "non_negative"


class Stack(Ensemble):
    """How both stacks are fitted, predict, and are saved."""

    _singles: ClassVar = ("final_estimator",)
    _words: ClassVar = (CONVEX,)
    estimators: Any
    final_estimator: Any
    n_folds: int
    passthrough: bool
    random_state: Any
    n_jobs: int | None
    final_: Any
    weights_: Floats | None

    # -- fitting ----------------------------------------------------------------------------------

    def _prepare(self, rows: TrainingRows) -> list[tuple[str, Any]]:
        """Return the learners as estimators; the final one must take weights too."""
        if self.final_estimator != CONVEX:
            refuse_unweighted(
                [("final_estimator", make_learner(self.final_estimator, self._task))], rows
            )
        return super()._prepare(rows)

    def _learn(self, data: TrainingData, *, is_weighted: bool) -> dict[str, Any]:
        """Return the members, and the final learner fitted on their predictions out of fold."""
        rows = arrange_rows(data, is_weighted=is_weighted)
        members, seed = self._prepare(rows), check_seed(self.random_state)
        fitted, held = out_of_fold(rows, members, self.n_folds, seed, self.n_jobs)
        labels = [label for label, _ in members]
        is_convex = self.final_estimator == CONVEX
        return {
            "labels_": labels,
            "members_": fitted,
            "scores_": score_members(rows, held),
            "weights_": stacked_weights(rows, held) if is_convex else None,
            "final_": None if is_convex else self._fit_final(rows, held, labels),
            "out_of_fold_": held.of_inputs(rows, _columns(held.outputs)),
        }

    def _fit_final(self, rows: TrainingRows, held: OutOfFold, labels: list[str]) -> Any:
        """Fit the final learner; a row that was held out of several folds is there for each."""
        final = make_learner(self.final_estimator, self._task)
        raw = rows.table.rows(held.rows)
        table = self._final_table(raw, _columns(held.outputs), labels, rows.classes)
        # What the final learner chooses by folds keeps groups together and respects time, too.
        table = table.with_groups(raw.groups).with_times(raw.times)
        asked = TrainingRows(
            table,
            rows.target.rows(held.rows),
            rows.keys[held.rows],
            held.units,
            rows.unit,
            rows.is_weighted,
            held.rows,
        )
        return fit_jobs(asked, [Job("final", final, held.units)], self.n_jobs)[0][0]

    def _final_table(
        self, raw: Table, inputs: Floats, labels: list[str], classes: npt.NDArray[Any] | None
    ) -> Table:
        """Return the table of the final learner: predictions, and the columns with passthrough."""
        taken = frozenset(raw.names if self.passthrough else ())
        told = None if classes is None else tuple(map(str, classes))
        answers = Table._over(_schema_of_answers(tuple(labels), told, taken), matrix=inputs)
        if not self.passthrough:
            return answers
        return Table.from_columns([*raw.columns, *answers.columns])

    # -- predicting -------------------------------------------------------------------------------

    def _answer(self, X: Any) -> Floats:
        table = self._check_rows(X).table
        classes = self._class_names()
        if self.final_ is None:
            assert self.weights_ is not None
            pairs = zip(self.weights_, self._outputs(table), strict=True)
            total: Any = sum(weight * outputs for weight, outputs in pairs)
            return np.asarray(total)
        inputs = _columns(np.stack(list(self._outputs(table)), axis=1))
        final_table = self._final_table(table, inputs, self.labels_, classes)
        return outputs_of(self.final_, final_table, classes, "final")

    # -- reading ----------------------------------------------------------------------------------

    def _inside(self) -> list[Any]:
        return self.members_ if self.final_ is None else [*self.members_, self.final_]

    def _weight_cells(self, head: str, place: int | None) -> list[str]:
        if self.weights_ is None:
            return []
        return [head if place is None else number(self.weights_[place], 3)]

    def to_text(self) -> str:
        """Return the stack as text: its members, then how the final learner weighs them."""
        members = super().to_text()
        if self.final_ is None:
            return members
        model = self.final_.to_text() if hasattr(self.final_, "to_text") else ""
        return f"{members}\nfinal: {type(self.final_).__name__}\n{model}".rstrip()

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        final = None if self.final_ is None else member_to_state(self.final_)
        return {**super()._pack(), "final": final, "weights": self.weights_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = dict(super()._unpack(state, schema))
        final, weights = state.get("final"), state.get("weights")
        if (final is None) == (weights is None):
            raise malformed("there must be either a final learner or weights")
        labels, classes = fitted["labels_"], fitted.get("classes_")
        fitted |= {"final_": None, "weights_": None}
        if final is None:
            fitted["weights_"] = frequencies_from_state(state, "weights", length=len(labels))
            return fitted
        raw = schema.fields if self.passthrough else ()
        told = None if classes is None else tuple(map(str, classes))
        numbers = _schema_of_answers(tuple(labels), told, frozenset(field.name for field in raw))
        columns = Schema((*raw, *numbers.fields))
        fitted["final_"] = member_from_state(final, columns, classes)
        return fitted


def _columns(outputs: Floats) -> Floats:
    """Return what members say, (row, member) or (row, member, class), as columns.

    Of two classes the second is enough: the probability of the first is what is left.
    """
    if outputs.ndim == 2:
        return outputs
    told = outputs[:, :, 1:] if outputs.shape[2] == 2 else outputs
    return np.ascontiguousarray(told.reshape(len(told), told.shape[1] * told.shape[2]))


@lru_cache(maxsize=64)
def _schema_of_answers(
    labels: tuple[str, ...], classes: tuple[str, ...] | None, taken: frozenset[str]
) -> Schema:
    """Return the schema of ``_columns``."""
    names = _column_names(labels, classes, taken)
    return Table.from_matrix(np.empty((0, len(names))), names).schema


def _column_names(
    labels: Sequence[str], classes: Sequence[Any] | None, taken: Set[str]
) -> list[str]:
    """Return a name for each column of ``_columns``, none of them taken."""
    if classes is None:
        wanted = list(labels)
    else:
        told = classes[1:] if len(classes) == 2 else classes
        wanted = [f"{label}: {name}" for label in labels for name in told]
    names: list[str] = []
    for name in wanted:
        while name in taken:
            name += " (member)"
        taken = taken | {name}
        names.append(name)
    return names
