"""``python -m benchmarks.reproductions.interval_candidates``: other intervals, on hard cells.

Today's interval and those of ``_interval_candidates`` are made on the same tables, most of them of
cells where today's holds too seldom (``coverage_grid``), some where it holds. Printed are how often
each holds the true score, its mean half width in units of today's, and how many models it fits.
A second table has the best of five learners: today's interval of the winner, and that of bootstrap
bias-corrected cross-validation.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._coverage_cells import Cell
from benchmarks.reproductions._coverage_draws import metrics_of, one_draw, table_of
from benchmarks.reproductions._coverage_learners import fit
from benchmarks.reproductions._coverage_problems import NUMBERS
from benchmarks.reproductions._interval_candidates import (
    Floats,
    Losses,
    Rows,
    bias_corrected,
    bootstrap_interval,
    cross_validated,
    fold_interval,
    nested_interval,
    resampled_interval,
)
from benchmarks.reproductions.coverage_grid import intervals_of
from branchline import Table
from branchline._folds import FoldRows
from branchline._intervals import Interval
from branchline.assess._rows_to_split import rows_to_split

HARD = (
    Cell("majority", "look_alike", 150, "5 folds"),
    Cell("stump", "noise", 50, "10 folds"),
    Cell("stump", "look_alike", 500, "10 folds"),
    Cell("stump", "smooth", 2000, "10 folds"),
    Cell("tree", "numbers", 50, "5 folds"),
    Cell("tree", "xor", 500, "10 folds"),
)
EASY = (
    Cell("naive_bayes", "smooth", 150, "10 folds"),
    Cell("nearest", "noise", 50, "5 folds"),
    Cell("logistic", "smooth", 150, "5 folds"),
)
POOL = ("stump", "tree", "naive_bayes", "logistic", "nearest")
CHOICES = (("noise", 50), ("look_alike", 150), ("smooth", 150))


def losses_of(cell: Cell, X: Floats, y: Floats) -> Losses:
    """Return what fits the cell's learner on some rows and returns the losses of others."""
    is_class = cell.problem not in NUMBERS

    def compute(learn: Rows, test: Rows) -> Floats:
        said, truth = fit(cell.learner, X[learn], y[learn], is_class)(X[test]), y[test]
        if not is_class:
            return np.abs(said - truth)[:, None]
        right = np.clip(np.where(truth == 1, said, 1 - said), 1e-9, 1)
        return np.c_[(said > 0.5) != (truth == 1), -np.log(right)]

    return compute


def _folds_for(X: Floats, y: Floats, is_class: bool, drawn: Rows) -> FoldRows:
    classes = np.array([0.0, 1.0]) if is_class else None
    return rows_to_split(Table(X[drawn]), y[drawn], classes)


def of_table(cell: Cell, seed: int, repeats: int, samples: int) -> dict[str, list[Interval]]:
    """Return the intervals of one table by method, one for each loss."""
    X, y, _ = table_of(cell, seed)
    is_class, losses = cell.problem not in NUMBERS, losses_of(cell, X, y)
    k = 5 if cell.way == "5 folds" else 10

    def rows_of(drawn: Rows) -> FoldRows:
        return _folds_for(X, y, is_class, drawn)

    rows = rows_of(np.arange(len(y)))
    folds = list(rows.split(k, 0))
    loss = cross_validated(losses, folds, len(y))
    return {
        "nested": nested_interval(losses, rows, k, repeats),
        "bootstrap": bootstrap_interval(losses, rows_of, len(y), k, samples),
        "resampled predictions": resampled_interval(loss),
        "fold scores": fold_interval(loss, folds),
    }


def try_cell(cell: Cell, n_draws: int, repeats: int, samples: int) -> None:
    """Print the table of one cell."""
    names = ("mae",) if cell.problem in NUMBERS else ("accuracy", "log_loss")
    assert set(names) <= set(metrics_of(cell))
    found: dict[str, list[list[Interval]]] = {}
    truths = []
    for seed in range(n_draws):
        draw = one_draw(cell, seed)
        if draw is None:
            continue
        truths.append([_as_loss(name, draw.truths[name]) for name in names])
        made = of_table(cell, seed, repeats, samples)
        made["today"] = [_turned(name, intervals_of(draw, name)) for name in names]
        for method, intervals in made.items():
            found.setdefault(method, []).append(intervals)
    truth = np.mean(truths, axis=0)
    for place, name in enumerate(names):
        today, true = _width(found["today"], place), float(truth[place])
        told = [
            f"{method} {_held(each, place, true):.1%} ({_width(each, place) / today:.2f})"
            for method, each in found.items()
        ]
        print(f"{cell.name} {name}: {'; '.join(told)}", flush=True)


def _as_loss(metric: str, score: float) -> float:
    return 1 - score if metric == "accuracy" else score


def _turned(metric: str, one: Interval) -> Interval:
    if metric != "accuracy":
        return one
    return Interval(1 - one.estimate, 1 - one.high, 1 - one.low)


def _held(each: list[list[Interval]], place: int, truth: float) -> float:
    return float(np.mean([one[place].low <= truth <= one[place].high for one in each]))


def _width(each: list[list[Interval]], place: int) -> float:
    return float(np.mean([one[place].high - one[place].low for one in each]))


def try_choice(problem: str, n_rows: int, n_draws: int) -> None:
    """Print how often the interval of the best of five learners holds its true error."""
    truths: list[list[float]] = []
    chosen: list[tuple[int, Interval, Interval]] = []
    for seed in range(n_draws):
        draws = [one_draw(Cell(name, problem, n_rows, "10 folds"), seed) for name in POOL]
        if any(draw is None for draw in draws):
            continue
        known: list[Any] = draws
        loss = np.array([_errors(draw) for draw in known]).T
        best = int(loss.mean(axis=0).argmin())
        truths.append([1 - draw.truths["accuracy"] for draw in known])
        today = _turned("accuracy", intervals_of(known[best], "accuracy"))
        chosen.append((best, today, bias_corrected(loss)))
    truth = np.mean(truths, axis=0)
    told = []
    for place, method in ((1, "today"), (2, "bias-corrected")):
        intervals: list[Any] = [(truth[one[0]], one[place]) for one in chosen]
        held = np.mean([low.low <= t <= low.high for t, low in intervals])
        bias = np.mean([low.estimate - t for t, low in intervals])
        width = np.mean([low.high - low.low for _, low in intervals]) / 2
        told.append(f"{method} {held:.1%}, bias {bias:+.4f}, half width {width:.3f}")
    print(f"best of five, {problem} {n_rows}: {'; '.join(told)}", flush=True)


def _errors(draw: Any) -> Floats:
    wrong = np.empty(len(draw.y))
    wrong[draw.test] = (draw.predicted > 0.5) != (draw.y[draw.test] == 1)
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.interval_candidates")
    parser.add_argument("--draws", type=int, default=200, help="tables a cell (default: 200)")
    parser.add_argument("--repeats", type=int, default=5, help="repeats of nested cross-validation")
    parser.add_argument("--samples", type=int, default=20, help="samples of the bootstrap")
    parser.add_argument("--cells", nargs="*", type=int, help="only these, by place from 0 on")
    parser.add_argument("--choices", action="store_true", help="only the best of five learners")
    options = parser.parse_args(arguments)
    if not options.choices:
        every = (*HARD, *EASY)
        for place in options.cells or range(len(every)):
            try_cell(every[place], options.draws, options.repeats, options.samples)
    if options.cells is None:
        for problem, n_rows in CHOICES:
            try_choice(problem, n_rows, options.draws)
    return 0


if __name__ == "__main__":
    sys.exit(main())
