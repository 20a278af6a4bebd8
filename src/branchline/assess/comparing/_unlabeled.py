"""Rows whose target is missing: who learns from them, and whether they helped.

1. They are set aside: no learner is tested on them, and most learners leave them out.
2. A learner that learns from unlabeled rows gets them beside each training set. The inputs of test
   rows are not among them.
3. Such a learner has a twin: itself, fitted on the labels alone. Both predict the same test rows,
   so the difference of their scores says whether the unlabeled rows helped, hurt, or neither.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import AnyArray, Places
from branchline._plain_numbers import count, number
from branchline.assess._paired_tests import Difference
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.table import Table

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison
    from branchline.assess.comparing._learners import Learner
    from branchline.assess.comparing._plan import Plan
    from branchline.assess.comparing._problem import Problem

__all__ = [
    "LABELS_ONLY",
    "HelpOfUnlabeled",
    "UnlabeledRows",
    "help_of_unlabeled",
    "learns_from_unlabeled",
    "unlabeled_warning",
    "with_twins",
]

LABELS_ONLY = " (labels only)"
_LEARNERS = "few_labels"


@dataclass(frozen=True, eq=False)
class UnlabeledRows:
    """Rows without a target, and where the labeled ones stand among them.

    Parameters
    ----------
    table
        All rows, labeled or not, with the inputs.
    unlabeled
        The places of the rows without a target.
    labeled
        The place of each row of the problem.
    """

    table: Table
    unlabeled: Places
    labeled: Places

    def __len__(self) -> int:
        return len(self.unlabeled)

    def rows(self, which: npt.NDArray[Any]) -> "UnlabeledRows":
        """Return the same unlabeled rows beside some of the labeled ones."""
        return replace(self, labeled=self.labeled[which])

    def with_inputs(self, names: Sequence[str]) -> "UnlabeledRows":
        """Return the rows with some of their inputs."""
        return replace(self, table=self.table.select(names).packed())

    def training(self, target: AnyArray) -> tuple[Table, AnyArray]:
        """Return labeled and unlabeled rows as one table, and a target that lacks the latter's."""
        known = np.empty(len(self.labeled) + len(self.unlabeled), dtype=object)
        known[: len(self.labeled)] = target
        return self.table.rows(np.concatenate([self.labeled, self.unlabeled])), known


@dataclass(frozen=True)
class HelpOfUnlabeled:
    """Whether a learner predicts better with the unlabeled rows than without them.

    Parameters
    ----------
    learner, twin
        The learner with unlabeled rows, and the same on labels alone.
    metric
        What was compared.
    difference
        The score with unlabeled rows less the one without; above 0: they helped.
    verdict
        "helped" or "hurt" where the 95 % interval of the difference does not hold 0, else "tied".
    n_unlabeled
        The number of unlabeled rows.
    """

    learner: str
    twin: str
    metric: str
    difference: Difference
    verdict: str
    n_unlabeled: int

    def __str__(self) -> str:
        mean = self.difference.mean
        told = {
            "helped": "helped",
            "hurt": "hurt",
            "tied": "made no difference beyond chance to",
        }[self.verdict]
        signed = f"{'+' if mean.estimate > 0 else ''}{number(mean.estimate)}"
        return (
            f"{count(self.n_unlabeled, 'unlabeled row')} {told} {self.learner}: {self.metric} "
            f"{signed} (95 % interval {number(mean.low)} to {number(mean.high)})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return asdict(self)


def learns_from_unlabeled(model: Any) -> bool:
    """Whether a learner takes rows whose target is missing."""
    return bool(getattr(model, "_learns_from_unlabeled", False))


def with_twins(plan: "Plan", problem: "Problem") -> "Plan":
    """Return the plan with a twin for each learner that learns from unlabeled rows."""
    if problem.unlabeled is None:
        return plan
    labels = {one.label for one in plan.learners}
    learners: list[Learner] = []
    for one in plan.learners:
        learners.append(one)
        label = one.label + LABELS_ONLY
        made = one.make(plan.task, plan.seed)
        if label not in labels and not one.labels_only and learns_from_unlabeled(made):
            learners.append(replace(one, label=label, labels_only=True))
    return replace(plan, learners=tuple(learners))


def help_of_unlabeled(comparison: "Comparison") -> tuple[HelpOfUnlabeled, ...]:
    """Return, for each learner with a twin, whether the unlabeled rows helped."""
    rows = comparison.problem.unlabeled
    if rows is None:
        return ()
    found = []
    scored = {standing.learner for standing in comparison.standings}
    for label in comparison.labels:
        twin = label + LABELS_ONLY
        if not {label, twin} <= scored:
            continue
        try:
            difference = comparison.difference(label, twin)
        except ParameterError:  # too few test sets to say anything
            continue
        verdict = _verdict(difference)
        metric = comparison.metric.name
        found.append(HelpOfUnlabeled(label, twin, metric, difference, verdict, len(rows)))
    return tuple(found)


def _verdict(difference: Difference) -> str:
    if difference.mean.low > 0:
        return "helped"
    return "hurt" if difference.mean.high < 0 else "tied"


def unlabeled_warning(n_missing: int, n_rows: int, *, can_help: bool) -> BranchlineWarning:
    """Return the warning that rows have no target."""
    rows = f"{n_missing:,} of {count(n_rows, 'row')}"
    told = f"{rows} have no target: learners are tested on the others."
    if not can_help:
        return BranchlineWarning(f"{told} Those rows are left out.", code="W071")
    return BranchlineWarning(
        f"{told} Only learners that are made for it also learn from rows without a target.",
        code="W071",
        repair=Repair(
            f"compare(X, y, learners={_LEARNERS!r})",
            f"--learners {_LEARNERS} compares them, and says whether such rows help",
        ),
    )
