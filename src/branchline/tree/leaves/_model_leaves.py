"""Learners in the leaves of a tree: each is fitted on the leaf's rows, and is a model of its own.

1. A learner is a name of the catalog or an unfitted estimator of the library; "linear", "neighbors"
   are short for logistic or ridge regression and for nearest neighbors.
2. Leaves of one class, or of too few rows, are constants: the frequencies or the mean of the leaf.
3. In a file each leaf is a model inside the model, checked as one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Estimator
from branchline._fit_member import answers_of, fit_member
from branchline._member_state import member_from_state, member_to_state
from branchline._named_learners import check_learner
from branchline._plain_numbers import number
from branchline._state import malformed
from branchline._trees._node_notes import NodeNotes
from branchline._trees._tree_arrays import TreeArrays
from branchline._validation import TrainingData
from branchline.errors import ParameterError, Repair
from branchline.table import Schema, Table

__all__ = [
    "LeafLearner",
    "ModelLeaves",
    "check_leaf",
    "fit_leaf",
    "outputs_of",
    "unpack_members",
]

Classes = npt.NDArray[Any] | None

_SHORT = {
    "linear": {"classification": "logistic", "regression": "ridge"},
    "neighbors": {"classification": "nearest_neighbors", "regression": "nearest_neighbors"},
}
# No model is fitted to fewer rows than this.
_LEAST_ROWS = 5
_MOST_TERMS = 4


@dataclass(frozen=True)
class LeafLearner:
    """The constraint of the learner of leaves: a name or an estimator."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` could be a learner."""
        return isinstance(value, str | Estimator)

    def describe(self) -> str:
        """Say in words what is allowed."""
        return (
            "'linear', 'neighbors', 'naive_bayes', the name of another learner "
            "(branchline.catalog.names() lists them) or an estimator of branchline"
        )


def check_leaf(owner: str, leaf: Any, task: str) -> Any:
    """Return the unfitted estimator of leaves; refuse unknown names and the other task."""
    named = _SHORT.get(leaf, {}).get(task, leaf) if isinstance(leaf, str) else leaf
    return check_learner(owner, "leaf", named, task, codes=("P555", "P555"))


# -- fitting ------------------------------------------------------------------------------------


def fit_leaf(learner: Any, rows: TrainingData) -> Any:
    """Return a fitted copy of a learner, or None where a constant says as much."""
    answers = answers_of(rows)
    if len(answers) < _LEAST_ROWS or (answers == answers[0]).all():
        return None
    return fit_member(learner, rows, _takes_no_weights)


def _takes_no_weights(learner: str) -> ParameterError:
    return ParameterError(
        f"The learner in the leaves, {learner}, takes no sample_weight; only whole weights can be "
        "given to it, as copies of rows.",
        code="P556",
        values=[learner],
        repair=Repair("model.set_params(leaf='linear')"),
    )


def outputs_of(member: Any, table: Table, constant: Floats, classes: Classes) -> Floats:
    """Return the probabilities of all classes, or the number, that a leaf predicts for rows."""
    if member is None:
        return np.repeat(constant[None], table.n_rows, axis=0)
    if classes is None:
        return np.asarray(member.predict(table), dtype=np.float64).reshape(-1, 1)
    shares = np.zeros((table.n_rows, len(classes)))
    shares[:, np.searchsorted(classes, member.classes_)] = member.predict_proba(table)
    return shares


# -- fitted leaves ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ModelLeaves(NodeNotes):
    """The models of all leaves, in the order of leaves; None: a constant.

    Parameters
    ----------
    members
        The fitted learner of each leaf.
    tree
        The tree without notes.
    low, high
        Of numbers, the range of the training targets of each leaf.
    classes
        The classes; None for numbers.
    """

    members: tuple[Any, ...]
    tree: TreeArrays
    low: Floats
    high: Floats
    classes: Classes

    def predict(self, table: Table, nodes: npt.NDArray[np.int32]) -> Floats:
        """Return what each row's leaf predicts, a column for each class, or one for a number."""
        leaves = np.flatnonzero(self.tree.is_leaf)
        found = np.zeros((table.n_rows, self.tree.value.shape[1]))
        for place, leaf in enumerate(leaves.tolist()):
            rows = np.flatnonzero(nodes == leaf)
            if len(rows) == 0:
                continue
            constant = self.tree.value[leaf]
            found[rows] = outputs_of(self.members[place], table.rows(rows), constant, self.classes)
            if self.classes is None:
                found[rows] = np.clip(found[rows], self.low[place], self.high[place])
        return found

    def member(self, node: int) -> Any:
        """Return the fitted learner of a leaf; None: a constant, or not a leaf."""
        leaves = np.flatnonzero(self.tree.is_leaf).tolist()
        return self.members[leaves.index(node)] if node in leaves else None

    # -- words ----------------------------------------------------------------------------------

    def value(self, node: int) -> str | None:
        """Return what a leaf is: a sum, or the name and size of its learner."""
        member = self.member(node)
        if member is None:
            return None
        if self.classes is None and hasattr(member, "coefficients"):
            return _sum_words(member)
        return f"{type(member).__name__} of {member.complexity()}"

    def short_value(self, node: int) -> str | None:
        """Return the name of a leaf's learner."""
        member = self.member(node)
        return None if member is None else type(member).__name__

    # -- saving ---------------------------------------------------------------------------------

    def pack(self) -> list[Any]:
        """Return each member as a model inside the model."""
        return [None if one is None else member_to_state(one) for one in self.members]


def unpack_members(state: Any, n_leaves: int, schema: Schema, classes: Classes) -> Sequence[Any]:
    """Return the members that packed values describe, each one checked as a model is."""
    if not isinstance(state, list) or len(state) != n_leaves:
        raise malformed("there is not one member for each leaf")
    return [None if one is None else member_from_state(one, schema, classes) for one in state]


def _sum_words(member: Any) -> str:
    """Return a linear model as a sum in the units of the table."""
    listed = list(member.coefficients().by_size())
    words = number(float(np.ravel(member.intercept_)[0]))
    for one in listed[:_MOST_TERMS]:
        words += f" {'−' if one.value < 0 else '+'} {number(abs(one.value))}·{one.term}"
    return words if len(listed) <= _MOST_TERMS else f"{words} + {len(listed) - _MOST_TERMS} more"
