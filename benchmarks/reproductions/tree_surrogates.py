"""``python -m benchmarks.reproductions.tree_surrogates``: surrogate tests beside rpart's.

A fifth of the cells of a table is removed at random. Ten folds, the same for all: rpart (as a user
calls it), our tree with surrogate tests at rpart's limits of size, and our tree with learned
branches. The line says whether our error is within one standard error of rpart's.
"""

import sys

import numpy as np

from benchmarks.reproductions._folds import Problem, load_problem, make_splits
from benchmarks.reproductions._rpart import measure_rpart
from branchline import Table
from branchline.table import as_table
from branchline.tree import DecisionTreeClassifier

SETS = ("votes84", "heart", "german-credit")
SHARE, SEED = 0.2, 0
_LIMITS = {"min_samples_split": 20, "min_samples_leaf": 7, "correct_for_chance": False}


def with_gaps(problem: Problem) -> Problem:
    """Return the problem with a fifth of the cells of its inputs missing."""
    frame = problem.X.to_pandas()
    gaps = frame.mask(np.random.default_rng(SEED).random(frame.shape) < SHARE)
    target = problem.table.names[-1]
    whole: Table = as_table(gaps.assign(**{target: np.asarray(problem.y)}))
    X, _ = whole.split_target(target)
    return Problem(problem.name, whole, X, problem.y)


def main() -> int:
    """Print a line for each data set."""
    for name in SETS:
        problem = with_gaps(load_problem(name))
        splits = make_splits(problem.y, 1, SEED)
        folds = measure_rpart("default", problem, splits, SEED)
        sizes = np.array([len(split.test) for split in splits])
        theirs = np.array([fold.wrong for fold in folds]) / sizes
        error = float(theirs.std(ddof=1) / np.sqrt(len(theirs)))
        line = f"{name:14} rpart {theirs.mean():.4f} ± {error:.4f}"
        for missing in ("surrogate", "learned"):
            ours = []
            for split in splits:
                model = DecisionTreeClassifier(missing=missing, rule="best", **_LIMITS)
                model.fit(problem.X.rows(split.train), np.asarray(problem.y)[split.train])
                predicted = model.predict(problem.X.rows(split.test))
                ours.append(float((predicted != np.asarray(problem.y)[split.test]).mean()))
            within = "within" if np.mean(ours) <= theirs.mean() + error else "beyond"
            line += f"; {missing} {np.mean(ours):.4f} ({within} one standard error)"
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
