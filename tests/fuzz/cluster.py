"""Fits on a cluster, whatever happens to its workers (`python -m fuzz.cluster`; some minutes).

1. Every fit × number of workers × size of blocks: the saved model has the bytes of one process.
2. Every fault at every place, for boosting and for a forest: likewise.
3. ``--soak N``: N fits on one client; prints the memory of this process and of the workers.

Prints one line for each group, and ends with an error where bytes differ.
"""

import argparse
import itertools
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from cluster_cases import (
    BLOCKS,
    FAULT_NAMES,
    ROUND_PLACES,
    TREE_PLACES,
    WORKERS,
    cases,
    cluster,
    rows,
    with_fault,
)


def identities(client: Any, blocks: Any = BLOCKS, workers: Any = WORKERS) -> list[str]:
    """Return the fits whose models depend on workers or blocks."""
    X, wrong, n = rows(), [], 0
    for name, case in cases(X).items():
        alone = case.fit(X)
        for n_parts, block_rows in itertools.product(workers, blocks):
            n += 1
            if case.fit_on(client, X, n_parts=n_parts, block_rows=block_rows) != alone:
                wrong.append(f"{name}, {n_parts} parts, blocks of {block_rows}")
    print(f"{n} fits × workers × blocks, {len(wrong)} different", flush=True)
    return wrong


def faults(name: str, places: Any) -> list[str]:
    """Return the faults after which the model is another one, or that never happened."""
    X, wrong = rows(), []
    case = cases(X)[name]
    alone = case.fit(X)
    with cluster(5) as client, tempfile.TemporaryDirectory() as folder:
        for number, (place, fault) in enumerate(itertools.product(places, FAULT_NAMES)):
            enough_workers(client)
            mark, begin = Path(folder) / f"{number}", time.monotonic()
            patience = 4.0 if fault == "stop" else 20.0
            found = with_fault(
                client, place, fault, mark, partial(case.fit_on, client, X, patience=patience)
            )
            if found != alone or not mark.exists():
                wrong.append(f"{name}, {fault} at {place}")
            print(f"  {name}: {fault} at {place}, {time.monotonic() - begin:.1f} s", flush=True)
    n = len(FAULT_NAMES) * len(places)
    print(f"{n} faults in {name}, {len(wrong)} with another result", flush=True)
    return wrong


def enough_workers(client: Any) -> None:
    """Wait until some workers are there; Dask does not replace all that were killed."""
    begin = time.monotonic()
    while len(client.nthreads()) < 3:
        if time.monotonic() - begin > 20:
            client.cluster.scale(len(client.cluster.worker_spec) + 1)
            begin = time.monotonic()
        time.sleep(0.1)


def soak(client: Any, n_fits: int) -> None:
    """Fit again and again; print memory in megabytes."""
    X = rows()
    case = cases(X)["binary"]
    for number in range(n_fits + 1):
        if number % (n_fits // 4) == 0:
            own = _megabytes(os.getpid())
            of_workers = sorted(_megabytes(pid) for pid in client.run(os.getpid).values())
            print(f"after {number} fits: {own} MB here, {of_workers} MB in workers", flush=True)
        case.fit_on(client, X)


def _megabytes(pid: int) -> int:
    return int(psutil.Process(pid).memory_info().rss) // 2**20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--soak", type=int, default=0)
    asked = parser.parse_args()
    if asked.soak:
        with cluster(2) as client:
            soak(client, asked.soak)
        return
    wrong = faults("binary", ROUND_PLACES) + faults("forest", TREE_PLACES)
    with cluster(5) as client:
        wrong += identities(client)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
