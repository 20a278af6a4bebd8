"""The problems of the SVM workloads: real rows, standardized, with the C and γ that all are given.

Columns are standardized by their training rows, except a9a's (0 and 1) and the gray values of usps
(−1 to 1). C and γ of a9a are given with the bars; the others are usual values, not
chosen by cross-validation. A loader returns None when its file is absent; the same rows are drawn
always.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._data import Data, data_folder

__all__ = ["PROBLEMS", "SvmProblem", "covertype_two_classes", "first_rows"]


@dataclass(frozen=True)
class SvmProblem:
    """Rows, the parameters of the machine, and how much faster than two peers it has to be."""

    words: str
    load: Callable[[], Data | None]
    C: float
    gamma: float
    bar: float = 5.0
    bar_intel: float = 1.0


def a9a() -> Data | None:
    """Return a9a as dense 0 and 1, with its test rows."""
    paths = _paths("a9a_libsvm", "a9a.gz", "a9a.t.gz")
    if paths is None:
        return None
    from sklearn.datasets import load_svmlight_files

    X, y, X_test, y_test = load_svmlight_files([str(path) for path in paths], n_features=123)
    return Data(X.toarray(), y.astype(np.int64), X_test.toarray(), y_test.astype(np.int64))


def letter() -> Data | None:
    """Return 26 letters by 16 measures: the usual 16 000 rows, and 4 000 to test."""
    paths = _paths("letter", "LetterRecognition.csv.gz")
    if paths is None:
        return None
    import polars

    table = polars.read_csv(paths[0])
    numbers = table.drop("lettr").to_numpy().astype(np.float64)
    return _standardized(numbers, table["lettr"].to_numpy(), 16_000)


def usps() -> Data | None:
    """Return ten digits by 256 gray values from −1 to 1, in an order drawn once."""
    paths = _paths("usps", "USPS.mat")
    if paths is None:
        return None
    from scipy.io import loadmat

    file = loadmat(paths[0])
    X, y = file["fea"] / 127.5 - 1, file["gnd"].ravel().astype(np.int64)
    order = np.random.default_rng(0).permutation(len(y))
    first, rest = order[:8800], order[8800:]
    return Data(X[first], y[first], X[rest], y[rest])


def magic() -> Data | None:
    """Return gamma rays and hadrons by ten measures, in an order drawn once."""
    paths = _paths("magic", "telescope.csv")
    if paths is None:
        return None
    import polars

    table = polars.read_csv(paths[0])
    X, y = table.drop("Class").to_numpy().astype(np.float64), table["Class"].to_numpy()
    order = np.random.default_rng(0).permutation(len(y))
    return _standardized(X[order], y[order], 15_000)


def svmguide1() -> Data | None:
    """Return the first data set of LIBSVM's guide: four measures, two classes, in drawn order."""
    paths = _paths("svmguide", "svmguide1", "svmguide1.t")
    if paths is None:
        return None
    parts = [np.loadtxt(path, delimiter=",", skiprows=1) for path in paths]
    # The file is sorted by class, and quick runs take its first rows.
    rows = np.vstack([np.random.default_rng(0).permutation(parts[0]), parts[1]])
    return _standardized(rows[:, 1:], rows[:, 0].astype(np.int64), len(parts[0]))


def covertype() -> Data | None:
    """Return 5 000 rows of covertype drawn once, seven classes, and 20 000 to test."""
    return _covertype(5000)


def covertype_two_classes(n_rows: int) -> Data | None:
    """Return rows of covertype, whose largest class is told from the rest."""
    data = _covertype(n_rows)
    if data is None:
        return None
    return Data(data.X, (data.y == 2).astype(int), data.X_test, (data.y_test == 2).astype(int))


def first_rows(data: Data, n_rows: int) -> Data:
    """Return the data with at most that many rows to learn from."""
    return Data(np.ascontiguousarray(data.X[:n_rows]), data.y[:n_rows], data.X_test, data.y_test)


def _covertype(n_rows: int) -> Data | None:
    paths = _paths("covertype", "covtype.csv.gz")
    if paths is None:
        return None
    import polars

    values = polars.read_csv(paths[0]).to_numpy()
    drawn = values[np.random.default_rng(0).permutation(len(values))[: n_rows + 20_000]]
    return _standardized(drawn[:, :-1].astype(np.float64), drawn[:, -1].astype(np.int64), n_rows)


def _paths(folder: str, *names: str) -> list[Path] | None:
    """Return the files of a data set, None when one of them is absent."""
    outer = data_folder()
    paths = [] if outer is None else [outer / folder / name for name in names]
    return paths if paths and all(path.exists() for path in paths) else None


def _standardized(X: Any, y: Any, n_train: int) -> Data:
    """Return the first rows to learn from and the others to test, in units of the first."""
    spread = X[:n_train].std(axis=0)
    X = (X - X[:n_train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Data(X[:n_train], y[:n_train], X[n_train:], y[n_train:])


PROBLEMS = {
    "a9a": SvmProblem("32 561 × 123, two classes", a9a, 1.0, 0.05, 20.0, 2.0),
    "letter": SvmProblem("16 000 × 16, 26 classes", letter, 10.0, 0.1),
    "usps": SvmProblem("8 800 × 256, ten classes", usps, 10.0, 1 / 128),
    "covertype-5k": SvmProblem("5 000 × 54, seven classes", covertype, 10.0, 1 / 54),
    "magic": SvmProblem("15 000 × 10, two classes", magic, 1.0, 0.1),
    "svmguide1": SvmProblem("3 089 × 4, two classes", svmguide1, 2.0, 0.5),
}
