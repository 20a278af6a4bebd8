"""``branchline compare``: the main job, from a file to a report."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline.cli._options import parse_costs, parse_kinds, parse_share, parse_time
from branchline.cli._progress import Progress
from branchline.cli._requirements import check_requirements, parse_requirements

if TYPE_CHECKING:
    from branchline.assess import Comparison, Plan, Problem
    from branchline.table import Table

__all__ = ["CompareOptions", "Outcome", "compare_file", "stem_of"]


@dataclass(frozen=True)
class CompareOptions:
    """What the command line was given; see the help of ``branchline compare``."""

    path: str
    target: str
    learners: str = "fast"
    folds: int = 10
    repeats: int = 1
    test: str | None = None
    metric: str | None = None
    tune: str | None = None
    positive: str | None = None
    costs: str | None = None
    group: str | None = None
    time_column: str | None = None
    ids: Sequence[str] = ()
    drop: Sequence[str] = ()
    kind: Sequence[str] = ()
    missing: Sequence[str] = ()
    task: str | None = None
    seed: int = 0
    time: str | None = None
    jobs: int = 0
    seal: str | None = None
    report: str | None = None
    save: str | None = None
    run: str | None = None
    resume: bool = False
    dry_run: bool = False
    require: Sequence[str] = ()
    quiet: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a comparison left: a document, its text, and whether it was interrupted or refused."""

    document: dict[str, Any]
    text: str
    is_partial: bool = False
    requirements_hold: bool = True


def compare_file(options: CompareOptions) -> Outcome:
    """Read a file, compare learners on it, write the report."""
    from branchline.assess import make_problem

    table = _read(options)
    seal = _seal(options)
    if seal is not None:
        table, _ = seal.part(table)
    problem = make_problem(
        table,
        options.target,
        task=options.task,  # type: ignore[arg-type]
        group=options.group,
        time=options.time_column,
    )
    plan = _plan(options, problem)
    requirements = parse_requirements(options.require, problem.task)
    if options.dry_run:
        text = plan.describe(problem.n_rows, problem.table.n_columns)
        return Outcome({"plan": plan.to_dict(), "fits": plan.count_fits(problem.n_rows)}, text)
    comparison = _carry_out(options, plan, problem, seal)
    return _write(options, comparison, requirements)


def _read(options: CompareOptions) -> "Table":
    from branchline.table import read_table

    reading = {"missing": list(options.missing)} if options.missing else {}
    return read_table(
        options.path,
        kinds=parse_kinds(options.kind),
        drop=[*options.drop, *options.ids],
        **reading,  # type: ignore[arg-type]
    )


def _seal(options: CompareOptions) -> Any:
    from branchline.assess import SealedTest

    share = parse_share(options.seal)
    record = Path(f"{stem_of(options.path)}.seal.json")
    if share is not None:
        return SealedTest.seal(record, share)
    return SealedTest(record) if record.exists() else None


def _plan(options: CompareOptions, problem: "Problem") -> "Plan":
    from branchline.assess import make_plan

    grouped = "group-folds" if options.group else "time-folds" if options.time_column else None
    classes = [] if problem.classes is None else problem.classes.tolist()
    return make_plan(
        problem.task,
        learners=options.learners,
        resampling=options.test or grouped,
        folds=options.folds,
        repeats=options.repeats,
        metric=options.metric.split(",") if options.metric else None,
        tuning=options.tune,
        positive=options.positive,
        costs=parse_costs(options.costs, classes),
        seed=options.seed,
        time_budget=parse_time(options.time),
    )


def _carry_out(
    options: CompareOptions, plan: "Plan", problem: "Problem", seal: Any
) -> "Comparison":
    from dataclasses import replace

    import joblib

    from branchline.assess import carry_out

    progress = Progress(quiet=options.quiet)
    comparison = carry_out(
        plan,
        problem,
        n_jobs=options.jobs or joblib.cpu_count(),
        run_file=run_file_of(options),
        resume=options.resume,
        on_result=progress,
        keep_partial=True,
    )
    progress.end()
    return replace(comparison, seal=seal)


def _write(options: CompareOptions, comparison: "Comparison", requirements: Any) -> Outcome:
    """Write the report and the model, and say where they are."""
    from branchline.report import write_report

    text = [str(comparison)]
    run_file = run_file_of(options)
    is_stopped = not comparison.is_complete and comparison.plan.time_budget is None
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
        text.append(f"The recommended model, fitted on all rows: {options.save}")
    report = f"{stem_of(options.path)}-report.html" if options.report is None else options.report
    if report != "none":
        write_report(comparison, report, command=_command(), model=model)
        written["report"] = report
        text.append(f"Report: {report}")
    if is_stopped:
        text.append(f"Interrupted. What is done is kept in {run_file}; --resume goes on.")
    else:
        run_file.unlink(missing_ok=True)
    document = {**comparison.to_dict(), "requirements": checked, "written": written}
    holds = all(bool(one["holds"]) for one in checked)
    return Outcome({"comparison": document}, "\n".join(text), is_stopped, holds)


def run_file_of(options: CompareOptions) -> Path:
    """Return where results wait until the comparison is done."""
    return Path(options.run or f"{stem_of(options.path)}.compare.jsonl")


def stem_of(path: str) -> str:
    """Return a file's name without its endings, in the current folder."""
    if path == "-":
        return "table"
    name = Path(path).name
    return name.split(".")[0] or "table"


def _command() -> str:
    return shlex.join(["branchline", *sys.argv[1:]])
