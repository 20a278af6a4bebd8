"""Chains: each target is predicted from the columns and from the targets before it.

1. In training the true values of earlier targets are columns of the table.
2. In prediction the predicted ones take their place (Read, Pfahringer, Holmes and Frank, 2009).
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import AnyArray
from branchline._base import FittedState, reports_progress
from branchline._state import malformed
from branchline._validation import AnyOf, Constraint, Given, OneOf
from branchline.errors import ParameterError, Repair
from branchline.outputs._several_outputs import ESTIMATOR, OneModelEach
from branchline.outputs._targets import Targets, refuse_unknown_names
from branchline.table import Column, ColumnType, Field, Schema, Table

__all__ = ["ClassifierChain", "RegressorChain"]

_NUMBER = ColumnType("numeric", "float")
ORDER: Constraint = AnyOf((OneOf((None,)), Given((list, tuple), "a list of targets")))


class _Chain(OneModelEach):
    """What both tasks share."""

    order: Any
    order_: list[int]

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a model for each target, on the columns and on the targets before it."""
        data, targets = self._begin_outputs(X, y, sample_weight)
        order = self._places(targets)
        members: list[Any] = [None] * len(order)
        table = data.table
        for place in order:
            members[place] = self._fit_one(data, table, targets.each[place])
            name, classes = targets.names[place], targets.classes[place]
            table = _with_column(table, _column(name, classes, targets.values(place)))
        return self._finish(
            data,
            outputs_=targets.names,
            classes_=targets.classes,
            members_=members,
            order_=order,
            _n_train=data.table.n_rows,
        )

    def _places(self, targets: Targets) -> list[int]:
        """Return the places of targets in the order of the chain."""
        if self.order is None:
            return list(range(len(targets.names)))
        refuse_unknown_names(type(self).__name__, "order", self.order, targets.names)
        if sorted(self.order) != sorted(targets.names):
            raise ParameterError(
                f"The 'order' parameter of {type(self).__name__} must name each target once: "
                f"{', '.join(repr(name) for name in targets.names[:12])}.",
                code="P876",
                values=list(self.order)[:5],
                repair=Repair("model.set_params(order=None)"),
            )
        return [targets.names.index(name) for name in self.order]

    def _rows_of_each(self, rows: Table) -> Iterator[tuple[int, Table, Any]]:
        table = rows
        for place in self.order_:
            told: list[AnyArray] = []
            yield place, table, told.append
            column = _column(self.outputs_[place], self.classes_[place], told[0])
            table = _with_column(table, column)

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {**super()._pack(), "order": list(self.order_)}

    def _unpack_more(self, state: FittedState) -> dict[str, Any]:
        order, names = state.get("order"), state.get("outputs")
        is_list = isinstance(order, list) and all(type(place) is int for place in order)
        if not is_list or sorted(order or ()) != list(range(len(names or ()))):
            raise malformed("the order of the chain is not one of its targets")
        return {"order_": order}

    def _schema_of(self, place: int, schema: Schema, about: dict[str, Any]) -> Schema:
        fields = list(schema.fields)
        for earlier in about["order_"][: about["order_"].index(place)]:
            name, classes = about["outputs_"][earlier], about["classes_"][earlier]
            fields.append(Field(_name(name), _type(classes)))
        return Schema(tuple(fields), schema.named)


class ClassifierChain(_Chain):
    """Predict several classes one after the other: each may depend on those before it.

    Any classifier of the catalog can be used, on any table. A chain helps where a class is easier
    to predict when others are known, and costs accuracy where a wrong prediction misleads the next
    one; ``cross_validate_outputs`` says which it is.

    Parameters
    ----------
    estimator
        The learner for each target: a name of the catalog or a classifier. Default "forest".
    order
        The names of the targets in the order of the chain; None (default): as they stand in ``y``.
        Begin with those that are easy to predict.
    random_state
        The seed of a learner that is given by name. Default 0.

    Attributes
    ----------
    outputs_, classes_, members_
        The names of the targets, their classes, their models.
    order_
        The places of the targets in the order of the chain.

    See Also
    --------
    MultiOutput : predict several targets with a model of its own for each.
    RegressorChain : predict several numbers one after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.outputs import ClassifierChain
    >>> X = np.arange(200.0)[:, None] / 20
    >>> y = np.column_stack([X[:, 0] > 4, X[:, 0] > 7])
    >>> ClassifierChain("tree").fit(X, y).predict([[6.0], [9.0]]).tolist()
    [[True, False], [True, True]]
    """

    _tasks = "classification"
    _constraints: ClassVar[dict[str, Constraint]] = {"estimator": ESTIMATOR, "order": ORDER}

    def __init__(
        self, estimator: Any = "forest", *, order: Any = None, random_state: Any = 0
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.random_state = random_state


class RegressorChain(_Chain):
    """Predict several numbers one after the other: each may depend on those before it.

    Parameters
    ----------
    estimator
        The learner for each target: a name of the catalog or a regressor. Default "forest".
    order
        The names of the targets in the order of the chain; None (default): as they stand in ``y``.
    random_state
        The seed of a learner that is given by name. Default 0.

    Attributes
    ----------
    outputs_, classes_, members_
        The names of the targets, None for each, their models.
    order_
        The places of the targets in the order of the chain.

    See Also
    --------
    MultiOutput : predict several targets with a model of its own for each.
    ClassifierChain : predict several classes one after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.outputs import RegressorChain
    >>> X = np.arange(40.0)[:, None]
    >>> y = np.column_stack([2 * X[:, 0], 2 * X[:, 0] + 1])
    >>> RegressorChain("linear").fit(X, y).predict([[5.0]]).round(6).tolist()
    [[10.0, 11.0]]
    """

    _tasks = "regression"
    _constraints: ClassVar[dict[str, Constraint]] = {"estimator": ESTIMATOR, "order": ORDER}

    def __init__(
        self, estimator: Any = "forest", *, order: Any = None, random_state: Any = 0
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.random_state = random_state


def _name(output: str) -> str:
    """Return what an earlier target is called as a column."""
    return f"{output} (target)"


def _type(classes: AnyArray | None) -> ColumnType:
    if classes is None:
        return _NUMBER
    return ColumnType("category", "string", tuple(str(name) for name in classes.tolist()))


def _column(output: str, classes: AnyArray | None, values: AnyArray) -> Column:
    """Return an earlier target as a column."""
    if classes is None:
        return Column(_name(output), _NUMBER, np.asarray(values, dtype=np.float64))
    codes = np.searchsorted(classes, values).astype(np.int32)
    return Column(_name(output), _type(classes), codes)


def _with_column(table: Table, column: Column) -> Table:
    if column.name in table.names:
        raise ParameterError(
            f"The table has a column {column.name!r}, which is what a chain calls a target.",
            code="P877",
            values=[column.name],
            repair=Repair(
                f"from branchline import Table\nX = Table(X).drop({column.name!r})\nmodel.fit(X, y)"
            ),
        )
    found = Table.from_columns((*table.columns, column), named=table.schema.named)
    return found.with_groups(table.groups).with_times(table.times)
