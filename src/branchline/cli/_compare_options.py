"""What ``branchline compare`` was told, and the problem and the plan that follow from it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from branchline.cli._options import parse_costs, parse_list, parse_time
from branchline.cli._reading import Reading

if TYPE_CHECKING:
    from branchline.assess import Plan, Problem
    from branchline.table import Table

__all__ = [
    "CompareOptions",
    "command_of",
    "plan_of",
    "problem_of",
    "run_file_of",
]

# What a command that makes the same comparison must say, and options that are named otherwise.
_REPEATED: tuple[str, ...] = (
    "target",
    "learners",
    "folds",
    "repeats",
    "test",
    "metric",
    "tune",
    "threshold",
)
_REPEATED += ("positive", "costs", "group", "time_column", "task", "seed", "time", "seal")
_REPEATED += ("prefer", "keep")
_FLAGS = {"ids": "id"}


@dataclass(frozen=True)
class CompareOptions:
    """What the command line was given; see the help of ``branchline compare``."""

    path: str
    target: str
    learners: str = "fast"
    folds: int = 10
    repeats: int | None = None
    test: str | None = None
    metric: str | None = None
    tune: str | None = None
    threshold: str | None = None
    positive: str | None = None
    costs: str | None = None
    group: str | None = None
    time_column: str | None = None
    task: str | None = None
    seed: int = 0
    time: str | None = None
    prefer: str = "balance"
    keep: Sequence[str] = ()
    jobs: int = 0
    seal: str | None = None
    report: str | None = None
    save: str | None = None
    run: str | None = None
    resume: bool = False
    dry_run: bool = False
    require: Sequence[str] = ()
    reading: Reading = field(default_factory=Reading)


def problem_of(options: CompareOptions, table: "Table") -> "Problem":
    """Return the table and its target, after every check that needs no model."""
    from branchline._validation import check_training_inputs
    from branchline.assess import make_problem
    from branchline.assess.comparing._identifiers import without_identifiers
    from branchline.assess.comparing._unlearnable import refuse_unlearnable
    from branchline.cli._compare_checks import check_classes, check_table, check_varies

    check_table(options, table)

    table = options.reading.with_target(table, options.target)
    others = {options.target, options.group, options.time_column} - {None}
    check_varies(table, options.target)
    check_training_inputs(table.drop(sorted(map(str, others))), None)
    problem = make_problem(
        table,
        options.target,
        task=options.task,  # type: ignore[arg-type]
        group=options.group,
        time=options.time_column,
    )
    check_classes(problem)
    refuse_unlearnable(problem)
    return without_identifiers(problem, options.keep)


def plan_of(options: CompareOptions, problem: "Problem") -> "Plan":
    """Return what will be done."""
    from branchline.assess import make_plan
    from branchline.assess._find_metric import check_positive
    from branchline.assess._metrics import METRICS
    from branchline.assess.comparing._tuned_threshold import settle_threshold

    grouped = "group_folds" if options.group else "time_folds" if options.time_column else None
    classes = [] if problem.classes is None else problem.classes.tolist()
    by_text = {str(name): name for name in classes}
    plan = make_plan(
        problem.task,
        learners=options.learners,
        resampling=options.test or grouped,
        n_folds=options.folds,
        n_repeats=options.repeats,
        metric=parse_list(options.metric) or None,
        tuning=options.tune,
        threshold=options.threshold,
        positive=by_text.get(options.positive or "", options.positive),
        costs=parse_costs(options.costs, classes),
        seed=options.seed,
        time_budget=parse_time(options.time),
        prefer=options.prefer,
    )
    if problem.classes is not None and plan.positive is not None:
        check_positive(METRICS[plan.metric], plan.positive, problem.classes)
    plan.resampling.check(problem)
    return settle_threshold(plan, problem)


def run_file_of(options: CompareOptions) -> Path:
    """Return where results wait until the comparison is done."""
    if options.run:
        return Path(options.run)
    from branchline.cli._outputs import place_of_run_file

    return place_of_run_file(options.path, options.report, resume=options.resume)


def command_of(options: CompareOptions) -> str:
    """Return the command that makes the same comparison, whichever way it was asked for."""
    unusual = {**vars(options), **vars(options.reading)}
    usual = {**vars(CompareOptions("", "")), **vars(Reading())}
    words = ["branchline", "compare", options.path]
    for name in (*_REPEATED, *vars(options.reading)):
        value = unusual[name]
        if value == usual[name]:
            continue
        flag = f"--{_FLAGS.get(name, name.replace('_', '-'))}"
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{name}")
        else:
            several = value if isinstance(value, tuple) else (value,)
            words += [word for one in several for word in (flag, str(one))]
    return shlex.join(words)
