"""Columns that only name rows are set aside before learners are compared.

1. Which columns these are: ``branchline.table.looking.likely_identifiers``.
2. A column that is asked for by name (``keep``) stays. So do all of them where nothing else would
   be left to learn from, with a warning (W022; W013 for free texts).
3. The problem remembers what was set aside and what was kept, so that warnings, reports, the model
   that is saved and the command that repeats everything agree.
"""

from collections.abc import Sequence
from dataclasses import replace

from branchline._plain_numbers import joined
from branchline._validation import refuse_infinite
from branchline._warn import warn
from branchline.assess.comparing._problem import Problem
from branchline.errors import BranchlineWarning, DataError, Repair
from branchline.table.looking import Finding, likely_identifiers

__all__ = ["without_identifiers"]


def without_identifiers(problem: Problem, keep: Sequence[str] = ()) -> Problem:
    """Return the problem without columns that only name rows, but for those in ``keep``."""
    wanted = [keep] if isinstance(keep, str) else list(keep)
    _refuse_unknown(problem, wanted)
    every = problem.table if problem.unlabeled is None else problem.unlabeled.table
    refuse_infinite(every)  # once, before any learner is fitted
    found = likely_identifiers(problem.table)
    gone = tuple(finding for finding in found if finding.name not in wanted)
    remarks = problem.remarks
    if len(gone) == problem.table.n_columns:
        remarks = (*remarks, *_nothing_else(gone))
        gone = ()
    for remark in remarks[len(problem.remarks) :]:
        warn(remark)
    kept = tuple(name for name in dict.fromkeys(wanted))
    names = {finding.name for finding in gone}
    inputs = [name for name in problem.table.names if name not in names]
    chosen = problem.with_inputs(inputs)  # rows without a target, too
    return replace(chosen, set_aside=gone, kept=kept, remarks=remarks)


def _nothing_else(found: Sequence[Finding]) -> list[BranchlineWarning]:
    """Warn that only columns which name rows are left; of free texts there is a warning (W013)."""
    if any(finding.topic == "text" for finding in found):
        return []
    shown = joined([f"{finding.name!r} ({finding.reason})" for finding in found], 3)
    return [
        BranchlineWarning(
            f"Every input only names rows: {shown}. Learners see names, so they can learn nothing. "
            "Add columns that describe the rows.",
            code="W022",
            repair=Repair(flag="branchline look FILE lists the columns"),
        )
    ]


def _refuse_unknown(problem: Problem, wanted: Sequence[str]) -> None:
    for name in wanted:
        try:
            problem.table.column(name)
        except DataError as error:
            message = f"The columns to keep: {error.message}"
            mend = Repair(error.repair.python, "branchline look FILE lists the columns")
            raise DataError(message, code=error.code, column=name, repair=mend) from None
