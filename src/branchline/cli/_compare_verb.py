"""``branchline compare`` and ``report``: the main job, from a file to a report.

1. Check every option and try every output; read the table, and tell what looks wrong in it.
2. Set sealed rows aside, compare the learners on the rest; every result waits in a run file.
3. Print the results, write the model and the report, each whole or not at all; the run file goes,
   unless it was named or something could not be written.
After Ctrl-C the run file stays, for ``compare --resume`` and ``report``.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline._plain_numbers import percent
from branchline.cli._compare_options import (
    CompareCommand,
    command_of,
    plan_of,
    problem_of,
    run_file_of,
)
from branchline.cli._compare_outcome import Outcome, stopped, words, written
from branchline.cli._emit import say, tell, when_begun
from branchline.cli._options import parse_share, parse_time
from branchline.cli._progress import Progress
from branchline.cli._python_reading import python_reading
from branchline.cli._reading import open_data
from branchline.cli._requirements import parse_requirements, refuse_unscorable
from branchline.errors import BranchlineWarning, Repair

if TYPE_CHECKING:
    from branchline.assess import Comparison, Plan, Problem
    from branchline.assess.comparing import AnyWorkers, Forecast, Time

__all__ = ["Outcome", "compare_file", "report_run"]

# Seconds of work from which on all cores are used, and cells of a table from which on a second
# process is worth its start, before anything is known of the work.
_WORTH_STARTING, _CELLS_WORTH_STARTING = 1.0, 10_000
# What is kept of a budget for the model on all rows and the report: the slowest learner's fits,
# seconds for importances and pictures, and at most this part of all.
_FITS_OF_REPORT, _SECONDS_OF_REPORT, _MOST_OF_REPORT = 2.0, 2.0, 0.4
_FITS_OF_MODEL = 1.2
# The error of a comparison in which no learner has a score.
_NO_SCORES = "D132"


def compare_file(options: CompareCommand) -> Outcome:
    """Read a file, compare learners on it, write the report."""
    from branchline.cli._compare_checks import check_forms, check_table

    began = when_begun()
    check_forms(options)
    with ExitStack() as ending:
        data = open_data(options.path)
        table = options.reading.read(data)
        check_table(options, table)
        workers = _start_early(options, table, ending)
        problem = problem_of(options, table)
        plan = plan_of(options, problem)
        requirements = parse_requirements(options.require, problem.task)
        refuse_unscorable(requirements, plan, problem)
        if options.dry_run:
            return _planned(options, plan, table, data)
        run_file = run_file_of(options)
        with _nothing_left(options, run_file):
            seal = _seal(options, parse_share(options.seal), data)
            sealed = []
            if seal is not None:
                kept, rest = seal.part(table)
                problem = problem_of(options, kept)
                sealed = [_tell_sealed(seal, rest.n_rows, table.n_rows)]
            results, is_stopped, kept_in = _carry_out(
                options, plan, problem, run_file, workers, began
            )
            comparison = replace(results, seal=seal, noticed=(*sealed, *results.noticed))
            if is_stopped:
                return stopped(options, comparison, kept_in)
            outcome = written(options, comparison, requirements, kept_in)
    if not options.run and outcome.trouble is None:
        with suppress(OSError):
            kept_in.unlink(missing_ok=True)
    return outcome


def _start_early(options: CompareCommand, table: Any, ending: ExitStack) -> "AnyWorkers | None":
    """Start worker processes early: all where a budget asks for them, one where fits will be many.

    They load while this process does. Or connect to a cluster.
    """
    if options.dry_run:
        return None
    from branchline.assess.comparing import started

    if options.engine is not None:
        from branchline.assess.comparing import workers_of

        return ending.enter_context(workers_of(options.engine))
    n_jobs = options.n_jobs or _n_cores()
    if options.time_budget is None:
        is_worth = n_jobs > 1 and table.n_rows * table.n_columns >= _CELLS_WORTH_STARTING
        return ending.enter_context(started(1, n_jobs)) if is_worth else None
    return ending.enter_context(started(n_jobs))


@contextmanager
def _nothing_left(options: CompareCommand, run_file: Path) -> Iterator[None]:
    """Remove what was begun when it fails, but no results and nothing that was there before."""
    record = _record(options)
    begun = [] if record.exists() else [record]
    keeps, before = bool(options.run) or options.resume, _mark(run_file)
    try:
        yield
    except Exception as error:
        is_empty = getattr(error, "code", None) == _NO_SCORES or not _has_scores(run_file)
        if not keeps and _mark(run_file) != before and is_empty:
            begun.append(run_file)
        for path in begun:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        raise


def _mark(run_file: Path) -> tuple[int, int] | None:
    """Return what tells whether a file was written; None where there is none."""
    try:
        about = run_file.stat()
    except OSError:
        return None
    return about.st_ino, about.st_mtime_ns


def _has_scores(run_file: Path) -> bool:
    """Whether a run file holds a fit that did not fail."""
    with suppress(OSError):
        return any(b'"error": null' in line for line in run_file.read_bytes().splitlines()[1:])
    return False


def report_run(run: str, output: str, data_path: str | None) -> Outcome:
    """Write the report of what a run file holds, without fitting more than the advised learner."""
    from branchline.assess.comparing import data_warnings, stored_comparison
    from branchline.cli._compare_checks import check_forms
    from branchline.cli._resuming import command_document, remembered
    from branchline.report import write_report

    options = remembered(run, data_path)
    check_forms(replace(options, report=output, save=None, run=None))
    data = open_data(options.path)
    table = options.reading.read(data)
    seal = _seal(options, None, data)
    problem = problem_of(options, table if seal is None else seal.part(table)[0])
    found = stored_comparison(Path(run), plan_of(options, problem), problem)
    comparison = replace(found, seal=seal, noticed=data_warnings(problem, found.plan))
    reading = python_reading(options.path, options.reading, options.target)
    told = command_document(options)
    write_report(comparison, output, command=command_of(options), reading=reading, options=told)
    document = {**comparison.to_dict(), "written": {"report": output}}
    return Outcome({"comparison": document}, f"{words(comparison)}\nReport: {output}")


def _planned(options: CompareCommand, plan: "Plan", table: Any, data: Any) -> Outcome:
    """Say what would be done; nothing is fitted and nothing written."""
    from branchline.assess.comparing import data_warnings, untold

    share = parse_share(options.seal)
    seal = _seal(options, None, data) if share is None else None
    problem = problem_of(options, table if seal is None else seal.part(table)[0])
    n_classes = 2 if problem.classes is None else len(problem.classes)
    size = problem.n_rows, problem.table.n_columns
    text = plan.describe(*size, n_classes, _forecast(options, _time_left(options, when_begun())))
    if seal is not None:
        text += f"\nsealed: {seal.part(table)[1].n_rows} other rows are left out ({seal.path})"
    if share is not None:
        text += f"\nsealed: about {percent(share)} of these rows would be set aside first"
    for warning in untold(problem, data_warnings(problem, plan)):
        tell(warning)
    fits = plan.count_fits(problem.n_rows)
    return Outcome({"plan": plan.to_dict(), "fits": fits, "sealed": share}, text)


def _seal(options: CompareCommand, share: float | None, data: Any) -> Any:
    from branchline.cli._sealing import FileSeal

    record = _record(options)
    if share is None and not record.exists():
        return None
    seal = FileSeal(record) if share is None else FileSeal.seal(record, share)
    return seal.of(data, options.reading)  # type: ignore[attr-defined]


def _tell_sealed(seal: Any, n_sealed: int, n_rows: int) -> BranchlineWarning:
    """Say how many rows are sealed, and return that warning."""
    warning = BranchlineWarning(
        f"{n_sealed:,} of the {n_rows:,} rows are sealed for a final test and left out "
        f"({seal.path}).",
        code="W007",
        repair=Repair(None, "branchline open-test MODEL FILE --target COLUMN, at the end"),
    )
    tell(warning)
    return warning


def _carry_out(
    options: CompareCommand,
    plan: "Plan",
    problem: "Problem",
    run_file: Path,
    workers: "AnyWorkers | None",
    began: float,
) -> tuple["Comparison", bool, Path]:
    """Return the comparison, whether Ctrl-C ended it, and where its results are kept."""
    from branchline.assess.comparing import (
        RunFile,
        carry_out,
        data_warnings,
        result_warnings,
        stored_comparison,
        untold,
    )
    from branchline.cli._resuming import command_document

    noticed = data_warnings(problem, plan)
    for warning in untold(problem, noticed):
        tell(warning)
    n_jobs = options.n_jobs or _n_jobs(plan, problem)
    time_left, file = _time_left(options, began), RunFile(run_file)
    say(_beginning(options, plan, problem, time_left))
    progress = Progress(end=time_left.end)
    given: dict[str, Any] = {"n_jobs": n_jobs, "time_left": time_left, "workers": workers}
    given |= {"run_file": file, "resume": options.resume, "on_result": progress}
    given |= {"noticed": noticed}
    try:
        found = carry_out(plan, problem, about=command_document(options), **given)
    except KeyboardInterrupt:
        progress.end()
        if not file.path.exists():
            raise
        found = stored_comparison(file.path, plan, problem)
        return replace(found, noticed=noticed), True, file.path
    progress.end()
    for warning in result_warnings(found):
        tell(warning)
    return found, False, file.path


def _beginning(options: CompareCommand, plan: "Plan", problem: "Problem", time_left: "Time") -> str:
    """Say what is begun, before the first fit."""
    n_classes = 2 if problem.classes is None else len(problem.classes)
    forecast = None if plan.time_budget is None else _forecast(options, time_left)
    return plan.summary(problem.n_rows, problem.table.n_columns, n_classes, forecast)


def _forecast(options: CompareCommand, time_left: "Time") -> "Forecast":
    """Return the speed of this machine now, and the work that a budget leaves room for."""
    from branchline.assess.comparing import Forecast, measured_speed

    speed = measured_speed()
    left = time_left.end_of_fits(0.0) - time.monotonic()
    is_limited = options.time_budget is not None
    return Forecast(speed, left * (options.n_jobs or _n_cores()) if is_limited else None)


def _time_left(options: CompareCommand, began: float) -> "Time":
    """Return the time for fits: the budget less what the model and the report will take."""
    from branchline.assess.comparing import Time

    budget = parse_time(options.time_budget)
    if budget is None:
        return Time()
    has_report = options.report != "none"
    fits = _FITS_OF_REPORT if has_report else _FITS_OF_MODEL if options.save else 0.0
    seconds = _SECONDS_OF_REPORT if has_report else 0.0
    return Time(began + budget, fits, seconds, _MOST_OF_REPORT * budget, began)


def _n_jobs(plan: "Plan", problem: "Problem") -> int:
    seconds = plan.estimate_seconds(problem.n_rows, problem.table.n_columns)
    has_own = any(learner.name is None for learner in plan.learners)
    return _n_cores() if seconds > _WORTH_STARTING or has_own else 1


def _n_cores() -> int:
    import joblib

    return int(joblib.cpu_count())


def _record(options: CompareCommand) -> Path:
    from branchline.cli._file_names import record_of

    return record_of(options.path)
