"""What models of several targets share: the door, predictions by name, scores, members in files."""

from typing import Any, ClassVar

import numpy as np

from branchline._arrays import AnyArray, Floats
from branchline._base import Complexity, Estimator, FittedState
from branchline._explanation import Explanation
from branchline._fit_member import fit_member
from branchline._member_state import member_from_state, member_to_state
from branchline._model_rows import rows_for
from branchline._named_learners import Learner, check_learner
from branchline._plain_numbers import count
from branchline._result_frame import Library, result_frame
from branchline._state import classes_from_state, classes_to_state, malformed
from branchline._validation import (
    AnyOf,
    ClassTarget,
    Constraint,
    Given,
    NumberTarget,
    OneOf,
    TrainingData,
    check_training_inputs,
)
from branchline.catalog import make
from branchline.errors import ParameterError, Repair
from branchline.outputs._output_scores import OutputScores, scores_of_outputs
from branchline.outputs._targets import Targets, read_targets
from branchline.table import Schema, Table, as_table

__all__ = ["ESTIMATOR", "TASKS", "OneModelEach", "SeveralOutputs"]

ESTIMATOR = Learner()
TASKS: Constraint = AnyOf(
    (
        OneOf((None, "classification", "regression")),
        Given((dict,), "a mapping of targets to tasks"),
    )
)


class SeveralOutputs(Estimator):
    """A model of several targets."""

    _opposite = None
    _task = None
    # What targets are, where a class does not leave it to the data.
    _tasks: ClassVar[str | None] = None
    outputs_: tuple[str, ...]
    classes_: list[AnyArray | None]

    @property
    def n_outputs_(self) -> int:
        """The number of targets."""
        return len(self.outputs_)

    def _begin_outputs(self, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingData, Targets]:
        """Check a table and several targets; rows of weight 0 are left out."""
        self._start(X, y)
        data = check_training_inputs(X, sample_weight)
        n_rows = data.table.n_rows if data.kept is None else len(data.kept)
        tasks = self._tasks or getattr(self, "tasks", None)
        targets = read_targets(y, n_rows, type(self).__name__, data.kept, tasks)
        return data, targets

    def _predict_each(self, rows: Table) -> list[AnyArray]:
        """Return the predictions of each target for checked rows."""
        raise NotImplementedError

    def _probabilities(self, rows: Table) -> list[Floats | None]:
        """Return the probabilities of each target's classes for checked rows."""
        raise NotImplementedError

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> AnyArray:
        """Return the prediction of each row, a column for each target.

        Where some targets are classes and others numbers, cells are Python objects.
        """
        columns = self._predict_each(self._check_rows(X).table)
        kinds = {column.dtype.kind for column in columns}
        if len(kinds) == 1:
            return np.column_stack(columns)
        found = np.empty((len(columns[0]), len(columns)), dtype=object)
        for at, column in enumerate(columns):
            found[:, at] = column.tolist()
        return found

    def predict_proba(self, X: Any) -> list[Floats | None]:
        """Return the probabilities of classes for each target (None for numbers), as a list."""
        return self._probabilities(self._check_rows(X).table)

    def to_frame(self, X: Any, library: Library = "pandas") -> Any:
        """Return the predictions of rows as a frame, a column for each target."""
        columns = self._predict_each(self._check_rows(X).table)
        return result_frame(dict(zip(self.outputs_, columns, strict=True)), library)

    def evaluate(self, X: Any, y: Any) -> OutputScores:
        """Return scores on new rows: of each target, and of all together, with intervals."""
        self._check_fitted()
        rows = self._check_rows(X).table
        tasks = {
            name: "regression" if classes is None else "classification"
            for name, classes in zip(self.outputs_, self.classes_, strict=True)
        }
        truth = read_targets(y, rows.n_rows, type(self).__name__, None, None)
        if len(truth.names) == len(self.outputs_):
            named = dict(zip(truth.names, tasks.values(), strict=True))
            truth = read_targets(y, rows.n_rows, type(self).__name__, None, named)
        predicted = self._predict_each(rows)
        return scores_of_outputs(self.outputs_, truth, predicted, self._n_train)

    _n_train: int

    def score(self, X: Any, y: Any) -> float:
        """Return the mean over targets of accuracy (classes) and R² (numbers)."""
        return self.evaluate(X, y).mean

    # -- saving -----------------------------------------------------------------------------------

    def _pack_outputs(self) -> dict[str, Any]:
        packed = [
            None if classes is None else {"classes": classes_to_state(classes)}
            for classes in self.classes_
        ]
        names = list(self.outputs_)
        return {"outputs": names, "classes_of_outputs": packed, "n_train": int(self._n_train)}

    @staticmethod
    def _unpack_outputs(state: FittedState) -> dict[str, Any]:
        names, packed = state.get("outputs"), state.get("classes_of_outputs")
        n_train = state.get("n_train")
        if not isinstance(names, list) or not all(type(name) is str for name in names) or not names:
            raise malformed("the targets have no names")
        if len(set(names)) != len(names):
            raise malformed("two targets have one name")
        if not isinstance(packed, list) or len(packed) != len(names):
            raise malformed("there are not classes for each target")
        if type(n_train) is not int or not 1 <= n_train < 2**53:
            raise malformed("the number of training rows is wrong")
        if not all(one is None or isinstance(one, dict) for one in packed):
            raise malformed("the classes of a target are missing")
        classes = [None if one is None else classes_from_state(one) for one in packed]
        return {"outputs_": tuple(names), "classes_": classes, "_n_train": n_train}


class OneModelEach(SeveralOutputs):
    """A model of several targets that has a model for each."""

    estimator: Any
    random_state: Any
    members_: list[Any]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self._tasks is not None:
            check_learner(type(self).__name__, "estimator", self.estimator, self._tasks)

    def _learner_of(self, target: ClassTarget | NumberTarget) -> Any:
        """Return the unfitted learner of a target."""
        task = "classification" if isinstance(target, ClassTarget) else "regression"
        check_learner(type(self).__name__, "estimator", self.estimator, task)
        if isinstance(self.estimator, str):
            return make(self.estimator, task=task, random_state=self.random_state)
        return self.estimator

    def _fit_one(self, data: TrainingData, table: Table, target: ClassTarget | NumberTarget) -> Any:
        rows = TrainingData(table, target, data.weights)
        return fit_member(self._learner_of(target), rows, self._refusal)

    @staticmethod
    def _refusal(name: str) -> ParameterError:
        return ParameterError(
            f"Weights were given, but {name} takes no sample_weight. Fit without weights, or take "
            "another learner.",
            code="P082",
            values=[name],
            repair=Repair("model.fit(X, y)"),
        )

    def _rows_of_each(self, rows: Table) -> Any:
        """Yield the place of each target, in the order of prediction, and its model's rows."""
        raise NotImplementedError

    def _predict_each(self, rows: Table) -> list[AnyArray]:
        found: list[Any] = [None] * self.n_outputs_
        for place, table, told in self._rows_of_each(rows):
            member = self.members_[place]
            found[place] = np.asarray(member.predict(rows_for(member, table)))
            told(found[place])
        return found

    def _probabilities(self, rows: Table) -> list[Floats | None]:
        found: list[Floats | None] = [None] * self.n_outputs_
        for place, table, told in self._rows_of_each(rows):
            member, classes = self.members_[place], self.classes_[place]
            told(np.asarray(member.predict(rows_for(member, table))))
            if classes is not None:
                shares = np.zeros((rows.n_rows, len(classes)))
                known = np.searchsorted(classes, member.classes_)
                shares[:, known] = member.predict_proba(rows_for(member, table))
                found[place] = shares
        return found

    def explain(self, row: Any) -> dict[str, Explanation]:
        """Say for each target why one row is predicted as it is.

        Parameters
        ----------
        row
            A table of one row, or a mapping of column names to values.
        """
        given = [row] if isinstance(row, dict) and not any(map(np.ndim, row.values())) else row
        table = self._check_rows(as_table(given, texts="raw")).table
        found: dict[str, Explanation] = {}
        for place, rows, told in self._rows_of_each(table):
            member = self.members_[place]
            told(np.asarray(member.predict(rows_for(member, rows))))
            if hasattr(member, "explain"):
                found[self.outputs_[place]] = member.explain(rows)
        return found

    def to_text(self) -> str:
        """Return a line for each target: what it is, and its model."""
        self._check_fitted()
        lines = []
        for name, classes, member in zip(self.outputs_, self.classes_, self.members_, strict=True):
            what = "number" if classes is None else count(len(classes), "class", "classes")
            size = f", {member.complexity()}" if isinstance(member, Estimator) else ""
            lines.append(f"{name} ({what}): {type(member).__name__}{size}")
        return "\n".join(lines)

    def _complexity(self) -> Complexity:
        sizes = [m.complexity().count if isinstance(m, Estimator) else 1 for m in self.members_]
        return Complexity(sum(sizes), "parts")

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {**self._pack_outputs(), "members": [member_to_state(one) for one in self.members_]}

    def _schema_of(self, place: int, schema: Schema, about: dict[str, Any]) -> Schema:
        """Return the columns that the model of a target has."""
        return schema

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        about = {**self._unpack_outputs(state), **self._unpack_more(state)}
        packed, classes = state.get("members"), about["classes_"]
        if not isinstance(packed, list) or len(packed) != len(classes):
            raise malformed("there is not a model for each target")
        about["members_"] = [
            member_from_state(one, self._schema_of(place, schema, about), classes[place])
            for place, one in enumerate(packed)
        ]
        return about

    def _unpack_more(self, state: FittedState) -> dict[str, Any]:
        return {}
