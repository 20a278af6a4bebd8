"""``branchline replay``: make the comparison of a report again, and say what differs."""

import tempfile
import warnings
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.cli._compare_options import CompareCommand, problem_of
from branchline.cli._emit import EXIT_REQUIREMENT, emit, say
from branchline.cli._options import Json
from branchline.cli._reading import open_data
from branchline.errors import BranchlineError, BranchlineWarning, DataError, Repair

if TYPE_CHECKING:
    from branchline.report import Replay

__all__ = ["register", "replay_report"]


def replay_report(report: str, path: str, n_jobs: int = 0) -> "Replay":
    """Make the comparison of a report again on a table, and compare both."""
    from branchline.cli._compare_verb import compare_file
    from branchline.report import read_report, replay_of

    told = read_report(report)
    options = _options(report, told, path)
    _tell_other_table(told, options)
    with tempfile.TemporaryDirectory() as folder:
        run = str(Path(folder) / "replay.jsonl")
        # What was required then, and where files went, does not change the numbers.
        alone: dict[str, Any] = {"report": "none", "save": None, "run": run, "require": ()}
        found = compare_file(replace(options, **alone, n_jobs=n_jobs))
    if found.trouble is not None:
        raise found.trouble
    if found.is_partial:
        raise KeyboardInterrupt
    return replay_of(told, found.document["comparison"])


def _tell_other_table(told: dict[str, Any], options: CompareCommand) -> None:
    """Say before the first fit that the table is another one; sealed rows are looked at later."""
    from branchline.cli._file_names import record_of

    if record_of(options.path).exists():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)  # told when the comparison begins
        problem = problem_of(options, options.reading.read(open_data(options.path)))
    if problem.fingerprint != told["comparison"]["rows"]["fingerprint"]:
        say("The table is not that of the report: figures will differ.")


def _options(report: str, told: dict[str, Any], path: str) -> CompareCommand:
    """Return the options of the comparison, each checked: a report can come from anywhere."""
    from branchline.cli._resuming import checked_command

    recipe = told.get("repeat", {}).get("recipe")
    if not isinstance(recipe, dict):
        raise _no_recipe(report, "it was written by an earlier version, without a recipe")
    given = recipe.get("options")
    if not isinstance(given, dict):
        raise _no_recipe(report, str(recipe.get("why_not") or "it has no options"))
    usual = {one.name: one.default for one in fields(CompareCommand)}
    lists: dict[str, Any] = {name: [] for name, value in usual.items() if value == ()}
    reading: dict[str, Any] = {name: [] for name in ("kind", "drop", "ids", "missing")}
    whole = {**usual, **lists, "reading": reading, **given, "path": path}
    try:
        return CompareCommand(**checked_command(whole))
    except BranchlineError:
        raise
    except (KeyError, TypeError, ValueError):
        raise _no_recipe(report, "its options were changed") from None


def _no_recipe(report: str, why: str) -> DataError:
    return DataError(
        f"The comparison of {report} cannot be made again from the command line: {why}.",
        code="D532",
        repair=Repair(flag="run the lines of Python in its section 'To repeat it'"),
    )


def replay(
    report: Annotated[str, typer.Argument(help="A report in .html or .json.")],
    path: Annotated[str, typer.Argument(help="The table that it was made of.")],
    jobs: Annotated[
        int, typer.Option("--jobs", min=0, help="Number of processes. 0: all cores.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Repeat the comparison of a report; print what differs.

    The report holds the recipe: options, learners, seed, fingerprint of the rows, versions. Exits
    with 0 when every figure is the same to the last printed digit, and with 5 when one differs or
    the table is another one.

    Example: branchline replay credit-report.html credit.csv
    """
    found = replay_report(report, path, jobs)
    emit(as_json, {"replay": found.to_dict()}, str(found))
    if not found.is_same:
        raise typer.Exit(EXIT_REQUIREMENT)


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(replay)
