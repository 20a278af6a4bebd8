"""What a fit on a cluster takes beside one in this process (`python -m benchmarks.scale`).

Prints one line of JSON: CPU and wall seconds of the fit here with one thread; for each number of
workers those of the rounds on a cluster of local processes, what was sent, and whether the saved
model has the same bytes. Peers: the Dask learners of XGBoost and LightGBM where they are installed
(wall seconds, and by how much predictions differ between one and two workers).

    python -m benchmarks.scale --rows 1000000 --columns 28 --rounds 20 --workers 1,2 --peers
"""

import argparse
import hashlib
import importlib
import importlib.util
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import distributed
import numpy as np

from branchline.boosting import GradientBoostingClassifier
from branchline.scale import Progress, fit_on

PEERS = [name for name in ("xgboost", "lightgbm") if importlib.util.find_spec(name)]


def table(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3])
    return X, (signal + rng.normal(size=n_rows) > 0).astype(int)


def digest(model: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def model_for(n_rounds: int) -> GradientBoostingClassifier:
    return GradientBoostingClassifier(n_estimators=n_rounds, n_jobs=1)


def here(X: Any, y: Any, n_rounds: int) -> dict[str, Any]:
    times = []
    for rounds in (1, n_rounds):  # a fit of one round is what coding takes
        begin = time.perf_counter(), time.process_time()
        fitted = model_for(rounds).fit(X, y)
        times.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
    wall, cpu = (times[1][kind] - times[0][kind] for kind in (0, 1))
    return {"wall": wall, "cpu": cpu, "digest": digest(fitted)}


def used(dask_worker: Any) -> float:
    """Return the CPU seconds of a worker's process."""
    return time.process_time()


def on_cluster(client: Any, X: Any, y: Any, n_rounds: int) -> dict[str, Any]:
    """Time the rounds after the first one, which waits for the rows to arrive."""
    marks: list[tuple[float, float, dict[str, float], Progress]] = []

    def mark(progress: Progress) -> None:
        if progress.n_done in {1, n_rounds}:
            times = time.perf_counter(), time.process_time(), client.run(used)
            marks.append((*times, progress))

    fitted = fit_on(client, model_for(n_rounds), X, y, on_progress=mark)
    first, last = marks
    traffic = last[3].traffic
    return {
        "wall": last[0] - first[0],
        "cpu_of_a_worker": max(last[2][one] - first[2][one] for one in last[2]),
        "cpu_of_the_sums": last[1] - first[1],
        "exchanges_per_round": traffic.n_exchanges / n_rounds,
        "bytes_per_round": traffic.n_bytes / n_rounds,
        "digest": digest(fitted),
    }


def peer(name: str, client: Any, X: Any, y: Any, n_rounds: int) -> Any:
    arrays = importlib.import_module("dask.array")
    rows = len(y) // len(client.nthreads())
    Xs, ys = arrays.from_array(X, (rows, X.shape[1])), arrays.from_array(y, rows)
    if name == "xgboost":
        learner = importlib.import_module("xgboost.dask").DaskXGBClassifier
        fitted = learner(n_estimators=n_rounds, tree_method="hist")
        fitted.client = client
    else:
        learner = importlib.import_module("lightgbm").DaskLGBMClassifier
        fitted = learner(n_estimators=n_rounds, client=client, verbose=-1)
    begin = time.perf_counter()
    fitted.fit(Xs, ys)
    return time.perf_counter() - begin, fitted.predict_proba(Xs[:5000]).compute()[:, 1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--peers", action="store_true")
    asked = parser.parse_args()
    X, y = table(asked.rows, asked.columns)
    found: dict[str, Any] = {"rows": asked.rows, "columns": asked.columns, "rounds": asked.rounds}
    found["here"] = here(X, y, asked.rounds)
    predicted: dict[str, list[Any]] = {}
    for n_workers in map(int, asked.workers.split(",")):
        given: dict[str, Any] = {"n_workers": n_workers, "threads_per_worker": 1}
        given |= {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
        with distributed.LocalCluster(**given) as cluster, distributed.Client(cluster) as client:
            ours = on_cluster(client, X, y, asked.rounds)
            ours["is_same"] = ours["digest"] == found["here"]["digest"]
            found[f"{n_workers} workers"] = ours
            for name in PEERS if asked.peers else ():
                seconds, scores = peer(name, client, X, y, asked.rounds)
                predicted.setdefault(name, []).append(scores)
                differs = float(np.abs(scores - predicted[name][0]).max())
                ours[name] = {"wall": seconds, "differs": differs}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
