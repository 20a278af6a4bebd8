"""Trees grown by sessions: the same model for any number of them, whatever is lost."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from branchline._tree_work import Batch, TreeWork, tree_engine
from branchline.errors import ClusterError
from branchline.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from branchline.scale._checkpoints import Checkpoints
from branchline.scale._listener import Listener
from branchline.scale._tree_sessions import TreeSessions
from branchline.table import Table, as_table
from parted_rounds import ThreadPlacement, fail_by

N = 300


@pytest.fixture(scope="module")
def rows() -> tuple[Table, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    kind = rng.choice(["u", "v", "w"], N)
    y = np.nan_to_num(X[:, 0] + X[:, 1] * X[:, 2]) + (kind == "u") + rng.normal(size=N)
    given = {name: X[:, place] for place, name in enumerate("abcd")}
    return as_table({**given, "kind": kind}), y


@contextlib.contextmanager
def shared(
    n_sessions: int | None,
    batches: dict[int, Batch] | None = None,
    placement: ThreadPlacement | None = None,
    patience: float = 30.0,
) -> Iterator[list[TreeSessions]]:
    """Let trees of fits in this block be grown by sessions in threads."""
    listener, made = Listener("127.0.0.1"), []
    placement = placement or ThreadPlacement()

    def begin(work: TreeWork) -> TreeSessions:
        given: dict[str, Any] = {"n_sessions": n_sessions, "patience": patience}
        given |= {"batches": batches or {}, "on_batch": lambda first, batch: None}
        made.append(TreeSessions(work, placement, listener, **given))  # type: ignore[arg-type]
        return made[-1]

    try:
        with tree_engine(begin):
            yield made
    finally:
        for one in made:
            one.close()
        listener.close()


def saved(fitted: Any, path: Path) -> bytes:
    fitted.save(path)
    return path.read_bytes()


def of_classes(y: Any) -> Any:
    return np.digitize(y, [-0.5, 0.5]).astype(str)


CASES: list[tuple[str, Any, dict[str, Any]]] = [
    ("two classes", RandomForestClassifier(n_estimators=9), {"two": True}),
    ("classes", RandomForestClassifier(n_estimators=9), {}),
    ("class weights", RandomForestClassifier(n_estimators=9, class_weight="balanced"), {}),
    ("no bag", RandomForestClassifier(n_estimators=9, bootstrap=False), {}),
    ("few rows", RandomForestClassifier(n_estimators=9, max_samples=0.3), {}),
    ("no out of bag", RandomForestClassifier(n_estimators=9, oob_score=False), {}),
    ("as many as needed", RandomForestClassifier(n_estimators="auto"), {"two": True}),
    ("random thresholds", ExtraTreesClassifier(n_estimators=9), {}),
    ("numbers", RandomForestRegressor(n_estimators=9), {"numbers": True}),
    ("targets", RandomForestRegressor(n_estimators=9, keep_targets=True), {"numbers": True}),
    ("random numbers", ExtraTreesRegressor(n_estimators=9), {"numbers": True}),
    (
        "directions",
        RandomForestRegressor(n_estimators=9, monotonic_cst={"a": 1}),
        {"numbers": True},
    ),
]


@pytest.mark.parametrize(("name", "model", "how"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_saved_model_is_that_of_one_process(
    name: str, model: Any, how: dict[str, Any], weighted: bool, rows: Any, tmp_path: Path
) -> None:
    X, y = rows
    target = y if "numbers" in how else y > 0 if "two" in how else of_classes(y)
    weight = np.random.default_rng(1).integers(0, 4, N) if weighted else None
    alone = model.fit(X, target, sample_weight=weight)
    expected, score = saved(alone, tmp_path / "alone"), alone.oob_score_
    with shared(3) as made:
        there = model.fit(X, target, sample_weight=weight)
    assert saved(there, tmp_path / "there") == expected
    assert there.oob_score_ == score
    assert made[0].traffic.n_restarts == 0


@pytest.fixture(scope="module")
def alone(rows: Any, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return saved(fitted(rows), tmp_path_factory.mktemp("alone") / "model")


def fitted(rows: Any, n_trees: int = 12) -> Any:
    return RandomForestRegressor(n_estimators=n_trees).fit(*rows)


@pytest.mark.parametrize("n_sessions", [1, 2, 5, None])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_any_number_of_sessions_and_threads_gives_the_same_bytes(
    n_sessions: int | None, n_threads: int, rows: Any, alone: bytes, tmp_path: Path
) -> None:
    with shared(n_sessions, placement=ThreadPlacement(n_threads)) as made:
        assert saved(fitted(rows), tmp_path / "model") == alone
    assert made[0].n_done == 12
    assert made[0].traffic.n_bytes > 0


@pytest.mark.parametrize("place", ["load", "code", "tree 0", "grown", "shutdown"])
def test_a_session_that_is_lost_costs_its_trees(
    place: str, rows: Any, alone: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, n_lost = threading.Lock(), []

    def fail(where: str) -> None:
        with lock:
            if where == place and not n_lost:
                n_lost.append(where)
                raise ConnectionError

    fail_by(monkeypatch, fail)
    with shared(2) as made:
        assert saved(fitted(rows), tmp_path / "model") == alone
    assert made[0].traffic.n_restarts == (0 if place == "shutdown" else 1)


def test_trees_that_end_every_session_end_the_fit(
    rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(where: str) -> None:
        if where == "tree 0":
            raise ConnectionError

    fail_by(monkeypatch, fail)
    with shared(2), pytest.raises(ClusterError) as caught:
        fitted(rows)
    assert caught.value.code == "X018"


def test_workers_that_are_too_small_are_told_before_anything_is_sent(rows: Any) -> None:
    placement = ThreadPlacement(memory=1000)
    with shared(2, placement=placement), pytest.raises(ClusterError) as caught:
        fitted(rows)
    assert caught.value.code == "X017"
    assert not placement.threads


def test_trees_are_kept_and_continued(rows: Any, alone: bytes, tmp_path: Path) -> None:
    digest, batches = "", dict[int, Batch]()
    kept = Checkpoints(tmp_path / "kept", 2, resume=True)
    listener, placement = Listener("127.0.0.1"), ThreadPlacement()

    def begin(work: TreeWork) -> TreeSessions:
        nonlocal digest
        digest = work.digest()
        given: dict[str, Any] = {"n_sessions": 2, "patience": 30.0, "batches": batches}
        given["on_batch"] = lambda first, batch: kept.add_batch(digest, first, batch)
        return TreeSessions(work, placement, listener, **given)  # type: ignore[arg-type]

    with tree_engine(begin):
        fitted(rows, 7)
        batches = kept.read_batches(digest)
        assert sum(len(one["n_nodes"]) for one in batches.values()) in {6, 7}
        assert saved(fitted(rows), tmp_path / "model") == alone
    listener.close()
    assert kept.read_batches("of other rows") == {}


def test_a_time_budget_ends_growing(rows: Any) -> None:
    with shared(2):
        model = RandomForestRegressor(n_estimators=100000, time_budget=1.0).fit(*rows)
    few = RandomForestRegressor(n_estimators=model.n_estimators_).fit(*rows)
    assert 0 < model.n_estimators_ < 100000
    assert np.array_equal(few.predict(rows[0]), model.predict(rows[0]))


def test_a_warm_start_adds_trees(rows: Any, alone: bytes, tmp_path: Path) -> None:
    with shared(2):
        model = RandomForestRegressor(n_estimators=5, warm_start=True).fit(*rows)
        model.set_params(n_estimators=12).fit(*rows)
    one = RandomForestRegressor(n_estimators=5, warm_start=True).fit(*rows)
    one.set_params(n_estimators=12).fit(*rows)
    assert saved(model, tmp_path / "model") == saved(one, tmp_path / "one")
