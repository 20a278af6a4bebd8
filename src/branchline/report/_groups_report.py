"""A page about groups: whether there are any, how many, what each one is, with pictures.

1. The verdict, with what speaks for and against it, comes first.
2. Each cluster has its size, stability, rule, columns that differ and typical rows.
3. Pictures: columns that differ, silhouettes, the table with its trees, the curves of all rules.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from branchline._plain_numbers import count, fine_percent
from branchline.cluster import (
    ClusterDescription,
    Groups,
    draw_heat_map,
    silhouette,
)
from branchline.errors import BranchlineError, ParameterError, Repair
from branchline.report._blocks import Block, Grid, Heading, Items, Notice, Picture, Section, Words
from branchline.report._document import plain
from branchline.report._html import page
from branchline.report._markdown import markdown
from branchline.report.charts import page_chart
from branchline.table.files import replace_file

__all__ = ["write_groups_report"]

_MOST_SILHOUETTES = 5000
_MOST_CHARTS = 12
_FORMATS = (".html", ".md")


def write_groups_report(
    found: Groups,
    X: Any,
    path: str | Path,
    *,
    title: str = "Groups",
    row_names: Any = None,
    notes: Sequence[str] = (),
) -> None:
    """Write what was found about groups as one page that needs nothing else to be read.

    The page shows typical rows of your data by their names: check before you share it.

    Parameters
    ----------
    found
        What ``find_groups`` returned.
    X
        The table that it looked at.
    path
        Where it is written: .html or .md.
    title
        The title of the page. Default "Groups".
    row_names
        A name for each row. Default None: the numbers of the rows.
    notes
        Sentences about the table, such as which columns were left out. Default: none.

    See Also
    --------
    find_groups
    write_report : write a comparison as a report.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline import load_dataset
    >>> from branchline.cluster import find_groups
    >>> from branchline.report import write_groups_report
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "groups.html"
    >>> write_groups_report(find_groups(X, 3), X, path)
    >>> path.stat().st_size < 1_000_000
    True
    """
    ending = Path(path).suffix.lower()
    if ending not in _FORMATS:
        raise ParameterError(
            f"A page about groups is written as .html or .md. Got {str(path)!r} instead.",
            code="P723",
            values=[str(path)],
            repair=Repair("write_groups_report(found, X, 'groups.html')", "--page groups.html"),
        )
    sections = [
        _verdict(found, notes),
        *([] if found.clusters is None else [_clusters(found)]),
        _pictures(found, X, row_names),
    ]
    subtitle = f"Branchline looked for groups of {count(len(found.labels), 'row')}"
    text = (
        page(title, subtitle, sections, plain(found.to_dict()))
        if ending == ".html"
        else markdown(title, subtitle, sections)
    )
    replace_file(path, lambda handle: handle.write(text.encode()))


def _verdict(found: Groups, notes: Sequence[str]) -> Section:
    blocks: list[Block] = [Words(found.counts.verdict(), "lead")]
    if found.caution():
        blocks.append(Notice(found.caution()))
    if found.stability is not None:
        is_solid = all(one.word == "solid" for one in found.stability.clusters)
        blocks.append(Notice(found.stability.verdict(), "good" if is_solid else "caution"))
    rules = ", ".join(f"{rule} {n}" for rule, n in found.counts.by_rule.items())
    told = [] if len(found.counts.sizes) < 2 else [
        ("Rules", f"each always finds a number: {rules}.")
    ]  # fmt: skip
    told += [("", one) for one in notes]
    blocks += [Items(tuple(told))] if told else []
    if found.known is not None:
        blocks += [Heading(f"Clusters and {found.known.name}"), *_known(found)]
    return Section("decision", "Are there groups?", tuple(blocks), "Verdict")


def _known(found: Groups) -> list[Block]:
    known = found.known
    assert known is not None
    words = Words(str(known).split("\n", 1)[0])
    if len(known.classes) > _MOST_CHARTS:
        return [words]
    rows = tuple((f"cluster {at}", *(f"{n:,}" for n in row)) for at, row in enumerate(known.counts))
    return [words, Grid(f"Rows by cluster and {known.name}", ("cluster", *known.classes), rows)]


def _clusters(found: Groups) -> Section:
    assert found.clusters is not None
    again = {one.label: str(one) for one in (found.stability.clusters if found.stability else ())}
    blocks: list[Block] = []
    for one in found.clusters:
        blocks += [Heading(f"{one.name}: {count(one.weight, 'row')} ({fine_percent(one.share)})"),
                   _items(one, again.get(one.label, ""))]  # fmt: skip
        if one.effects:
            rows = tuple(
                (effect.name, str(effect)[len(effect.name) + 2 :]) for effect in one.effects
            )
            heads = ("column", "in the cluster, in others; difference")
            blocks.append(Grid(f"Columns by which {one.name} differs most", heads, rows, 2))
    blocks.append(
        Words(
            "Clusters were made to differ, so intervals of differences describe; they do not prove "
            "that there are groups.",
            "quiet",
        )
    )
    return Section("clusters", "What each cluster is", tuple(blocks), "Clusters")


def _items(one: ClusterDescription, again: str) -> Items:
    told = []
    if one.rule is not None:
        rule, shares = str(one.rule).split("\n", 1)
        told += [("Rule", rule), ("On unseen rows", shares.split(": ", 1)[1])]
    told += [("Stability", again)] if again else []
    places = "" if one.names else " (counted from 0)"
    return Items((*told, ("Most typical", one.typical_text + places)))


def _pictures(found: Groups, X: Any, row_names: Any) -> Section:
    charts = []
    if found.clusters is not None:
        charts += list(found.clusters.draw().charts)[:_MOST_CHARTS]
        if len(found.labels) <= _MOST_SILHOUETTES:
            charts.append(silhouette(X, found.labels).draw())
    with suppress(BranchlineError):  # nothing varies
        charts.append(draw_heat_map(X, row_names=row_names))
    charts += list(found.counts.draw().charts)
    blocks = tuple(
        Picture(chart.title, page_chart(chart), chart.full_note,
                narrow=page_chart(chart, narrow=True))
        for chart in charts
    )  # fmt: skip
    return Section("pictures", "Pictures", blocks)
