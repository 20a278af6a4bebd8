"""Fits on a cluster have the bytes of one process: a small form of ``python -m fuzz.cluster``."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone

from branchline.errors import BranchlineWarning, ClusterError
from branchline.scale import Progress, _placement
from branchline.table import Table
from cluster_cases import (
    ENDING,
    FAULT_NAMES,
    ROUND_PLACES,
    TREE_PLACES,
    cases,
    cluster,
    rows,
    run_on_all,
    with_fault,
)

N_WORKERS = 3  # of the cluster of all tests
X = rows()
CASES = cases(X)
# Each number of workers and each size of blocks comes with several fits.
CUTS = [(1, 997), (2, 16384), (5, 997), (3, len(X)), (2, 997)]


@pytest.fixture(scope="module")
def alone() -> Callable[[str], bytes]:
    kept: dict[str, bytes] = {}

    def of(name: str) -> bytes:
        if name not in kept:
            kept[name] = CASES[name].fit(X)
        return kept[name]

    return of


@pytest.mark.parametrize(("name", "number"), [(name, at) for at, name in enumerate(CASES)])
def test_models_do_not_depend_on_workers_and_blocks(
    name: str, number: int, client: Any, alone: Any
) -> None:
    for n_parts, block_rows in (CUTS[number % 5], CUTS[(number + 2) % 5]):
        found = CASES[name].fit_on(client, X, n_parts=n_parts, block_rows=block_rows)
        assert found == alone(name), (n_parts, block_rows)


# Each place and each fault at least once.
ROUND_FAULTS = list(
    zip(
        ROUND_PLACES,
        ["truncated", "memory", "late", "corrupted", "kill", "twice", "exception"],
        strict=True,
    )
)
TREE_FAULTS = list(
    zip(TREE_PLACES, ["corrupted", "truncated", "twice", "memory", "exception"], strict=True)
)


@pytest.mark.parametrize(
    ("name", "place", "fault"),
    [("binary", *one) for one in ROUND_FAULTS] + [("forest", *one) for one in TREE_FAULTS],
)
def test_a_fault_changes_nothing(
    name: str, place: str, fault: str, client: Any, alone: Any, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    fit = CASES[name].fit_on
    found = with_fault(client, place, fault, mark, lambda: fit(client, X, patience=10.0))
    if fault in ENDING:
        until_replaced(client, int(mark.read_text()))
    assert mark.exists()
    assert found == alone(name)


def until_replaced(client: Any, lost: int) -> None:
    """Wait until there are as many workers as before."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pids = run_on_all(client, os.getpid)
        if len(pids) == N_WORKERS and lost not in pids:
            return
        time.sleep(0.1)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for workers for a short time only."""
    monkeypatch.setattr(_placement, "_WAIT_FOR_WORKERS", 2.0)


def after(n_done: int, do: Callable[[], None]) -> Callable[[Progress], None]:
    """Return what does something once, when a number of rounds or trees is done."""
    told: list[int] = []

    def tell(progress: Progress) -> None:
        if progress.n_done >= n_done and not told:
            told.append(progress.n_done)
            do()

    return tell


def test_a_worker_that_joins_takes_the_place_of_a_lost_one(alone: Any) -> None:
    with cluster(1) as client:
        (first,) = client.run(os.getpid).values()

        def replace() -> None:
            client.cluster.scale(2)
            client.wait_for_workers(2, timeout=300)
            os.kill(first, signal.SIGKILL)

        with pytest.warns(BranchlineWarning, match="worker of the cluster was lost"):
            found = CASES["binary"].fit_on(client, X, on_progress=after(2, replace))
    assert found == alone("binary")


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("name", ["binary", "forest"])
def test_without_any_worker_the_error_says_what_is_kept(name: str, tmp_path: Path) -> None:
    given = CASES[name]
    case = given._replace(model=clone(given.model).set_params(n_estimators=40))
    kept: dict[str, Any] = {"checkpoint": tmp_path / "kept", "every": 1}
    with cluster(1) as client:

        def end_all() -> None:
            client.cluster.scale(0)
            end = time.monotonic() + 30
            while client.nthreads() and time.monotonic() < end:
                time.sleep(0.05)

        with (
            pytest.warns(BranchlineWarning, match="worker of the cluster was lost"),
            pytest.raises(ClusterError) as caught,
        ):
            case.fit_on(client, X, on_progress=after(2, end_all), **kept)
        assert caught.value.code == "X012"
        assert "kept in" in caught.value.message
        assert str(tmp_path / "kept") in caught.value.message
        client.cluster.scale(1)
        client.wait_for_workers(1, timeout=300)
        told: list[Progress] = []
        found = case.fit_on(client, X, resume=True, on_progress=told.append, **kept)
    assert found == case.fit(X)
    assert told[0].n_done > 2


def test_the_table_of_faults_names_those_that_exist() -> None:
    assert isinstance(X, Table)
    assert {fault for _, fault in ROUND_FAULTS} | {"stop"} == set(FAULT_NAMES)
