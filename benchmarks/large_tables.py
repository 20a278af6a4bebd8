"""Fits of tables larger than memory (`python -m benchmarks.large_tables`).

Writes the columns of a table to files (22 of numbers, float32 and float64, some cells missing; 6 of
3 to 13 categories), maps them, and fits each learner in a fresh process. Prints a line of JSON for
each: wall and CPU seconds of the fit; the peak of the memory that the process holds beside mapped
files, with what it held before the fit; the same of prediction. With --in-memory columns in memory
are fitted, too: the model has the same bytes. With --whole the fit of the matrix of all rows is
timed, with the largest difference of its predictions (for up to a million rows or so).

    python -m benchmarks.large_tables --rows 5000000
    python -m benchmarks.large_tables --rows 400000 --whole --learners ridge,logistic
"""

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from branchline._encoding import _encoded_blocks
from branchline._saving._write import to_bytes
from branchline.table import Column, ColumnType, Table

LEARNERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "naive_bayes": ("bayes", "NaiveBayes", {}),
    "naive_bayes_gaussian": ("bayes", "NaiveBayes", {"numeric": "gaussian"}),
    "linear_regression": ("linear", "LinearRegression", {}),
    "ridge": ("linear", "Ridge", {}),
    "logistic": ("linear", "LogisticRegression", {}),
    "logistic_no_penalty": ("linear", "LogisticRegression", {"penalty": None}),
    "logistic_l1": ("linear", "LogisticRegression", {"penalty": "l1", "C": 0.001}),
    "hashed_logistic": ("linear", "HashedLogisticRegression", {}),
    "k_means": ("cluster", "KMeans", {}),
    "mini_batch_k_means": ("cluster", "MiniBatchKMeans", {}),
}
N_NUMBERS, N_CATEGORIES = 22, 6
AT_ONCE = 2**18


def write_columns(folder: Path, n_rows: int) -> None:
    """Write a file for each column, and the numbers to predict."""

    def file(name: str, kind: Any) -> Any:
        return np.lib.format.open_memmap(folder / f"{name}.npy", "w+", kind, (n_rows,))

    numbers = [file(f"n{at}", np.float64 if at % 3 else np.float32) for at in range(N_NUMBERS)]
    names = [file(f"c{at}", np.int32) for at in range(N_CATEGORIES)]
    target, rng = file("y", np.float64), np.random.default_rng(0)
    for first in range(0, n_rows, AT_ONCE):
        n = min(AT_ONCE, n_rows - first)
        rows, normal = slice(first, first + n), rng.standard_normal((N_NUMBERS, n))
        sums = rng.standard_normal(n)
        for at, column in enumerate(numbers):
            values = normal[at] + 0.3 * normal[(at + 1) % N_NUMBERS]
            sums += values * (at - 11) / 10
            values = np.round(values * 20) if at % 5 == 2 else values
            column[rows] = np.where(rng.random(n) < 0.05 * (at % 4 == 1), np.nan, values)
        for at, column in enumerate(names):
            codes = rng.integers(-(at % 2), 3 + 2 * at, n)  # −1 is a missing cell
            sums += 0.5 * (codes % 3 - 1)
            column[rows] = codes
        target[rows] = sums


def table_of(folder: Path, *, mapped: bool) -> tuple[Table, Any]:
    """Return the columns as a table, and the numbers to predict in memory."""

    def read(name: str) -> Any:
        return np.load(folder / f"{name}.npy", mmap_mode="r" if mapped else None)

    kinds = [ColumnType("numeric", "float")] * N_NUMBERS
    for at in range(N_CATEGORIES):
        levels = tuple(f"level {number}" for number in range(3 + 2 * at))
        kinds.append(ColumnType("category", "string", levels))
    names = [f"n{at}" for at in range(N_NUMBERS)] + [f"c{at}" for at in range(N_CATEGORIES)]
    columns = [Column(name, kind, read(name)) for name, kind in zip(names, kinds, strict=True)]
    return Table.from_columns(columns), np.array(read("y"))


class Peak:
    """The peak of the memory that belongs to this process alone, read a hundred times a second.

    It is 0 where the system does not say (elsewhere than on Linux).
    """

    def __init__(self) -> None:
        self.before = self.highest = self._now()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(0.01):
            self.highest = max(self.highest, self._now())

    @staticmethod
    def _now() -> int:
        try:
            lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        except OSError:
            return 0
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon"))


def timed(call: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    begin = time.perf_counter(), time.process_time()
    with Peak() as peak:
        found = call()
    spent = {"wall": time.perf_counter() - begin[0], "cpu": time.process_time() - begin[1]}
    memory = {"held_gib": peak.before / 2**30, "peak_gib": peak.highest / 2**30}
    return found, {name: round(value, 2) for name, value in (spent | memory).items()}


def measure(learner: str, folder: Path, *, in_memory: bool, whole: bool) -> dict[str, Any]:
    """Return what a learner takes, in a process that runs nothing else."""
    room, name, options = LEARNERS[learner]
    made = getattr(importlib.import_module(f"branchline.{room}"), name)
    X, y = table_of(folder, mapped=True)
    given: tuple[Any, ...] = (y,)
    if hasattr(made, "predict_proba"):
        given = ((y > 0.3).astype(np.int64),)
    elif room == "cluster":
        given = ()
    made(**options).fit(X.rows(slice(0, 500)), *(part[:500] for part in given))  # loads libraries
    model, fit = timed(lambda: made(**options).fit(X, *given))
    found, prediction = timed(lambda: model.predict(X))
    report: dict[str, Any] = {"learner": learner, "rows": X.n_rows, "fit": fit}
    report["predict"] = prediction
    rest, _ = table_of(folder, mapped=False)
    if in_memory:
        other, report["in_memory"] = timed(lambda: made(**options).fit(rest, *given))
        report["same_bytes"] = to_bytes(other) == to_bytes(model)
    if whole:
        _encoded_blocks.LARGE_CELLS = _encoded_blocks._FEW_PASSES_CELLS = 2**62
        other, report["whole_matrix"] = timed(lambda: made(**options).fit(rest, *given))
        report["differs_by"] = difference(model, other, rest, found)
    return report


def difference(model: Any, other: Any, X: Table, found: Any) -> float:
    """Return the largest difference of predictions; of clusters, by how much W is larger."""
    if hasattr(model, "inertia_"):
        return float(model.inertia_ / other.inertia_ - 1.0)
    if hasattr(model, "predict_proba"):
        return float(np.abs(model.predict_proba(X) - other.predict_proba(X)).max())
    return float(np.abs(found - other.predict(X)).max())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_tables")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--in-memory", action="store_true", help="fit columns in memory, too")
    parser.add_argument("--whole", action="store_true", help="fit the matrix of all rows, too")
    parser.add_argument("--folder", type=Path, help="where the files are (default: made anew)")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        found = measure(asked.learners, asked.folder, in_memory=asked.in_memory, whole=asked.whole)
        print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = asked.folder or Path(folder)
        if not (files / "y.npy").exists():
            files.mkdir(parents=True, exist_ok=True)
            write_columns(files, asked.rows)
        for learner in asked.learners.split(","):
            command = [sys.executable, "-m", "benchmarks.large_tables", "--one"]
            command += ["--learners", learner, "--folder", str(files)]
            command += ["--in-memory"] * asked.in_memory + ["--whole"] * asked.whole
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
