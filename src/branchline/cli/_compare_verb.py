"""``branchline compare`` and ``report``: the main job, from a file to a report.

1. Read the table, check every option against it; nothing is written before.
2. Set sealed rows aside, compare the learners on the rest; every result waits in a run file.
3. Write the model and the report, each whole or not at all; the run file goes, unless it was named.
After Ctrl-C the run file stays, for ``compare --resume`` and ``report``.
"""

import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline.cli._compare_options import (
    CompareOptions,
    check_forms,
    command_of,
    plan_of,
    problem_of,
    run_file_of,
)
from branchline.cli._emit import wrapped
from branchline.cli._options import parse_share
from branchline.cli._progress import Progress
from branchline.cli._reading import open_data
from branchline.cli._requirements import check_requirements, parse_requirements

if TYPE_CHECKING:
    from branchline.assess import Comparison, Plan, Problem

__all__ = ["Outcome", "compare_file", "report_run"]

# Processes take so many seconds to start that shorter work is done in this one.
_WORTH_STARTING = 5.0


@dataclass(frozen=True)
class Outcome:
    """What a comparison left: a document, its text, and whether it was interrupted or refused."""

    document: dict[str, Any]
    text: str
    is_partial: bool = False
    requirements_hold: bool = True


def compare_file(options: CompareOptions) -> Outcome:
    """Read a file, compare learners on it, write the report."""
    check_forms(options)
    share = parse_share(options.seal)
    data = open_data(options.path)
    table = options.reading.read(data)
    problem = problem_of(options, table)
    plan = plan_of(options, problem)
    requirements = parse_requirements(options.require, problem.task)
    if options.dry_run:
        return _planned(plan, problem, share)
    with _nothing_left(options):
        seal = _seal(options, share, data)
        if seal is not None:
            problem = problem_of(options, seal.part(table)[0])
        comparison, is_stopped = _carry_out(options, plan, problem, seal)
        if is_stopped:
            return _stopped(options, comparison)
        outcome = _write(options, comparison, requirements)
    if not options.run:
        run_file_of(options).unlink(missing_ok=True)
    return outcome


@contextmanager
def _nothing_left(options: CompareOptions) -> Iterator[None]:
    """Remove what was begun when it fails, but nothing that was there before or was asked for."""
    run_file, record = run_file_of(options), _record(options)
    begun = [] if record.exists() else [record]
    begun += [] if options.run or options.resume else [run_file]
    try:
        yield
    except Exception:
        for path in begun:
            path.unlink(missing_ok=True)
        raise


def report_run(run: str, output: str, data_path: str | None) -> Outcome:
    """Write the report of what a run file holds, without fitting more than the advised learner."""
    from branchline.cli._resuming import remembered, stored_comparison
    from branchline.report import write_report

    options = remembered(run, data_path)
    check_forms(replace(options, report=output))
    data = open_data(options.path)
    table = options.reading.read(data)
    seal = _seal(options, None, data)
    problem = problem_of(options, table if seal is None else seal.part(table)[0])
    comparison = stored_comparison(Path(run), plan_of(options, problem), problem)
    write_report(replace(comparison, seal=seal), output, command=command_of(options))
    document = {**comparison.to_dict(), "written": {"report": output}}
    return Outcome({"comparison": document}, f"{_words(comparison)}\nReport: {output}")


def _planned(plan: "Plan", problem: "Problem", share: float | None) -> Outcome:
    """Say what would be done; nothing is fitted and nothing written."""
    text = plan.describe(problem.n_rows, problem.table.n_columns)
    if share is not None:
        text += f"\nsealed: about {share:.0%} of these rows would be set aside first"
    fits = plan.count_fits(problem.n_rows)
    return Outcome({"plan": plan.to_dict(), "fits": fits, "sealed": share}, text)


def _seal(options: CompareOptions, share: float | None, data: Any) -> Any:
    from branchline.cli._sealing import FileSeal

    record = _record(options)
    if share is None and not record.exists():
        return None
    seal = FileSeal(record) if share is None else FileSeal.seal(record, share)
    return seal.of(data, options.reading)  # type: ignore[attr-defined]


def _carry_out(
    options: CompareOptions, plan: "Plan", problem: "Problem", seal: Any
) -> tuple["Comparison", bool]:
    """Return the comparison, and whether Ctrl-C ended it."""
    from joblib import parallel_config

    from branchline.assess import carry_out
    from branchline.cli._resuming import command_document, stored_comparison

    progress, run_file = Progress(), run_file_of(options)
    try:
        with parallel_config("loky", initializer=leave_ctrl_c_to_the_parent):
            comparison = carry_out(
                plan,
                problem,
                n_jobs=options.jobs or _n_jobs(plan, problem),
                run_file=run_file,
                resume=options.resume,
                on_result=progress,
                about=command_document(options),
            )
    except KeyboardInterrupt:
        progress.end()
        if not run_file.exists():
            raise
        return stored_comparison(run_file, plan, problem), True
    progress.end()
    return replace(comparison, seal=seal), False


def leave_ctrl_c_to_the_parent() -> None:
    """Let a worker process take no notice of Ctrl-C: its parent ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _n_jobs(plan: "Plan", problem: "Problem") -> int:
    import joblib

    seconds = plan.estimate_seconds(problem.n_rows, problem.table.n_columns)
    has_own = any(learner.name is None for learner in plan.learners)
    return int(joblib.cpu_count()) if seconds > _WORTH_STARTING or has_own else 1


def _stopped(options: CompareOptions, comparison: "Comparison") -> Outcome:
    """Say what is there after Ctrl-C, and how to go on."""
    run_file = run_file_of(options)
    named = f" --run {shlex.quote(options.run)}" if options.run else ""
    again = f"branchline compare {shlex.quote(options.path)} --resume{named}"
    there = f"{len(comparison.results)} results are kept in {run_file}."
    advice = f"Go on: {again}\nReport of what is there: branchline report {run_file}"
    document: dict[str, Any] = {"is_complete": False}
    text = ""
    if comparison.labels:
        document, text = comparison.to_dict(), _words(comparison) + "\n\n"
    document |= {"written": {"run": str(run_file)}, "requirements": []}
    return Outcome({"comparison": document}, f"{text}Interrupted. {there}\n{advice}", True)


def _write(options: CompareOptions, comparison: "Comparison", requirements: Any) -> Outcome:
    """Write the report and the model, and say where they are."""
    from branchline.report import write_report

    text = [_words(comparison)]
    checked = check_requirements(comparison, requirements)
    text += [
        f"required {one['require']}: {'yes' if one['holds'] else 'NO'} ({one['value']:.3f})"
        for one in checked
    ]
    model, written = None, {}
    if options.save:
        model = comparison.fit(n_jobs=1)
        model.save(options.save)
        written["model"] = options.save
        text.append(f"Model, fitted on all rows{_but_sealed(comparison)}: {options.save}")
    report = options.report or _usual_report(options)
    if report != "none":
        write_report(comparison, report, command=command_of(options), model=model)
        written["report"] = report
        text.append(f"Report: {report}")
    if options.run:
        written["run"] = options.run
    document = {**comparison.to_dict(), "requirements": checked, "written": written}
    holds = all(bool(one["holds"]) for one in checked)
    return Outcome({"comparison": document}, "\n".join(text), requirements_hold=holds)


def _but_sealed(comparison: "Comparison") -> str:
    return "" if comparison.seal is None else " but the sealed ones"


def _words(comparison: "Comparison") -> str:
    """Return the comparison's text, its sentences broken to the width of the terminal."""
    table, _, sentences = str(comparison).partition("\n\n")
    lines = (wrapped(line, "    ") if ": failed (" in line else line for line in table.split("\n"))
    return "\n".join(lines) + "\n\n" + wrapped(sentences)


def _record(options: CompareOptions) -> Path:
    from branchline.cli._sealing import record_of

    return record_of(options.path)


def _usual_report(options: CompareOptions) -> str:
    from branchline.cli._sealing import stem_of

    return f"{stem_of(options.path)}-report.html"
