"""Groups of rows and axes of a table, without a target."""

from typing import Any

from branchline.cluster import METHODS, AgglomerativeClustering, find_groups
from branchline.errors import ParameterError
from branchline.projection import PCA
from branchline.studio.work._desk import Desk
from branchline.studio.work._scripts import Script, call_of, flags_of, read_lines, script_of
from branchline.studio.work._sources import inputs_without_names, table_of
from branchline.table import Column, Table
from branchline.table.looking import likely_identifiers

__all__ = ["find_axes_of", "find_groups_of"]

_MOST_LEAVES, _MOST_COLUMNS = 400, 12
# Columns of these topics hold names of rows that a person can read.
_NAMES = {"name", "code"}
_NAMES_IN_PYTHON = """names = table.column({!r}).to_list()
names = [f"row {{at}}" if name is None else name for at, name in enumerate(names)]"""


def find_groups_of(desk: Desk, id: str, method: str, n_clusters: int | None) -> dict[str, Any]:
    """Say whether there are groups, how many, and what each one is."""
    if method not in METHODS:
        raise ParameterError(f"There is no method {method!r}.", code="P960", values=[*METHODS])
    document, table = table_of(desk, id)
    target = document["target"]
    rows = table.drop(target) if target else table
    rows, names, naming = _compared(rows)
    known = table.column(target).to_list() if target and _is_class(table, target) else None
    asked: Any = "auto" if n_clusters is None else n_clusters
    given: dict[str, Any] = {} if known is None else {"known": known, "known_name": target}
    if naming:
        given["row_names"] = _named(table.column(naming).to_list())
    found = find_groups(rows, asked, method=method, on_step=desk.say, **given)
    desk.say("Drawing the groups …")
    return {
        **found.to_dict(),
        "text": str(found),
        "svg": found.draw().to_svg(720),
        "how_many_svg": found.counts.draw().to_svg(640),
        "dendrogram": _dendrogram(found, rows),
        "set_aside": list(names),
        "script": _script(document, method, n_clusters, names, naming, known is not None),
    }


def _compared(rows: Table) -> tuple[Table, tuple[str, ...], str | None]:
    """Return the columns that rows are compared by, the others, and the one that names the rows.

    The same ones are left out as on the command line: what only names rows, what is empty, and what
    is the same in all rows.
    """
    used, names = inputs_without_names(rows, None)
    idle = tuple(one.name for one in used.columns if _is_idle(one))
    idle = idle if len(idle) < used.n_columns else ()
    topics = {one.name: one.topic for one in likely_identifiers(rows)}
    naming = next((name for name in names if topics[name] in _NAMES), None)
    return (used.drop(idle) if idle else used), (*names, *idle), naming


def _named(names: list[Any]) -> list[Any]:
    return [f"row {at}" if name is None else name for at, name in enumerate(names)]


def _is_idle(column: Column) -> bool:
    """Whether the known cells of a column hold at most one value."""
    known = column.values[~column.is_missing]
    return len(known) == 0 or bool((known == known[0]).all())


def _script(
    document: dict[str, Any],
    method: str,
    n_clusters: int | None,
    names: tuple[str, ...],
    naming: str | None,
    has_classes: bool,
) -> Script:
    """Return how the same groups are found."""
    target = document["target"]
    dropped = [*([target] if target else []), *names]
    options: dict[str, Any] = {} if n_clusters is None else {"n_clusters": n_clusters}
    options |= {} if method == "kmeans" else {"method": method}
    given = ["known=known", f"known_name={target!r}"] if has_classes else []
    given += ["row_names=names"] if naming else []
    python = [
        *read_lines(document),
        f"rows = table.drop({dropped!r})" if dropped else "rows = table",
        *([f"known = table.column({target!r}).to_list()"] if has_classes else []),
        *(_NAMES_IN_PYTHON.format(naming).splitlines() if naming else []),
        f"found = {call_of('bl.cluster.find_groups', 'rows', *given, **options)}",
        "print(found)",
    ]
    words = ["groups", document["name"], *(["--known", target] if has_classes else [])]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    left_out = [target] if target and not has_classes else []
    used = {**document, "drop": [*document["drop"], *left_out]}
    return script_of(document, python, [*words, *flags_of(used)])


def _is_class(table: Any, target: str) -> bool:
    return bool(table.schema[target].kind == "category")


def _dendrogram(found: Any, rows: Any) -> str | None:
    """Return the tree of clusters of a table that is small enough to show one."""
    if rows.n_rows > _MOST_LEAVES:
        return None
    model = found.model
    if not hasattr(model, "merges_"):
        model = AgglomerativeClustering(max(2, found.n_clusters)).fit(rows)
    svg: str = model.draw().to_svg(720)
    return svg


def find_axes_of(desk: Desk, id: str) -> dict[str, Any]:
    """Show in which directions the rows differ most."""
    document, table = table_of(desk, id)
    target = document["target"]
    table, names = inputs_without_names(table, target)
    rows = table.drop(target) if target else table
    desk.say("Finding the axes, and how many there are …")
    model = PCA().fit(rows)
    desk.say("Drawing the axes …")
    colors = table.column(target).to_list() if target else None
    python = [*read_lines(document)]
    python += [f"table = table.drop({list(names)!r})"] if names else []
    python += [f"rows = table.drop({target!r})"] if target else ["rows = table"]
    shown = f"rows, table.column({target!r}).to_list()" if target else "rows"
    python += ["axes = bl.projection.PCA().fit(rows)", f"axes.biplot({shown}).save('axes.svg')"]
    words = ["axes", document["name"], *(["--color", target] if target else [])]
    words += ["--draw", "axes.svg", *flags_of(document)]
    n_axes = len(model.components_)
    return {
        "text": str(model.counts_),
        "formulas": [model.formula(at, 6) for at in range(min(n_axes, 6))],
        "shares": model.explained_variance_ratio_.tolist()[:_MOST_COLUMNS],
        "biplot": model.biplot(rows, colors).to_svg(720) if n_axes > 1 else None,
        "scree": model.counts_.draw().to_svg(640),
        "set_aside": list(names),
        "script": script_of(document, python, words),
    }
