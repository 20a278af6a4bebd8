"""What every request passes before it is looked at: address, origin, key, form, size.

1. ``Host`` must be this machine's own name with our port, for every kind of scope; this keeps out
   pages that lead their own name to 127.0.0.1 (DNS rebinding). There are no websockets.
2. A request from another page is refused: ``Origin`` and ``Sec-Fetch-Site`` by what is allowed,
   for all methods but GET and HEAD also when ``Origin`` is absent.
3. Everything but the page itself needs the cookie, which the page gets for the secret in its
   address. What is public is a short list of exact paths; all else is refused.
4. A change needs the header ``X-Studio-Token`` as well, and JSON (or, for a file, plain bytes).
5. Bodies are cut off at a limit, whatever length they claim.
6. Every answer gets the headers that keep scripts, frames and other pages out.
"""

import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.exceptions import HTTPException

from branchline.studio._limits import JSON_BYTES, UPLOAD_BYTES

__all__ = ["CONTENT_POLICY", "Guard", "Keys", "Refused"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'"
)
_HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
_READING = ("GET", "HEAD")
_UPLOAD = "application/octet-stream"


@dataclass(frozen=True)
class Keys:
    """The secrets of one start, and the addresses that belong to it.

    Parameters
    ----------
    port
        The port of the server.
    token
        The secret of the address, which the page exchanges for the cookie.
    cookie, header
        The value of the cookie, and the one of the header that changes need.
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    header: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie; cookies are shared by all ports of a machine."""
        return f"branchline-studio-{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """What ``Host`` may be."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))


class Refused(HTTPException):
    """A request that is not answered, with its status."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(status, message)
        self.code = code

    @property
    def document(self) -> dict[str, Any]:
        """The refusal as data."""
        return {"error": {"code": self.code, "message": self.detail, "repair": {}}}


class Guard:
    """The ASGI application around the studio's own.

    Parameters
    ----------
    app
        The studio.
    keys
        The secrets and addresses of this start.
    public
        The paths that need no cookie.
    """

    def __init__(self, app: Any, keys: Keys, public: frozenset[str]) -> None:
        self.app, self.keys, self.public = app, keys, public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded_send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_headers(message.get("headers", []))
            await send(message)

        begun: list[bool] = []

        async def watched_send(message: MutableMapping[str, Any]) -> None:
            begun.append(True)
            await guarded_send(message)

        try:
            limit = self._check(scope)
            await self.app(scope, _limited(receive, limit), watched_send)
        except Refused as refusal:
            if not begun:
                await _refuse(refusal, guarded_send)

    def _check(self, scope: Scope) -> int:
        """Refuse what is not our page's; return how long the body may be."""
        headers = _Headers(scope)
        method, path = scope["method"], scope["path"]
        if headers.one("host") not in self.keys.hosts:
            raise Refused(421, "P965", "This is not the studio's own address.")
        self._check_origin(headers, method, path)
        if path not in self.public and not self._has_cookie(headers):
            raise Refused(401, "P965", "Open the address that the terminal shows.")
        if method in _READING:
            return 0
        return self._check_change(headers, method, path)

    def _check_origin(self, headers: "_Headers", method: str, path: str) -> None:
        origin, site = headers.one("origin"), headers.one("sec-fetch-site")
        is_ours = origin is not None and origin.removeprefix("http://") in self.keys.hosts
        is_ours &= origin is None or origin.startswith("http://")
        if (origin is not None or method not in _READING) and not is_ours:
            raise Refused(403, "P965", "The studio answers only its own page.")
        allowed = {None, "same-origin", "none"}
        if method in _READING and path == "/":  # a click on the address, wherever it is shown
            allowed |= {"cross-site", "same-site"}
        if site not in allowed:
            raise Refused(403, "P965", "The studio answers only its own page.")

    def _has_cookie(self, headers: "_Headers") -> bool:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.one("cookie") or "")
        except CookieError:
            return False
        morsel = cookies.get(self.keys.cookie_name)
        given = "" if morsel is None else morsel.value
        return secrets.compare_digest(given.encode(), self.keys.cookie.encode())

    def _check_change(self, headers: "_Headers", method: str, path: str) -> int:
        token = headers.one("x-studio-token") or ""
        wanted = "enter" if path == "/api/enter" else self.keys.header
        if not secrets.compare_digest(token.encode("utf-8", "replace"), wanted.encode()):
            raise Refused(403, "P965", "The header X-Studio-Token is missing or wrong.")
        kind = (headers.one("content-type") or "").split(";")[0].strip().lower()
        is_file = method == "PUT" and kind == _UPLOAD
        if not is_file and kind != "application/json":
            raise Refused(415, "P960", "A change is sent as JSON.")
        limit = UPLOAD_BYTES if is_file else JSON_BYTES
        claimed = headers.one("content-length") or "0"
        if not claimed.isascii() or not claimed.isdigit() or int(claimed[:20]) > limit:
            raise _too_large(limit)
        return limit


class _Headers:
    """The headers of a scope; one that is given twice is as good as a wrong one."""

    def __init__(self, scope: Scope) -> None:
        self._all: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            self._all.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))

    def one(self, name: str) -> str | None:
        """Return a header; two of a name are joined, which no allowed value contains."""
        found = self._all.get(name)
        return None if found is None else ", ".join(found)


def _limited(receive: Receive, limit: int) -> Receive:
    """Return ``receive`` that refuses the body after ``limit`` bytes."""
    seen = 0

    async def limited() -> MutableMapping[str, Any]:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > limit:
                raise _too_large(limit)
        return message

    return limited


def _too_large(limit: int) -> Refused:
    return Refused(413, "F960", f"The studio takes up to {limit // 2**20} MB here.")


def _with_headers(given: Any) -> list[tuple[bytes, bytes]]:
    kept = [(bytes(name), bytes(value)) for name, value in given]
    there = {name.lower() for name, _ in kept}
    more = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
    return [*kept, *(pair for pair in more if pair[0] not in there)]


async def _refuse(refusal: Refused, send: Send) -> None:
    body = json.dumps(refusal.document).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refusal.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
