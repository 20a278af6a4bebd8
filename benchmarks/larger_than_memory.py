"""What a fit on a table larger than memory takes (`python -m benchmarks.larger_than_memory`).

Writes Parquet files, then measures in one process each: the conversion into columns on disk
(``scan_table``), the fit on them, and the fit on a table in memory of fewer rows. Prints a line of
JSON for each: seconds, nanoseconds per row, and the most memory used at once: ``anonymous`` is
memory that only this process has, ``total`` includes the pages of mapped files, which the system
may take back at any time.

    python -m benchmarks.larger_than_memory --rows 20000000 --memory-rows 2000000 --learner boosting
"""

import argparse
import hashlib
import json
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from branchline import Table, scan_table
from branchline.boosting import GradientBoostingClassifier
from branchline.forest import ExtraTreesClassifier, RandomForestClassifier

ROWS_AT_ONCE = 1_000_000
LEARNERS: dict[str, Callable[[int], Any]] = {
    "boosting": lambda n: GradientBoostingClassifier(n_estimators=n, n_jobs=2, random_state=0),
    "forest": lambda n: RandomForestClassifier(
        n_estimators=n, n_jobs=2, random_state=0, oob_score=False
    ),
    "extra-trees": lambda n: ExtraTreesClassifier(
        n_estimators=n, n_jobs=2, random_state=0, oob_score=False
    ),
}


def write(folder: Path, n_rows: int, n_columns: int) -> Path:
    """Write files of random numbers and a class that depends on some of them."""
    place = folder / f"rows-{n_rows}-{n_columns}"
    place.mkdir(parents=True, exist_ok=True)
    for number, begin in enumerate(range(0, n_rows, ROWS_AT_ONCE)):
        file = place / f"part-{number:05}.parquet"
        if file.exists():
            continue
        rng = np.random.default_rng(number)
        x = rng.normal(size=(n_columns, min(ROWS_AT_ONCE, n_rows - begin))).astype(np.float32)
        signal = x[0] + x[1] * x[2] + np.sin(2 * x[3]) + rng.normal(size=x.shape[1])
        columns = {f"x{place}": column for place, column in enumerate(x)}
        pl.DataFrame({**columns, "y": (signal > 0).astype(np.int8)}).write_parquet(file)
    return place


class Memory:
    """The most memory that this process had, looked at every few milliseconds."""

    def __init__(self) -> None:
        self.most = {"RssAnon": 0, "VmRSS": 0}
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ends.wait(0.005):
            for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
                name, _, amount = line.partition(":")
                if name in self.most:
                    self.most[name] = max(self.most[name], int(amount.split()[0]) * 1024)


def digest(model: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def convert(source: str, cache: str) -> dict[str, Any]:
    scan = scan_table(source, cache=cache)
    return {"n_rows": scan.n_rows}


def fit(source: str, cache: str | None, learner: str, n_steps: int) -> dict[str, Any]:
    begin = time.perf_counter(), time.process_time()
    if cache is None:
        files = sorted(Path(source).glob("*.parquet"))
        table = Table(pl.concat([pl.read_parquet(file) for file in files]))
    else:
        table = scan_table(source, cache=cache)
    opened = time.perf_counter(), time.process_time()
    X, y = table.split_target("y")
    model = LEARNERS[learner](n_steps).fit(X, y)
    n_rows = table.n_rows
    return {
        "n_rows": n_rows,
        "open_wall": opened[0] - begin[0],
        "fit_wall": time.perf_counter() - opened[0],
        "fit_cpu": time.process_time() - opened[1],
        "fit_ns_per_row": 1e9 * (time.perf_counter() - opened[0]) / n_rows,
        "digest": digest(model),
    }


def _measured(work: Callable[..., dict[str, Any]], given: tuple[Any, ...]) -> dict[str, Any]:
    begin = time.perf_counter(), time.process_time()
    with Memory() as memory:
        found = work(*given)
    found["wall"] = time.perf_counter() - begin[0]
    found["cpu"] = time.process_time() - begin[1]
    found["anonymous_mib"] = memory.most["RssAnon"] >> 20
    found["total_mib"] = memory.most["VmRSS"] >> 20
    return found


def measured(work: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
    """Return what some work found and took, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_measured, work, given).result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--memory-rows", type=int, default=2_000_000)
    parser.add_argument("--learner", choices=LEARNERS, default="boosting")
    parser.add_argument("--steps", type=int, default=20, help="rounds or trees")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "larger")
    given = parser.parse_args()
    sizes = {"scan": given.rows, "in memory": given.memory_rows}
    for how, n_rows in sizes.items():
        source = str(write(given.folder, n_rows, given.columns))
        cache = str(given.folder / f"cache-{n_rows}") if how == "scan" else None
        if cache is not None:
            print(json.dumps({"what": "convert", **measured(convert, source, cache)}), flush=True)
        found = measured(fit, source, cache, given.learner, given.steps)
        print(json.dumps({"what": f"{given.learner}, {how}", **found}), flush=True)


if __name__ == "__main__":
    main()
