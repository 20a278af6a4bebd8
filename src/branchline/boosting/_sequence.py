"""What learners in sequence share: rounds, warm starts, reading and saving.

1. A fit is rounds: the next member is fitted on weights and targets that follow from the members
   before it, until a rule ends it. Each class states its rules (``Rounds``).
2. Members are trees of our own on codes computed once (``_sequence_trees``), or copies of any
   learner (``_sequence_learners``).
3. A warm start plays the earlier members back on the rows, so that it goes on where a longer fit
   would be; on other rows they would not have the errors that were noted, and it is refused.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Predictor
from branchline._state import column_attributes, numbers_from_state
from branchline._trees._forest_state import unpack_forest
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    Real,
    Whole,
    check_seed,
    count_threads,
)
from branchline.boosting._sequence_learners import (
    LearnerGrower,
    LearnerMembers,
    SequenceLearner,
    can_be_packed,
    check_learner,
    make_learner,
    unpack_learners,
)
from branchline.boosting._sequence_rounds import Rounds
from branchline.boosting._sequence_rows import SequenceRows
from branchline.boosting._sequence_trees import Member, TreeGrower, TreeMembers
from branchline.errors import ParameterError, Repair
from branchline.table import Schema, Table

__all__ = ["PARAMETERS", "Sequence"]

Members = TreeMembers | LearnerMembers

_NONE = OneOf((None,))
PARAMETERS: dict[str, Constraint] = {
    "estimator": SequenceLearner(),
    "n_estimators": Whole(1),
    "learning_rate": Real(0.0, 1.0, low_open=True),
    "max_depth": AnyOf((_NONE, Whole(1))),
    "max_bins": AnyOf((_NONE, Whole(2, 65534))),
    "warm_start": Flag(),
}

# How far apart predictions of other libraries' estimators may be, where nothing is promised.
_ELSEWHERE = 1e-9
# Rows are predicted in blocks, so that rows × members stay below this.
_MOST_AT_ONCE = 2**24


class Sequence(Predictor):
    """Fitting, reading and saving of learners in sequence."""

    estimator: Any
    n_estimators: int
    learning_rate: float
    max_depth: int | None
    max_bins: int | None
    warm_start: bool
    random_state: Any
    n_jobs: int | None
    sequence_: Members
    estimator_weights_: Floats
    # The sum over members of what columns share, times how much members count; None: not known.
    _gains: Floats | None
    # What each round has noted, and so has to be noted again when it is played back.
    _noted: ClassVar[str]

    # -- fitting ------------------------------------------------------------------------------

    def _n_steps(self) -> int | None:
        return self.n_estimators if isinstance(self.n_estimators, int) else None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.estimator is not None:
            check_learner(type(self).__name__, self.estimator, self._task)

    def _forget(self) -> None:
        """Remove what an earlier fit left; with a warm start, put it aside first."""
        if self.warm_start is True and "sequence_" in self.__dict__:
            kept = {name: self.__dict__[name] for name in ("sequence_", "schema_", self._noted)}
            kept["classes_"] = self.__dict__.get("classes_")
            kept["amounts"], kept["gains"] = self._amounts_of(self.estimator_weights_), self._gains
            self.__dict__["_warm"] = kept
        super()._forget()

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_warm", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled model; members of other libraries have no form to be checked in."""
        members = state.get("sequence_")
        if isinstance(members, LearnerMembers) and not can_be_packed(members):
            BaseEstimator.__setstate__(self, state)
        else:
            super().__setstate__(state)

    def _grower(self, rows: SequenceRows, settings: Mapping[str, Any], **numbers: Any) -> Any:
        """Return what fits the members: our trees with some settings, or any learner."""
        n_threads = count_threads(self.n_jobs, rows.data.n_cells)
        if self.estimator is None:
            own = {"max_depth": self.max_depth, "max_bins": self.max_bins, **settings}
            return TreeGrower(rows, own, n_threads, **numbers)
        return LearnerGrower(
            rows,
            make_learner(self.estimator, self._task),
            check_seed(self.random_state),
            owner=type(self).__name__,
            weights_vary=self._weights_vary,
        )

    # Whether members differ by the weights of rows, or by their targets.
    _weights_vary: ClassVar[bool] = True

    def _run(self, rounds: Rounds, rows: SequenceRows, grower: Any) -> dict[str, Any]:
        """Fit member after member; return the fitted attributes that every sequence has."""
        before, gains = self._play_back(rounds, rows, grower)
        while len(rounds.amounts) < self.n_estimators and not rounds.is_over:
            member = self._one_round(grower, rounds)
            if not rounds.take(member.predicted):
                break
            grower.keep(member)
            gains = _added(gains, member.importances, rounds.amounts[-1])
        return {"sequence_": grower.members(before), "_gains": gains}

    def _one_round(self, grower: Any, rounds: Rounds) -> Member:
        with self._step_of_fit("round"):
            member: Member = grower.grow(rounds.weight, rounds.values)
        return member

    def _play_back(
        self, rounds: Rounds, rows: SequenceRows, grower: Any
    ) -> tuple[Members | None, Floats | None]:
        """Count the members of an earlier fit again; return them, and what columns gained."""
        warm = self.__dict__.pop("_warm", None)
        if warm is None or not self.warm_start:
            return None, np.zeros(rows.table.n_columns)
        before: Members = warm["sequence_"]
        self._refuse_fewer(before.n_members)
        if not self._is_alike(warm, rows, before):
            raise _other_rows()
        for predicted, amount in zip(before.outputs(rows.table, 1), warm["amounts"], strict=True):
            rounds.take(predicted, float(amount))
        if not np.array_equal(getattr(rounds, self._noted), warm[self._noted]):
            raise _other_rows()
        if isinstance(grower, LearnerGrower):
            grower.skip(before.n_members)
        return before, warm["gains"]

    def _is_alike(self, warm: dict[str, Any], rows: SequenceRows, before: Members) -> bool:
        """Return whether an earlier fit saw the same columns and classes with such members."""
        classes = self._classes_of(rows)
        is_tree = isinstance(before, TreeMembers)
        same_classes = classes is None or np.array_equal(classes, warm["classes_"])
        same_columns: bool = rows.table.schema == warm["schema_"]
        return same_columns and same_classes and is_tree == (self.estimator is None)

    def _classes_of(self, rows: SequenceRows) -> npt.NDArray[Any] | None:
        return rows.data.class_target.classes if self._task == "classification" else None

    def _amounts_of(self, weights: Floats) -> Floats:
        """Return how much members count in rounds, from the weights that users see."""
        return weights

    def _refuse_fewer(self, n_members: int) -> None:
        if n_members <= self.n_estimators:
            return
        raise ParameterError(
            f"With a warm start n_estimators must be at least the {n_members} members there are "
            f"already. Got {self.n_estimators!r} instead.",
            code="P152",
            values=[self.n_estimators],
            repair=Repair("model.set_params(warm_start=False)"),
        )

    # -- what members predict -----------------------------------------------------------------

    def _outputs(self, table: Table) -> Iterator[npt.NDArray[Any]]:
        """Yield what each member predicts for checked rows."""
        n_steps = table.n_rows * self.sequence_.n_members
        return self.sequence_.outputs(table, count_threads(self.n_jobs, n_steps))

    def _all_outputs(self, table: Table) -> npt.NDArray[Any]:
        """Return what members predict for checked rows: a row for each of them."""
        n_steps = table.n_rows * self.sequence_.n_members
        return self.sequence_.all_outputs(table, count_threads(self.n_jobs, n_steps))

    def _in_blocks(self, X: Any, predict: Callable[[Table], Floats]) -> Floats:
        """Return predictions for rows, made in blocks that the memory allows."""
        table = self._check_rows(X).table
        size = max(1, _MOST_AT_ONCE // self.sequence_.n_members)
        if table.n_rows <= size:
            return predict(table)
        starts = range(0, table.n_rows, size)
        ends = [min(start + size, table.n_rows) for start in starts]
        blocks = [np.arange(*pair) for pair in zip(starts, ends, strict=True)]
        return np.concatenate([predict(table.rows(block)) for block in blocks])

    # -- reading ------------------------------------------------------------------------------

    @property
    def n_estimators_(self) -> int:
        """The number of members."""
        self._check_fitted()
        return self.sequence_.n_members

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members; our own trees are made anew from their arrays, to be read."""
        self._check_fitted()
        members = self.sequence_
        if isinstance(members, LearnerMembers):
            return list(members.fitted)
        return [self._as_tree(number) for number in range(members.n_members)]

    @property
    def feature_importances_(self) -> Floats:
        """The mean over members, by how much they count, of each column's share."""
        self._check_fitted()
        gains = self._gains
        if gains is None:
            raise AttributeError(
                f"The members of this {type(self).__name__} have no importances of columns."
            )
        return gains / gains.sum() if gains.any() else gains

    def _as_tree(self, number: int) -> Any:
        raise NotImplementedError

    def _made_tree(self, kind: type[Any], number: int, **fitted: Any) -> Any:
        """Return one of our trees as an estimator of its own."""
        members = self.sequence_
        assert isinstance(members, TreeMembers)
        model = kind(max_depth=self.max_depth, prune=None, n_jobs=self.n_jobs)
        about = column_attributes(self.schema_)
        model.__dict__.update(about, tree_=members.forest.tree(number), **fitted)
        return model

    def get_depth(self) -> int:
        """Return the depth of the deepest of our own trees; 0 with other learners."""
        self._check_fitted()
        return self.sequence_.depth()

    def _complexity(self) -> Complexity:
        return self.sequence_.complexity()

    # -- saving -------------------------------------------------------------------------------

    def _pack_members(self) -> dict[str, Any]:
        return {
            **self.sequence_.pack(),
            "gains": self._gains,
            "member_weights": self.estimator_weights_,
        }

    def _unpack_members(
        self, state: FittedState, schema: Schema, classes: npt.NDArray[Any] | None
    ) -> dict[str, Any]:
        members: Members
        if "members" in state:
            members = unpack_learners(state["members"], schema, classes)
        else:
            n_classes = None if classes is None else len(classes)
            members = TreeMembers(unpack_forest(state, schema, n_classes=n_classes))
        gains = None
        if state.get("gains") is not None:
            gains = numbers_from_state(state, "gains", length=len(schema), low=0.0)
        n_members = members.n_members
        weights = numbers_from_state(state, "member_weights", length=n_members, low=0.0)
        return {"sequence_": members, "_gains": gains, "estimator_weights_": weights}

    # -- what is promised -----------------------------------------------------------------------

    @property
    def _tolerance(self) -> float:  # type: ignore[override]
        return 0.0 if self.estimator is None else getattr(self._learner(), "_tolerance", _ELSEWHERE)

    @property
    def _copies_of_columns_count(self) -> bool:  # type: ignore[override]
        if self.estimator is None:
            return False
        return bool(getattr(self._learner(), "_copies_of_columns_count", True))

    def _learner(self) -> Any:
        try:
            return make_learner(self.estimator, self._task)
        except ParameterError:
            return None


def _added(gains: Floats | None, shares: Floats | None, amount: float) -> Floats | None:
    return None if gains is None or shares is None else gains + amount * shares


def _other_rows() -> ParameterError:
    return ParameterError(
        "A warm start adds members to the existing ones, so rows, weights and the kind of members "
        "must be the same as before.",
        code="P152",
        repair=Repair("model.set_params(warm_start=False)"),
    )
