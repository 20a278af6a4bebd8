"""``axes``: the directions in which the rows of a table differ most."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.cli._drawing import Draw, check_drawing, save_drawing
from branchline.cli._emit import emit, fitting
from branchline.cli._file_names import stem_of
from branchline.cli._options import Data, Json, Keep, Page, Save, Seed
from branchline.cli._outputs import check_output
from branchline.cli._reading import AS_IT_IS, Reading, check_column, open_data, with_reading

if TYPE_CHECKING:
    from branchline.projection import PCA
    from branchline.table import Table

__all__ = ["register", "set_aside_words", "without_identifiers"]

_MOST_SHOWN = 8


def axes(  # noqa: PLR0913
    path: Data,
    n_axes: Annotated[
        str, typer.Option(help="How many: auto, a number, or a share of the variance (0.9).")
    ] = "auto",
    color: Annotated[
        str | None, typer.Option(help="A column that only colors the rows of the drawing.")
    ] = None,
    draw: Draw = None,
    scree: Annotated[
        str | None, typer.Option(help="Draw the variance of the axes into this file.")
    ] = None,
    page: Page = None,
    save: Save = None,
    keep: Keep = None,
    seed: Seed = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Show in which directions the rows of a table differ most.

    Principal components of mixed tables with missing values: how many there are beyond chance, what
    they are made of, and rows drawn on the first two.

    Example: branchline axes iris.csv --color species --draw axes.svg
    """
    from branchline.projection import PCA

    for place in (draw, scree):
        check_drawing(place)
    check_page_place(page)
    if save is not None:
        check_output("--save", save)
    table, names = _inputs(path, color, keep or (), reading)
    rows = table if color is None else table.drop(color)
    with fitting():
        model = PCA(_number(n_axes), random_state=seed).fit(rows)
    lines = [_text(model), *set_aside_words(names)]
    colors = None if color is None else table.column(color).to_list()
    if draw is not None:
        lines += save_drawing(model.biplot(rows, colors), draw)
    lines += save_drawing(model.counts_.draw(), scree) if scree is not None else []
    if save is not None:
        model.save(save)
        lines.append(f"Saved in {save}")
    document = {**_document(model), "drawn": draw, "saved": save, "page": page}
    if page is not None:
        _write_page(model, rows, colors, page, (stem_of(path), document, set_aside_words(names)))
        lines.append(f"Page: {page}")
    emit(as_json, {"axes": document}, "\n".join(lines))


def check_page_place(page: str | None) -> None:
    """Refuse a page that cannot be written, before anything is read."""
    if page is not None:
        from branchline.report import check_page

        check_page(page)
        check_output("--page", page)


def _write_page(
    model: "PCA",
    rows: "Table",
    colors: Any,
    page: str,
    told: tuple[str, dict[str, Any], list[str]],
) -> None:
    """Write what the text holds, all axes, and the pictures."""
    from branchline._plain_numbers import fine_percent
    from branchline.report import FindingsPage, write_findings_page

    name, document, words = told
    counts, pictures = model.counts_, [("How many axes", model.counts_.draw())]
    if counts.variances.any():
        circle = model.correlation_circle(rows)
        pictures += [("Rows on the axes", model.biplot(rows, colors)), ("Columns", circle)]
    frame = counts.to_frame("polars").rows()
    shares = model.explained_variance_ratio_ if counts.variances.any() else ()
    made = [
        (f"{at + 1}: {model.formula(at)}", fine_percent(share)) for at, share in enumerate(shares)
    ]
    found = FindingsPage(
        title=f"Axes of {name}",
        subtitle=f"Branchline looked for directions in {rows.n_rows:,} rows",
        lead=counts.verdict(),
        tables=[
            ("How many axes, by each rule", ("rule", "axes", "share of the variance"),
             [(rule, f"{n}", fine_percent(share)) for rule, n, share in frame]),
            ("Axes, as sums of standardized columns", ("axis", "share of the variance"), made),
        ],
        sentences=[*_chance_words(model), *words],
        pictures=pictures,
        numbers=document,
    )  # fmt: skip
    write_findings_page(found, page)


def _inputs(
    path: str, color: str | None, keep: Any, reading: Reading
) -> tuple["Table", tuple[str, ...]]:
    """Return the table without columns that only name rows, and the names of these."""
    table = reading.read(open_data(path))
    if color is not None:
        check_column(table, "--color", color)
    return without_identifiers(table, keep, color)


def without_identifiers(
    table: "Table", keep: Any, special: str | None
) -> tuple["Table", tuple[str, ...]]:
    """Return the table without columns that only name rows, and their names.

    Parameters
    ----------
    table
        The table.
    keep
        Columns that stay.
    special
        A column that is not an input, and stays; None: none.
    """
    from branchline.table.looking import likely_identifiers

    found = (finding.name for finding in likely_identifiers(table))
    names = tuple(name for name in found if name not in keep and name != special)
    names = names if len(names) < table.n_columns - (special is not None) else ()
    return (table.drop(names) if names else table), names


def _number(given: str) -> Any:
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given


def _text(model: "PCA") -> str:
    from branchline._plain_numbers import fine_percent

    if not model.counts_.variances.any():
        return model.counts_.verdict()
    lines = [str(model.counts_), "Axes, as sums of standardized columns:"]
    for at, share in enumerate(model.explained_variance_ratio_[:_MOST_SHOWN]):
        lines.append(f"  {at + 1}  {fine_percent(share):>6}  {model.formula(at, 4)}")
    n_more = len(model.components_) - _MOST_SHOWN
    lines += [f"  … and {n_more} more"] if n_more > 0 else []
    return "\n".join([*lines, *_chance_words(model)])


def _chance_words(model: "PCA") -> list[str]:
    """Return a line about axes that are listed although they are not beyond chance."""
    n_axes, n_sure = len(model.components_), model.counts_.beyond_chance
    if n_axes <= n_sure or len(model.terms_) == 1 or model.counts_.is_cut:
        return []
    if n_sure == 0:
        return ["These axes may be chance." if n_axes > 1 else "This axis may be chance."]
    which = f"Axis {n_axes}" if n_sure + 1 == n_axes else f"Axes {n_sure + 1} to {n_axes}"
    return [f"{which} may be chance."]


def set_aside_words(names: tuple[str, ...]) -> list[str]:
    """Return a line about columns that only name rows."""
    from branchline._plain_numbers import joined

    if not names:
        return []
    return [f"Set aside, because they only name rows: {joined(names)}. --keep COLUMN keeps one."]


def _document(model: "PCA") -> dict[str, Any]:
    return {
        "how_many": model.counts_.to_dict(),
        "terms": model.terms_,
        "components": model.components_.tolist(),
        "explained_variance_ratio": model.explained_variance_ratio_.tolist(),
    }


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(with_reading(axes, target=False))
