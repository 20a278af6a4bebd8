"""Hammer a running studio: many tabs at once for a minute, half of their requests nonsense.

    python -m fuzz.studio --tabs 50 --seconds 60

Counts answers by status, and fails on an answer of 500, on a server that has ended, and on memory
that has grown. ``--schema`` sends requests made from the application's own schema instead; that
needs the library schemathesis.
"""

import argparse
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx

from studio_server import Running, running_studio

_MOST_GROWTH = 60 * 2**20
_ODD = ["", "..", "%2e%2e", "0" * 16, "\x00", "A" * 500, None, -1, 1e308, [], {}, [[0]], True]


def main() -> int:
    """Hammer, and say what came back."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tabs", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--schema", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_studio(Path(folder) / "ws") as studio:
        if given.schema:
            return by_schema(studio, given.seed)
        return by_tabs(studio, given.tabs, given.seconds, given.seed)


def by_tabs(studio: Running, tabs: int, seconds: float, seed: int) -> int:
    """Let many tabs ask at once."""
    with_key = studio.client()
    tables = [_add(with_key, name) for name in ("iris", "tennis", "auto-mpg")]
    tree = with_key.post("/api/trees", json={"table": tables[0]}).json()["tree"]["id"]
    seen: Counter[str] = Counter()
    slow: list[float] = []
    end = time.monotonic() + seconds

    def tab(number: int) -> None:
        rng = random.Random(seed * 1000 + number)
        with httpx.Client(
            base_url=studio.base, headers=with_key.headers, cookies=with_key.cookies, timeout=300
        ) as client:
            while time.monotonic() < end:
                method, path, body = _request(rng, tables, tree)
                begun = time.monotonic()
                answer = client.request(method, path, json=body)
                if path == "/api/tables":
                    slow.append(time.monotonic() - begun)
                seen[f"{answer.status_code}"] += 1
                if answer.status_code == 500:
                    print(method, path, body, answer.text[:300])

    before = _memory(studio.process.pid)
    half = threading.Timer(seconds / 2, lambda: print("half", _memory(studio.process.pid)))
    half.start()
    threads = [threading.Thread(target=tab, args=(number,)) for number in range(tabs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = _memory(studio.process.pid)
    slow.sort()
    print(f"answers by status: {dict(sorted(seen.items()))}")
    print(f"list of tables, answered by the server alone: median {slow[len(slow) // 2]:.3f} s")
    print(f"memory of the server: {before / 2**20:.0f} MB before, {after / 2**20:.0f} MB after")
    is_alive = studio.process.poll() is None and with_key.get("/api/session").status_code == 200
    return int(not is_alive or seen["500"] > 0 or after - before > _MOST_GROWTH)


def _add(client: httpx.Client, name: str) -> str:
    answer = client.post("/api/tables/bundled", json={"name": name})
    found: str = answer.json()["table"]["id"]
    return found


def _request(rng: random.Random, tables: list[str], tree: str) -> tuple[str, str, object]:
    """Return a request: mostly one of the page, often with a part replaced by nonsense."""
    table = rng.choice(tables)
    points = [[rng.uniform(-1, 1), rng.uniform(-1, 1)] for _ in range(40)]
    fit = {"learner": rng.choice(["tree", "svm_rbf", "neighbors", "logistic"]), "X": points,
           "y": [rng.randrange(2) for _ in points], "classes": ["0", "1"]}  # fmt: skip
    edit = {"edit": rng.choice(["prune", "graft"]), "node": rng.randrange(4)}
    choices: list[tuple[str, str, object]] = [
        ("GET", "/", None),
        ("GET", "/api/tables", None),
        ("GET", "/api/tables", None),
        ("GET", f"/api/tables/{table}", None),
        ("GET", f"/api/tables/{table}/rows?start={rng.randrange(500)}", None),
        ("GET", f"/api/trees/{tree}/node/{rng.randrange(8)}", None),
        ("POST", f"/api/trees/{tree}/ask", {"answers": [rng.choice(["yes", 1, None, "?"])]}),
        ("POST", f"/api/trees/{tree}/edit", {"revision": 1, "action": "edit", "edit": edit}),
        ("POST", "/api/lab/fit", fit),
        ("POST", "/api/lab/points", {"shape": rng.choice(["xor", "sine", "x"]), "n": 50}),
        ("POST", f"/api/tables/{table}/change", {"revision": 1, "changes": {"drop": ["x"]}}),
        ("POST", "/api/runs/script", {"table": table, "options": {"n_folds": 3}}),
    ]
    method, path, body = rng.choice(choices)
    if isinstance(body, dict) and rng.random() < 0.3:
        body = {**body, rng.choice(list(body)): rng.choice(_ODD)}
    if rng.random() < 0.1:
        path = path.replace(table, rng.choice(["..%2f..", "0" * 16, "x"]))
    return method, path, body


def by_schema(studio: Running, seed: int) -> int:
    """Send what schemathesis makes of the schema; a 500 is a failure."""
    import schemathesis
    from hypothesis import HealthCheck, given, settings

    from branchline.studio._app import make_app
    from branchline.studio._guard import Keys
    from branchline.studio._workspace import Workspace

    with tempfile.TemporaryDirectory() as folder:
        app = make_app(Workspace(folder), Keys(1)).app
        schema = schemathesis.openapi.from_dict(app.openapi())
    client = studio.client()
    table = _add(client, "iris")
    tree = client.post("/api/trees", json={"table": table}).json()["tree"]["id"]
    model = client.post(f"/api/trees/{tree}/save", json={"name": "m"}).json()["id"]
    ids = {"tables": table, "trees": tree, "models": model}
    seen: Counter[int] = Counter()
    for operation in schema.get_all_operations():
        strategy = operation.ok().as_strategy()

        @given(case=strategy)
        @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck),
                  database=None, derandomize=True)  # fmt: skip
        def send(case: schemathesis.Case) -> None:
            told = case.as_transport_kwargs(base_url=studio.base)
            told = {name: told.get(name) for name in ("method", "url", "json", "params", "data")}
            content = told.pop("data")
            told["url"] = re.sub(r"(/api/(\w+)/)[0-9a-f]{16}", _with_id(ids), told["url"])
            kind = "application/octet-stream" if told["method"] == "PUT" else "application/json"
            given = {"headers": {"Content-Type": kind}}
            if told["json"] is None:
                given["content"] = content
            try:
                answer = client.request(**told, **given)
            except (httpx.InvalidURL, UnicodeEncodeError, TypeError, ValueError):
                return
            seen[answer.status_code] += 1
            assert answer.status_code != 500, (told, answer.text)

        is_removal = operation.ok().method.upper() == "DELETE"
        if not is_removal and not operation.ok().path.endswith("/events"):
            send()
    print(f"answers by status: {dict(sorted(seen.items()))}")
    return int(seen[500] > 0 or studio.process.poll() is not None)


def _with_id(ids: dict[str, str]) -> Callable[[re.Match[str]], str]:
    """Return what puts an id that exists in place of one that was made up."""
    return lambda found: f"{found[1]}{ids.get(found[2], '0' * 16)}"


def _memory(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    sys.exit(main())
