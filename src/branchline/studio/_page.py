"""The page itself: the files of the built bundle, read once, served from memory by exact name."""

import mimetypes
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Response

__all__ = ["page_files", "page_paths", "page_routes"]

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_LONG = "public, max-age=31536000, immutable"


@cache
def page_files() -> dict[str, bytes]:
    """Return the files of the bundle by their path in the address: "/assets/index.js"."""
    folder = files("branchline.studio").joinpath("page")
    found = {"/": folder.joinpath("index.html").read_bytes()}
    for one in folder.joinpath("assets").iterdir():
        found[f"/assets/{one.name}"] = one.read_bytes()
    return found


def page_paths() -> frozenset[str]:
    """Return the paths of the page, which need no cookie: they hold no data."""
    return frozenset(page_files())


def page_routes() -> APIRouter:
    """Return a route for each file, under its exact path."""
    router = APIRouter()
    for path, content in page_files().items():
        router.add_api_route(path, _serving(path, content), methods=["GET", "HEAD"])
    return router


def _serving(path: str, content: bytes):  # type: ignore[no-untyped-def]
    ending = path[path.rfind(".") :] if "." in path else ".html"
    kind = _TYPES.get(ending) or mimetypes.guess_type(path)[0] or "text/html"
    headers = {} if path == "/" else {"cache-control": _LONG}

    async def file() -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8", headers=headers)

    return file
