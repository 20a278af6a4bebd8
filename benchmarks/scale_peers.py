"""The Dask learners of XGBoost and LightGBM beside ours (`python -m benchmarks.scale_peers`).

For each learner, on a cluster of local processes with one thread each:

1. the seconds of a fit by one and by two workers, the least of some repeats, one learner after the
   other; with the sending of the rows, which Dask's collections hold on the workers before the
   peers begin;
2. by how much predictions differ between one and two workers;
3. what happens when a worker is killed in the middle of a fit: `--kill NAME` in a process of its
   own, because a fit may wait for ever.

Prints a line of JSON.
"""

import argparse
import importlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import distributed
import numpy as np

from benchmarks.scale import table
from branchline.boosting import GradientBoostingClassifier
from branchline.scale import fit_on

PEERS = [name for name in ("xgboost", "lightgbm") if importlib.util.find_spec(name)]
GIVE_UP = 90  # seconds after which a fit whose worker was killed is said to hang


def cluster(n_workers: int) -> Any:
    return distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    )


def fit_ours(client: Any, X: Any, y: Any, n_rounds: int) -> Callable[[Any], Any]:
    model = GradientBoostingClassifier(n_estimators=n_rounds, max_features=1.0, n_jobs=1)
    fit_on(client, model, X, y)
    return lambda rows: model.predict_proba(rows)[:, 1]


def rows_on(client: Any, X: Any, y: Any) -> Any:
    arrays = importlib.import_module("dask.array")
    n = -(-len(y) // len(client.nthreads()))
    given = arrays.from_array(X, (n, X.shape[1])), arrays.from_array(y, n)
    return client.persist(given)


def fit_xgboost(client: Any, X: Any, y: Any, n_rounds: int) -> Callable[[Any], Any]:
    learner = importlib.import_module("xgboost.dask").DaskXGBClassifier
    fitted = learner(
        n_estimators=n_rounds,
        tree_method="hist",
        grow_policy="lossguide",
        max_leaves=31,
        max_depth=0,
        max_bin=256,
        learning_rate=0.1,
        n_jobs=1,
    )
    fitted.client = client
    fitted.fit(*rows_on(client, X, y))
    booster = fitted.get_booster()
    inner = importlib.import_module("xgboost")
    return lambda rows: booster.predict(inner.DMatrix(rows))


def fit_lightgbm(client: Any, X: Any, y: Any, n_rounds: int) -> Callable[[Any], Any]:
    learner = importlib.import_module("lightgbm").DaskLGBMClassifier
    fitted = learner(n_estimators=n_rounds, num_leaves=31, n_jobs=1, client=client, verbose=-1)
    fitted.fit(*rows_on(client, X, y))
    local = fitted.to_local()
    return lambda rows: local.predict_proba(rows)[:, 1]


FITS = {"branchline": fit_ours, "xgboost": fit_xgboost, "lightgbm": fit_lightgbm}


def compared(names: list[str], X: Any, y: Any, n_rounds: int, n_repeats: int) -> dict[str, Any]:
    found: dict[str, Any] = {name: {} for name in names}
    scores: dict[str, Any] = {}
    for n_workers in (1, 2):
        with cluster(n_workers) as workers, distributed.Client(workers) as client:
            for name in names * n_repeats:
                begin = time.perf_counter()
                predict = FITS[name](client, X, y, n_rounds)
                seconds = time.perf_counter() - begin
                of = found[name]
                of[f"seconds, {n_workers} workers"] = min(
                    seconds, of.get(f"seconds, {n_workers} workers", seconds)
                )
                here = predict(X[:20000])
                scores.setdefault(name, here)
                of["differs"] = float(np.abs(here - scores[name]).max())
    return found


def killed(name: str, X: Any, y: Any, n_rounds: int) -> str:
    """Return what a fit does whose worker is killed half way."""
    with cluster(2) as workers, distributed.Client(workers) as client:
        begin = time.perf_counter()
        FITS[name](client, X, y, n_rounds)
        half = (time.perf_counter() - begin) / 2
        pid = next(iter(client.run(os.getpid).values()))
        begin = time.perf_counter()
        threading.Timer(half, os.kill, (pid, signal.SIGKILL)).start()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                FITS[name](client, X, y, n_rounds)
            lost = any("lost" in str(one.message) for one in caught)
            told = "ended, and told of the worker" if lost else "ended"
        except Exception as problem:
            text = " ".join(str(problem).split())
            told = f"{type(problem).__name__}: {text[:160]}"
        seconds = time.perf_counter() - begin
        return f"after {seconds:.1f} s, killed at {half:.1f} s: {told}"


def kill_apart(name: str, n_rows: int, n_rounds: int) -> str:
    command = [sys.executable, "-m", "benchmarks.scale_peers", "--kill", name]
    command += ["--rows", str(n_rows), "--rounds", str(n_rounds)]
    with tempfile.TemporaryFile("w+") as said:
        with subprocess.Popen(
            command, start_new_session=True, stdout=said, stderr=subprocess.DEVNULL
        ) as process:
            try:
                process.wait(2 * GIVE_UP)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return f"no end after {2 * GIVE_UP} s"
        said.seek(0)
        lines = [line for line in said.read().splitlines() if line.startswith("kill: ")]
    return lines[-1][6:] if lines else f"the process of the fit ended with {process.returncode}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--kill", choices=list(FITS))
    asked = parser.parse_args()
    X, y = table(asked.rows, asked.columns)
    if asked.kill:
        print("kill: " + killed(asked.kill, X, y, asked.rounds))
        return
    names = ["branchline", *PEERS]
    found: dict[str, Any] = {"rows": asked.rows, "rounds": asked.rounds}
    found |= compared(names, X, y, asked.rounds, asked.repeats)
    for name in names:
        found[name]["kill"] = kill_apart(name, asked.rows, asked.rounds)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
