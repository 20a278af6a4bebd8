"""A run file remembers its command: what ``--resume`` and ``report`` need not be told again."""

import json
import shlex
from collections.abc import Collection
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline.cli._compare_options import CompareOptions, run_file_of
from branchline.cli._emit import tell
from branchline.cli._reading import Reading
from branchline.errors import BranchlineWarning, DataError, ParameterError, Repair

if TYPE_CHECKING:
    from branchline.assess import Comparison, Plan, Problem

__all__ = ["command_document", "remembered", "resumed", "stored_comparison"]

# What makes the results what they are; the rest may differ when a run goes on.
_TEXTS = ("target", "learners", "test", "metric", "tune", "positive", "costs", "group")
_MORE_TEXTS = ("time_column", "task", "time", "threshold")
_OUTPUTS = ("report", "save", "prefer")
_NUMBERS = ("folds", "seed")
_COUNTS = ("repeats",)
_SEVERAL = ("keep", "require")
_NEEDED = {"target", "learners", "path"}
_ALL = (*_TEXTS, *_MORE_TEXTS, *_OUTPUTS, *_NUMBERS, *_COUNTS, *_SEVERAL)


def command_document(options: CompareOptions) -> dict[str, Any]:
    """Return what a run file shall remember of its command."""
    told = {name: getattr(options, name) for name in ("path", *_ALL)}
    return {**told, "reading": options.reading.to_dict()}


def resumed(options: CompareOptions, named: Collection[str]) -> CompareOptions:
    """Return the options with those of the run file, but for the ones that are ``named`` now."""
    run_file = run_file_of(options)
    if not run_file.exists():
        return _from_the_beginning(options, run_file)
    told = _read_command(run_file)
    again = {name: told[name] for name in _ALL if name not in named}
    reading = {name: value for name, value in vars(told["reading"]).items() if name not in named}
    return replace(options, **again, reading=replace(options.reading, **reading))


def _from_the_beginning(options: CompareOptions, run_file: Path) -> CompareOptions:
    """Say that there is nothing to resume; without a target, nothing can be done at all."""
    target = options.target or "COLUMN"
    again = f"branchline compare {shlex.quote(options.path)} --target {shlex.quote(target)}"
    why = f"There is nothing to resume: no comparison has left {run_file}."
    if not options.target:
        raise ParameterError(
            f"{why} Name the column to predict.", code="P302", repair=Repair(flag=again)
        )
    tell(
        BranchlineWarning(
            f"{why} Everything is done from the beginning.",
            code="W015",
            repair=Repair(flag="--run FILE, if the results are in another file"),
        )
    )
    return replace(options, resume=False)


def remembered(run: str, data_path: str | None) -> CompareOptions:
    """Return the options of the comparison that left a run file."""
    told = _read_command(Path(run))
    if data_path is None and told["path"] == "-":
        raise DataError(
            f"The results in {run} are of a table that came by standard input: say where it is.",
            code="D136",
            repair=Repair(flag="--data table.csv"),
        )
    return CompareOptions(**{**told, "path": data_path or told["path"]}, run=run, resume=True)


def stored_comparison(run_file: Path, plan: "Plan", problem: "Problem") -> "Comparison":
    """Return the comparison that a run file holds, as far as it got."""
    from branchline.assess import Comparison
    from branchline.assess.comparing._results import RunFile

    splits = plan.resampling.splits(problem, plan.seed)
    results = RunFile(run_file).begin(plan.to_dict(), problem.fingerprint, resume=True)
    ordered = sorted(results, key=lambda result: (result.split, result.learner))
    seconds = sum(result.fit_seconds + result.predict_seconds for result in results)
    is_complete = len(results) == len(splits) * len(plan.learners)
    return Comparison(plan, problem, splits, tuple(ordered), seconds, is_complete)


def _read_command(run_file: Path) -> dict[str, Any]:
    """Return the command in the first line of a run file, every value checked."""
    try:
        with run_file.open(encoding="utf-8") as file:
            told = json.loads(file.readline())["about"]
        reading = told["reading"]
        texts = (*_TEXTS, *_MORE_TEXTS, *_OUTPUTS)
        usable = all(_fits(name, told[name]) for name in (*_NEEDED, *texts))
        usable &= all(type(told[name]) is int for name in _NUMBERS)
        usable &= all(told[name] is None or type(told[name]) is int for name in _COUNTS)
        lists = {name: _names(told[name]) for name in _SEVERAL}
        usable &= set(reading) <= {field.name for field in fields(Reading)}
        several = {name: _names(reading[name]) for name in ("kind", "drop", "ids", "missing")}
    except OSError as error:
        raise _unusable(run_file, error.strerror or "it cannot be read") from None
    except (ValueError, KeyError, TypeError):
        raise _unusable(run_file, "it holds none") from None
    if not usable:
        raise _unusable(run_file, "its first line was changed")
    kept = {name: told[name] for name in ("path", *_ALL)}
    return {**kept, **lists, "reading": Reading(**{**reading, **several})}


def _fits(name: str, value: Any) -> bool:
    return isinstance(value, str) or (value is None and name not in _NEEDED)


def _names(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError
    return tuple(values)


def _unusable(run_file: Path, why: str) -> DataError:
    return DataError(
        f"{run_file} gives no results of a comparison: {why}.",
        code="D136",
        repair=Repair(flag="branchline compare FILE --target COLUMN --run FILE"),
    )
