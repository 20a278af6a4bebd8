"""Any learner in sequence: named or given, weighed or drawn, and saved as models inside a model.

1. A learner is a name of the catalog or an unfitted estimator; each round fits a copy of it.
2. Learners that take ``sample_weight`` get the weights of the round. For others rows are drawn by
   their weights (``_sequence_rows.draw``); where weights stay the same, copies are repeated.
3. A sample of one class makes a constant.
4. Estimators of other libraries get a pandas frame (an array when columns have no names).
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline._arrays import Floats
from branchline._base import Complexity, Estimator
from branchline._member_state import can_be_packed as member_can_be_packed
from branchline._member_state import member_from_state, member_to_state
from branchline._model_rows import rows_for
from branchline._named_learners import check_learner as check_named
from branchline._named_learners import make_learner, takes_weights
from branchline._state import malformed
from branchline._validation import ClassTarget
from branchline.baseline import MajorityClassifier
from branchline.boosting._sequence_rows import SequenceRows, draw
from branchline.boosting._sequence_trees import Member
from branchline.errors import (
    BranchlineError,
    BranchlineWarning,
    DataError,
    ParameterError,
    Repair,
)
from branchline.table import Schema, Table

__all__ = [
    "LearnerGrower",
    "LearnerMembers",
    "SequenceLearner",
    "can_be_packed",
    "check_learner",
    "make_learner",
    "unpack_learners",
]

Classes = npt.NDArray[Any] | None

# A sample has as many rows as the table, copies included; but not more than this or the table.
_MOST_DRAWN = 2**20


@dataclass(frozen=True)
class SequenceLearner:
    """The constraint of the learner: None, a name or an estimator."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` could be a learner."""
        able = all(hasattr(value, name) for name in ("fit", "predict", "get_params"))
        return value is None or isinstance(value, str) or (able and not isinstance(value, type))

    def describe(self) -> str:
        """Say in words what is allowed."""
        return "None, the name of a learner (branchline.catalog.names() lists them) or an estimator"


def check_learner(owner: str, learner: Any, task: str) -> None:
    """Refuse a name that is not in the catalog, and an estimator of the other task."""
    check_named(owner, "estimator", learner, task, codes=("P151", "P151"))


class LearnerGrower:
    """Fits one copy of a learner after another on the same rows.

    Parameters
    ----------
    rows
        The rows.
    learner
        What is copied and fitted.
    seed
        The seed of draws.
    weights_vary
        Whether each round has weights of its own, so that a learner without weights gets drawn
        rows. If not, it gets each row as often as it was given; other weights are refused.
    """

    def __init__(
        self, rows: SequenceRows, learner: Any, seed: int, *, owner: str, weights_vary: bool
    ) -> None:
        self.rows, self.learner, self.seed = rows, learner, seed
        self._is_drawn = weights_vary
        self._takes_weights = takes_weights(learner)
        self._kept: list[Any] = []
        self._n_before = 0
        target = rows.data.target
        self._classes = target.classes if isinstance(target, ClassTarget) else None
        if not (weights_vary or self._takes_weights or rows.is_whole):
            name = type(learner).__name__
            raise ParameterError(
                f"The 'estimator' parameter of {owner} is {name}, which takes no sample_weight; "
                "only whole weights can be given to it, as copies.",
                code="P151",
                values=[name],
                repair=Repair("from branchline import catalog\ncatalog.names('regression')"),
            )

    def grow(self, weight: Floats, values: Floats | None) -> Member:
        """Return a member on rows of some weight; ``values`` are the numbers to predict."""
        answers = self._class_names() if values is None else values
        fitted = self._fit(weight, answers)
        predicted = predictions_of(fitted, self.rows.table, self._classes)
        return Member(fitted, predicted, getattr(fitted, "feature_importances_", None))

    def keep(self, member: Member) -> None:
        """Take a member into the sequence."""
        self._kept.append(member.made)

    def members(self, before: "LearnerMembers | None" = None) -> "LearnerMembers":
        """Return the members that were kept, after those of an earlier fit."""
        earlier = () if before is None else before.fitted
        return LearnerMembers((*earlier, *self._kept), self._classes)

    def skip(self, n_members: int) -> None:
        """Draw as if that number of members had been fitted before."""
        self._n_before = n_members

    def _class_names(self) -> npt.NDArray[Any]:
        target = self.rows.data.class_target
        names: npt.NDArray[Any] = target.classes[target.class_of_row]
        return names

    def _fit(self, weight: Floats, answers: npt.NDArray[Any]) -> Any:
        places, options = np.flatnonzero(weight > 0), {}
        if self._takes_weights:
            if (weight[places] != 1.0).any():
                options["sample_weight"] = weight[places]
        else:
            places = np.repeat(np.arange(len(weight)), self._counts(weight))
        table, answers = self.rows.table.rows(places), answers[places]
        learner = self.learner
        if self._classes is not None and (answers == answers[0]).all():
            learner, options = MajorityClassifier(), {}
        try:
            with warnings.catch_warnings():
                if self._classes is not None:  # a table of one class has been remarked already
                    warnings.filterwarnings("ignore", "The target y has only", BranchlineWarning)
                return clone(learner).fit(rows_for(learner, table), answers, **options)
        except BranchlineError as error:
            # Rows are counted in another order here, so their numbers would mislead.
            named = error.with_rows(())
            named.message = f"A member of the sequence could not be fitted. {error.message}"
            raise named from error

    def _counts(self, weight: Floats) -> npt.NDArray[np.int64]:
        """Return how often each row is given to a learner without weights."""
        if not self._is_drawn:
            return np.rint(weight).astype(np.int64)
        total = weight.sum()
        n_drawn = min(total, max(_MOST_DRAWN, self.rows.n_rows))
        task = self._n_before + len(self._kept)
        counts = draw(weight * (n_drawn / total), self.seed, task)
        return counts if counts.any() else (weight == weight.max()).astype(np.int64)


@dataclass(frozen=True, eq=False)
class LearnerMembers:
    """The fitted learners of a sequence."""

    fitted: tuple[Any, ...]
    classes: Classes

    @property
    def n_members(self) -> int:
        """The number of learners."""
        return len(self.fitted)

    def outputs(self, table: Table, n_threads: int) -> Iterator[npt.NDArray[Any]]:
        """Yield what each learner predicts for rows: the place of a class, or a number."""
        for member in self.fitted:
            yield predictions_of(member, table, self.classes)

    def all_outputs(self, table: Table, n_threads: int) -> npt.NDArray[Any]:
        """Return what each learner (a row) predicts for rows (columns)."""
        if not self.fitted:
            return np.empty((0, table.n_rows), dtype=np.intp)
        return np.stack(list(self.outputs(table, n_threads)))

    def first(self, n_members: int) -> "LearnerMembers":
        """Return the first learners alone."""
        return LearnerMembers(self.fitted[:n_members], self.classes)

    def complexity(self) -> Complexity:
        """Return how many parts there are to read."""
        sizes = [one.complexity().count if isinstance(one, Estimator) else 1 for one in self.fitted]
        return Complexity(sum(sizes), "parts")

    def depth(self) -> int:
        """Return 0: the depth of trees is up to the learner that was given."""
        return 0

    def pack(self) -> dict[str, Any]:
        """Return each learner as a model inside the model."""
        return {"members": [member_to_state(member) for member in self.fitted]}


def unpack_learners(state: Any, schema: Schema, classes: Classes) -> LearnerMembers:
    """Return the learners that packed values describe, each one checked as a model is."""
    if not isinstance(state, list) or not state:
        raise malformed("there are no members")
    fitted = [member_from_state(one, schema, classes) for one in state]
    return LearnerMembers(tuple(fitted), classes)


def can_be_packed(members: LearnerMembers) -> bool:
    """Whether all learners, with all that is inside them, are our own."""
    return all(member_can_be_packed(member) for member in members.fitted)


def predictions_of(member: Any, table: Table, classes: Classes) -> npt.NDArray[Any]:
    """Return the place of the class that a learner decides for, or its number, for each row."""
    predicted = np.asarray(member.predict(rows_for(member, table))).reshape(table.n_rows)
    if classes is None:
        numbers = predicted.astype(np.float64)
        if not np.isfinite(numbers).all():
            raise DataError(
                f"A member of the sequence ({type(member).__name__}) predicts something that is no "
                "finite number.",
                code="D120",
            )
        return numbers
    place_of_name = {name: place for place, name in enumerate(classes.tolist())}
    strange = [name for name in predicted.tolist() if name not in place_of_name]
    if strange:
        raise DataError(
            f"A member of the sequence predicts a class that is not in the target: {strange[0]!r}.",
            code="D121",
            values=strange[:5],
        )
    return np.array([place_of_name[name] for name in predicted.tolist()], dtype=np.intp)
