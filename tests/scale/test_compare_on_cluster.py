"""A comparison on a cluster gives the numbers that it gives here, whatever happens to workers."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from branchline import catalog, compare, cross_validate, load_dataset
from branchline.assess.comparing._cluster_workers import ClusterWorkers
from branchline.errors import BranchlineWarning, ClusterError
from branchline.scale import TaskPool, results_of

MEASURED = {"seconds", "fit_seconds", "predict_seconds", "fit_bytes"}


def unmeasured(document: Any) -> Any:
    """Return a document without what clocks and memory tell."""
    if isinstance(document, dict):
        kept = {name: value for name, value in document.items() if name not in MEASURED}
        return {name: unmeasured(value) for name, value in kept.items()}
    if isinstance(document, list):
        return [unmeasured(value) for value in document]
    return document


def test_the_document_is_the_same_on_four_workers_as_without_a_cluster() -> None:
    table = load_dataset("heart")
    given: dict[str, Any] = {"learners": "tree,naive_bayes,logistic", "n_folds": 4}
    given |= {"tuning": "small", "select": "mutual_information:5"}
    here = compare(table, "disease", **given).to_dict()
    there = compare(table, "disease", engine="local:4", **given).to_dict()
    assert unmeasured(there) == unmeasured(here)


def test_a_killed_worker_costs_its_running_fit_only(client: Any, tmp_path: Path) -> None:
    table, mark = load_dataset("iris"), str(tmp_path / "killed")
    with pytest.warns(BranchlineWarning, match="worker of the cluster ended") as caught:
        found = compare(
            table,
            "species",
            learners={"deadly": _Marked(mark), "tree": "tree"},
            n_folds=3,
            engine=client,
        )
    assert any(one.message.code == "W108" for one in caught)  # type: ignore[union-attr]
    assert found.is_complete
    assert not [one for one in found.results if one.error]


class _Marked(DummyClassifier):
    """A learner whose process ends the first time that one with this mark is fitted."""

    def __init__(self, mark: str = "") -> None:
        super().__init__()
        self.mark = mark

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.5)  # so that the loss is noticed while something is to do
        return super().fit(X, y, sample_weight)


def test_a_run_file_is_continued(client: Any, tmp_path: Path) -> None:
    table, run = load_dataset("iris"), tmp_path / "run.jsonl"
    given: dict[str, Any] = {"learners": "tree,naive_bayes", "n_folds": 4, "run_file": run}
    whole = compare(table, "species", engine=client, **given)
    lines = run.read_text().splitlines()
    run.write_text("\n".join(lines[:4]) + "\n")
    again = compare(table, "species", engine=client, resume=True, **given)
    assert unmeasured(again.to_dict()) == unmeasured(whole.to_dict())
    assert len(run.read_text().splitlines()) == len(lines)


def _sleep(shared: None, seconds: float) -> None:
    time.sleep(seconds)


def test_a_job_whose_time_is_up_is_given_up(client: Any) -> None:
    pool = TaskPool(client, _as_it_is, None, _sleep)
    try:
        pool.begin(3.0, time.monotonic() + 0.1)
        ended = None
        while ended is None:
            ended = pool.wait()
        assert ended.is_stopped
        assert ended.job == 3.0
    finally:
        pool.close()


def _as_it_is(shared: None) -> None:
    return shared


def test_cross_validation_gives_the_same_predictions(client: Any) -> None:
    X, y = load_dataset("heart").split_target("disease")
    model = catalog.make("boosting", task="classification", n_estimators=10)
    here = cross_validate(model, X, y, n_folds=4, metric="auc")
    there = cross_validate(model, X, y, n_folds=4, metric="auc", engine=client)
    assert str(there) == str(here)
    assert np.array_equal(there.predictions, here.predictions)


def test_a_search_runs_on_the_cluster_of_joblib(client: Any) -> None:
    X, y = load_dataset("iris").split_target("species")
    here = catalog.search("tree", task="classification", n_folds=3).fit(X, y)
    with client.as_current(), joblib.parallel_config("dask"):
        there = catalog.search("tree", task="classification", n_folds=3).fit(X, y)
    assert there.best_params_ == here.best_params_
    assert np.array_equal(there.cv_results_["mean_test_score"], here.cv_results_["mean_test_score"])


def _refuse(shared: int, job: int) -> int:
    if job == 3:
        raise ValueError(f"not {job}")
    return shared * job


def _end(shared: int, job: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_results_come_in_the_order_of_jobs_and_errors_as_they_are(client: Any) -> None:
    assert list(results_of(client, _refuse, 10, range(3))) == [0, 10, 20]
    with pytest.raises(ValueError, match="not 3"):
        list(results_of(client, _refuse, 10, range(5)))


def test_nothing_is_left_on_the_workers(client: Any) -> None:
    before = _kept(client)  # a worker that began while another test ended may have its work
    list(results_of(client, _refuse, 10, range(2)))
    assert _kept(client) <= before


def _kept(client: Any) -> set[str]:
    """Return the names of what workers keep."""
    names = client.run(lambda dask_worker: list(dask_worker.__dict__.get("branchline_shared", {})))
    return {name for one in names.values() for name in one}


def test_what_the_workers_of_other_machines_get_holds_the_table(client: Any) -> None:
    workers = ClusterWorkers(client, sees_files=False)
    assert workers.n_idle == 0
    assert len(workers) == 1
    workers.close()


def test_a_job_that_ends_every_worker_is_given_up(client: Any) -> None:
    with pytest.warns(BranchlineWarning, match="ended"), pytest.raises(ClusterError) as caught:
        list(results_of(client, _end, 0, [1]))
    assert caught.value.code == "X014"
