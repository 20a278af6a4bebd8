"""Several targets, a model for each: no model knows of the other targets."""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from branchline._base import reports_progress
from branchline._validation import Constraint
from branchline.outputs._several_outputs import ESTIMATOR, TASKS, OneModelEach
from branchline.table import Table

__all__ = ["MultiOutput"]


class MultiOutput(OneModelEach):
    """Predict several targets with a model of its own for each.

    Targets may be classes, numbers, or both. Any learner can be used, on any table. Models do not
    know of each other: use ``ClassifierChain`` where one target tells something about another, and
    compare both with ``cross_validate_outputs``.

    Parameters
    ----------
    estimator
        The learner for each target: a name of the catalog, which can do both classes and numbers,
        or an estimator. Default "forest".
    tasks
        What targets are: "classification", "regression", or a mapping of names to one of these.
        None (default): numbers of more than two values are numbers, all others are classes.
    random_state
        The seed of a learner that is given by name. Default 0.

    Attributes
    ----------
    outputs_
        The names of the targets.
    classes_
        The classes of each target; None for numbers.
    members_
        The fitted model of each target.

    See Also
    --------
    ClassifierChain : predict several classes one after the other.
    MultiOutputForest : predict several targets with many trees, each of all targets.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.outputs import MultiOutput
    >>> X, y = load_dataset("titanic").split_target(["survived", "fare"])
    >>> model = MultiOutput("tree").fit(X[:1000], y[:1000])
    >>> print(model.to_text().splitlines()[0].split(":")[0])
    survived (2 classes)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {"estimator": ESTIMATOR, "tasks": TASKS}

    def __init__(
        self, estimator: Any = "forest", *, tasks: Any = None, random_state: Any = 0
    ) -> None:
        self.estimator = estimator
        self.tasks = tasks
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a model for each target; ``y`` has a column for each."""
        data, targets = self._begin_outputs(X, y, sample_weight)
        members = [self._fit_one(data, data.table, target) for target in targets.each]
        return self._finish(
            data,
            outputs_=targets.names,
            classes_=targets.classes,
            members_=members,
            _n_train=data.table.n_rows,
        )

    def _rows_of_each(self, rows: Table) -> Iterator[tuple[int, Table, Any]]:
        for place in range(self.n_outputs_):
            yield place, rows, lambda predicted: None
