"""``python -m benchmarks.reproductions.coverage_grid``: how often 95 % intervals hold the truth.

Tables are drawn from populations that are known (``_coverage_problems``), learners are tested on
them in seven ways (``_coverage_cells``), and the 95 % interval of ``cross_validate`` and
``compare`` is made. The truth is the expected score of the learner, fitted on as many rows as the
training sets have: the mean over all draws of scores on fresh rows. Where rows remember the rows
before them in time, fresh rows would be easier, and the truth is the mean of all estimates.

Draws are kept in a folder (benchmarks/results/coverage), so an interrupted run goes on where it
was, and another method can be tried without a fit. Results go to a file of lines (JSON).
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._coverage_cells import Cell, cells
from benchmarks.reproductions._coverage_draws import Draw, draws_of, metrics_of, outcome_of
from branchline._intervals import Interval
from branchline.assess import Outcome
from branchline.assess._metrics import METRICS
from branchline.assess._scoring import score_interval

__all__ = ["coverage", "main", "result_of"]

LOWEST, HIGHEST = 0.92, 0.98
_FOLDER = Path(__file__).parents[1] / "results" / "coverage"
_RESULTS = Path(__file__).with_name("coverage_grid.jsonl")


def intervals_of(draw: Draw, metric: str) -> Interval:
    """Return a score of one table with its interval; single rows are tested together."""
    parts: list[Outcome] = draw.parts
    if len(parts) == len(draw.y):
        parts = [outcome_of(draw.y[draw.test], draw.predicted, draw.is_class)]
    return score_interval(METRICS[metric], parts, draw.origin)


def coverage(draws: Sequence[Draw], metric: str, *, by_estimates: bool = False) -> dict[str, Any]:
    """Return the share of intervals that hold the truth, with its standard error, and more.

    ``by_estimates`` takes the mean of the estimates for the truth.
    """
    found = [intervals_of(draw, metric) for draw in draws]
    known = [one for one in found if math.isfinite(one.estimate)]
    estimates = np.array([one.estimate for one in known])
    truths = np.array([draw.truths[metric] for draw in draws])
    truth = float(estimates.mean() if by_estimates else np.nanmean(truths))
    low, high = (np.array([getattr(one, side) for one in known]) for side in ("low", "high"))
    held = float(np.mean((low <= truth) & (truth <= high)))
    return {
        "metric": metric,
        "draws": len(known),
        "truth": round(truth, 5),
        "held": round(held, 4),
        "error": round(math.sqrt(max(held * (1 - held), 0.01) / max(1, len(known))), 4),
        "bias": round(float(estimates.mean()) - truth, 5),
        "half_width": round(float(np.mean(high - low)) / 2, 5),
        "spread": round(float(estimates.std()), 5),
    }


def result_of(cell: Cell, n_draws: int, folder: Path) -> list[dict[str, Any]]:
    """Return the coverage of a cell, one line for each metric that is not a constant."""
    draws = draws_of(cell, n_draws, folder)
    about = {
        "learner": cell.learner,
        "problem": cell.problem,
        "rows": cell.n_rows,
        "way": cell.way,
    }
    lines = [
        {**about, **coverage(draws, metric, by_estimates=cell.way == "time with memory")}
        for metric in metrics_of(cell)
        if (cell.learner, metric) != ("majority", "auc")  # a half, whatever the rows
    ]
    return [line for line in lines if line["draws"] >= n_draws / 2]


def _with(lines: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return all results, new ones in place of older ones of the same cell and metric."""
    names = ("learner", "problem", "rows", "way", "metric")
    known = {tuple(line[name] for name in names): line for line in [*lines, *found]}
    return list(known.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.coverage_grid")
    parser.add_argument("--draws", type=int, default=200, help="tables a cell (default: 200)")
    parser.add_argument("--folder", type=Path, default=_FOLDER, help="where draws are kept")
    parser.add_argument("--results", type=Path, default=_RESULTS)
    parser.add_argument("--docs", type=Path, help="write the page of the docs, from the results")
    parser.add_argument("--known", action="store_true", help="only cells whose draws are there")
    parser.add_argument("--only", nargs="*", help="measure these cells anew, keep other results")
    options = parser.parse_args(arguments)
    lines: list[dict[str, Any]] = []
    if options.only is not None:
        lines = [json.loads(line) for line in options.results.read_text().splitlines()]
    for cell in cells():
        if options.known and not (options.folder / f"{cell.name}.npz").exists():
            continue
        if options.only is not None and cell.name not in options.only:
            continue
        found = result_of(cell, options.draws, options.folder)
        lines = _with(lines, found)
        for line in found:
            print(cell.name, line["metric"], f"{100 * line['held']:.1f} %", flush=True)
        options.results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    if options.docs:
        from benchmarks.reproductions._coverage_page import write_page

        write_page(lines, options.docs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
