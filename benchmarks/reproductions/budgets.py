"""``python -m benchmarks.reproductions.budgets``: whether ``compare --time-budget`` keeps its time.

1. Six tables: small and large, narrow and wide, two classes and many, numbers.
2. ``branchline compare FILE --time-budget`` runs with 10, 30 and 60 seconds, as a user would run
   it, with its report; the wall clock of the whole command is measured, the interpreter's start
   included.
3. Printed are the time taken over the time asked, the folds that all learners finished, and the
   learners that were shown apart. Where the plan was finished early there was not enough work.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reproductions._forest_sets import load
from branchline import Table, load_dataset


def _shared(name: str) -> Table:
    problem = load(name)
    return Table(problem.X.to_pandas().assign(the_target=problem.y))


def _wide() -> Table:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(72, 3000))
    columns = {f"gene_{at}": X[:, at] for at in range(X.shape[1])}
    return Table({**columns, "the_target": np.where(X[:, :5].sum(axis=1) > 0, "ill", "well")})


TABLES = {
    "german-credit": lambda: (load_dataset("german-credit"), "class"),
    "soybean": lambda: (_shared("soybean"), "the_target"),
    "spambase": lambda: (_shared("spambase"), "the_target"),
    "magic": lambda: (_shared("magic"), "the_target"),
    "abalone": lambda: (_shared("abalone"), "the_target"),
    "wide": lambda: (_wide(), "the_target"),
}


def run(folder: Path, name: str, target: str, seconds: int) -> dict[str, Any]:
    """Run one comparison; return its time and its folds."""
    command = [sys.executable, "-m", "branchline", "compare", f"{name}.csv", "--target", target]
    command += ["--time-budget", f"{seconds}s", "--report", "report.html", "--json"]
    begin = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    taken = time.monotonic() - begin
    document = json.loads(done.stdout)
    return {**document.get("comparison", document), "seconds": taken, "rc": done.returncode}


def main() -> None:
    """Run all, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    parser.add_argument("--seconds", nargs="*", type=int, default=[10, 30, 60])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in arguments.tables:
            table, target = TABLES[name]()
            table.write_csv(folder / f"{name}.csv")
            for seconds in arguments.seconds:
                print(_line(name, seconds, run(folder, name, target, seconds)), flush=True)


def _line(name: str, asked: int, found: dict[str, Any]) -> str:
    ratio = found["seconds"] / asked
    told = f"{name:<14} {asked:>3} s: {found['seconds']:6.1f} s ({ratio:4.0%})"
    if "folds" not in found:
        return f"{told}  {found.get('error', {}).get('message', 'no result')}"
    folds = found["folds"]
    apart = ", ".join(f"{label} {n}" for label, n in folds["unfinished"].items()) or "none"
    state = "finished" if found["is_complete"] else "time over"
    return f"{told}  {folds['compared']} of {folds['planned']} folds, {state}; apart: {apart}"


if __name__ == "__main__":
    main()
