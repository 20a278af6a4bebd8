"""Reports: one file that says what to do, how sure that is, and why.

1. What there is to tell is found out once (``_findings``).
2. Sections are made of it: decision, data, comparison, model, errors, repetition.
3. They are written as HTML or Markdown; as JSON the findings themselves are written.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from branchline.assess import Comparison
from branchline.errors import ParameterError, Repair
from branchline.report._blocks import Section
from branchline.report._comparison_section import (
    comparison_section,
    failures_section,
    textbook_section,
)
from branchline.report._data_section import data_section
from branchline.report._decision import decision_section
from branchline.report._document import document
from branchline.report._ease_section import ease_section
from branchline.report._errors_section import errors_section
from branchline.report._findings import Findings, gather
from branchline.report._html import page
from branchline.report._markdown import markdown
from branchline.report._model_section import model_section
from branchline.report._repeat_section import repeat_section, seal_section
from branchline.report._selection_section import selection_section
from branchline.report._subgroups_section import subgroups_section
from branchline.report._unlabeled_section import unlabeled_section
from branchline.report._words import plural
from branchline.table.files import replace_file

__all__ = ["report_document", "report_html", "report_markdown", "write_report"]

_LONGEST_TITLE = 200


def write_report(
    comparison: Comparison,
    path: str | Path,
    *,
    title: str | None = None,
    command: str | None = None,
    reading: str | None = None,
    model: Any = None,
    options: dict[str, Any] | None = None,
) -> None:
    """Write a comparison as a report: one file, which needs nothing else to be read.

    It begins with a decision in a sentence and says how sure that is; then it shows the data, the
    comparison, the recommended model, where it makes errors, and how to repeat the comparison. The
    report contains some rows of your data (the worst errors, one explained row): check before you
    share it.

    Parameters
    ----------
    comparison
        What ``compare`` returned.
    path
        Where to write: ``.html`` (one page, for people), ``.md`` (Markdown, numbers instead of
        pictures) or ``.json`` (for programs). An existing file is replaced.
    title
        The title; by default what is predicted.
    command
        The command that made the comparison, to be shown as it was; by default one is put together.
    reading
        The lines of Python that read the table (into ``table``), to be shown in "To repeat it"; by
        default ``read_table`` without options.
    model
        The recommended learner, fitted on all rows, when there is one already; by default it is
        fitted, which takes as long as one fit.
    options
        The options of the command that made the comparison, kept in the report for ``branchline
        replay``; by default they follow from the plan.

    Raises
    ------
    ParameterError
        P110 for another ending, P111 when ``comparison`` is not a comparison, P112 when the model
        was fitted on other columns, P113 when the title, the command or the reading is not text.

    See Also
    --------
    compare : compare learners on a table and recommend one.
    report_html : return a report as one page of HTML.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> from branchline.report import write_report
    >>> found = compare(load_dataset("iris"), "species", learners="tree", n_folds=5)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.html"
    >>> write_report(found, path)
    >>> path.stat().st_size < 1_000_000
    True
    """
    ending = Path(path).suffix.lower()
    if ending not in _FORMATS:
        raise ParameterError(
            f"A report is written as {', '.join(_FORMATS)}. Got {str(path)!r} instead.",
            code="P110",
            values=[str(path)],
            repair=Repair(f"write_report(comparison, {f'{path}.html'!r})", "--report report.html"),
        )
    text = _FORMATS[ending](_findings(comparison, title, command, model, reading, options))
    content = text.encode("utf-8", errors="replace")  # half a character cannot be written
    replace_file(path, lambda file: file.write(content))


def report_html(
    comparison: Comparison,
    *,
    title: str | None = None,
    command: str | None = None,
    model: Any = None,
) -> str:
    """Return a report as one page of HTML; see ``write_report``.

    See Also
    --------
    write_report : write a comparison as a report.
    report_markdown : return a report as Markdown.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> from branchline.report import report_html
    >>> found = compare(load_dataset("iris"), "species", learners="tree", n_folds=3)
    >>> report_html(found).count("<h1")
    1
    """
    return _as_html(_findings(comparison, title, command, model))


def report_markdown(
    comparison: Comparison,
    *,
    title: str | None = None,
    command: str | None = None,
    model: Any = None,
) -> str:
    """Return a report as Markdown; see ``write_report``.

    See Also
    --------
    write_report : write a comparison as a report.
    report_html : return a report as one page of HTML.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> from branchline.report import report_markdown
    >>> found = compare(load_dataset("iris"), "species", learners="tree", n_folds=3)
    >>> report_markdown(found, title="Iris").count("# Iris")
    1
    """
    return _as_markdown(_findings(comparison, title, command, model))


def report_document(
    comparison: Comparison,
    *,
    title: str | None = None,
    command: str | None = None,
    model: Any = None,
) -> dict[str, Any]:
    """Return a report as plain data, ready for JSON; see ``write_report``.

    See Also
    --------
    read_report : return the data in a report written as HTML or JSON.
    report_html : return a report as one page of HTML.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> from branchline.report import report_document
    >>> found = compare(load_dataset("iris"), "species", learners="tree", n_folds=3)
    >>> len(report_document(found)["comparison"]["standings"])
    2
    """
    return document(_findings(comparison, title, command, model))


def _findings(
    comparison: Any,
    title: Any,
    command: Any,
    model: Any,
    reading: Any = None,
    options: dict[str, Any] | None = None,
) -> Findings:
    if not isinstance(comparison, Comparison):
        raise ParameterError(
            f"A report is made of a comparison. Got {type(comparison).__name__} instead.",
            code="P111",
            repair=Repair("from branchline.assess import compare\ncomparison = compare(X, y)"),
        )
    for name, given in (("title", title), ("command", command), ("reading", reading)):
        if given is not None and not isinstance(given, str):
            raise ParameterError(
                f"The '{name}' of a report must be text or None. Got {given!r} instead.",
                code="P113",
                values=[given],
                repair=Repair(f"write_report(comparison, 'report.html', {name}='…')"),
            )
    shown = None if title is None else title[:_LONGEST_TITLE]
    given = {"command": command, "model": model, "reading": reading, "options": options}
    return gather(comparison, title=shown, **given)


def _sections(findings: Findings) -> list[Section]:
    """Return all sections, in their order."""
    made = [
        decision_section(findings),
        data_section(findings),
        comparison_section(findings),
        ease_section(findings),
        unlabeled_section(findings),
        selection_section(findings),
        model_section(findings),
        errors_section(findings),
        subgroups_section(findings),
        failures_section(findings),
        repeat_section(findings),
        textbook_section(findings),
        seal_section(findings),
    ]
    return [section for section in made if section is not None]


def _subtitle(findings: Findings) -> str:
    comparison = findings.comparison
    rows = plural(comparison.problem.n_rows, "row")
    learners = plural(len(comparison.plan.learners), "learner")
    inputs = plural(comparison.problem.table.n_columns, "input")
    return f"Branchline compared {learners} on {rows} and {inputs}"


def _as_html(findings: Findings) -> str:
    sections = _sections(findings)
    return page(findings.title, _subtitle(findings), sections, document(findings))


def _as_markdown(findings: Findings) -> str:
    return markdown(findings.title, _subtitle(findings), _sections(findings))


def _as_json(findings: Findings) -> str:
    return json.dumps(document(findings), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


_FORMATS: dict[str, Callable[[Findings], str]] = {
    ".html": _as_html,
    ".md": _as_markdown,
    ".json": _as_json,
}
