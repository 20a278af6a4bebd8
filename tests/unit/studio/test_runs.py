"""Comparisons on a running studio: progress, stop, continue, a restart; and lanes that hang."""

import contextlib
import json
import os
import shutil
import signal
import time

import pytest

from studio_server import running_studio

OPTIONS = {"learners": ["tree", "naive_bayes"], "n_folds": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs") / "studio"


@pytest.fixture(scope="module")
def studio(folder):
    with running_studio(folder) as running:
        yield running


@pytest.fixture(scope="module")
def client(studio):
    client = studio.client()
    yield client
    client.close()


@pytest.fixture(scope="module")
def table(client):
    return client.post("/api/tables/bundled", json={"name": "iris"}).json()["table"]["id"]


def follow(client, id):
    """Yield the events of a run until its end."""
    with client.stream("GET", f"/api/runs/{id}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line[6:])


def test_a_run_tells_of_its_progress_and_leaves_report_and_model(client, folder, table):
    run = client.post("/api/runs", json={"table": table, "options": OPTIONS}).json()
    told = list(follow(client, run["id"]))
    names = [one["event"] for one in told]
    assert names[0] == "state"
    assert names[-1] == "end"
    assert names.count("progress") == 9
    found = told[-1]["run"]
    assert found["state"] == "finished"
    assert found["result"]["advice"][0].startswith("Take ")
    assert {one["learner"] for one in found["result"]["standings"]} >= {"tree", "naive_bayes"}
    report = client.get(f"/api/runs/{run['id']}/report")
    assert report.headers["content-security-policy"].startswith("sandbox;")
    assert "iris" in report.text
    assert str(folder) not in report.text
    model = found["result"]["model"]
    answer = client.post(f"/api/models/{model}/predict", json={"row": {"petal_width": 0.2}}).json()
    assert answer["prediction"] == "setosa"
    assert client.get(f"/api/runs/{run['id']}").json()["result"] == found["result"]


def test_a_run_that_is_stopped_keeps_what_is_done_and_goes_on(client, table):
    options = {"learners": "all", "n_folds": 20}
    run = client.post("/api/runs", json={"table": table, "options": options}).json()
    for told in follow(client, run["id"]):
        if told["event"] == "progress" and told["done"] >= 3:
            began = time.monotonic()
            assert client.get("/api/tables").status_code == 200
            assert time.monotonic() - began < 5  # the page's own process never computes
            client.post(f"/api/runs/{run['id']}/stop", json={})
    found = client.get(f"/api/runs/{run['id']}").json()
    assert found["state"] == "stopped"
    assert 0 < found["progress"]["done"] < found["progress"]["total"]
    assert found["result"] is None or not found["result"]["is_complete"]
    client.post(f"/api/runs/{run['id']}/resume", json={})
    for told in follow(client, run["id"]):
        if told["event"] == "progress":
            assert told["done"] > found["progress"]["done"]
            client.post(f"/api/runs/{run['id']}/stop", json={})
    assert client.get(f"/api/runs/{run['id']}").json()["state"] == "stopped"
    assert client.delete(f"/api/runs/{run['id']}", headers={"Content-Type": "application/json"})


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.pkl", b"\x80\x04", "F961"),
        ("a.csv", b"", "F961"),
        ("../../a.csv", b"\x00\x01\x02", None),
        ("a.xlsx", b"not a workbook", None),
        ("a.csv.gz", b"not packed", None),
    ],
)
def test_bad_files_are_refused_with_a_code(client, name, content, code):
    before = len(client.get("/api/tables").json())
    answer = client.put(
        "/api/tables/upload",
        params={"name": name},
        content=content,
        headers={"Content-Type": "application/octet-stream"},
    )
    assert answer.status_code == 422, answer.text
    error = answer.json()["error"]
    assert error["code"] == code or (code is None and error["code"])
    assert "/tmp" not in answer.text
    assert len(client.get("/api/tables").json()) == before


@pytest.mark.parametrize(
    "id", ["..%2f..%2fetc", "%2e%2e", "0" * 15, "0" * 17, "A" * 16, "..", "x\\y"]
)
def test_ids_are_nothing_but_ids(client, id):
    for room in ("tables", "trees", "runs", "models"):
        assert client.get(f"/api/{room}/{id}").status_code in {404, 405, 422}


def test_a_lane_that_is_killed_is_started_again(client, studio, table):
    assert client.get(f"/api/tables/{table}").status_code == 200
    for pid in studio.descendants():
        os.kill(pid, 9)
    answers = [client.get(f"/api/tables/{table}").status_code for _ in range(2)]
    assert answers[-1] == 200


def test_everything_is_there_in_another_studio(folder, client, studio, table, tmp_path):
    trees = client.post("/api/trees", json={"table": table}).json()
    copied = shutil.copytree(folder, tmp_path / "copied")  # a folder belongs to one studio
    with running_studio(copied) as other, contextlib.closing(other.client()) as again:
        assert other.base != studio.base
        assert again.get(f"/api/trees/{trees['tree']['id']}").json() == trees
        runs = again.get("/api/runs").json()
        assert {one["state"] for one in runs} <= {"finished", "stopped", "failed"}
        assert again.get(f"/api/tables/{table}").json()["rows"] == 150
        assert again.get("/api/session", headers={"Cookie": "x=y"}).status_code in {200, 401}
    stale = client.post(
        "/api/enter", json={"token": other.token}, headers={"X-Studio-Token": "enter"}
    )
    assert stale.status_code == 401


def test_after_a_crash_the_next_studio_takes_the_folder(tmp_path):
    with running_studio(tmp_path) as first, contextlib.closing(first.client()) as client:
        table = client.post("/api/tables/bundled", json={"name": "iris"}).json()["table"]["id"]
        client.post("/api/runs", json={"table": table, "options": {"n_folds": 5}})
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
    with running_studio(tmp_path) as second, contextlib.closing(second.client()) as again:
        assert again.get(f"/api/tables/{table}").json()["rows"] == 150
        assert {one["state"] for one in again.get("/api/runs").json()} == {"stopped"}
