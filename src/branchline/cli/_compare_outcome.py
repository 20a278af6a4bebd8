"""What a comparison leaves: its text and document, the report, the model; nothing of it is lost.

The results are printed whatever happens to the files. When a report or a model cannot be written,
the run file stays, and the message says how to write the report from it.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline.cli._compare_options import CompareCommand, command_of
from branchline.cli._drawing import save_drawing
from branchline.cli._emit import text_width, wrapped
from branchline.cli._file_names import usual_report
from branchline.cli._python_reading import python_reading
from branchline.cli._requirements import check_requirements
from branchline.errors import BranchlineError, DataError, Repair

if TYPE_CHECKING:
    from branchline.assess import Comparison

__all__ = ["Outcome", "stopped", "words", "written"]


@dataclass(frozen=True)
class Outcome:
    """What a comparison left: a document, its text, and whether something went wrong.

    Parameters
    ----------
    document, text
        The result, for programs and for people.
    is_partial
        Whether Ctrl-C ended it.
    requirements_hold
        Whether all that was required holds.
    trouble
        Why an output could not be written, though the results are there; None when all are.
    """

    document: dict[str, Any]
    text: str
    is_partial: bool = False
    requirements_hold: bool = True
    trouble: BranchlineError | None = None


def written(
    options: CompareCommand, comparison: "Comparison", requirements: Any, run_file: Path
) -> Outcome:
    """Write the model and the report, and say where they are."""
    text = [words(comparison)]
    checked: list[dict[str, object]] = []
    places: dict[str, str] = {}
    trouble = None
    try:
        checked = check_requirements(comparison, requirements)
        text += [
            f"required {one['require']}: {'yes' if one['holds'] else 'NO'} ({one['value']:.3f})"
            for one in checked
        ]
        _write_files(options, comparison, places, text)
    except (BranchlineError, OSError) as error:
        trouble = _not_written(error, run_file)
        places["run"] = str(run_file)
    if options.run:
        places["run"] = options.run
    document = {**comparison.to_dict(), "requirements": checked, "written": places}
    if trouble is not None:
        document["trouble"] = trouble.to_dict()
    holds = all(bool(one["holds"]) for one in checked)
    whole = {"comparison": document}
    return Outcome(whole, "\n".join(text), requirements_hold=holds, trouble=trouble)


def _write_files(
    options: CompareCommand, comparison: "Comparison", places: dict[str, str], text: list[str]
) -> None:
    from branchline.cli._resuming import command_document
    from branchline.report import write_report

    model = None
    if options.save:
        model = comparison.fit(n_jobs=1)
        model.save(options.save)
        places["model"] = options.save
        text.append(f"Model, fitted on all rows{_but_sealed(comparison)}: {options.save}")
    if options.draw:
        text += save_drawing(comparison.draw(), options.draw)
        places["drawing"] = options.draw
    report = options.report or usual_report(options.path)
    if report != "none":
        reading = python_reading(options.path, options.reading, options.target)
        given: dict[str, Any] = {"command": command_of(options), "reading": reading}
        given |= {"model": model, "options": command_document(options)}
        write_report(comparison, report, **given)
        places["report"] = report
        text.append(f"Report: {report}")


def _not_written(error: BranchlineError | OSError, run_file: Path) -> BranchlineError:
    """Return what went wrong, with the way to write the report from what is kept."""
    why = error.message if isinstance(error, BranchlineError) else f"{error.strerror or error}"
    place = error.filename if isinstance(error, OSError) and error.filename else ""
    code = error.code if isinstance(error, BranchlineError) else "F023"
    if not run_file.exists():
        return DataError(f"{place} {why}".strip(), code=code)
    again = f"branchline report {shlex.quote(str(run_file))} --output FOLDER/report.html"
    message = f"{place} {why}".strip() + f" The results above are kept in {run_file}."
    return DataError(message, code=code, repair=Repair(flag=again))


def stopped(options: CompareCommand, comparison: "Comparison", run_file: Path) -> Outcome:
    """Say what is there after Ctrl-C, and how to go on."""
    is_usual = not options.run and run_file.parent == Path()
    named = "" if is_usual else f" --run {shlex.quote(str(run_file))}"
    again = f"branchline compare {shlex.quote(options.path)} --resume{named}"
    there = f"{len(comparison.results)} results are kept in {run_file}."
    report = f"branchline report {shlex.quote(str(run_file))}"
    advice = f"Go on: {again}\nReport of what is there: {report}"
    document: dict[str, Any] = {"is_complete": False}
    text = ""
    if comparison.labels:
        document, text = comparison.to_dict(), words(comparison) + "\n\n"
    document |= {"written": {"run": str(run_file)}, "requirements": []}
    return Outcome({"comparison": document}, f"{text}Interrupted. {there}\n{advice}", True)


def _but_sealed(comparison: "Comparison") -> str:
    return "" if comparison.seal is None else " but the sealed ones"


def words(comparison: "Comparison") -> str:
    """Return the comparison's text, its sentences broken to the width of the terminal."""
    from branchline.assess.comparing import comparison_text

    text = comparison_text(comparison, text_width())
    absent = [wrapped(line, "    ") for line in text.absent]
    told = (text.about, text.advice, text.more)
    about, advice, more = (wrapped("\n".join(lines)) for lines in told)
    groups = [line for lines in text.groups for line in ("", *lines)]
    return "\n".join(
        [*text.table, *absent, "", about, "", advice, *groups, *(["", more] if more else [])]
    )
