"""Measure what a fit of each learner costs, and write the catalog's cost formulas anew.

python -m benchmarks.calibrate_costs                    # all learners, about a quarter of an hour
python -m benchmarks.calibrate_costs --learners tree    # some; the others stay as they are

1. Mixed tables of growing size (three quarters numbers with missing values, one quarter
   categories) are fitted with defaults on one core. Seconds are those of the processor, not of the
   clock, so that a busy machine disturbs little. Sizes that would take too long are left out.
2. start is the time on a table of 30 rows; log(seconds − start) is fitted as log(factor) +
   p·log(rows) + q·log(columns) + r·log(classes) by least squares with 0 ≤ p, q, r ≤ 3 (r is 0 for
   regression).
3. ``src/branchline/catalog/_costs.py`` is written; how far the formula lies off is printed.
"""

import argparse
import itertools
import math
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear
from threadpoolctl import threadpool_limits

from branchline import Table, catalog
from branchline.catalog import Cost
from branchline.catalog._costs import COSTS

PLACE = Path(__file__).parent.parent / "src" / "branchline" / "catalog" / "_costs.py"

START = (30, 4, 2)
ROWS = (300, 1_000, 3_000, 10_000, 30_000)
COLUMNS = (5, 20, 60)
CLASSES = (2, 6)
# Maximum expected seconds of one size.
LIMIT = 2.0
MOST_POWER = 3.0
# Where the start is all there is, the rest is not known better than this share of it.
NOISE = 0.05


def mixed_table(n_rows: int, n_columns: int, n_classes: int, task: str) -> tuple[Table, Any]:
    """Return a seeded table with missing values and categories, and a target that depends on it."""
    draw = np.random.default_rng(n_rows + 7 * n_columns)
    n_categories = n_columns // 4
    numbers = draw.normal(size=(n_rows, n_columns - n_categories))
    categories = draw.integers(5, size=(n_rows, n_categories))
    score = numbers[:, 0] + np.abs(numbers[:, 1]) + categories[:, :2].sum(axis=1) / 2
    score += draw.normal(size=n_rows)
    numbers[draw.random(numbers.shape) < 0.02] = np.nan
    columns: dict[str, Any] = {f"number {i}": column for i, column in enumerate(numbers.T)}
    for i, column in enumerate(categories.T):
        columns[f"category {i}"] = [f"level {level}" for level in column]
    if task == "regression":
        return Table(columns), score
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return Table(columns), np.array([f"class {c}" for c in np.searchsorted(cuts, score)])


def seconds_of_fit(name: str, task: str, size: tuple[int, int, int]) -> float:
    """Return the processor seconds of a fit: the best of up to three, one when it is long."""
    X, y = mixed_table(*size, task)
    model = catalog.make(name, task=task, n_jobs=1)
    best = math.inf
    for _ in range(3):
        started = time.process_time()
        model.fit(X, y)
        best = min(best, time.process_time() - started)
        if best > LIMIT / 4:
            break
    return best


def measure(name: str, task: str) -> dict[tuple[int, int, int], float]:
    """Return the seconds of every size that is not expected to take too long."""
    classes = CLASSES if task == "classification" else CLASSES[:1]
    most = catalog.entry(name).most_classes
    classes = tuple(number for number in classes if most is None or number <= most)
    taken: dict[tuple[int, int, int], float] = {}
    for n_classes, n_columns in itertools.product(classes, COLUMNS):
        last = (0, 0.0)
        for n_rows in ROWS:
            # As if twice the rows took thrice the time: between linear and quadratic.
            growth = (n_rows / last[0]) ** 1.6 if last[0] else 1.0
            if last[1] * growth > LIMIT:
                break
            size = (n_rows, n_columns, n_classes)
            taken[size] = seconds_of_fit(name, task, size)
            last = (n_rows, taken[size])
    return taken


def fit_cost(start: float, taken: Mapping[tuple[int, int, int], float]) -> Cost:
    """Return the formula that comes nearest to the measured seconds, in logarithms."""
    sizes = np.log(np.array(list(taken), dtype=np.float64))
    seconds = np.array(list(taken.values()))
    rest = np.log(np.maximum(seconds - start, NOISE * np.maximum(seconds, start)))
    # Without a second number of classes (regression) their power is not known, and stays 0.
    known = [0, 1, 2] if len(np.unique(sizes[:, 2])) > 1 else [0, 1]
    matrix = np.column_stack([np.ones(len(sizes)), sizes[:, known]])
    low = [-np.inf] + [0.0] * len(known)
    high = [np.inf] + [MOST_POWER] * len(known)
    constant, *found = lsq_linear(matrix, rest, (low, high)).x
    powers = [round(float(power), 2) for power in found]
    return Cost(_digits(start), _digits(math.exp(constant)), *powers)


def _digits(number: float) -> float:
    return float(f"{number:.3g}")


def calibrate(name: str, task: str) -> Cost:
    """Measure one learner and print what was found."""
    start = seconds_of_fit(name, task, START)
    taken = measure(name, task)
    cost = fit_cost(start, taken)
    off = [cost.estimate(*size) / max(seconds, 1e-9) for size, seconds in taken.items()]
    longest = max(taken, key=taken.__getitem__)
    print(
        f"{name:<20} {task:<15} start {cost.start:.4f}  {cost.factor:.2e} · rows^{cost.rows} · "
        f"columns^{cost.columns} · classes^{cost.classes}   off by {min(off):.2f} to {max(off):.2f}"
        f"   {len(taken)} sizes, longest {longest} {taken[longest]:.2f} s",
        flush=True,
    )
    return cost


def written(costs: Mapping[str, Mapping[Any, Cost]]) -> str:
    """Return the module that holds the costs."""
    lines = [
        '"""What a fit costs: written by ``benchmarks/calibrate_costs.py``, which says how."""',
        "",
        "from collections.abc import Mapping",
        "",
        "from branchline.catalog._entry import Cost, Task",
        "",
        '__all__ = ["COSTS"]',
        "",
        "COSTS: dict[str, Mapping[Task, Cost]] = {",
    ]
    for name, by_task in costs.items():
        lines.append(f'    "{name}": {{')
        for task, cost in by_task.items():
            numbers = (cost.start, cost.factor, cost.rows, cost.columns, cost.classes)
            lines.append(f'        "{task}": Cost({", ".join(repr(one) for one in numbers)}),')
        lines.append("    },")
    return "\n".join([*lines, "}", ""])


def main() -> None:
    """Calibrate and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learners", help="short names, separated by commas; all by default")
    chosen = parser.parse_args().learners
    todo = catalog.names() if chosen is None else [catalog.entry(n).name for n in chosen.split(",")]
    costs: dict[str, Mapping[Any, Cost]] = dict(COSTS)
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        for name in todo:
            tasks = catalog.entry(name).tasks
            costs[name] = {task: calibrate(name, task) for task in tasks}
            known = {name: costs[name] for name in catalog.names() if name in costs}
            PLACE.write_text(written(known), encoding="utf-8")


if __name__ == "__main__":
    main()
