"""``python -m benchmarks.reproductions.noise_tables``: how often the baseline wins on noise.

Tables are drawn in which no column tells anything about the target: numbers, categories, missing
values; two classes, a rare class, three classes, numbers to predict; few rows, many columns.
``compare`` is run as a user would, and the share of tables is printed in which the baseline is
recommended (wanted: at least 95 %), with its standard error.
"""

import argparse
import math
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import branchline as bl
from benchmarks._peers import limit_processes

SMALL = "one_rule,stump,tree,naive_bayes,lda"
SMALL_NUMBERS = "stump,tree,ridge,pls"
# Rows, columns, and what is to be predicted.
KINDS = (
    (50, 20, "two classes"),
    (60, 200, "two classes"),
    (150, 10, "a rare class"),
    (90, 10, "three classes"),
    (60, 15, "numbers"),
)


def noise(n_rows: int, n_columns: int, target: str, seed: int) -> tuple[Any, Any]:
    """Return a table of noise and its target; every third column is a category with gaps."""
    rng = np.random.default_rng([seed, n_rows, n_columns])
    columns: dict[str, Any] = {}
    for place in range(n_columns):
        if place % 3 == 2:
            names = rng.choice(np.array(["red", "green", "blue", None], dtype=object), n_rows)
            columns[f"c{place}"] = names.tolist()
        else:
            columns[f"x{place}"] = rng.normal(size=n_rows)
    if target == "numbers":
        return bl.Table(columns), rng.normal(size=n_rows)
    share = {"two classes": [0.5, 0.5], "a rare class": [0.85, 0.15]}.get(target, [0.4, 0.3, 0.3])
    return bl.Table(columns), rng.choice(list("abc"[: len(share)]), n_rows, p=share)


def baseline_recommended(table: Any, y: Any, learners: str) -> bool:
    """Whether a comparison of learners recommends the baseline."""
    found = bl.compare(table, y, learners=learners, n_jobs=1)
    return found.recommendation.learner == "baseline"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.noise_tables")
    parser.add_argument("--draws", type=int, default=40, help="tables of each kind (default: 40)")
    parser.add_argument("--learners", help="learners to compare (default: cheap ones); fast: all")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    print("| rows × columns | target | baseline recommended |\n|---|---|--:|")
    total: list[bool] = []
    for n_rows, n_columns, target in KINDS:
        usual = SMALL_NUMBERS if target == "numbers" else SMALL
        each = [
            baseline_recommended(*noise(n_rows, n_columns, target, seed), options.learners or usual)
            for seed in range(options.draws)
        ]
        total += each
        print(f"| {n_rows} × {n_columns} | {target} | {_told(each)} |", flush=True)
    print(f"| all | | {_told(total)} |")
    return 0


def _told(each: list[bool]) -> str:
    share = float(np.mean(each))
    error = math.sqrt(max(share * (1 - share), 0.01) / len(each))
    return f"{100 * share:.1f} ± {100 * error:.1f} % of {len(each)}"


if __name__ == "__main__":
    sys.exit(main())
