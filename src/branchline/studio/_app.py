"""The studio's web application: routes that check the form of a request and ask a worker.

Nothing is computed here. Every route but the page and ``/api/enter`` has ``signed_in`` as a
dependency, although ``Guard`` has already refused requests without the cookie: a route that forgot
it would fail a test.
"""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from branchline.errors import BranchlineError
from branchline.studio._guard import Guard, Keys, Refused
from branchline.studio._lanes import Answered, Lanes
from branchline.studio._page import page_paths, page_routes
from branchline.studio._routes import all_routes
from branchline.studio._runs import Runs
from branchline.studio._workspace import Workspace

__all__ = ["Studio", "make_app"]

_STATUS = {"P961": 409, "P962": 404, "P963": 503, "P964": 504, "P969": 500, "F960": 413}


@dataclass
class Studio:
    """What the routes work with."""

    workspace: Workspace
    keys: Keys
    lanes: Lanes
    runs: Runs
    opened: str | None = None


def make_app(workspace: Workspace, keys: Keys, opened: str | None = None) -> Guard:
    """Return the studio as an ASGI application.

    Parameters
    ----------
    workspace
        The folder that it reads and writes.
    keys
        The secrets of this start, and the port.
    opened
        The id of the table to begin with.
    """

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        studio = Studio(workspace, keys, Lanes(workspace.folder), Runs(workspace), opened)
        app.state.studio = studio
        studio.lanes.warm("desk")
        yield
        await studio.runs.close()
        await studio.lanes.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=life)
    app.include_router(page_routes())
    for router in all_routes():
        app.include_router(router)
    app.add_exception_handler(Answered, _answered)
    app.add_exception_handler(BranchlineError, _told)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _plain)
    return Guard(app, keys, frozenset({"/api/enter", *page_paths()}))


def _status_of(code: str | None) -> int:
    return _STATUS.get(code or "", 422)


async def _answered(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Answered)
    return JSONResponse({"error": error.error}, _status_of(error.error.get("code")))


async def _told(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, BranchlineError)
    return JSONResponse({"error": error.to_dict()}, _status_of(error.code))


async def _not_understood(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    places = [".".join(map(str, one["loc"][1:])) + ": " + one["msg"] for one in error.errors()[:3]]
    message = f"The request has another form: {'; '.join(places)}."[:500]
    return JSONResponse({"error": {"code": "P960", "message": message}}, 422)


async def _plain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error, Refused):
        return JSONResponse(error.document, error.status_code)
    code = "P962" if error.status_code == 404 else "P960"
    told = {"error": {"code": code, "message": str(error.detail)}}
    return JSONResponse(told, error.status_code, headers=dict(error.headers or {}))
