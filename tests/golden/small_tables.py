"""Tables made of counts, and the comparison with printed numbers, for the golden tests of trees.

The small tables that have rows of their own are bundled (``load_dataset``); what a book prints as
counts alone becomes a table here.
"""

import csv
import gzip

import numpy as np
import pytest

from branchline import Table, load_dataset
from shared_data import SHARED


def printed(numbers, digits):
    """Return a comparison with numbers printed with so many digits after the point."""
    return pytest.approx(numbers, abs=0.5 * 10.0**-digits + 1e-12)


def of_counts(counts, name="test"):
    """Return a one-column table and its target: ``counts[value][k]`` rows of class k."""
    cells, target = [], []
    for value, row in counts.items():
        for label, count in enumerate(row):
            cells += [value] * count
            target += [f"class {label}"] * count
    return Table({name: cells}), target


def two_tests(first, second):
    """Return a table of two columns with the given counts of both tests, and its target.

    Each test is a mapping from a value to (positives, negatives). Which positive has which value of
    the second test is not printed anywhere, and no gain at the root depends on it.
    """
    columns = {"A1": [], "A2": []}
    for name, counts in (("A1", first), ("A2", second)):
        for label in (0, 1):
            for value, row in counts.items():
                columns[name] += [value] * row[label]
    n_positive = sum(row[0] for row in first.values())
    target = ["+"] * n_positive + ["-"] * (len(columns["A1"]) - n_positive)
    return Table(columns), target


def dataset(name, target):
    """Return a bundled table split into columns and target."""
    return load_dataset(name).split_target(target)


def one_more_day():
    """Return tennis-2 with the day that makes temperature and humidity tie in ``sunny``."""
    tennis = load_dataset("tennis-2")
    day = dict(zip(tennis.names, ("sunny", "mild", "normal", "strong", "no"), strict=True))
    return Table([*tennis.to_dicts(), day]).split_target("play")


# Entropies of the leaves of the softdev tree are printed, their class counts are not: these counts
# have the printed entropies (1.37, 1.66, 1.43, 0, 0, 1, 2.27) to two digits.
SOFTDEV = {
    "node 1": (14, 9, 1, 1, 0, 0),
    "node 2": (15, 14, 3, 3, 0, 0),
    "node 3": (11, 6, 1, 1, 0, 0),
    "node 4": (3, 0, 0, 0, 0, 0),
    "node 5": (0, 2, 0, 0, 0, 0),
    "node 6": (1, 1, 0, 0, 0, 0),
    "node 7": (42, 22, 16, 9, 8, 7),
}


def golub_patients():
    """Return the gene expressions of 72 patients, in the order of their numbers, and the cancer."""
    folder = SHARED / "golub_leukemia"
    with gzip.open(folder / "actual.csv.gz", "rt") as lines:
        cancer = {line["patient"]: line["cancer"] for line in csv.DictReader(lines)}
    genes = {}
    for part in ("train", "independent"):
        with gzip.open(folder / f"data_set_ALL_AML_{part}.csv.gz", "rt") as lines:
            head, *rows = csv.reader(lines)
        for place, name in enumerate(head):
            if name.isdigit():
                genes[name] = [float(row[place]) for row in rows]
    order = sorted(genes, key=int)
    return np.array([genes[name] for name in order]), np.array([cancer[name] for name in order])
