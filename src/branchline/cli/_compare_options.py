"""What ``branchline compare`` was told, and the problem and the plan that follow from it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline.assess.comparing import CompareOptions, option, option_of
from branchline.cli._options import parse_costs, parse_list, parse_time
from branchline.cli._reading import Reading

if TYPE_CHECKING:
    from branchline.assess import Plan, Problem
    from branchline.table import Table

__all__ = ["CompareCommand", "command_of", "plan_of", "problem_of", "run_file_of"]

_NOT_RESULTS: dict[str, Any] = {"makes_results": False}
_THIS_TIME: dict[str, Any] = {"makes_results": False, "is_remembered": False}
_FLAGS_OF_READING = {"ids": "--id"}


@dataclass(frozen=True, kw_only=True)
class CompareCommand(CompareOptions):
    """The options of a comparison as texts, and those that only the command line has."""

    path: str = ""
    reading: Reading = field(default_factory=Reading)
    target: str = option(
        "", "The column to predict; --resume remembers it.", "--target", "-t", kind=str | None
    )
    n_jobs: int = option(
        0,
        "Number of processes; the numbers do not depend on it. 0: all cores.",
        "--jobs",
        kind=int,
        least=0,
        **_THIS_TIME,
    )
    seal: str | None = option(
        None, "Set rows aside for one final test: 20%.", "--seal", is_remembered=False
    )
    report: str | None = option(
        None,
        "Where to write the report (.html, .md, .json). Default: NAME-report.html; --report none: "
        "no report.",
        "--report",
        **_NOT_RESULTS,
    )
    save: str | None = option(
        None, "Write the fitted model to this file.", "--save", **_NOT_RESULTS
    )
    draw: str | None = option(
        None, "Draw the scores with intervals: .svg, .png, .html or .pdf.", "--draw", **_THIS_TIME
    )
    run: str | None = option(
        None, "Keep all results in this file, for report and --resume.", "--run", **_THIS_TIME
    )
    resume: bool = option(
        False, "Go on where it was stopped, with its options.", "--resume", kind=bool, **_THIS_TIME
    )
    dry_run: bool = option(
        False, "Say what would be done, and stop.", "--dry-run", kind=bool, **_THIS_TIME
    )
    require: Sequence[str] = option(
        (),
        'Exit with 5 unless this holds: "auc.low>=0.75"; may be repeated.',
        "--require",
        kind=list[str] | None,
        **_NOT_RESULTS,
    )


def problem_of(command: CompareCommand, table: "Table") -> "Problem":
    """Return the table and its target, after every check that needs no model."""
    from branchline._validation import check_training_inputs
    from branchline.assess.comparing import problem_for
    from branchline.cli._compare_checks import check_table

    check_table(command, table)
    if not _learns_from_unlabeled(command) or table.column(command.target).is_missing.all():
        table = command.reading.with_target(table, command.target)
    others = {command.target, command.group, command.time_column} - {None}
    check_training_inputs(table.drop(sorted(map(str, others))), None)
    return problem_for(command, table, command.target)


def _learns_from_unlabeled(command: CompareCommand) -> bool:
    """Whether some learner of a comparison learns from rows without a target, too."""
    from branchline import catalog

    if command.reading.known_only or command.learners in {"fast", "all"}:
        return False
    names = parse_list(command.learners)
    return command.learners == "few_labels" or any(
        "unlabeled" in catalog.entry(name).handles for name in names
    )


def plan_of(command: CompareCommand, problem: "Problem") -> "Plan":
    """Return what will be done; refuse what does not suit the problem."""
    from branchline.assess import METRICS, check_positive
    from branchline.assess.comparing import plan_of as plan_of_options
    from branchline.assess.comparing import refuse_too_many, settle_threshold

    classes = [] if problem.classes is None else problem.classes.tolist()
    by_text = {str(name): name for name in classes}
    meant = replace(
        command,
        metric=parse_list(command.metric) or None,
        positive=by_text.get(command.positive or "", command.positive),
        costs=parse_costs(command.costs, classes),
        time_budget=parse_time(command.time_budget),
    )
    plan = plan_of_options(meant, problem.task)
    if problem.classes is not None and plan.positive is not None:
        check_positive(METRICS[plan.metric], plan.positive, problem.classes)
    plan.resampling.check(problem)
    refuse_too_many(plan, problem)
    return settle_threshold(plan, problem)


def run_file_of(command: CompareCommand) -> Path:
    """Return where results wait until the comparison is done."""
    if command.run:
        return Path(command.run)
    from branchline.cli._outputs import place_of_run_file

    return place_of_run_file(command.path, command.report, resume=command.resume)


def command_of(command: CompareCommand) -> str:
    """Return the command that makes the same comparison, whichever way it was asked for."""
    words = ["branchline", "compare", command.path]
    for one in sorted(fields(command), key=lambda one: one.name != "target"):
        known = option_of(one)
        if known is not None and known.makes_results:
            words += _words(known.flag, getattr(command, one.name), one.default)
    for one in fields(command.reading):
        flag = _FLAGS_OF_READING.get(one.name, f"--{one.name.replace('_', '-')}")
        words += _words(flag, getattr(command.reading, one.name), one.default)
    return shlex.join(words)


def _words(flag: str, value: Any, default: Any) -> list[str]:
    """Return an option as it is typed; nothing where it has its default."""
    if value == default:
        return []
    if isinstance(value, bool):
        return [flag if value else flag.replace("--", "--no-", 1)]
    several = value if isinstance(value, tuple) else (value,)
    return [word for one in several for word in (flag, str(one))]
