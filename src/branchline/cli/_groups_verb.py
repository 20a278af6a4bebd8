"""``groups``: whether rows form groups, how many, what each one is, whether they come back.

1. Columns that only name rows are set aside, as ``compare`` does; so is the column of ``--known``.
2. Groups are counted, described and found again (``branchline.cluster.find_groups``).
3. The text begins with the verdict, which may be "one group". Files are written after that.
"""

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline._plain_numbers import joined
from branchline.cli._axes_verb import check_page_place
from branchline.cli._drawing import Draw, check_drawing, save_drawing
from branchline.cli._emit import emit, fitting, say, text_width, wrapped
from branchline.cli._file_names import stem_of
from branchline.cli._groups_inputs import Inputs, read_inputs, warn_of_choice
from branchline.cli._options import Data, Json, Keep, Page, Save, check_choices
from branchline.cli._outputs import check_output
from branchline.cli._predict_verb import check_ending, write_frame
from branchline.cli._reading import AS_IT_IS, Reading, with_reading

if TYPE_CHECKING:
    from branchline.cluster import Groups
    from branchline.table import Table

__all__ = ["register"]

_METHODS = ("kmeans", "kmedoids", "agglomerative", "divisive", "mixture")
_METRICS = ("auto", "euclidean", "manhattan", "correlation", "gower")
_KINDS = ("groups", "count", "silhouette", "heat_map", "distances")


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where the table, the drawing and the model go; None: nowhere."""

    output: str | None = None
    draw: str | None = None
    kind: str = _KINDS[0]
    save: str | None = None
    report: str | None = None

    def check(self) -> None:
        """Refuse files that cannot be written, before anything is read."""
        check_drawing(self.draw)
        check_choices({"--picture": (self.kind, _KINDS)})
        if self.output is not None:
            check_ending(self.output, "Tables with clusters")
        check_page_place(self.report)
        places = {"--output": self.output, "--save": self.save}
        for option, path in places.items():
            if path is not None:
                check_output(option, path)


def groups(  # noqa: PLR0913
    path: Data,
    n_clusters: Annotated[
        str, typer.Option(help="How many: auto (as many as there are groups), or a number.")
    ] = "auto",
    method: Annotated[
        str, typer.Option(help="kmeans, kmedoids, agglomerative, divisive or mixture.")
    ] = _METHODS[0],
    metric: Annotated[
        str,
        typer.Option(
            help="How rows are compared: auto, euclidean, manhattan, correlation or gower; for "
            "kmedoids, agglomerative and divisive."
        ),
    ] = _METRICS[0],
    max_clusters: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=100,
            help="The largest number of groups that is tried.  [default: 8; 20 where 8 is found]",
        ),
    ] = None,
    known: Annotated[
        str | None,
        typer.Option(help="A known class: left out, and only compared with the groups."),
    ] = None,
    n_columns: Annotated[
        int,
        typer.Option(
            "--show-columns", min=1, help="Number of columns that are shown for each group."
        ),
    ] = 3,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Write the table with the cluster of each row: .csv, .parquet …"
        ),
    ] = None,
    draw: Draw = None,
    draw_kind: Annotated[
        str, typer.Option("--picture", help=f"What is drawn: {joined(list(_KINDS), 9, last='or')}.")
    ] = _KINDS[0],
    report: Page = None,
    save: Save = None,
    keep: Keep = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random draws.")] = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Find groups of rows; say whether there are any.

    A clustering finds groups in any table, also where there are none. So the table is first
    compared with similar tables of one group. Then each group is described.

    Example: branchline groups customers.csv

    Example: branchline groups iris.csv --known species --draw groups.svg

    Example: branchline groups customers.csv --n-clusters 4 -o clusters.csv
    """
    from branchline.cluster import find_groups

    outputs = Outputs(output=output, draw=draw, kind=draw_kind, save=save, report=report)
    outputs.check()
    check_choices({"--method": (method, _METHODS), "--metric": (metric, _METRICS)})
    inputs = read_inputs(path, known, keep or (), reading)
    if known is not None:
        warn_of_choice(inputs, known)
    with fitting():
        found = find_groups(
            inputs.used,
            _number(n_clusters),
            method=method,
            metric=metric,
            max_clusters=max_clusters or "auto",
            known=None if known is None else inputs.table.column(known).to_list(),
            known_name=known or "",
            row_names=inputs.names(),
            n_columns=n_columns,
            random_state=seed,
            on_step=_now_and_then(),
        )
    lines = [*_text(found), "", *map(wrapped, inputs.lines()), *_hints(found)]
    written = _write(found, inputs, outputs, lines, f"Groups in {stem_of(path)}")
    document = {**found.to_dict(), "columns": list(inputs.used.names), "written": written}
    document["set_aside"] = [one.name for one in inputs.set_aside]
    emit(as_json, {"groups": document}, "\n".join(lines))


def _now_and_then() -> Callable[[str], None]:
    """Return a function that says a step, at most one each few seconds."""
    last = -_SECONDS_BETWEEN_STEPS

    def said(text: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_STEPS:
            last = time.monotonic()
            say(text)

    return said


_SECONDS_BETWEEN_STEPS = 3.0
_ROWS_HINT = "Rows are counted from 0."


def _number(given: str) -> Any:
    try:
        return int(given)
    except ValueError:
        return given


def _text(found: "Groups") -> list[str]:
    """Return what was found; long lines are broken, and what follows keeps its place."""
    lines = []
    for line in str(found).split("\n"):
        place = len(line) - len(line.lstrip())
        is_long = len(line) > text_width()
        lines.append(wrapped(line, " " * (place + 2)) if is_long else line)
    if found.clusters is not None and not found.clusters[0].names:
        lines.append(_ROWS_HINT)
    return lines


def _hints(found: "Groups") -> list[str]:
    """Return options that may be of use next."""
    if found.n_clusters == 1:
        if len(found.counts.sizes) < 2:  # too few different rows
            return []
        return ["--n-clusters 3 divides the rows into 3 clusters anyway."]
    hints = []
    if found.n_asked is None and found.counts.is_largest_tried:
        hints.append(f"--max-clusters {2 * len(found.counts.sizes)} tries more groups.")
    if found.counts.without is not None:
        drops = " ".join(f"--drop {shlex.quote(name)}" for name in found.counts.divided_by)
        hints.append(f"{drops} finds the groups of the other columns.")
    if found.known is None:
        hints.append("--known COLUMN leaves a column out, and compares it with the clusters.")
    return hints


def _write(
    found: "Groups", inputs: Inputs, outputs: Outputs, lines: list[str], title: str
) -> dict[str, str | None]:
    """Write what is asked for, and add a line for each file."""
    table = inputs.table
    if outputs.output is not None:
        import polars as pl

        columns = {name: table.column(name).to_list() for name in table.names}
        columns[_free_name(table)] = found.labels.tolist()
        write_frame(pl.DataFrame(columns, strict=False), outputs.output)
        lines.append(f"Table with the cluster of each row: {outputs.output}")
    if outputs.draw is not None:
        lines += save_drawing(_picture(found, inputs, outputs.kind), outputs.draw)
    if outputs.save is not None:
        found.model.save(outputs.save)
        lines.append(f"Saved to {outputs.save}")
    if outputs.report is not None:
        from branchline.report import write_groups_report

        names, notes = inputs.names(), inputs.lines()
        write_groups_report(
            found, inputs.used, outputs.report, title=title, row_names=names, notes=notes
        )
        lines.append(f"Page: {outputs.report}")
    return {"table": outputs.output, "drawing": outputs.draw, "model": outputs.save,
            "report": outputs.report}  # fmt: skip


def _picture(found: "Groups", inputs: Inputs, kind: str) -> Any:
    """Return what is drawn; of one group there are no silhouettes, but curves of all rules."""
    from branchline.cluster import draw_distances, draw_heat_map, silhouette

    if kind in {"heat_map", "distances"}:
        draw = draw_heat_map if kind == "heat_map" else draw_distances
        return draw(inputs.used, row_names=inputs.names())
    if kind == "count" or found.n_clusters == 1:
        return found.counts.draw()
    return found.draw() if kind == "groups" else silhouette(inputs.used, found.labels).draw()


def _free_name(table: "Table") -> str:
    name = "cluster"
    while name in table.names:
        name += "_"
    return name


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(with_reading(groups, target=False))
