"""Inputs chosen inside one training set, when a plan asks for it (``select=``).

1. The selector sees the training rows of a split and nothing else; groups and times of these rows
   are respected by its inner folds.
2. All learners of a split get the same choice: it is made once, by the first learner that needs it,
   and handed to the others. The baseline has no use for inputs.
3. After a comparison the recommended learner is tested on all inputs, too, on the same test sets:
   its *twin*. Only so can be said what the choice costs or gains.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.assess.comparing._learners import BASELINE, Learner
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._resampling import Split
from branchline.errors import ParameterError, Repair
from branchline.features import Selector, make_selector

__all__ = [
    "ChosenInputs",
    "choose_inputs",
    "chosen_mask",
    "fitted_selector",
    "known_choices",
    "refuse_too_many",
    "selects",
    "twin_of",
    "with_twins",
]

Bits = npt.NDArray[np.uint8]
_ALL_INPUTS = " (all inputs)"


@dataclass(frozen=True, eq=False)
class ChosenInputs:
    """The choice inside one training set.

    Parameters
    ----------
    bits
        Whether each input was chosen, eight to a byte.
    path
        The errors of inner folds against the number of inputs, as plain data; None where the
        selector has none, or another learner's result holds it.
    seconds
        How long it took; 0 when the choice was known.
    """

    bits: Bits
    path: dict[str, Any] | None = None
    seconds: float = 0.0

    def of(self, problem: Problem) -> Problem:
        """Return the problem with the chosen inputs only."""
        mask = chosen_mask(self.bits, problem.table.n_columns)
        return problem.with_inputs([problem.table.names[at] for at in np.flatnonzero(mask)])


def chosen_mask(bits: Bits, n_columns: int) -> npt.NDArray[np.bool_]:
    """Return whether each input was chosen."""
    return np.unpackbits(bits, count=n_columns).astype(bool)


def selects(plan: Plan, learner: Learner) -> bool:
    """Whether a learner gets chosen inputs."""
    return plan.select is not None and learner.name != BASELINE and not learner.all_inputs


def choose_inputs(
    plan: Plan, learner: Learner, problem: Problem, split: Split, known: Bits | None = None
) -> ChosenInputs | None:
    """Return the inputs that a learner gets on a split; None: all of them."""
    if not selects(plan, learner):
        return None
    if known is not None:
        return ChosenInputs(known)
    begin = time.perf_counter()
    selector = fitted_selector(plan, problem.rows(split.train))
    path = getattr(selector, "path_", None)
    taken = time.perf_counter() - begin
    told = None if path is None else path.to_dict()
    return ChosenInputs(np.packbits(selector.support_), told, taken)


def fitted_selector(plan: Plan, problem: Problem) -> Selector:
    """Return the plan's selector, fitted on all rows of a problem."""
    selector = make_selector(plan.select, task=plan.task, random_state=plan.seed)
    if "n_jobs" in selector.get_params(deep=False):
        selector.set_params(n_jobs=1)  # as every fit of a comparison
    found: Selector = selector.fit(problem.table, problem.target)
    return found


def known_choices(results: Sequence[Any]) -> dict[int, Bits]:
    """Return the choices that results hold, by the number of their split."""
    return {one.split: one.chosen for one in results if one.chosen is not None}


def twin_of(learner: Learner) -> Learner:
    """Return the same learner on all inputs."""
    return replace(learner, label=f"{learner.label}{_ALL_INPUTS}", all_inputs=True)


def with_twins(plan: Plan) -> Plan:
    """Return the plan with a twin of every learner behind the learners."""
    if plan.select is None:
        return plan
    twins = tuple(twin_of(learner) for learner in plan.learners if selects(plan, learner))
    return replace(plan, learners=(*plan.learners, *twins))


def refuse_too_many(plan: Plan, problem: Problem) -> None:
    """Refuse a number of inputs that the table does not have, before the first fit."""
    if plan.select is None:
        return
    wanted = getattr(make_selector(plan.select, task=plan.task), "n_columns", None)
    n_given = problem.table.n_columns
    if not isinstance(wanted, int) or wanted <= n_given:
        return
    name = plan.select.partition(":")[0] if isinstance(plan.select, str) else "mutual_information"
    raise ParameterError(
        f"{wanted} inputs are to be chosen, but the table has {n_given}.",
        code="P571",
        values=[wanted],
        repair=Repair(f"compare(X, y, select='{name}:auto')", f"--select {name}:auto"),
    )
