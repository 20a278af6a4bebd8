"""A page about axes, rules or a network: the first sentence, tables, sentences, pictures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from branchline.charts import Chart
from branchline.errors import ParameterError, Repair
from branchline.report._blocks import Block, Grid, Items, Picture, Section, SideBySide, Words
from branchline.report._document import plain
from branchline.report._html import page
from branchline.report._markdown import markdown
from branchline.report.charts import page_chart
from branchline.table.files import replace_file

__all__ = ["FindingsPage", "check_page", "write_findings_page"]

_FORMATS = (".html", ".md")


@dataclass(frozen=True, kw_only=True)
class FindingsPage:
    """What a page shows.

    Parameters
    ----------
    title, subtitle
        What it is about, and of what.
    lead
        The first sentence.
    tables
        The caption, the heads and the rows of each table.
    n_words
        How many first columns of each table are words.
    sentences
        What else is said.
    pictures
        The title and the drawing of each picture.
    numbers
        Everything as plain values; the HTML page holds it for programs.
    """

    title: str
    subtitle: str
    lead: str
    tables: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = ()
    n_words: int = 1
    sentences: Sequence[str] = ()
    pictures: Sequence[tuple[str, Any]] = ()
    numbers: Mapping[str, Any]


def check_page(path: str | None) -> None:
    """Refuse a page in a format that cannot be written."""
    if path is None or Path(path).suffix.lower() in _FORMATS:
        return
    raise ParameterError(
        f"--page writes .html or .md. Got {path!r} instead.",
        code="P723",
        values=[path],
        repair=Repair(flag=f"--page {Path(path).with_suffix('.html')}"),
    )


def write_findings_page(found: FindingsPage, path: str) -> None:
    """Write a page that needs nothing else to be read: .html or .md."""
    check_page(path)
    blocks: list[Block] = [Words(found.lead, "lead")]
    blocks += [
        Grid(caption, tuple(heads), tuple(tuple(row) for row in rows), found.n_words)
        for caption, heads, rows in found.tables
        if rows
    ]
    blocks += [Items(tuple(("", one) for one in found.sentences))] if found.sentences else []
    sections = [Section("decision", "What was found", tuple(blocks), "Result")]
    if found.pictures:
        sections.append(Section("pictures", "Pictures", tuple(_pictures(found.pictures))))
    is_html = Path(path).suffix.lower() == ".html"
    text = (
        page(found.title, found.subtitle, sections, plain(dict(found.numbers)))
        if is_html
        else markdown(found.title, found.subtitle, sections)
    )
    replace_file(path, lambda handle: handle.write(text.encode()))


def _pictures(pictures: Sequence[tuple[str, Any]]) -> Iterator[Block]:
    """Return one picture below the other; square ones stand side by side at the end."""
    squares = []
    for title, drawing in pictures:
        if isinstance(drawing, Chart) and drawing.shape == "square":
            squares.append(_picture(title, drawing))
        else:
            yield _picture(title, drawing)
    if squares:
        yield SideBySide(tuple(squares))


def _picture(title: str, drawing: Any) -> Picture:
    if not isinstance(drawing, Chart):
        return Picture(title, drawing.to_svg())
    narrow = page_chart(drawing, narrow=True)
    return Picture(title, page_chart(drawing), drawing.full_note, narrow=narrow)
