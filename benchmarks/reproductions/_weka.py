"""J48, Weka's C4.5, with its default options (Debian: ``weka`` and ``default-jdk-headless``).

1. The table goes into one ARFF file, missing as ``?``; the class is its last column.
2. One virtual machine a data set reads it and the list of test rows (``_J48.java``), fits and tests
   every fold, so training and test rows share one header with all values.
3. It prints errors, leaves and the seconds of the fit, measured inside the machine.

Its jar is looked for where Debian puts it; the variable WEKA_JAR names another.
"""

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from benchmarks.reproductions._folds import (
    Fold,
    Learner,
    Problem,
    Splits,
    read_folds,
    write_test_rows,
)
from branchline import Table
from branchline.table import Column, ColumnType

__all__ = ["J48", "WekaFits", "weka_fit_seconds", "write_weka_arff"]

TIMEOUT_SECONDS = 1800
HEAP = "-Xmx4g"
_PROGRAM = Path(__file__).with_name("_J48.java")


class WekaFits(NamedTuple):
    """Fits on the same rows: the seconds of each, leaves, errors among the test rows."""

    seconds: list[float]
    leaves: int
    wrong: int


def weka_fit_seconds(
    arff: str | Path, n_train: int, *, repeats: int = 3, threads: int = 1
) -> WekaFits:
    """Fit J48 on the first ``n_train`` rows of an ARFF file, class last, and test on the others.

    Seconds are those of ``buildClassifier`` alone. One fit more than ``repeats`` runs first and is
    not counted, so that the machine's compiler has seen the code. ``threads`` are for the compiler
    and the collector: J48 itself has one.
    """
    fits = read_folds(_java("time", str(arff), str(repeats), str(n_train), threads=threads))
    return WekaFits([fit.seconds for fit in fits[1:]], fits[0].leaves, fits[0].wrong)


def write_weka_arff(X: Any, y: Any, path: str | Path) -> None:
    """Write inputs (whatever ``Table`` takes) and classes as an ARFF file with the class last."""
    names = tuple(sorted({str(label) for label in y}))
    code_of = {name: code for code, name in enumerate(names)}
    codes = np.array([code_of[str(label)] for label in y], dtype=np.int32)
    classes = Column("class", ColumnType("category", "string", names), codes)
    Table.from_columns([*Table(X).columns, classes]).write_arff(path)


def measure_j48(problem: Problem, splits: Splits, seed: int) -> list[Fold]:
    """Return J48's errors, leaves and seconds on every split; it draws nothing at random."""
    with TemporaryDirectory() as folder:
        arff, rows = Path(folder, "data.arff"), Path(folder, "rows.txt")
        problem.table.write_arff(arff, relation=problem.name)
        write_test_rows(splits, rows)
        return read_folds(_java("folds", str(arff), str(rows)))


def version() -> str:
    """Return Weka's version."""
    return f"Weka {_java('version')[0]}"


def _java(*arguments: str, threads: int = 1) -> list[str]:
    """Run the Java program and return the lines it printed."""
    jar = os.environ.get("WEKA_JAR") or "/usr/share/java/weka.jar"
    if not Path(jar).exists():
        raise ModuleNotFoundError(f"no {jar}: apt-get install weka default-jdk-headless")
    machine = ["java", HEAP, f"-XX:ActiveProcessorCount={threads}", "-Djava.awt.headless=true"]
    command = [*machine, "-cp", jar, str(_PROGRAM), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout.splitlines()


J48 = Learner(measure_j48, version)
