"""How often the warning of columns chosen with the target (W050) comes, rightly and wrongly.

1. Wrongly: on real tables, whole and as random rows (30, 60, 120, 250, 1,000; several draws), where
   no columns were chosen with the target, and on tables of pure noise with all columns.
2. Rightly: on simulated tables whose columns were chosen by the size of t (or of the correlation)
   on all rows: of pure noise, and of noise with a few real effects.

``python -m benchmarks.reproductions.preselection`` prints both; ``--draws N`` changes the number of
draws (default 5 of each real table, 40 of each simulation).
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.reproductions import _tree_sets
from branchline.assess import make_problem
from branchline.assess.comparing import trace_of_choice, without_identifiers
from branchline.errors import BranchlineError
from branchline.table import Table

__all__ = ["main"]

_ROWS = (None, 30, 60, 120, 250, 1000)
# Rows, columns before the choice, columns after it, columns that truly tell something.
_CHOICES = (
    *((60, 2000, 20, 0), (60, 2000, 50, 0), (60, 2000, 100, 0), (250, 1000, 20, 0)),
    *((72, 7129, 50, 0), (30, 500, 20, 0), (100, 5000, 40, 4), (100, 5000, 40, 10)),
    *((200, 5000, 100, 10), (500, 10000, 200, 20)),
)
_EFFECT = 0.8  # of a column that tells something: the distance of the class means


def _has_warning(X: Any, y: Any) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trace_of_choice(without_identifiers(make_problem(X, y))) is not None


def _real_tables(n_draws: int) -> Iterator[tuple[str, Any, Any]]:
    rng = np.random.default_rng(0)
    for name in (*_tree_sets.CLASSES, *_tree_sets.NUMBERS):
        try:
            problem = _tree_sets.load(name)
        except (OSError, BranchlineError):
            continue
        X, y = problem.X, np.asarray(problem.y)
        if X.n_columns < 20:
            continue
        for n_rows in _ROWS:
            if n_rows is None:
                yield f"{name} (whole)", X, y
                continue
            if n_rows >= X.n_rows:
                continue
            for _ in range(n_draws):
                rows = rng.choice(X.n_rows, n_rows, replace=False)
                yield f"{name} ({n_rows} rows)", X.rows(rows), y[rows]


def _chosen(seed: int, n_rows: int, before: int, after: int, n_real: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_rows, before)), np.arange(n_rows) % 2
    X[:, :n_real] += _EFFECT * y[:, None]
    apart = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    spread = np.sqrt(X[y == 1].var(axis=0) + X[y == 0].var(axis=0))
    best = np.argsort(-np.abs(apart / spread))[:after]
    return Table(X[:, best]), np.where(y == 1, "yes", "no")


def main() -> None:
    """Print both shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=None)
    n_draws = parser.parse_args().draws
    told = []
    n_tables = 0
    for name, X, y in _real_tables(n_draws or 5):
        try:
            n_tables += 1
            told += [name] if _has_warning(X, y) else []
        except BranchlineError:  # rows of one class
            n_tables -= 1
    print(f"real tables without a choice: {len(told)} of {n_tables} warned of {sorted(set(told))}")
    for n_rows, before, after, n_real in _CHOICES:
        n = n_draws or 40
        hits = [_has_warning(*_chosen(s, n_rows, before, after, n_real)) for s in range(n)]
        whole = [_has_warning(*_chosen(s, n_rows, after, after, n_real)) for s in range(n)]
        print(
            f"{after} of {before} columns, {n_rows} rows, {n_real} real: warned {np.mean(hits):.0%}"
            f"; nothing chosen ({after} of {after}): {np.mean(whole):.0%}"
        )


if __name__ == "__main__":
    main()
