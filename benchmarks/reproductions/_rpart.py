"""R's rpart (Debian: ``r-base-core`` and ``r-cran-rpart``): as a user calls it, and pruned by 1 SE.

1. The table goes into one CSV file: numbers, categories as c00000, c00001, …, empty for missing.
2. One R process a data set reads it and the list of test rows (``_rpart.R``) and runs every fold;
   factors have all levels of the whole table, unseen ones go the way of missing values.

A factor of k levels with more than two classes costs 2^k: a process that runs past the time limit
is ended, and the report says so.
"""

import csv
import shutil
import subprocess
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.reproductions._folds import (
    Fold,
    Learner,
    Problem,
    Splits,
    read_folds,
    write_test_rows,
)
from branchline.table import Column

__all__ = ["RPART", "RPART_1SE"]

TIMEOUT_SECONDS = 1800
_PROGRAM = Path(__file__).with_name("_rpart.R")


def measure_rpart(kind: str, problem: Problem, splits: Splits, seed: int) -> list[Fold]:
    """Return rpart's errors, leaves and seconds on every split; ``kind`` is "default" or "1se"."""
    with TemporaryDirectory() as folder:
        data, rows = Path(folder, "data.csv"), Path(folder, "rows.txt")
        write_coded_csv(problem, data)
        write_test_rows(splits, rows)
        return read_folds(_rscript(kind, str(data), str(rows), str(1000 * seed)))


def write_coded_csv(problem: Problem, path: Path) -> None:
    """Write x0, x1, …, y: names that need no quotes, and categories that are never read as numbers.

    Codes are padded with zeros, so that levels sorted by name are in the table's order.
    """
    columns = problem.table.columns
    header = [*(f"x{place}" for place in range(len(columns) - 1)), "y"]
    with path.open("w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(zip(*map(_cells, columns), strict=True))


def _cells(column: Column) -> list[Any]:
    if column.kind == "category":
        return ["" if code < 0 else f"c{code:05d}" for code in column.values.tolist()]
    return ["" if value is None else repr(value) for value in column.to_list()]


def version() -> str:
    """Return the versions of rpart and R."""
    return _rscript("version")[0].strip()


def _rscript(*arguments: str) -> list[str]:
    program = shutil.which("Rscript")
    if program is None:
        raise ModuleNotFoundError("no Rscript: apt-get install r-base-core r-cran-rpart")
    done = subprocess.run(
        [program, "--vanilla", str(_PROGRAM), *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout.splitlines()


RPART = Learner(partial(measure_rpart, "default"), version)
RPART_1SE = Learner(partial(measure_rpart, "1se"), version)
