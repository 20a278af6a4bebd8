"""Routes of comparisons: begin, follow, stop, continue; the report."""

from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse

from branchline.errors import DataError
from branchline.studio._bodies import CompareBody
from branchline.studio._signed_in import Id, signed_in, studio_of

__all__ = ["run_routes"]

run_routes = APIRouter(prefix="/api/runs", dependencies=[Depends(signed_in)])

_REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


@run_routes.get("")
def runs(request: Request) -> list[dict[str, Any]]:
    """Return all comparisons, the newest first."""
    names = ("id", "table", "name", "state", "options")
    kept = studio_of(request).workspace.all("runs")
    return [{name: one.get(name) for name in names} for one in kept]


@run_routes.post("")
async def begin(request: Request, body: CompareBody) -> dict[str, Any]:
    """Begin a comparison."""
    studio = studio_of(request)
    source = studio.workspace.read("tables", body.table)
    if not source.get("target"):
        raise DataError("Choose the column to predict on the Table screen first.", code="D961")
    return studio.runs.start(body.table, body.changed(), source["name"])


@run_routes.post("/script")
async def script(request: Request, body: CompareBody) -> Any:
    """Return the script of a comparison, without beginning it."""
    given = {"id": body.table, "options": body.changed()}
    return await studio_of(request).lanes.ask("desk", "script_of_compare", **given)


@run_routes.get("/{id}")
def view(request: Request, id: Id) -> dict[str, Any]:
    """Return a comparison as it stands."""
    return studio_of(request).runs.view(id)


@run_routes.get("/{id}/events")
async def events(request: Request, id: Id) -> StreamingResponse:
    """Follow a comparison."""
    studio = studio_of(request)
    studio.runs.view(id)
    studio.runs.check_room()
    return StreamingResponse(studio.runs.events(id), media_type="text/event-stream")


@run_routes.post("/{id}/stop")
async def stop(request: Request, id: Id) -> dict[str, bool]:
    """Stop a comparison; what is done is kept."""
    await studio_of(request).runs.stop(id)
    return {"stopping": True}


@run_routes.post("/{id}/resume")
async def resume(request: Request, id: Id) -> dict[str, Any]:
    """Go on with a comparison that was stopped."""
    return studio_of(request).runs.resume(id)


@run_routes.delete("/{id}")
async def remove(request: Request, id: Id) -> dict[str, bool]:
    """Remove a comparison."""
    studio_of(request).runs.remove(id)
    return {"removed": True}


@run_routes.get("/{id}/report")
def report(request: Request, id: Id, download: bool = False) -> Response:
    """Return the report, in which no script runs."""
    with studio_of(request).workspace.open("runs", id, ".html") as file:
        content = file.read()
    headers = {"content-security-policy": _REPORT_POLICY}
    if download:
        headers["content-disposition"] = 'attachment; filename="report.html"'
    return Response(content, media_type="text/html; charset=utf-8", headers=headers)
