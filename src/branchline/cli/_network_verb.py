"""``network``: which columns of a table depend on which."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.cli._axes_verb import check_page_place, set_aside_words, without_identifiers
from branchline.cli._drawing import TREES_DRAWN_AS, check_drawing, save_drawing
from branchline.cli._emit import emit, fitting
from branchline.cli._file_names import stem_of
from branchline.cli._options import Data, Json, Keep, Page, Save, Seed, check_choices
from branchline.cli._outputs import check_output
from branchline.cli._reading import AS_IT_IS, Reading, check_column, open_data, with_reading
from branchline.errors import DataError, Repair

if TYPE_CHECKING:
    from branchline.density import BayesianNetwork, NetworkStability
    from branchline.table import Table

__all__ = ["register"]

_STRUCTURES = ("auto", "exact", "hill_climbing", "chow_liu", "naive", "tan")


def network(  # noqa: PLR0913
    path: Data,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="A column to begin with.")
    ] = None,
    structure: Annotated[
        str, typer.Option(help=f"How the arrows are found: {', '.join(_STRUCTURES)}.")
    ] = "auto",
    max_parents: Annotated[int, typer.Option(min=0, help="Most parents of a column.")] = 5,
    networks: Annotated[
        int, typer.Option(min=0, help="Bootstrap networks for the stability of arrows (0: none).")
    ] = 0,
    draw: Annotated[
        str | None,
        typer.Option("--draw", help="Draw the network into this file: .svg, .png or .html."),
    ] = None,
    page: Page = None,
    save: Save = None,
    keep: Keep = None,
    seed: Seed = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Find which columns depend on which: a Bayesian network.

    Numbers become bins, missing cells are completed by the network itself. An arrow is a
    dependence, not a cause.

    Example: branchline network titanic.csv --target survived --draw network.svg
    """
    from branchline.density import BayesianNetwork

    check_choices({"--structure": (structure, _STRUCTURES)})
    check_drawing(draw, TREES_DRAWN_AS)
    check_page_place(page)
    if save is not None:
        check_output("--save", save)
    table, names = _inputs(path, target, keep or (), reading)
    asked: dict[str, Any] = {"structure": structure, "max_parents": max_parents, "target": target}
    with fitting():
        model = BayesianNetwork(**asked, random_state=seed).fit(table)
        _refuse_no_columns(model, names)
        stable = model.stability(table, n_networks=networks) if networks > 1 else None
    lines = [model.to_text(), *([str(stable)] if stable else []), *set_aside_words(names)]
    lines += save_drawing(model.draw(stable), draw)
    if save is not None:
        model.save(save)
        lines.append(f"Saved in {save}")
    document = {**_document(model, stable), "set_aside": names, "drawn": draw, "saved": save}
    document["page"] = page
    if page is not None:
        _write_page(model, stable, page, (stem_of(path), document, set_aside_words(names)))
        lines.append(f"Page: {page}")
    emit(as_json, {"network": document}, "\n".join(lines))


def _inputs(
    path: str, target: str | None, keep: Any, reading: Reading
) -> tuple["Table", tuple[str, ...]]:
    table = reading.read(open_data(path))
    if target is not None:
        check_column(table, "--target", target)
    return without_identifiers(table, keep, target)


def _write_page(
    model: "BayesianNetwork",
    stable: "NetworkStability | None",
    page: str,
    told: tuple[str, dict[str, Any], list[str]],
) -> None:
    """Write the sentences about each column, the stability of arrows, and the drawing."""
    from branchline.report import FindingsPage, write_findings_page

    name, document, words = told
    lead, *sentences = model.to_text().split("\n")
    arrows = [
        (f"{one.parent} → {one.child}", f"{one.share}", "yes" if one.in_network else "no")
        for one in (stable.edges if stable else ())
    ]
    caption = "Share of bootstrap networks that join two columns"
    found = FindingsPage(
        title=f"Network of {name}",
        subtitle=f"Branchline looked for dependences in {model.n_rows_:,.0f} rows",
        lead=lead,
        tables=[(caption, ("columns", "share", "in the network"), arrows)],
        sentences=[*sentences, "An arrow is a dependence, not a cause.", *words],
        pictures=[("Which columns depend on which", model.draw(stable))],
        numbers=document,
    )
    write_findings_page(found, page)


def _refuse_no_columns(model: "BayesianNetwork", set_aside: tuple[str, ...]) -> None:
    """Refuse a table without a column that a network can use."""
    from branchline._plain_numbers import joined

    if model.names_:
        return
    gone = joined([*model.left_out_, *set_aside], 8)
    raise DataError(
        f"There is no column that a network can use: {gone} have no two values that several rows "
        "have, or only name rows.",
        code="D930",
        repair=Repair(flag=f"--keep {set_aside[0]}" if set_aside else "branchline look FILE"),
    )


def _document(model: "BayesianNetwork", stable: "NetworkStability | None") -> dict[str, Any]:
    document: dict[str, Any] = {
        "columns": model.names_,
        "left_out": model.left_out_,
        "edges": [{"parent": parent, "child": child} for parent, child in model.edges_],
        "reversible": [{"parent": parent, "child": child} for parent, child in model.reversible_],
        "cut_points": model.cut_points_,
        "log_likelihood": model.log_likelihood_,
        "bic": model.criterion_,
    }
    if stable is not None:
        document["stability"] = [
            {
                "parent": each.parent,
                "child": each.child,
                "share": each.share.estimate,
                "low": each.share.low,
                "high": each.share.high,
                "in_network": each.in_network,
            }
            for each in stable.edges
        ]
    return document


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(with_reading(network, target=False))
