"""What is read off fitted trees for the worked examples, and tables made of printed counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from branchline.table import Table, load_dataset
from branchline.tree import DecisionTreeClassifier

__all__ = [
    "best_test",
    "branch",
    "dataset",
    "gains",
    "impurity",
    "left_open",
    "of_counts",
    "subset_tree",
    "two_tests",
    "with_one_more_day",
]

Tree = DecisionTreeClassifier
Counts = Mapping[str, Sequence[int]]


def dataset(name: str, target: str) -> tuple[Table, Any]:
    """Return a bundled table split into columns and target."""
    return load_dataset(name).split_target(target)


def with_one_more_day() -> tuple[Table, Any]:
    """Return tennis-2 with the day that makes temperature and humidity tie in ``sunny``."""
    tennis = load_dataset("tennis-2")
    day = dict(zip(tennis.names, ("sunny", "mild", "normal", "strong", "no"), strict=True))
    return Table([*tennis.to_dicts(), day]).split_target("play")


def of_counts(counts: Counts, name: str = "test") -> tuple[Table, list[str]]:
    """Return a one-column table and its target: ``counts[value][k]`` rows of class k."""
    cells: list[str] = []
    target: list[str] = []
    for value, row in counts.items():
        for label, count in enumerate(row):
            cells += [value] * count
            target += [f"class {label}"] * count
    return Table({name: cells}), target


def two_tests(first: Counts, second: Counts) -> tuple[Table, list[str]]:
    """Return a table of two columns with the given counts of both tests, and its target.

    Which positive has which value of the second test is not printed; no gain at the root depends
    on it.
    """
    columns: dict[str, list[str]] = {"A1": [], "A2": []}
    for name, counts in (("A1", first), ("A2", second)):
        for label in (0, 1):
            for value, row in counts.items():
                columns[name] += [value] * row[label]
    n_positive = sum(row[0] for row in first.values())
    return Table(columns), ["+"] * n_positive + ["-"] * (len(columns["A1"]) - n_positive)


def subset_tree() -> Tree:
    """Return a tree of one test on subsets, by entropy."""
    return Tree(criterion="entropy", max_depth=1, prune=None, correct_for_chance=False)


def gains(model: Tree, node: int, *names: str) -> list[float]:
    """Return the gain of each column's test; a column that does not vary gains nothing."""
    found = {reason.column: reason.gain for reason in model.why(node)}
    return [found.get(name, 0.0) for name in names]


def impurity(model: Tree, node: int = 0) -> float:
    """Return the impurity of a node."""
    return model.why(node).impurity


def left_open(model: Tree, node: int, *names: str) -> list[float]:
    """Return H(Y | column) in a node: its entropy less the gain."""
    return [impurity(model, node) - gain for gain in gains(model, node, *names)]


def branch(model: Tree, column: str, value: str) -> int:
    """Return the node to which the test of ``column`` at the root sends a category."""
    tree, place = model.tree_, model.schema_.names.index(column)
    if int(tree.feature[0]) != place:
        raise LookupError(f"the root does not test {column!r}")
    categories = list(model.schema_.fields[place].type.categories or ())
    return int(tree.first_child[0] + tree.pool[tree.pool_offset[0] + categories.index(value)])


def best_test(model: Tree, node: int) -> str:
    """Return the column that a node tests, or "none" for a leaf."""
    tree = model.tree_
    return "none" if tree.is_leaf[node] else model.schema_.names[int(tree.feature[node])]
