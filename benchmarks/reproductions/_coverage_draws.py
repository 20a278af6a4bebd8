"""What ``coverage_grid`` keeps of each table it draws, so that methods can be tried without refits.

A draw holds the target, the prediction of every test row with its fold, and the truth: the mean
over models of their scores on fresh rows. Draws of a cell are kept in one file, which grows until
there are enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.reproductions._coverage_cells import Cell
from benchmarks.reproductions._coverage_learners import fit
from benchmarks.reproductions._coverage_problems import GROUP_SIZE, NUMBERS, draw
from branchline import Table
from branchline._even_shares import leave_one_out
from branchline._folds import Fold, FoldRows, seed_of_repeat
from branchline._row_scores import Origin, count_different
from branchline.assess import Outcome
from branchline.assess._metrics import METRICS
from branchline.assess._rows_to_split import rows_to_split

__all__ = ["Draw", "draws_of", "folds_of", "load", "metrics_of", "outcome_of", "table_of"]

Floats = npt.NDArray[np.float64]
# Fresh rows that stand for the truth, and up to how many models of a table predict them.
_N_FRESH, _N_MODELS = 800, 4


def metrics_of(cell: Cell) -> tuple[str, ...]:
    """Return what is measured."""
    return ("rmse", "mae") if cell.problem in NUMBERS else ("accuracy", "auc", "log_loss")


def outcome_of(y: Floats, predicted: Floats, is_class: bool) -> Outcome:
    """Return predictions beside the truth."""
    if not is_class:
        return Outcome(y, predicted)
    both = np.c_[1 - predicted, predicted]
    return Outcome(y.astype(np.intp), (predicted > 0.5).astype(np.intp), both, (0, 1), 1)


@dataclass(frozen=True, eq=False)
class Draw:
    """One table, tested.

    Parameters
    ----------
    y
        The target.
    owners
        Which row, or group, each row belongs to.
    test, fold, predicted
        The tested rows in the order of test sets, the number of the test set, the predictions.
    n_train
        Rows, or groups, of a training set, on average.
    truths
        The true score, by metric.
    is_class
        Whether classes are predicted.
    """

    y: Floats
    owners: npt.NDArray[np.intp]
    test: npt.NDArray[np.intp]
    fold: npt.NDArray[np.intp]
    predicted: Floats
    n_train: float
    truths: dict[str, float]
    is_class: bool = True
    in_time: bool = False

    @property
    def parts(self) -> list[Outcome]:
        """The predictions of each test set."""
        starts = np.flatnonzero(np.diff(self.fold, prepend=-1))
        whole = outcome_of(self.y[self.test], self.predicted, self.is_class)
        ends = [*starts[1:].tolist(), len(self.fold)]
        return [whole.rows(slice(a, b)) for a, b in zip(starts.tolist(), ends, strict=True)]

    @property
    def origin(self) -> Origin:
        """Where the predictions come from."""
        repeats = len(self.test) / count_different(self.test)
        times = self.test if self.in_time else None
        return Origin(self.owners[self.test], self.n_train, repeats, times=times)


def folds_of(cell: Cell, rows: FoldRows, seed: int) -> list[Fold]:
    """Return the folds of a table."""
    if cell.way == "leave_one_out":
        return list(leave_one_out(rows))
    if cell.way == "hold_out":
        fold = rows.hold_out(0.3, seed)
        return [fold] if fold else []
    n_folds, n_repeats = {"10 folds": (10, 1), "5 x 10 folds": (10, 5)}.get(cell.way, (5, 1))
    return [
        fold
        for repeat in range(n_repeats)
        for fold in rows.split(n_folds, seed_of_repeat(seed, repeat))
    ]


def _table(cell: Cell, X: Floats) -> Table:
    if cell.way == "groups":
        return Table(X).with_groups(np.arange(len(X)) // GROUP_SIZE)
    return Table(X).with_times(np.arange(len(X))) if cell.way.startswith("time") else Table(X)


def table_of(cell: Cell, seed: int) -> tuple[Floats, Floats, np.random.Generator]:
    """Return the table and the target of a draw, and the generator that drew them."""
    rng = np.random.default_rng([seed, 7])
    depends = {"groups": "groups", "time with memory": "time"}.get(cell.way, "")
    return *draw(cell.problem, cell.n_rows, rng, depends), rng


def one_draw(cell: Cell, seed: int) -> Draw | None:
    """Draw a table, test the learner on it; None where there is but one class."""
    is_class = cell.problem not in NUMBERS
    X, y, rng = table_of(cell, seed)
    if is_class and min(y.sum(), (1 - y).sum()) < 2:
        return None
    classes = np.array([0.0, 1.0]) if is_class else None
    rows = rows_to_split(_table(cell, X), y, classes)
    folds = folds_of(cell, rows, seed)
    tested = _tested(cell, X, y, folds, rng)
    owners = rows.owner_of_row
    n_train = float(np.mean([count_different(owners[fold.learn_rows]) for fold in folds]))
    test = [fold.test_rows for fold in folds]
    number = np.repeat(np.arange(len(test)), [len(part) for part in test])
    about = (n_train, *tested[1:], is_class, cell.way.startswith("time"))
    return Draw(y, owners, np.concatenate(test), number, tested[0], *about)


def _tested(
    cell: Cell, X: Floats, y: Floats, folds: list[Fold], rng: np.random.Generator
) -> tuple[Floats, dict[str, float]]:
    """Return the predictions of all test sets, and the mean scores of some models on fresh rows."""
    is_class = cell.problem not in NUMBERS
    asked = np.unique(np.linspace(0, len(folds) - 1, _N_MODELS).astype(int)).tolist()
    fresh = draw(cell.problem, _N_FRESH, rng)
    predicted, scores = [], []
    for number, fold in enumerate(folds):
        learn, test = fold.learn_rows, fold.test_rows
        predict = fit(cell.learner, X[learn], y[learn], is_class)
        predicted.append(predict(X[test]))
        if number in asked:
            mine = slice(asked.index(number), None, len(asked))
            outcome = outcome_of(fresh[1][mine], predict(fresh[0][mine]), is_class)
            scores.append([METRICS[name].score(outcome) for name in metrics_of(cell)])
    truths = dict(zip(metrics_of(cell), np.nanmean(scores, axis=0).tolist(), strict=True))
    return np.concatenate(predicted), truths


# -- files ----------------------------------------------------------------------------------------


def draws_of(cell: Cell, n_draws: int, folder: Path) -> list[Draw]:
    """Return the draws of a cell; those that are missing are made and kept."""
    path = folder / f"{cell.name}.npz"
    known = load(path) if path.exists() else []
    if len(known) >= n_draws:
        return known[:n_draws]
    for seed in range(len(known), n_draws):
        made = one_draw(cell, seed)
        again = 0
        while made is None:
            again += 1
            made = one_draw(cell, seed + 1_000_000 * again)
        known.append(made)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **_packed(known))
    return known


def _packed(draws: list[Draw]) -> dict[str, Any]:
    names = ("y", "owners", "test", "fold", "predicted")
    kinds: dict[str, Any] = {"predicted": np.float32, "y": np.float32}
    return {
        **{
            name: np.concatenate([getattr(one, name) for one in draws]).astype(
                kinds.get(name, np.int32)
            )
            for name in names
        },
        "sizes": np.array([[len(one.y), len(one.test)] for one in draws]),
        "n_train": np.array([one.n_train for one in draws]),
        "truths": np.array([list(one.truths.values()) for one in draws]),
        "metrics": np.array(list(draws[0].truths)),
        "is_class": np.array(draws[0].is_class),
        "in_time": np.array(draws[0].in_time),
    }


def load(path: Path) -> list[Draw]:
    """Return the draws of a file."""
    with np.load(path) as file:
        return list(_unpacked({"in_time": "-time" in path.stem, **dict(file)}))


def _unpacked(file: dict[str, Any]) -> Iterator[Draw]:
    ends = np.cumsum(file["sizes"], axis=0)
    for at, (row_end, test_end) in enumerate(ends.tolist()):
        rows = slice(row_end - int(file["sizes"][at, 0]), row_end)
        tests = slice(test_end - int(file["sizes"][at, 1]), test_end)
        yield Draw(
            file["y"][rows].astype(np.float64),
            file["owners"][rows].astype(np.intp),
            file["test"][tests].astype(np.intp),
            file["fold"][tests].astype(np.intp),
            file["predicted"][tests].astype(np.float64),
            float(file["n_train"][at]),
            dict(zip(file["metrics"].tolist(), file["truths"][at].tolist(), strict=True)),
            bool(file["is_class"]),
            bool(file.get("in_time", False)),
        )
