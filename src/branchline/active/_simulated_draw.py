"""One division of a labeled table into pool and test rows, along which labels are revealed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Places
from branchline._named_learners import check_learner
from branchline._validation import Owner, check_target, check_training_inputs, guess_task
from branchline.active._active_learner import ActiveLearner
from branchline.active._fitting import Fitted
from branchline.errors import DataError, Repair
from branchline.table import Table

__all__ = ["Draw", "World", "make_world"]


@dataclass(frozen=True)
class World:
    """A labeled table, the learner, and how many rows test."""

    table: Table
    y: AnyArray
    classes: AnyArray | None
    learner: Any
    n_test: int


def make_world(X: Any, y: Any, estimator: Any, fraction: float, given: Mapping[str, Any]) -> World:
    """Check what is given; refuse tables that are too small for the numbers of labels."""
    table = check_training_inputs(X, None).table
    task = guess_task(y)
    learner = check_learner("simulate_labeling", "estimator", estimator, task)
    owner = Owner("simulate_labeling", None)
    target = check_target(y, table.n_rows, task=task, owner=owner)
    n_test = round(fraction * table.n_rows)
    n_pool, n_labels = table.n_rows - n_test, int(given["n_labels"])
    if not given["n_start"] < n_labels <= n_pool:
        raise DataError(
            f"Labels go from n_start={given['n_start']} to n_labels={n_labels}, but the pool has "
            f"{n_pool} of the {table.n_rows} rows; the others test.",
            code="D634",
            repair=Repair(f"simulate_labeling(X, y, n_start={max(2, n_pool // 4)}, "
                          f"n_labels={max(3, n_pool // 2)})"),
        )  # fmt: skip
    if task == "regression":
        return World(table, target.values, None, learner, n_test)  # type: ignore[union-attr]
    names = target.classes[target.class_of_row]  # type: ignore[union-attr]
    return World(table, names, target.classes, learner, n_test)  # type: ignore[union-attr]


class Draw:
    """One division of a table into pool and test rows."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.seed = world, seed
        order = np.random.default_rng(seed).permutation(world.table.n_rows)
        self.test, self.pool = order[: world.n_test], order[world.n_test :]
        self.test_table = world.table.rows(self.test)

    def learner(self, strategy: str, start: Places, batch_size: int) -> ActiveLearner:
        """Return a dialogue that knows the labels of the first rows."""
        world = self.world
        made = ActiveLearner(
            world.table.rows(self.pool),
            estimator=world.learner,
            strategy=strategy,
            batch_size=batch_size,
            check_share=0.0,
            classes=None if world.classes is None or len(world.classes) < 2 else world.classes,
            task="regression" if world.classes is None else "classification",
            random_state=self.seed,
        )
        made.tell(start, world.y[self.pool[start]])
        return made

    def scores(
        self, strategy: str, *, n_start: int, n_labels: int, batch_size: int
    ) -> tuple[str, list[int], list[float]]:
        """Return the strategy, the numbers of labels, and the score at each of them."""
        learner = self.learner(strategy, np.arange(n_start), batch_size)
        sizes, found = [n_start], [self.score(learner)]
        while learner.n_labeled < n_labels:
            rows = learner.ask()[: n_labels - learner.n_labeled]
            learner.tell(rows, self.world.y[self.pool[rows]])
            sizes.append(learner.n_labeled)
            found.append(self.score(learner))
        return learner.strategy, sizes, found

    def score(self, learner: ActiveLearner) -> float:
        """Return accuracy or rmse on the test rows."""
        truth, classes = self.world.y[self.test], self.world.classes
        if classes is not None and len(np.unique(learner.labels)) < 2:
            return float(np.mean(truth == learner.labels[0]))
        outputs = Fitted(learner.model_, classes).outputs(self.test_table)
        if classes is None:
            return float(np.sqrt(np.mean((outputs - truth) ** 2)))
        return float(np.mean(classes[outputs.argmax(axis=1)] == truth))

    def with_all_labels(self) -> float:
        """Return the score with labels for the whole pool."""
        return self.score(self.learner("random", np.arange(len(self.pool)), 1))
