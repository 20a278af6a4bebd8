"""``rules``: what occurs together in baskets, or in the cells of a table."""

import csv
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.cli._axes_verb import check_page_place
from branchline.cli._drawing import Draw, check_drawing, save_drawing
from branchline.cli._emit import emit
from branchline.cli._file_names import stem_of
from branchline.cli._options import Data, Json, Page, check_choices
from branchline.cli._outputs import check_output
from branchline.cli._reading import AS_IT_IS, Reading, check_column, open_data, with_reading

if TYPE_CHECKING:
    from branchline.density import AssociationRules, Baskets

__all__ = ["register"]

_SHAPES = ("auto", "baskets", "table")
_MOST_LINES = 200
_MOST_ON_PAGE = 500


def rules(  # noqa: PLR0913
    path: Data,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The item, or the column of a table, to conclude."),
    ] = None,
    min_support: Annotated[
        float, typer.Option(help="Least share of baskets, or from 1 on least number of baskets.")
    ] = 0.01,
    min_confidence: Annotated[
        float, typer.Option(help="Least share of baskets with the conditions that fit the rule.")
    ] = 0.5,
    max_items: Annotated[int, typer.Option(min=2, help="Most items of a rule.")] = 4,
    every: Annotated[
        bool, typer.Option("--every", help="Also show rules that may be chance or add nothing.")
    ] = False,
    shape: Annotated[
        str, typer.Option(help="What a line is: baskets, table, or auto (by its look).")
    ] = "auto",
    basket: Annotated[
        str | None, typer.Option(help="Column that names the basket, one item on each line.")
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column that names the item.")] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write all rules as .csv.")
    ] = None,
    draw: Draw = None,
    page: Page = None,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Find rules of what occurs together; leave out chance.

    A file has a basket on each line (milk,bread), or is a table: then its cells are the items.

    Example: branchline rules groceries.csv --min-support 0.001

    Example: branchline rules titanic.csv -t survived

    Example: branchline rules sales.csv --basket order --item product
    """
    from branchline.density import association_rules

    check_choices({"--shape": (shape, _SHAPES)})
    check_drawing(draw)
    check_page_place(page)
    if output is not None:
        check_output("--output", output)
    baskets = _baskets(path, shape, (basket, item), reading)
    found = association_rules(
        baskets,
        min_support=int(min_support) if min_support >= 1 else min_support,
        min_confidence=min_confidence,
        target=target,
        max_items=max_items,
        level=None if every else 0.05,
    )
    lines = [str(found)]
    if output is not None:
        _write(found, output)
        lines.append(f"All rules in {output}")
    lines += save_drawing(found.draw(), draw) if draw is not None and len(found) else []
    document = {**found.to_dict(), "written": output, "drawn": draw, "page": page}
    if page is not None:
        _write_page(found, page, stem_of(path), document)
        lines.append(f"Page: {page}")
    emit(as_json, {"rules": document}, "\n".join(lines))


def _baskets(
    path: str, shape: str, columns: tuple[str | None, str | None], reading: Reading
) -> "Baskets":
    """Return the baskets of a file."""
    from branchline.density import as_baskets, baskets_of_pairs, check_pair, read_baskets

    data = open_data(path)
    basket, item = columns
    if basket is not None or item is not None:
        check_pair(basket, item)
        table = reading.read(data)
        for flag, name in (("--basket", basket), ("--item", item)):
            check_column(table, flag, name or "")
        return baskets_of_pairs(
            table.column(str(basket)).to_list(), table.column(str(item)).to_list()
        )
    if shape == "table" or (shape == "auto" and not _is_ragged(data, reading)):
        return as_baskets(reading.read(data))
    return read_baskets(data, delimiter=reading.delimiter, encoding=reading.encoding)


def _is_ragged(data: Any, reading: Reading) -> bool:
    """Return whether lines have different numbers of items, as baskets do."""
    from branchline.errors import BranchlineError
    from branchline.table.files import decode, open_source, sniff_delimiter

    try:
        text = decode(open_source(data), reading.encoding)
    except BranchlineError:  # not a text: a workbook, a database
        return False
    lines = [line for line in text.splitlines()[:_MOST_LINES] if line.strip()]
    cells = csv.reader(lines, delimiter=reading.delimiter or sniff_delimiter(text))
    return len({len(line) for line in cells}) > 1


def _write_page(found: "AssociationRules", page: str, name: str, document: dict[str, Any]) -> None:
    """Write the summary, the first rules with their figures, and the picture."""
    from branchline._plain_numbers import number
    from branchline.report import FindingsPage, write_findings_page

    rows = [
        (one.text, str(one.confidence), number(one.lift.estimate, 3), f"{one.count:,}")
        for one in found.rules[:_MOST_ON_PAGE]
    ]
    n_more = len(found) - len(rows)
    more = [f"{n_more:,} more rules are not shown; --output writes all."] if n_more else []
    drawn = [("Confidence of the first rules", found.draw())] if len(found) else []
    write_findings_page(
        FindingsPage(
            title=f"Rules of {name}",
            subtitle=f"Branchline looked for what occurs together in {found.n_baskets:,} "
            f"{found.noun}s",
            lead=found.summary(),
            tables=[("Rules", ("rule", "confidence", "lift", f"{found.noun}s"), rows)],
            sentences=[*more, "A rule is an association. It does not say what happens when "
                       "something is changed."],
            pictures=drawn,
            numbers=document,
        ),
        page,
    )  # fmt: skip


def _write(found: Any, path: str) -> None:
    from branchline.table import Table
    from branchline.table.files import replace_file

    rows = [rule.to_dict() for rule in found]
    for row in rows:
        row["conditions"] = ", ".join(row["conditions"])
    if rows:
        Table(rows, kinds={"conditions": "category", "conclusion": "category"}).write_csv(path)
    else:
        replace_file(path, lambda handle: handle.write(b"conditions,conclusion\n"))


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(with_reading(rules, target=False))
