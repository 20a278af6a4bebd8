"""What ``branchline compare`` refuses before anything heavy is imported, or anything is fitted.

1. Options that are invalid whatever the data, and outputs that cannot be written.
2. Columns that the table does not have, and targets from which nothing can be learned.
"""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from branchline.assess import METRICS, check_metric_name, check_positive
from branchline.assess.comparing import (
    PREFERENCES,
    RESAMPLINGS,
    TASKS,
    THRESHOLDS,
    TUNINGS,
    check_learner_names,
)
from branchline.cli._compare_options import CompareCommand
from branchline.cli._drawing import check_drawing
from branchline.cli._file_names import usual_report
from branchline.cli._options import check_choices, parse_list, parse_share, parse_time
from branchline.cli._outputs import check_output
from branchline.cli._reading import check_column
from branchline.errors import DataError, KindError, ParameterError, Repair

if TYPE_CHECKING:
    from branchline.table import Table

__all__ = [
    "check_forms",
    "check_table",
]


def check_forms(options: CompareCommand) -> None:
    """Reject options that are invalid whatever the data, before reading it."""
    parse_time(options.time_budget)
    parse_share(options.seal)
    check_choices(
        {
            "--resampling": (options.resampling, RESAMPLINGS),
            "--tune": (options.tuning, TUNINGS),
            "--threshold": (options.threshold, THRESHOLDS),
            "--prefer": (options.prefer, PREFERENCES),
            "--task": (options.task, TASKS),
        }
    )
    for name in parse_list(options.metric):
        check_metric_name(name)
    if options.learners not in {"fast", "all", "few_labels"}:
        check_learner_names(options.learners)
    if options.select is not None:
        from branchline.features import check_selector_name

        check_selector_name(options.select)
    check_drawing(options.draw)
    report = options.report or "none"
    if report != "none" and Path(report).suffix.lower() not in {".html", ".md", ".json"}:
        raise ParameterError(
            f"A report is written as .html, .md or .json. Got {report!r} instead.",
            code="P110",
            values=[report],
            repair=Repair(flag=f"--report {shlex.quote(f'{report}.html')}"),
        )
    if not options.dry_run:
        check_outputs(options)


def check_outputs(options: CompareCommand) -> None:
    """Refuse outputs that cannot be written, before the first fit."""
    for option, path in (
        ("--report", options.report or usual_report(options.path)),
        ("--save", options.save),
        ("--run", options.run),
    ):
        if path and path != "none":
            check_output(option, path)


def check_table(options: CompareCommand, table: "Table") -> None:
    """Refuse a table without rows, inputs or the columns that are named."""
    _check_names(options, table)
    if table.n_rows == 0:
        raise DataError(f"{options.path}: there are names of columns, but no rows.", code="D001")
    others = {options.target, options.group, options.time_column} - {None}
    if set(table.names) <= others:
        raise DataError("There are no input columns besides the target.", code="D002")
    target = table.column(options.target)
    if options.positive is not None and target.kind == "category":
        check_positive(METRICS["accuracy"], options.positive, list(map(str, target.categories)))


def _check_names(options: CompareCommand, table: "Table") -> None:
    """Refuse columns that are not there, and dates as a target."""
    named = {"--group": options.group, "--time-column": options.time_column}
    for option, names in (("--keep", options.keep), ("--by", options.columns_by())):
        for name in names:
            check_column(table, option, name)
    check_column(table, "--target", options.target)
    if table.column(options.target).type.is_time:
        raise KindError(
            f"The target {options.target!r} holds dates or times, which no learner predicts.",
            code="K022",
            column=options.target,
            repair=Repair(flag=f"--kind {shlex.quote(options.target)}=category"),
        )
    for option, column in named.items():
        if column is not None:
            check_column(table, option, column)
        if column == options.target:
            raise ParameterError(
                f"{option} and --target both name {column!r}: the target is not an input.",
                code="P130",
                repair=Repair(flag=f"leave {option} out, or name another column"),
            )
