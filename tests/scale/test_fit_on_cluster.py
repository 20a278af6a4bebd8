"""Gradient boosting grown by the workers of a cluster: the bytes of one process."""

import contextlib
import os
import signal
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pytest
from sklearn.base import clone

from branchline import load
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.errors import BranchlineWarning, ParameterError
from branchline.forest import BaggedTreesRegressor, ExtraTreesClassifier, RandomForestClassifier
from branchline.scale import Progress, fit_on
from branchline.scale._fail_points import FAIL_AT
from branchline.scale._fit_on import _host_of
from branchline.table import Table, as_table, read_table, scan_table

N = 3000


@pytest.fixture(scope="module")
def rows() -> tuple[Table, Any]:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(N, 6))
    X[rng.random(X.shape) < 0.02] = np.nan
    kind = rng.choice(["u", "v", "w"], N)
    y = np.nan_to_num(X[:, 0]) + (kind == "u") + rng.normal(size=N) > 0
    given = {name: X[:, place] for place, name in enumerate("abcdef")}
    return as_table({**given, "kind": kind}), y.astype(str)


def model() -> GradientBoostingClassifier:
    return GradientBoostingClassifier(n_estimators=6)


def saved(fitted: Any, path: Path) -> bytes:
    fitted.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def alone(rows: Any, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return saved(model().fit(*rows), tmp_path_factory.mktemp("alone") / "model")


def fail_at(told: str) -> None:
    """Let the sessions of a worker fail somewhere."""
    os.environ[FAIL_AT] = told


def resume_all(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("n_parts", [None, 1, 5])
def test_the_saved_model_is_that_of_one_process(
    n_parts: int | None, client: Any, rows: Any, alone: bytes, tmp_path: Path
) -> None:
    told: list[Progress] = []
    fitted = fit_on(client, model(), *rows, n_parts=n_parts, on_progress=told.append)
    assert saved(fitted, tmp_path / "model") == alone
    assert [one.n_done for one in told] == [1, 2, 3, 4, 5, 6]
    assert told[-1].seconds_left == 0
    assert told[-1].rows_per_second > 0
    assert np.array_equal(load(tmp_path / "model").predict(rows[0]), fitted.predict(rows[0]))


@pytest.mark.parametrize("place", ["exchange 7", "leaf update"])
def test_a_worker_that_is_killed_is_made_up_for(
    place: str, client: Any, rows: Any, alone: bytes, tmp_path: Path
) -> None:
    client.run(fail_at, f"{place}|kill|{tmp_path / 'mark'}")
    with pytest.warns(BranchlineWarning, match="worker of the cluster was lost"):
        fitted = fit_on(client, model(), *rows, n_parts=2)
    assert (tmp_path / "mark").exists()
    assert saved(fitted, tmp_path / "model") == alone


def test_a_worker_that_hangs_is_made_up_for(
    client: Any, rows: Any, alone: bytes, tmp_path: Path
) -> None:
    pids = list(client.run(os.getpid).values())
    client.run(fail_at, f"exchange 3|stop|{tmp_path / 'mark'}")
    try:
        with pytest.warns(BranchlineWarning, match="worker of the cluster was lost"):
            fitted = fit_on(client, model(), *rows, n_parts=2, patience=4.0)
    finally:
        resume_all(pids)
    assert saved(fitted, tmp_path / "model") == alone


def test_a_fit_that_ended_is_continued(
    client: Any, rows: Any, alone: bytes, tmp_path: Path
) -> None:
    def stop(progress: Progress) -> None:
        if progress.n_done == 5:
            raise KeyboardInterrupt

    kept: dict[str, Any] = {"checkpoint": tmp_path / "kept", "every": 2}
    with pytest.raises(KeyboardInterrupt):
        fit_on(client, model(), *rows, n_parts=2, on_progress=stop, **kept)
    told: list[Progress] = []
    fitted = fit_on(client, model(), *rows, n_parts=3, resume=True, on_progress=told.append, **kept)
    assert [one.n_done for one in told] == [5, 6]
    assert saved(fitted, tmp_path / "model") == alone


@pytest.mark.parametrize("forest", [RandomForestClassifier, ExtraTreesClassifier])
def test_a_forest_is_that_of_one_process_though_a_worker_is_killed(
    forest: Any, client: Any, rows: Any, tmp_path: Path
) -> None:
    alone = saved(forest(n_estimators=12).fit(*rows), tmp_path / "alone")
    client.run(fail_at, f"grown|kill|{tmp_path / 'mark'}")
    told: list[Progress] = []
    with pytest.warns(BranchlineWarning, match="worker of the cluster was lost"):
        fitted = fit_on(client, forest(n_estimators=12), *rows, on_progress=told.append)
    assert (tmp_path / "mark").exists()
    assert saved(fitted, tmp_path / "model") == alone
    assert told[-1].n_done == 12
    assert told[-1].seconds_left == 0


def test_a_forest_whose_fit_ended_is_continued(client: Any, rows: Any, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.n_done >= 6:
            raise KeyboardInterrupt

    kept: dict[str, Any] = {"checkpoint": tmp_path / "kept", "every": 2}
    model = RandomForestClassifier(n_estimators=12)
    with pytest.raises(KeyboardInterrupt):
        fit_on(client, model, *rows, on_progress=stop, **kept)
    told: list[Progress] = []
    fit_on(client, model, *rows, resume=True, on_progress=told.append, **kept)
    assert told[0].n_done > 6
    alone = RandomForestClassifier(n_estimators=12).fit(*rows)
    assert saved(model, tmp_path / "model") == saved(alone, tmp_path / "alone")


def test_sessions_are_gone_when_a_fit_has_ended(client: Any, rows: Any) -> None:
    fit_on(client, model(), *rows, n_parts=2)
    for tasks in client.processing().values():
        assert not [one for one in tasks if "branchline" in one]


def test_connections_are_encrypted_where_those_of_the_client_are(
    rows: Any, alone: bytes, tmp_path: Path
) -> None:
    pytest.importorskip("cryptography", reason="temporary certificates are made by cryptography")
    security = distributed.Security.temporary()
    given: dict[str, Any] = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    given |= {"dashboard_address": "127.0.0.1:0", "silence_logs": 50, "protocol": "tls://"}
    with (
        distributed.LocalCluster(security=security, host="127.0.0.1", **given) as cluster,
        distributed.Client(cluster, security=security, set_as_default=False) as client,
    ):
        fitted = fit_on(client, model(), *rows)
    assert saved(fitted, tmp_path / "model") == alone


def test_what_is_not_grown_by_parts_is_refused(client: Any, rows: Any) -> None:
    X = rows[0].select(["b", "kind"])
    y = np.nan_to_num(rows[0].column("a").numbers())
    refused: list[Any] = [BaggedTreesRegressor(), GradientBoostingRegressor(loss="quantile")]
    for other in refused:
        with pytest.raises(ParameterError) as caught:
            fit_on(client, other, X, y)
        assert caught.value.code == "P951"


def test_an_address_of_another_machine_needs_one_of_this(rows: Any) -> None:
    far = type("Far", (), {"scheduler": type("Scheduler", (), {"address": "tcp://10.0.0.2:8786"})})
    with pytest.raises(ParameterError) as caught:
        _host_of(far(), None)
    assert caught.value.code == "P952"
    assert _host_of(far(), "10.0.0.5") == "10.0.0.5"


def test_a_scan_is_fitted_as_its_table_is(client: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    n = 20_000
    a, kind = rng.normal(size=n), rng.choice(["u", "v", "w"], n)
    y = np.where(a + (kind == "u") + rng.normal(size=n) > 0.3, "yes", "no")
    data = tmp_path / "rows.csv"
    lines = [f"{one!r},{of},{told}" for one, of, told in zip(a.tolist(), kind, y, strict=True)]
    data.write_text("\n".join(["a,kind,y", *lines]) + "\n")
    X, target = scan_table(data).split_target("y")
    in_memory = read_table(data).split_target("y")
    for estimator in (model(), RandomForestClassifier(n_estimators=3, oob_score=False)):
        alone = saved(clone(estimator).fit(*in_memory), tmp_path / "alone")
        assert saved(fit_on(client, clone(estimator), X, target), tmp_path / "there") == alone
