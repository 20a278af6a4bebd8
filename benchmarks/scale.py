"""What rounds on a cluster take beside those in one process (`python -m benchmarks.scale`).

The table is coded once. Then every round is made in this process with one thread and with two, and
by clusters of local processes with one thread each, one after the other: what else the machine does
meanwhile touches all of them alike. Prints one line of JSON: for each of them the wall seconds of a
round (the least and the median), CPU seconds of a worker and of this process, what was sent, and
whether the trees are the same; then the ratios that docs/scale.md gives.

    python -m benchmarks.scale --rows 4000000 --columns 28 --rounds 12 --workers 1,2

The Dask learners of XGBoost and LightGBM: `python -m benchmarks.scale_peers`. Faults, identity and
memory: `cd tests && python -m fuzz.cluster`.
"""

import argparse
import contextlib
import json
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from branchline._part_rounds import PartOfRounds, RoundWork, round_engine
from branchline.boosting import GradientBoostingClassifier
from branchline.scale import connected
from branchline.scale._listener import Listener
from branchline.scale._parts import Parts
from branchline.scale._placement import Placement
from branchline.scale._round_session import digest_of

BLOCK_ROWS = 16384


def table(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3])
    return X, (signal + rng.normal(size=n_rows) > 0).astype(int)


class Coded(Exception):  # noqa: N818 (it is no error)
    """The work of a fit, which is not done."""


def work_of(n_rows: int, n_columns: int) -> RoundWork:
    """Return what the rounds of a fit need."""

    def take(work: RoundWork) -> Any:
        raise Coded(work)

    try:
        with round_engine(take):
            GradientBoostingClassifier(n_estimators=1).fit(*table(n_rows, n_columns))
    except Coded as coded:
        return coded.args[0]  # type: ignore[no-any-return]
    raise AssertionError("no rounds")


def cpu_of(pid: int) -> dict[str, float]:
    """Return the CPU seconds of each thread of a process."""
    paths = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return {path.parent.name: int(path.read_text().split()[0]) / 1e9 for path in paths}


@dataclass
class Measured:
    """The rounds of one way of making them."""

    maker: Any
    pids: list[int] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    of_worker: list[float] = field(default_factory=list)
    of_session: list[float] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)

    def run(self, number: int) -> None:
        """Make a round, and measure it."""
        before, begin = [cpu_of(pid) for pid in self.pids], time.perf_counter()
        own = time.process_time()
        made = self.maker.run(number, None)
        self.cpu.append(time.process_time() - own)
        self.wall.append(time.perf_counter() - begin)
        used = []
        for pid, known in zip(self.pids, before, strict=True):
            of_threads = cpu_of(pid)
            used.append([cpu - known.get(name, 0.0) for name, cpu in of_threads.items()])
        self.of_worker.append(max((sum(one) for one in used), default=0.0))
        self.of_session.append(max((max(one) for one in used), default=0.0))
        self.digests.append(digest_of(made))

    @property
    def work(self) -> list[float]:
        """The CPU seconds of each round: here, and of the worker that uses most."""
        return [a + b for a, b in zip(self.cpu, self.of_worker, strict=True)]

    def told(self) -> dict[str, Any]:
        """Return milliseconds per round; the first one, which waits for the rows, is left out."""
        names = {"wall": self.wall, "cpu here": self.cpu, "cpu of a worker": self.of_worker}
        names["cpu of its session"] = self.of_session
        told: dict[str, Any] = {}
        for name, seconds in names.items():
            if any(seconds):
                told[f"{name}, least"] = 1000 * min(seconds[1:])
                told[f"{name}, median"] = 1000 * statistics.median(seconds[1:])
        if self.pids:
            traffic, n = self.maker.traffic, len(self.wall)
            told["exchanges"] = traffic.n_exchanges / n
            told["megabytes"] = traffic.n_bytes / n / 1e6
        return told


@contextlib.contextmanager
def cluster(work: RoundWork, n_workers: int) -> Iterator[Measured]:
    with connected(f"local:{n_workers}") as client:
        placement, listener = Placement(client), Listener("127.0.0.1")
        how: dict[str, Any] = {"n_parts": n_workers, "block_rows": BLOCK_ROWS, "patience": 60.0}
        parts = Parts(work, placement, listener, rounds=[], **how)
        try:
            yield Measured(parts, list(client.run(os.getpid).values()))
        finally:
            parts.close()
            placement.close()
            listener.close()


def ratio(above: Measured, below: Measured) -> dict[str, float]:
    """Return how much longer rounds take: of the least, of pairs (median), and in CPU time."""
    told = {"wall, least": min(above.wall[1:]) / min(below.wall[1:])}
    for name in ("wall", "work"):
        pairs = zip(getattr(above, name)[1:], getattr(below, name)[1:], strict=True)
        told[f"{name}, median of pairs"] = statistics.median(a / b for a, b in pairs)
    return told


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--workers", default="1,2")
    asked = parser.parse_args()
    work = work_of(asked.rows, asked.columns)
    found: dict[str, Any] = {"rows": asked.rows, "columns": asked.columns, "rounds": asked.rounds}
    ways = {f"{n} threads here": Measured(PartOfRounds(work, None, n)) for n in (1, 2)}
    with contextlib.ExitStack() as ending:
        for n in map(int, asked.workers.split(",")):
            ways[f"{n} workers"] = ending.enter_context(cluster(work, n))
        for number in range(asked.rounds):
            for way in ways.values():
                way.run(number)
        found |= {name: way.told() for name, way in ways.items()}
    found["same trees"] = len({tuple(way.digests) for way in ways.values()}) == 1
    one, alone = ways.get("1 workers"), ways["1 threads here"]
    if one is not None:
        found["one worker, of one thread here"] = ratio(one, alone)
    for name, way in ways.items():
        if name not in {"1 workers", "1 threads here"}:
            found[f"speedup: {name}"] = ratio(one if way.pids and one else alone, way)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
