"""A run file remembers its command: what ``--resume`` and ``report`` need not be told again."""

import json
import shlex
from collections.abc import Collection
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Any

from branchline.assess.comparing import option_of
from branchline.cli._compare_options import CompareCommand, run_file_of
from branchline.cli._emit import tell
from branchline.cli._reading import Reading
from branchline.errors import BranchlineWarning, DataError, ParameterError, Repair

__all__ = ["checked_command", "command_document", "remembered", "resumed"]

_LISTS_OF_READING = ("kind", "drop", "ids", "missing")


def command_document(command: CompareCommand) -> dict[str, Any]:
    """Return what a run file shall remember of its command."""
    told = {name: getattr(command, name) for name in ("path", *_remembered())}
    return {**told, "reading": command.reading.to_dict()}


def _remembered() -> dict[str, Field[Any]]:
    """Return the options that a run file remembers, by name."""
    options = {one.name: (one, option_of(one)) for one in fields(CompareCommand)}
    return {name: one for name, (one, known) in options.items() if known and known.is_remembered}


def resumed(options: CompareCommand, named: Collection[str]) -> CompareCommand:
    """Return the options with those of the run file, but for the ones that are ``named`` now."""
    run_file = run_file_of(options)
    if not run_file.exists():
        return _from_the_beginning(options, run_file)
    told = _read_command(run_file)
    again = {name: told[name] for name in _remembered() if name not in named}
    reading = {name: value for name, value in vars(told["reading"]).items() if name not in named}
    return replace(options, **again, reading=replace(options.reading, **reading))


def _from_the_beginning(options: CompareCommand, run_file: Path) -> CompareCommand:
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


def remembered(run: str, data_path: str | None) -> CompareCommand:
    """Return the options of the comparison that left a run file."""
    told = _read_command(Path(run))
    if data_path is None and told["path"] == "-":
        raise DataError(
            f"The results in {run} are of a table that came by standard input: say where it is.",
            code="D136",
            repair=Repair(flag="--data table.csv"),
        )
    return CompareCommand(**{**told, "path": data_path or told["path"]}, run=run, resume=True)


def _read_command(run_file: Path) -> dict[str, Any]:
    """Return the command in the first line of a run file, every value checked."""
    try:
        with run_file.open(encoding="utf-8") as file:
            told = json.loads(file.readline())["about"]
        return checked_command({"by": [], "select": None, **told})  # older files lack these
    except OSError as error:
        raise _unusable(run_file, error.strerror or "it cannot be read") from None
    except KeyError:
        raise _unusable(run_file, "it holds none") from None
    except (ValueError, TypeError):
        raise _unusable(run_file, "its first line was changed") from None


def checked_command(told: dict[str, Any]) -> dict[str, Any]:
    """Return remembered options as the command has them; TypeError where they cannot be."""
    reading = told["reading"]
    if not isinstance(told["path"], str) or set(reading) - {one.name for one in fields(Reading)}:
        raise TypeError
    found = {name: _value(one, told[name]) for name, one in _remembered().items()}
    several = {name: _names(reading[name]) for name in _LISTS_OF_READING}
    return {**found, "path": told["path"], "reading": Reading(**{**reading, **several})}


def _value(one: Field[Any], value: Any) -> Any:
    """Return a remembered value as its option has it; TypeError when it cannot be one."""
    known = option_of(one)
    assert known is not None
    if one.default == ():
        return _names(value)
    if value == one.default and type(value) is type(one.default):
        return value
    wanted = int if known.kind in {int, int | None} else str
    if type(value) is not wanted:
        raise TypeError
    return value


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
