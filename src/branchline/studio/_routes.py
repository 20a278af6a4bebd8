"""All routes of the studio but the page: each checks the form and asks a lane."""

import secrets
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from branchline import __version__
from branchline.errors import DataError, ParameterError
from branchline.studio._bodies import (
    AnswersBody,
    AxesBody,
    BundledBody,
    ChangeBody,
    EditBody,
    EnterBody,
    GroupsBody,
    LabFitBody,
    LabPartsBody,
    LabPointsBody,
    NameBody,
    SettingsBody,
    TreeBody,
)
from branchline.studio._guard import Refused
from branchline.studio._model_routes import model_routes
from branchline.studio._run_routes import run_routes
from branchline.studio._signed_in import Count, Id, Names, Number, Place, signed_in, studio_of
from branchline.studio._uploads import NAMES_ENDINGS, TABLE_ENDINGS, ending_in, received, shown_name

__all__ = ["all_routes"]


def all_routes() -> list[APIRouter]:
    """Return the routers of all screens."""
    return [entrance, _session, _tables, _trees, _lab, _groups, run_routes, model_routes]


entrance = APIRouter(prefix="/api")


@entrance.post("/enter")
async def enter(request: Request, body: EnterBody, response: Response) -> dict[str, Any]:
    """Exchange the secret of the address for the cookie."""
    keys = studio_of(request).keys
    if not secrets.compare_digest(body.token.encode("utf-8", "replace"), keys.token.encode()):
        raise Refused(401, "P965", "This address is of an earlier start.")
    response.set_cookie(
        keys.cookie_name, keys.cookie, httponly=True, samesite="strict", path="/", secure=False
    )
    return {"header": keys.header}


_session = APIRouter(prefix="/api", dependencies=[Depends(signed_in)])


@_session.get("/session")
async def session(request: Request) -> dict[str, Any]:
    """Return what a page needs to begin: the header for changes, the version, the first table."""
    studio = studio_of(request)
    for lane in ("tree", "lab"):
        studio.lanes.warm(lane)
    return {
        "header": studio.keys.header,
        "version": __version__,
        "folder": studio.workspace.folder.name,
        "opened": studio.opened,
    }


# -- tables -------------------------------------------------------------------------------------

_tables = APIRouter(prefix="/api/tables", dependencies=[Depends(signed_in)])


@_tables.get("")
def tables(request: Request) -> list[dict[str, Any]]:
    """Return the tables of the workspace, the newest first."""
    names = ("id", "name", "rows", "columns", "target")
    kept = studio_of(request).workspace.all("tables")
    return [{name: one.get(name) for name in names} for one in kept]


@_tables.get("/bundled")
async def bundled(request: Request) -> Any:
    """Return the bundled data sets."""
    return await studio_of(request).lanes.ask("desk", "bundled_sets")


@_tables.post("/bundled")
async def add_bundled(request: Request, body: BundledBody) -> Any:
    """Add a bundled data set."""
    return await studio_of(request).lanes.ask("desk", "add_bundled", name=body.name)


@_tables.put("/upload")
async def upload(request: Request, name: str = "table.csv", names: Names | None = None) -> Any:
    """Take a file, and read it as a table; ``names`` is the file of names that belongs to it."""
    studio = studio_of(request)
    ending, id = ending_in(name, TABLE_ENDINGS), studio.workspace.new_id()
    await received(request, studio.workspace.place("tables", id, ending))
    given = {"id": id, "name": shown_name(name), "ending": ending, "names": names}
    return await studio.lanes.ask("desk", "add_upload", **given)


@_tables.put("/names")
async def upload_names(request: Request, name: str = "table.names") -> dict[str, str]:
    """Take the .names file of a pair of C4.5 before its rows come."""
    studio = studio_of(request)
    ending, id = ending_in(name, NAMES_ENDINGS), studio.workspace.new_id()
    await received(request, studio.workspace.place("files", id, ending))
    return {"id": id}


@_tables.get("/{id}")
async def look_at(request: Request, id: Id) -> Any:
    """Describe a table."""
    return await studio_of(request).lanes.ask("desk", "look_at", id=id)


@_tables.get("/{id}/rows")
async def rows_of(request: Request, id: Id, start: Place = 0, count: Count = 50) -> Any:
    """Return some rows."""
    given = {"id": id, "start": start, "count": count}
    return await studio_of(request).lanes.ask("desk", "rows_of", **given)


@_tables.post("/{id}/change")
async def change_table(request: Request, id: Id, body: ChangeBody) -> Any:
    """Change kinds, columns, the target."""
    changes = body.changes.model_dump(exclude_unset=True)
    for name in ("kinds", "drop", "missing"):
        if changes.get(name, 0) is None:
            del changes[name]
    given = {"id": id, "revision": body.revision, "changes": changes, "replace": body.replace}
    return await studio_of(request).lanes.ask("desk", "change_table", **given)


@_tables.delete("/{id}")
def remove_table(request: Request, id: Id) -> dict[str, bool]:
    """Remove a table."""
    studio_of(request).workspace.remove("tables", id)
    return {"removed": True}


@_session.get("/learners")
async def learners(request: Request, task: str = "classification") -> Any:
    """Return the learners for a task."""
    if task not in {"classification", "regression"}:
        raise ParameterError("The task is classification or regression.", code="P960")
    return await studio_of(request).lanes.ask("desk", "learners_for", task=task)


# -- trees --------------------------------------------------------------------------------------

_trees = APIRouter(prefix="/api/trees", dependencies=[Depends(signed_in)])


@_trees.get("")
def trees(request: Request, table: Id | None = None) -> list[dict[str, Any]]:
    """Return the trees of the workspace, or of one table."""
    kept = studio_of(request).workspace.all("trees")
    return [
        {"id": one["id"], "table": one["table"], "settings": one["settings"]}
        for one in kept
        if table in {None, one["table"]}
    ]


@_trees.post("")
async def add_tree(request: Request, body: TreeBody) -> Any:
    """Grow a tree."""
    studio = studio_of(request)
    source = studio.workspace.read("tables", body.table)
    if not source.get("target"):
        raise DataError("Choose the column to predict on the Table screen first.", code="D961")
    document = {"table": body.table, "settings": body.settings.given(), "edits": [], "undone": []}
    made = studio.workspace.add("trees", document)
    try:
        return await studio.lanes.ask("tree", "view_tree", id=made["id"])
    except BaseException:
        studio.workspace.remove("trees", made["id"])
        raise


@_trees.get("/{id}")
async def view_tree(request: Request, id: Id) -> Any:
    """Return a tree."""
    return await studio_of(request).lanes.ask("tree", "view_tree", id=id)


@_trees.post("/{id}/settings")
async def change_tree(request: Request, id: Id, body: SettingsBody) -> Any:
    """Grow the tree with other settings."""
    studio = studio_of(request)
    before = studio.workspace.read("trees", id)
    changes = {"settings": body.settings.given(), "edits": [], "undone": []}
    changed = studio.workspace.change("trees", id, body.revision, changes)
    try:
        return await studio.lanes.ask("tree", "view_tree", id=id)
    except BaseException:
        kept = {name: before[name] for name in changes}
        studio.workspace.change("trees", id, changed["revision"], kept)
        raise


@_trees.post("/{id}/edit")
async def edit_tree(request: Request, id: Id, body: EditBody) -> Any:
    """Edit the tree, or take an edit back."""
    given = {"id": id, "revision": body.revision, "action": body.action, "edit": body.told()}
    return await studio_of(request).lanes.ask("tree", "edit_tree", **given)


@_trees.get("/{id}/node/{node}")
async def view_node(request: Request, id: Id, node: Number, column: str | None = None) -> Any:
    """Return a node: its rows and the tests that were considered."""
    given = {"id": id, "node": node, "column": column}
    return await studio_of(request).lanes.ask("tree", "view_node", **given)


@_trees.get("/{id}/path/{row}")
async def tree_path(request: Request, id: Id, row: Number) -> Any:
    """Return the way of a row."""
    return await studio_of(request).lanes.ask("tree", "tree_path", id=id, row=row)


@_trees.post("/{id}/ask")
async def tree_answers(request: Request, id: Id, body: AnswersBody) -> Any:
    """Return the next question of the tree."""
    given = {"id": id, "answers": body.answers}
    return await studio_of(request).lanes.ask("tree", "tree_answers", **given)


@_trees.get("/{id}/stability")
async def tree_stability(request: Request, id: Id) -> Any:
    """Return how stable the questions are."""
    return await studio_of(request).lanes.ask("tree", "tree_stability", id=id)


@_trees.get("/{id}/sequence")
async def tree_sequence(request: Request, id: Id) -> Any:
    """Return the sequence of pruned trees."""
    return await studio_of(request).lanes.ask("tree", "tree_sequence", id=id)


@_trees.get("/{id}/growth")
async def tree_growth(request: Request, id: Id) -> Any:
    """Return the growth of the tree, split by split."""
    return await studio_of(request).lanes.ask("tree", "tree_growth", id=id)


@_trees.get("/{id}/drawing")
async def drawing(request: Request, id: Id) -> Response:
    """Return the drawing as a file."""
    svg = await studio_of(request).lanes.ask("tree", "drawing_of", id=id)
    headers = {"content-disposition": 'attachment; filename="tree.svg"'}
    return Response(svg, media_type="image/svg+xml", headers=headers)


@_trees.post("/{id}/save")
async def save_tree(request: Request, id: Id, body: NameBody) -> Any:
    """Keep the tree as a model."""
    return await studio_of(request).lanes.ask("tree", "save_tree", id=id, name=body.name)


# -- the lab, groups ----------------------------------------------------------------------------

_lab = APIRouter(prefix="/api/lab", dependencies=[Depends(signed_in)])


@_lab.post("/points")
async def lab_points(request: Request, body: LabPointsBody) -> Any:
    """Return points, and what the lab can do."""
    return await studio_of(request).lanes.ask("lab", "lab_points", **body.model_dump())


@_lab.post("/fit")
async def lab_fit(request: Request, body: LabFitBody) -> Any:
    """Fit a learner to the points."""
    return await studio_of(request).lanes.ask("lab", "lab_fit", **body.model_dump())


@_lab.post("/parts")
async def lab_parts(request: Request, body: LabPartsBody) -> Any:
    """Take the error apart."""
    return await studio_of(request).lanes.ask("lab", "lab_parts", **body.model_dump())


_groups = APIRouter(prefix="/api/groups", dependencies=[Depends(signed_in)])


@_groups.post("")
async def groups(request: Request, body: GroupsBody) -> Any:
    """Find groups."""
    given = {"id": body.table, "method": body.method, "n_clusters": body.n_clusters}
    return await studio_of(request).lanes.ask("groups", "find_groups_of", **given)


@_groups.get("/doing")
async def doing_groups(request: Request) -> dict[str, str]:
    """Return in words what the lane of groups is doing."""
    return {"doing": studio_of(request).lanes.doing("groups")}


@_groups.post("/stop")
async def stop_groups(request: Request) -> dict[str, bool]:
    """Stop what the lane of groups is doing."""
    await studio_of(request).lanes.stop("groups")
    return {"stopped": True}


@_groups.post("/axes")
async def axes(request: Request, body: AxesBody) -> Any:
    """Find axes."""
    return await studio_of(request).lanes.ask("groups", "find_axes_of", id=body.table)
