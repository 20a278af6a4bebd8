"""``python -m branchline.catalog``: walk every learner over every bundled data set."""

import argparse
import sys
from collections.abc import Sequence

from branchline.catalog._walk import walk
from branchline.errors import BranchlineError

__all__ = ["main"]

EXIT_FAILURES = 1
EXIT_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk, print a line for each learner, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m branchline.catalog", description=__doc__)
    parser.add_argument("--learners", type=_listed, help="short names, separated by commas")
    parser.add_argument("--datasets", type=_listed, help="bundled data sets, separated by commas")
    chosen = parser.parse_args(arguments)
    n_failures = n_cases = 0
    try:
        for walked in walk(chosen.learners, chosen.datasets):
            print(walked.to_text(), flush=True)
            n_failures += len(walked.failures)
            n_cases += len(walked.outcomes)
    except BranchlineError as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    print(f"{n_cases} cases, {n_failures} failures")
    return EXIT_FAILURES if n_failures else 0


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


if __name__ == "__main__":
    sys.exit(main())
