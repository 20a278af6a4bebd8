"""Every rule of the guard on every route: address, origin, cookie, header, form, size, headers."""

import asyncio

import httpx
import pytest
from fastapi.routing import APIRoute

from branchline.studio._app import make_app
from branchline.studio._guard import Guard, Keys
from branchline.studio._limits import JSON_BYTES, UPLOAD_BYTES
from branchline.studio._page import page_paths
from branchline.studio._signed_in import signed_in
from branchline.studio._workspace import Workspace

PORT = 4711
BASE = f"http://127.0.0.1:{PORT}"
ID = "0123456789abcdef"
ANSWERED = {"/", "/api/enter", *page_paths()}


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Guard:
    return make_app(Workspace(tmp_path_factory.mktemp("studio")), Keys(PORT))


def flat(routes):
    """Every route, those of included routers too; FastAPI keeps them together since 0.160."""
    for route in routes:
        inside = getattr(route, "original_router", None)
        yield from [route] if inside is None else flat(inside.routes)


def routes(app: Guard) -> list[tuple[str, str]]:
    """Every method and path of the application, ids filled in."""
    found = []
    for route in flat(app.app.routes):
        path = route.path.replace("{id}", ID).replace("{node}", "0").replace("{row}", "0")
        found += [(method, path) for method in sorted(route.methods or ())]
    return found


def send(app, method, path, *, headers=None, cookie=True, content=None):
    """Send a request to the application without a network."""
    given = {"Origin": BASE, "X-Studio-Token": app.keys.header, **(headers or {})}
    if cookie:
        given.setdefault("Cookie", f"{app.keys.cookie_name}={app.keys.cookie}")
    if method not in {"GET", "HEAD"}:
        given.setdefault("Content-Type", "application/json")
    given = {name: value for name, value in given.items() if value is not None}

    async def sent():
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            return await client.request(method, path, headers=given, content=content)

    return asyncio.run(sent())


def test_there_are_routes_of_every_screen(app):
    paths = {path for _, path in routes(app)}
    assert len(paths) > 35
    for room in ("tables", "runs", "trees", "lab", "models", "groups"):
        assert any(path.startswith(f"/api/{room}") for path in paths)


def test_every_route_but_the_page_depends_on_the_cookie(app):
    without = [
        route.path
        for route in flat(app.app.routes)
        if not (
            isinstance(route, APIRoute)
            and any(one.call is signed_in for one in route.dependant.dependencies)
        )
    ]
    assert set(without) == ANSWERED
    assert app.public == ANSWERED


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "", "[::1]"])
def test_another_host_is_refused_everywhere(app, host):
    for method, path in routes(app):
        answer = send(app, method, path, headers={"Host": host})
        assert answer.status_code == 421, (method, path)


def test_a_path_that_does_not_exist_is_refused_like_the_others(app):
    assert send(app, "GET", "/health", headers={"Host": "evil.example"}).status_code == 421
    assert send(app, "GET", "/health", cookie=False).status_code == 401
    assert send(app, "GET", "/docs", cookie=False).status_code == 401
    assert send(app, "GET", "/openapi.json").status_code == 404


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1"]
)
def test_another_origin_is_refused_everywhere(app, origin):
    for method, path in routes(app):
        assert send(app, method, path, headers={"Origin": origin}).status_code == 403, (
            method,
            path,
        )


def test_changes_without_an_origin_are_refused(app):
    for method, path in routes(app):
        if method not in {"GET", "HEAD"}:
            assert send(app, method, path, headers={"Origin": None}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "whatever"])
def test_requests_of_another_site_are_refused(app, site):
    for method, path in routes(app):
        answer = send(app, method, path, headers={"Origin": None, "Sec-Fetch-Site": site})
        is_page = path == "/" and site != "whatever"
        assert answer.status_code == (200 if is_page else 403), (method, path)


@pytest.mark.parametrize("cookie", [None, "wrong", "", "a=b; c"])
def test_nothing_but_the_page_is_answered_without_the_cookie(app, cookie):
    for method, path in routes(app):
        if path in ANSWERED:
            continue
        headers = {} if cookie is None else {"Cookie": f"{app.keys.cookie_name}={cookie}"}
        answer = send(app, method, path, headers=headers, cookie=False)
        assert answer.status_code == 401, (method, path)


@pytest.mark.parametrize("token", [None, "", "enter", "wrong"])
def test_changes_need_the_header(app, token):
    for method, path in routes(app):
        if method not in {"GET", "HEAD"} and path != "/api/enter":
            answer = send(app, method, path, headers={"X-Studio-Token": token})
            assert answer.status_code == 403, (method, path)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_changes_are_json(app, kind):
    for method, path in routes(app):
        if method not in {"GET", "HEAD"}:
            token = "enter" if path == "/api/enter" else app.keys.header
            headers = {"Content-Type": kind, "X-Studio-Token": token}
            assert send(app, method, path, headers=headers).status_code == 415, (method, path)


def test_bodies_have_a_limit_whatever_they_claim(app):
    for claimed in (str(JSON_BYTES + 1), "9" * 40, "-1", "x"):
        headers = {"Content-Length": claimed}
        assert send(app, "POST", "/api/lab/fit", headers=headers).status_code == 413, claimed

    async def pieces():
        for _ in range(3):
            yield b" " * (JSON_BYTES // 2)

    answer = send(app, "POST", "/api/lab/fit", content=pieces())
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "F960"


def test_files_have_a_limit(app):
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Length": str(UPLOAD_BYTES + 1),
    }
    assert send(app, "PUT", "/api/tables/upload", headers=headers).status_code == 413


def test_headers_keep_scripts_and_frames_out_of_every_answer(app):
    for method, path in [*routes(app), ("GET", "/nowhere")]:
        for answer in (
            send(app, method, path, cookie=False),
            send(app, method, path, headers={"Host": "evil.example"}),
        ):
            policy = answer.headers["content-security-policy"]
            assert "unsafe" not in policy
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            assert not [name for name in answer.headers if name.startswith("access-control")]


def test_websockets_are_closed(app):
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def take(message):
        sent.append(message["type"])

    headers = [(b"host", f"127.0.0.1:{PORT}".encode())]
    asyncio.run(
        app({"type": "websocket", "path": "/api/session", "headers": headers}, receive, take)
    )
    assert sent == ["websocket.close"]


def test_a_wrong_secret_is_refused_and_the_secrets_differ(app):
    headers = {"X-Studio-Token": "enter"}
    app.app.state.studio = type("S", (), {"keys": app.keys})()
    for token in ("", "wrong", app.keys.cookie, app.keys.header):
        answer = send(
            app,
            "POST",
            "/api/enter",
            headers=headers,
            cookie=False,
            content=f'{{"token": "{token}"}}',
        )
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
    answer = send(
        app,
        "POST",
        "/api/enter",
        headers=headers,
        cookie=False,
        content=f'{{"token": "{app.keys.token}"}}',
    )
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert len({app.keys.token, app.keys.cookie, app.keys.header, Keys(PORT).token}) == 4
    assert app.keys.token not in repr(app.keys)


def test_header_names_given_twice_do_not_pass(app):
    async def both():
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            pairs = [("Origin", BASE), ("Origin", "http://evil.example")]
            return await client.get("/", headers=pairs)

    assert asyncio.run(both()).status_code == 403
