"""Which support vectors decide the prediction of one row."""

from typing import Any

import numpy as np

from branchline._plain_numbers import count, number, signed
from branchline.kernels import Points
from branchline.svm._class_machines import ClassMachines
from branchline.table import Table

__all__ = ["deciding_rows"]

_SHOWN = 5


def deciding_rows(model: Any, row: Table) -> list[str]:
    """Return a line for each of the support vectors that influence a row most.

    Parameters
    ----------
    model
        A fitted classifier that holds ``ClassMachines``.
    row
        A table of one row.
    """
    points, held, names = model.kernel_.prepare(row), model._machines, model.classes_
    k = _deciding_machine(held, points, model.n_jobs)
    machine, task = held.machines[k], held.tasks[k]
    support = held.support.points.take(machine.places)
    shares = model.kernel_.gram(points, support)[0] * machine.coefficients
    order = np.argsort(-np.abs(shares), kind="stable")[:_SHOWN]
    ahead = str(names[task.positive])
    behind = "the rest" if task.negative is None else str(names[task.negative])
    total = float(shares.sum()) + machine.bias
    lines = [f"score for {ahead!r} against {behind!r}: {number(total)}, of which"]
    for at in order.tolist():
        place = machine.places[at]
        name = names[held.support_class[place]]
        lines.append(f"  row {held.support.numbers[place]} ({name}): {signed(shares[at], 4)}")
    rest = total - float(shares[order].sum()) - machine.bias
    lines.append(f"  {count(len(shares) - len(order), 'more row')}: {signed(rest, 4)}")
    return [*lines, f"  bias: {signed(machine.bias, 4)}"]


def _deciding_machine(held: ClassMachines, points: Points, n_jobs: int | None) -> int:
    """Return the machine that tells the predicted class from the runner-up."""
    scores = held.class_scores(points, n_jobs)[0]
    order = np.argsort(-scores, kind="stable")[:2].tolist()
    for k, task in enumerate(held.tasks):
        if {task.positive, task.negative} == set(order):
            return k
    return int(order[0])  # one against the rest
