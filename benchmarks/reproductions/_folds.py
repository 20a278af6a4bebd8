"""The data sets, and the folds that every learner is given.

1. A set is one table with its target last; columns that only name a row are dropped.
2. Repeat r has 10 stratified folds, shuffled with the seed (seed, r): a run with more repeats
   begins with the folds of a run with fewer.
3. A fingerprint of rows and folds goes into the results, so that numbers made on other splits are
   never set beside them.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from benchmarks._data import data_folder
from branchline import Table, load_dataset, read_table
from branchline.table import dataset_info, dataset_names

__all__ = [
    "FOLDS",
    "SETS",
    "DataAbsentError",
    "Fold",
    "Learner",
    "Problem",
    "Split",
    "Splits",
    "fingerprint",
    "load_problem",
    "make_splits",
    "read_folds",
    "write_test_rows",
]

FOLDS = 10


class DataAbsentError(Exception):
    """The folder of real data sets, or a file in it, is not there."""


class SharedFile(NamedTuple):
    """A set that is not bundled: its file in the folder of real data, its target, its row names."""

    path: str
    target: str
    row_names: tuple[str, ...] = ()


# None: bundled with the package, whose catalog knows the target.
SETS: dict[str, SharedFile | None] = {
    "car": SharedFile("car/car.arff", "class"),
    "mushroom": SharedFile("mushroom/mushroom.arff", "class"),
    "votes84": None,
    "soybean": SharedFile("soybean/soybean.arff", "class"),
    "tic-tac-toe": SharedFile("tic_tac_toe/tic-tac-toe.arff", "Class"),
    "splice": SharedFile("splice/splice.arff", "Class", ("Instance_name",)),
    "hepatitis": SharedFile("hepatitis/hepatitis.arff", "Class"),
    "heart": None,
    "breast-cancer-ljubljana": SharedFile("breast_cancer_ljubljana/breast-cancer.arff", "Class"),
    "german-credit": None,
}


@dataclass(frozen=True)
class Problem:
    """A data set: the whole table with the target last, the inputs, the classes as texts."""

    name: str
    table: Table
    X: Table
    y: Any


class Split(NamedTuple):
    """Positions of the rows to learn from and of the rows to be tested on, both ascending."""

    train: Any
    test: Any


Splits: TypeAlias = list[Split]


class Fold(NamedTuple):
    """What was seen of one fit: errors among the test rows, leaves, seconds of the fit."""

    wrong: int
    leaves: int
    seconds: float


class Learner(NamedTuple):
    """A learner: ``measure(problem, splits, seed)`` gives one ``Fold`` a split, in their order.

    ``version`` says what is behind the name and raises when it is not installed.
    """

    measure: Callable[[Problem, Splits, int], list[Fold]]
    version: Callable[[], str]
    ours: bool = False


def load_problem(name: str) -> Problem:
    """Return the data set called ``name`` in ``SETS``."""
    where = SETS[name]
    if where is None:
        if name not in dataset_names():
            raise DataAbsentError(f"{name!r} is not bundled with this version of branchline")
        table, target = load_dataset(name), str(dataset_info(name).target)
    else:
        table, target = read_table(_shared(where.path)).drop(where.row_names), where.target
    X = table.drop(target)
    y = np.array([str(label) for label in table.column(target).to_list()])
    return Problem(name, table.select([*X.names, target]), X, y)


def _shared(path: str) -> Path:
    folder = data_folder()
    if folder is None or not (folder / path).exists():
        raise DataAbsentError(f"{path} is not in the folder of real data (BRANCHLINE_DATA)")
    return folder / path


def make_splits(y: Any, repeats: int, seed: int) -> Splits:
    """Return ``repeats`` × 10 stratified splits of the rows whose classes are ``y``."""
    from sklearn.model_selection import StratifiedKFold

    splits = []
    for repeat in range(repeats):
        state = int(np.random.SeedSequence([seed, repeat]).generate_state(1)[0])
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=state)
        with warnings.catch_warnings():
            # soybean has a class of 8 rows: two of ten folds lack it
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            splits += [Split(*both) for both in folds.split(np.zeros(len(y)), y)]
    return splits


def write_test_rows(splits: Iterable[Split], path: Path) -> None:
    """Write one line a split: the positions of its test rows, from 0; all others are for training.

    Programs in other languages read it.
    """
    lines = (" ".join(map(str, split.test.tolist())) for split in splits)
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def read_folds(lines: Iterable[str]) -> list[Fold]:
    """Return what such a program printed: a line a split with errors, leaves and seconds."""
    cells = (line.split() for line in lines)
    return [Fold(int(wrong), int(leaves), float(seconds)) for wrong, leaves, seconds in cells]


def fingerprint(problem: Problem, splits: Splits) -> str:
    """Return a short text that changes with any input, class or split."""
    digest = hashlib.sha256()
    for column in problem.table.columns:
        digest.update(repr((column.name, column.to_list())).encode())
    for split in splits:
        digest.update(split.test.astype(np.int64).tobytes())
    return digest.hexdigest()[:16]
