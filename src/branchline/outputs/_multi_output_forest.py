"""One tree, or many bagged trees, for all targets at once.

1. A class becomes an indicator for each of its values, a number is taken as it is. Each target is
   scaled so that it has variance 1 in all: no target counts more than another.
2. The tree lowers the variance of all these columns together. Of indicators that is the Gini
   impurity, so the tree of one class target is a tree by Gini.
3. A leaf has the frequencies of classes and the means of numbers of its rows.
4. Forest: each tree is grown to the end on rows drawn with replacement; leaves are averaged.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import AnyArray, Floats, Ints
from branchline._base import Complexity, FittedState, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._codes import fit_codes
from branchline._dtypes import UNITS
from branchline._member_state import member_from_state, member_to_state
from branchline._plain_numbers import count, joined
from branchline._random import key_rows
from branchline._state import malformed, numbers_from_state
from branchline._validation import (
    ClassTarget,
    Constraint,
    Given,
    NumberTarget,
    RowWeights,
    TrainingData,
    Whole,
    check_seed,
)
from branchline.outputs._several_outputs import TASKS, SeveralOutputs
from branchline.outputs._targets import Targets
from branchline.table import Schema, Table
from branchline.tree import DecisionTreeRegressor

__all__ = ["MultiOutputForest", "MultiOutputTree"]

_TREE = Given((DecisionTreeRegressor,), "a DecisionTreeRegressor")


@dataclass(frozen=True, eq=False)
class _Columns:
    """Training rows, with all targets as columns of numbers."""

    data: TrainingData
    scales: Floats

    @classmethod
    def of_targets(cls, data: TrainingData, targets: Targets) -> "_Columns":
        """Return rows in an order of their own; equal ones are merged."""
        raw = TrainingData(data.table, NumberTarget(targets.matrix), data.weights)
        rows = canonical_rows(raw, merge=True)
        weights = rows.weights.of_rows(rows.table.n_rows)
        columns, scales = [], []
        for place, one in enumerate(targets.each):
            values = rows.number_target.matrix[:, place]
            part = values[:, None]
            if isinstance(one, ClassTarget):
                part = (part == np.arange(one.n_classes)).astype(np.float64)
            mean = np.average(part, axis=0, weights=weights)
            spread = np.average(((part - mean) ** 2).sum(axis=1), weights=weights)
            scales.append(float(np.sqrt(spread)) or 1.0)
            columns.append(part / scales[-1])
        target = NumberTarget(np.column_stack(columns))
        return cls(TrainingData(rows.table, target, rows.weights), np.array(scales))


class _AllAtOnce(SeveralOutputs):
    """What a tree and a forest share."""

    estimator: DecisionTreeRegressor | None
    members_: list[DecisionTreeRegressor]
    scales_: Floats

    def _means(self, rows: Table) -> Floats:
        """Return the mean of each scaled column, averaged over trees."""
        total: Any = 0.0
        for member in self.members_:
            found = member.predict(rows)
            total = total + (found if found.ndim == 2 else found[:, None])
        means: Floats = total / len(self.members_)
        return means

    def _parts(self, rows: Table) -> list[Floats]:
        """Return the columns of each target, in its own units."""
        means = self._means(rows)
        widths = [1 if classes is None else len(classes) for classes in self.classes_]
        parts = np.split(means, np.cumsum(widths)[:-1], axis=1)
        return [part * scale for part, scale in zip(parts, self.scales_, strict=True)]

    def _predict_each(self, rows: Table) -> list[AnyArray]:
        return [
            part[:, 0] if classes is None else classes[part.argmax(axis=1)]
            for part, classes in zip(self._parts(rows), self.classes_, strict=True)
        ]

    def _probabilities(self, rows: Table) -> list[Floats | None]:
        found: list[Floats | None] = []
        for part, classes in zip(self._parts(rows), self.classes_, strict=True):
            if classes is None:
                found.append(None)
                continue
            shares = np.clip(part, 0.0, 1.0)
            found.append(shares / shares.sum(axis=1, keepdims=True))
        return found

    def _remember(
        self, data: TrainingData, targets: Targets, scales: Floats, members: list[Any]
    ) -> Self:
        return self._finish(
            data,
            outputs_=targets.names,
            classes_=targets.classes,
            members_=members,
            scales_=scales,
            _n_train=data.table.n_rows,
        )

    def to_text(self) -> str:
        """Return what there is to read: the number of trees and leaves, and the targets."""
        self._check_fitted()
        trees = count(len(self.members_), "tree")
        return f"{trees} of all targets ({joined(self.outputs_)}), {self.complexity()} in all"

    def _complexity(self) -> Complexity:
        return Complexity(sum(one.complexity().count for one in self.members_), "leaves")

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        members = [member_to_state(member) for member in self.members_]
        return {**self._pack_outputs(), "scales": self.scales_, "members": members}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        about, packed = self._unpack_outputs(state), state.get("members")
        if not isinstance(packed, list) or not packed:
            raise malformed("there is no tree")
        classes = about["classes_"]
        width = sum(1 if one is None else len(one) for one in classes)
        members = [member_from_state(one, schema, None) for one in packed]
        for member in members:
            if not isinstance(member, DecisionTreeRegressor) or member.n_outputs_ != width:
                raise malformed("a tree does not predict all targets")
        scales = numbers_from_state(state, "scales", length=len(classes), low=0.0)
        return {**about, "members_": members, "scales_": scales}


class MultiOutputTree(_AllAtOnce):
    """Predict several targets with one decision tree.

    All targets share the questions of the tree, so one picture says how all of them depend on the
    columns. Targets may be classes, numbers, or both.

    Parameters
    ----------
    estimator
        A ``DecisionTreeRegressor`` that says how the tree is grown and pruned; None: with its
        defaults.
    tasks
        What targets are: "classification", "regression", or a mapping of names to one of these.
        None (default): numbers of more than two values are numbers, all others are classes.

    Attributes
    ----------
    outputs_, classes_
        The names of the targets, and their classes (None for numbers).
    members_
        The tree, of all indicators and numbers in scaled units.

    See Also
    --------
    MultiOutputForest : predict several targets with many trees, each of all targets.
    MultiOutput : predict several targets with a model of its own for each.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.outputs import MultiOutputTree
    >>> X, y = load_dataset("titanic").split_target(["survived", "pclass"])
    >>> model = MultiOutputTree().fit(X, y)
    >>> model.complexity().unit
    'leaves'
    """

    _constraints: ClassVar[dict[str, Constraint]] = {"estimator": _TREE, "tasks": TASKS}

    def __init__(self, estimator: DecisionTreeRegressor | None = None, *, tasks: Any = None):
        self.estimator = estimator
        self.tasks = tasks

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree; ``y`` has a column for each target."""
        data, targets = self._begin_outputs(X, y, sample_weight)
        columns = _Columns.of_targets(data, targets)
        tree = _grown(self.estimator or DecisionTreeRegressor(), columns.data)
        return self._remember(data, targets, columns.scales, [tree])

    def to_text(self) -> str:
        """Return a line for each leaf: its conditions, and what it predicts for each target."""
        self._check_fitted()
        tree = self.members_[0]
        lines = []
        for rule in tree.rules():
            means = np.atleast_1d(np.array(rule.outcome, dtype=np.float64))
            lines.append(f"{_conditions(rule)}: {self._leaf_words(means)}")
        return "\n".join(lines)

    def _leaf_words(self, means: Floats) -> str:
        words, first = [], 0
        for name, classes, scale in zip(self.outputs_, self.classes_, self.scales_, strict=True):
            width = 1 if classes is None else len(classes)
            part = means[first : first + width] * scale
            first += width
            said = f"{part[0]:.4g}" if classes is None else str(classes[part.argmax()])
            share = "" if classes is None else f" ({part.max():.2f})"
            words.append(f"{name} = {said}{share}")
        return ", ".join(words)


class MultiOutputForest(_AllAtOnce):
    """Predict several targets with many trees, each of all targets.

    Each tree is grown to the end on rows drawn with replacement, and nodes look at all columns.
    Targets may be classes, numbers, or both.

    Parameters
    ----------
    n_estimators
        Number of trees. Default 50.
    estimator
        A ``DecisionTreeRegressor`` that says how trees are grown; None (default): to the end,
        without pruning.
    tasks
        What targets are: "classification", "regression", or a mapping of names to one of these.
        None (default): numbers of more than two values are numbers, all others are classes.
    random_state
        The seed of the draws, which depend on the content of rows, not on their order. Default 0.

    Attributes
    ----------
    outputs_, classes_
        The names of the targets, and their classes (None for numbers).
    members_
        The trees, of all indicators and numbers in scaled units.

    See Also
    --------
    MultiOutputTree : predict several targets with one decision tree.
    MultiOutput : predict several targets with a model of its own for each.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.outputs import MultiOutputForest
    >>> X, y = load_dataset("titanic").split_target(["survived", "pclass"])
    >>> model = MultiOutputForest(5).fit(X, y)
    >>> len(model.members_)
    5
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_estimators": Whole(1, 100_000),
        "estimator": _TREE,
        "tasks": TASKS,
    }

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        estimator: DecisionTreeRegressor | None = None,
        tasks: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.tasks = tasks
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees; ``y`` has a column for each target."""
        data, targets = self._begin_outputs(X, y, sample_weight)
        columns = _Columns.of_targets(data, targets)
        rows, seed = columns.data, check_seed(self.random_state)
        tree = self.estimator or DecisionTreeRegressor(prune=None)
        sizes = rows.weights.sizes(rows.table.n_rows).astype(UNITS)
        keyed = key_rows(fit_codes(rows.table), rows.number_target.matrix[:, 0].copy(), sizes)
        members = []
        for task in range(int(self.n_estimators)):
            drawn = keyed.bootstrap_counts(seed, task).astype(np.int64)
            members.append(_grown(tree, _drawn(rows, drawn, sizes)))
        return self._remember(data, targets, columns.scales, members)


def _drawn(rows: TrainingData, drawn: Ints, sizes: Ints) -> TrainingData:
    """Return the rows that a tree draws, with how often; all rows where none are drawn."""
    places = np.flatnonzero(drawn)
    if len(places) == 0:
        return rows
    units = drawn[places]
    if rows.weights.units is not None and rows.weights.unit != 1.0:
        units = units * np.maximum(1, rows.weights.units[places] // sizes[places])
    weights = RowWeights(units, rows.weights.unit)
    return TrainingData(rows.table.rows(places), rows.target.rows(places), weights)


def _grown(tree: DecisionTreeRegressor, rows: TrainingData) -> DecisionTreeRegressor:
    made: DecisionTreeRegressor = tree.__class__(**tree.get_params())
    weights = rows.weights.of_rows(rows.table.n_rows)
    matrix = rows.number_target.matrix
    values = matrix[:, 0] if matrix.shape[1] == 1 else matrix
    return made.fit(rows.table, values, sample_weight=weights)


def _conditions(rule: Any) -> str:
    if not rule.conditions:
        return "all rows"
    return str(rule).split(" THEN")[0].removeprefix("IF ").strip()
