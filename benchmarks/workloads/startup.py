"""Start-up: what a person waits before anything happens; whole processes, nothing subtracted."""

import subprocess
import sys
from typing import Any

from benchmarks._harness import Bench, workload


@workload("startup-import", limit=0.1, why="an import that is not felt", short=True)
def startup_import(bench: Bench) -> None:
    """Import branchline in a new interpreter, beside an empty one and scikit-learn."""
    bench.compare(
        {
            "branchline": lambda: python("-c", "import branchline"),
            "python": lambda: python("-c", "pass"),
            "scikit-learn": lambda: python("-c", "import sklearn"),
        },
        n_repeats=7,
    )


@workload("startup-help", limit=0.4, why="an answer before one looks up", short=True)
def startup_help(bench: Bench) -> None:
    """Show the help text of the command line."""
    bench.compare({"branchline": lambda: python("-m", "branchline", "--help")}, n_repeats=7)


def python(*arguments: str) -> Any:
    def call() -> None:
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)

    return call
