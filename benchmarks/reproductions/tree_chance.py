"""``python -m benchmarks.reproductions.tree_chance``: what useless columns do to a tree.

1. *Noise*: tables whose columns tell nothing about the target, of 50, 200 and 500 rows, with two to
   ten classes and with numbers. How many of 100 default trees are a single leaf?
2. *Identifiers*: a table gets a column that names its rows: an identifier, a name, free text, a
   phone number, a time, groups of two or three rows, a place, or all of them. How many points of
   accuracy does the tree lose, in 10 folds?

``--write`` puts both tables into ``docs/trees.md``.
"""

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._folds import Problem
from benchmarks.reproductions._tree_sets import load, splits_of
from benchmarks.reproductions.tree_defaults import put_into_page
from branchline import Table
from branchline.tree import CART, DecisionTreeClassifier, DecisionTreeRegressor

_FIRST = (
    "Anna",
    "Ben",
    "Carla",
    "David",
    "Eva",
    "Finn",
    "Greta",
    "Hugo",
    "Ida",
    "Jan",
    "Kim",
    "Lea",
)
_LAST = ("Abel", "Beck", "Cole", "Dorn", "Ernst", "Fuchs", "Graf", "Hahn", "Imhof", "Jung", "Kern")
_WORDS = ("pain", "since", "morning", "stairs", "left", "arm", "chest", "mild", "severe", "night")

SETS = ("heart", "glass", "breast-cancer-ljubljana", "tic-tac-toe", "german-credit", "soybean")
LEARNERS: dict[str, Callable[[], Any]] = {"default": DecisionTreeClassifier, "CART": CART}

# The shares of the classes; None: a number.
TARGETS: dict[str, list[float] | None] = {
    "two classes": [0.5, 0.5],
    "two classes, 80 : 20": [0.8, 0.2],
    "three classes": [1 / 3] * 3,
    "ten classes": [0.1] * 10,
    "a number": None,
}


def noise_table(n_rows: int, random: np.random.Generator, *, numeric: bool) -> Table:
    """Return ten columns of noise: numbers, or every other one a category of two to eight."""
    columns: dict[str, Any] = {}
    for place in range(10):
        if numeric or place % 2:
            columns[f"x{place}"] = random.normal(size=n_rows)
        else:
            codes = random.integers(0, random.integers(2, 9), n_rows)
            columns[f"x{place}"] = [f"v{code}" for code in codes]
    return Table(columns)


def single_leaves(n_rows: int, shares: list[float] | None, repeats: int) -> float:
    """Return the percentage of default trees on noise that are a single leaf."""
    found = []
    for repeat in range(repeats):
        random = np.random.default_rng([n_rows, repeat])
        X = noise_table(n_rows, random, numeric=repeat % 2 == 0)
        if shares is None:
            model: Any = DecisionTreeRegressor(n_jobs=1).fit(X, random.normal(size=n_rows))
        else:
            y = [f"c{code}" for code in random.choice(len(shares), n_rows, p=shares)]
            model = DecisionTreeClassifier(n_jobs=1).fit(X, y)
        found.append(model.tree_.n_leaves == 1)
    return 100 * float(np.mean(found))


def naming_columns(n_rows: int) -> dict[str, Any]:
    """Return columns that name rows, by what they are."""
    random = np.random.default_rng(0)
    seconds = random.choice(10**8, n_rows, replace=False).astype("timedelta64[s]")
    return {
        "identifier": [f"P{row:04d}" for row in range(n_rows)],
        "name": [f"{random.choice(_LAST)}, {random.choice(_FIRST)}" for _ in range(n_rows)],
        "text": [" ".join(random.choice(_WORDS, 6)) for _ in range(n_rows)],
        "phone": [f"0{random.integers(10**9, 10**10)}" for _ in range(n_rows)],
        "time": np.datetime64("2021-01-01T00:00:00") + seconds,
        "pairs": [f"G{group}" for group in random.permutation(n_rows) // 2],
        "triples": [f"G{group}" for group in random.permutation(n_rows) // 3],
        "place": [f"C{int(code)}" for code in random.zipf(1.3, n_rows) % 2000],
    }


def _accuracies(make: Callable[..., Any], X: Table, problem: Problem) -> Any:
    right = []
    for train, test in splits_of(problem, 1, 0):
        model = make(n_jobs=1).fit(X.rows(train), problem.y[train])
        right.append(np.mean(model.predict(X.rows(test)) == problem.y[test]))
    return 100 * np.array(right)


def identifiers_line(name: str, learner: str) -> str:
    """Return the accuracy, its standard error, and what each added column changes, as cells."""
    problem = load(name)
    make, added = LEARNERS[learner], naming_columns(problem.X.n_rows)
    alone = _accuracies(make, problem.X, problem)
    error = alone.std(ddof=1) * np.sqrt(1 / len(alone) + 1 / 9)
    changes = []
    for columns in [*({title: one} for title, one in added.items()), added]:
        X = Table.from_columns([*problem.X.columns, *Table(columns).columns])
        changes.append(_accuracies(make, X, problem).mean() - alone.mean())
    cells = " | ".join(f"{change:+.1f}" for change in changes)
    return f"| {name} | {learner} | {alone.mean():.1f} ± {error:.1f} | {cells} |"


def noise_lines(repeats: int) -> list[str]:
    """Return the table of single leaves on noise."""
    lines = ["| target | 50 rows | 200 rows | 500 rows |", "|---|--:|--:|--:|"]
    for title, shares in TARGETS.items():
        found = [single_leaves(n_rows, shares, repeats) for n_rows in (50, 200, 500)]
        lines.append(f"| {title} | " + " | ".join(f"{one:.0f}" for one in found) + " |")
    return lines


def identifier_lines(names: list[str]) -> list[str]:
    """Return the table of what columns that name rows change."""
    titles = [*naming_columns(10), "all"]
    lines = ["| table | tree | accuracy | " + " | ".join(titles) + " |"]
    lines.append("|---|---|--:|" + "--:|" * len(titles))
    return lines + [identifiers_line(name, learner) for learner in LEARNERS for name in names]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.tree_chance")
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--write", action="store_true", help="write the tables into docs/trees.md")
    options = parser.parse_args(arguments)
    lines = [*noise_lines(options.repeats), "", *identifier_lines(options.sets.split(","))]
    print("\n".join(lines))
    if options.write:
        put_into_page("tree_chance", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
