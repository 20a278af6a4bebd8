"""What looks wrong in the data, or was not carried out: warnings with a code and a repair each.

Most are found and shown before the first fit. The comparison keeps them, so that its text and its
report show them as well.
"""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from branchline._plain_numbers import joined, percent
from branchline.assess._ways_of_testing import is_biased
from branchline.assess.comparing._cost_cautions import cost_warnings
from branchline.assess.comparing._leaks import Suspicion, find_leaks
from branchline.assess.comparing._more_time import enough_seconds
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._preselection import preselection_warnings
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._target_cautions import target_warnings
from branchline.assess.comparing._too_good import too_good
from branchline.assess.comparing._words import unfinished_words
from branchline.errors import BranchlineWarning, Repair
from branchline.table.looking import Finding, is_varied, names_cases, time_series

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = [
    "CHECK_FIRST",
    "data_warnings",
    "result_warnings",
    "short_words",
    "untold",
]

# What may make scores too good to be true.
CHECK_FIRST = (
    "W002", "W003", "W004", "W010", "W011", "W012", "W013", "W014", "W031", "W035", "W036",
    "W050", "W097",
)  # fmt: skip
_MOST, _MOST_SET_ASIDE = 5, 12
_COMPLETELY = 1 - 1e-12
# Fewer repeated rows are chance; where a row has few different cells, they are to be expected.
_LEAST_REPEATED = 0.05


def data_warnings(problem: Problem, plan: Plan) -> tuple[BranchlineWarning, ...]:
    """Return what should be known of the data before scores are relied on.

    The problem's own remarks, which were given when it was made, come first.
    """
    leaks = [_leak(leak, problem) for leak in find_leaks(problem)]
    return (
        *problem.remarks,
        *set_aside_cautions(problem),
        *leaks[:_MOST],
        *preselection_warnings(problem),
        *_own_rows(plan),
        *_single_rows(problem, plan),
        *target_warnings(problem, plan),
        *cost_warnings(problem, plan),
        *_repeated(problem),
        *_constant(problem),
        *_in_time(problem, plan),
    )


def _own_rows(plan: Plan) -> list[BranchlineWarning]:
    """Return the warning that models are tested on the rows they were fitted on."""
    if plan.resampling.kind != "resubstitution":
        return []
    return [
        BranchlineWarning(
            "Models are tested on their own training rows (resubstitution), so scores are too "
            "good, most of all those of models that can learn rows by heart. The intervals are "
            "about these scores, not about scores of new rows.",
            code="W035",
            repair=Repair("compare(X, y, resampling='folds')", "leave --resampling out"),
        )
    ]


def _single_rows(problem: Problem, plan: Plan) -> list[BranchlineWarning]:
    """Return the warning that rows are ranked although each has a model of its own."""
    kind = plan.resampling.kind
    ranked = [name for name in plan.metrics if is_biased(name, kind, problem.folds)]
    if not ranked:
        return []
    return [
        BranchlineWarning(
            f"Leave-one-out makes {joined(ranked)} too low: rows are ranked against each other, "
            "although each was predicted by a model of its own.",
            code="W036",
            repair=Repair("compare(X, y, resampling='folds')", "leave --resampling out"),
        )
    ]


def untold(problem: Problem, noticed: tuple[BranchlineWarning, ...]) -> list[BranchlineWarning]:
    """Return the warnings that were not given when the problem was made."""
    return [one for one in noticed if one not in problem.remarks]


def result_warnings(comparison: "Comparison") -> tuple[BranchlineWarning, ...]:
    """Return what should be known of the results: folds that are not done, perfect scores."""
    if not comparison.labels:
        return ()
    late = () if comparison.is_complete else (unfinished_warning(comparison),)
    return (*late, *too_good(comparison))


def set_aside_cautions(problem: Problem) -> list[BranchlineWarning]:
    """Return the warning of columns that were set aside because they only name rows."""
    names = [one for one in problem.set_aside if one.topic != "written"]
    written = [_written(one) for one in problem.set_aside if one.topic == "written"]
    return [*written, *([_set_aside(names)] if names else [])]


def _written(finding: Finding) -> BranchlineWarning:
    """Return the warning of numbers or dates that could not be read as such."""
    name = shlex.quote(finding.name)
    return BranchlineWarning(
        f"Column {finding.name!r} is set aside: {finding.reason}. As texts they tell nothing about "
        "new rows; read as numbers or dates they may tell much.",
        code="W001",
        repair=Repair(
            f"read_table(path, kinds={{{finding.name!r}: 'number'}})  # names the cells in the way",
            f"--kind {name}=number (or =date) converts it, or names the cells in the way",
        ),
    )


def _set_aside(found: Sequence[Finding]) -> BranchlineWarning:
    """Return the one warning of all columns that only name rows."""
    first, is_one = found[0].name, len(found) == 1
    text = (
        f"Column {first!r} is set aside: {found[0].reason}. It names rows, so nothing can be "
        "learned from it for new ones."
    )
    if not is_one:
        reasons = joined([f"{one.name!r} ({one.reason})" for one in found], _MOST_SET_ASIDE)
        text = f"Set aside, because they only name rows: {reasons}."
    python, flag = (repr(first), shlex.quote(first)) if is_one else ("NAME", "NAME")
    what = "it" if is_one else "one of them"
    return BranchlineWarning(
        text,
        code="W001",
        repair=Repair(
            f"compare(X, y, keep=[{python}])  # uses {what} all the same",
            f"--keep {flag} uses {what} all the same",
        ),
    )


def _leak(leak: Suspicion, problem: Problem) -> BranchlineWarning:
    is_copy, name = leak.strength > _COMPLETELY, shlex.quote(leak.column)
    text = f"Check column {leak.column!r} first: {leak.text[0].lower()}{leak.text[1:]}"
    repair = Repair(_drop(leak.column), f"--drop {name}")
    if problem.groups is None and names_cases(problem.table.column(leak.column)):
        text += " If its values name cases (patients, sites) with several rows each, do not drop "
        text += "it: keep the rows of a case together."
        repair = Repair(
            f"compare(X, y, group={leak.column!r})  # rows of one case stay together",
            f"--group {name} where it names cases; else --drop {name}",
        )
    return BranchlineWarning(text, code="W003" if is_copy else "W002", repair=repair)


def _drop(names: str | list[str]) -> str:
    return f"from branchline import Table\nX = Table(X).drop({names!r})"


def _repeated(problem: Problem) -> list[BranchlineWarning]:
    n_repeated = problem.n_repeated
    columns = (problem.table.column(name) for name in problem.table.names)
    are_few = n_repeated < max(2, _LEAST_REPEATED * problem.n_rows)
    if are_few or not any(is_varied(column) for column in columns):
        return []
    share = percent(n_repeated / problem.n_rows)
    return [
        BranchlineWarning(
            f"{n_repeated:,} of the {problem.n_rows:,} rows ({share}) are equal to another row in "
            "every column. Equal rows are kept in the same fold and count as one, so there is less "
            "to learn from than the number of rows says.",
            code="W004",
            repair=Repair(
                "compare(X, y, group=…)  # a column that names the cases",
                "remove the copies from the file, or name the cases: --group COLUMN",
            ),
        )
    ]


def _constant(problem: Problem) -> list[BranchlineWarning]:
    names = [name for name in problem.table.names if _is_constant(problem, name)]
    if not names:
        return []
    shown = joined([repr(name) for name in names], _MOST)
    verb = "has" if len(names) == 1 else "have"
    flags = " ".join(f"--drop {shlex.quote(name)}" for name in names[:_MOST])
    return [
        BranchlineWarning(
            f"{shown} {verb} the same value in every row and cannot help.",
            code="W005",
            repair=Repair(_drop(names[:_MOST]), flags),
        )
    ]


def _in_time(problem: Problem, plan: Plan) -> list[BranchlineWarning]:
    """Warn of a time series that is tested as if its rows had no order."""
    if plan.resampling.kind != "folds" or problem.times is not None or problem.groups is not None:
        return []
    return [
        BranchlineWarning(
            f"The rows are a time series: {name!r} has a moment for each row, at equal steps. "
            "Folds mix past and future, so the scores are too good if later rows are to be "
            "predicted.",
            code="W031",
            repair=Repair(
                f"compare(X, y, time_column={name!r})  # the past predicts the future",
                f"--time-column {shlex.quote(name)} tests on later rows",
            ),
        )
        for name in [*time_series(problem.table)][:1]
    ]


def _is_constant(problem: Problem, name: str) -> bool:
    return not problem.table.column(name).varies


def unfinished_warning(comparison: "Comparison") -> BranchlineWarning:
    """Return what to think of a plan that was not carried out to its end."""
    budget = comparison.plan.time_budget
    more = None if budget is None else f"{enough_seconds(comparison):g}"
    return BranchlineWarning(
        unfinished_words(comparison),
        code="W006",
        repair=Repair(
            f"compare(X, y, time_budget={more})" if more else "compare(X, y, resume=True, …)",
            f"--time-budget {more}s, or fewer --learners" if more else "--resume",
        ),
    )


def short_words(warnings: tuple[BranchlineWarning, ...]) -> str:
    """Return what to check first, in a line; empty when there is nothing."""
    told = [f"{_subject(one)} [{one.code}]" for one in warnings if one.code in CHECK_FIRST]
    return f"Check first: {'; '.join(told)}." if told else ""


def _subject(warning: BranchlineWarning) -> str:
    """Return a warning's first sentence, without its first words."""
    first = warning.message.partition(". ")[0].removesuffix(".")
    first = first.removeprefix("Check ").replace(" first:", ":")
    return first.replace("Column ", "column ", 1) if first.startswith("Column ") else first
