"""The seventeen data sets of ``forest_accuracy``, and their splits.

1. A set is a table without columns that name a row or tell the outcome; its target is an array of
   texts (classes) or floats (regression).
2. Sets up to 5 000 rows are split by 3 × 10 folds, larger ones by 5, the two largest by 3. Classes
   are spread evenly over the folds. Repeat r is shuffled with the seed (seed, r).
"""

import zipfile
from typing import NamedTuple

import numpy as np

from benchmarks.reproductions._folds import Problem, Split, Splits, _shared
from branchline import Table, load_dataset, read_table

__all__ = ["SETS", "Source", "load", "make_splits"]

COVERTYPE_ROWS = 100_000


class Source(NamedTuple):
    """A set: its file in the folder of real data, its target, what is left out, its splits.

    A path is empty for a set that is bundled with the package, a target for the last column.
    """

    path: str
    target: str
    left_out: tuple[str, ...] = ()
    regression: bool = False
    n_folds: int = 10

    @property
    def repeats(self) -> int:
        """How often the set is split anew: small ones three times."""
        return 3 if self.n_folds == 10 else 1


# Left out: names of rows, and columns that tell the outcome (a lifeboat; casual and registered
# riders, whose sum is the target). The day of a bike row is in its other columns.
SETS = {
    "adult": Source("adult/adult-train.csv.gz", "", n_folds=5),
    "german-credit": Source("", "class"),
    "titanic": Source(
        "",
        "survived",
        ("name", "ticket", "cabin", "boat", "body", "home.dest"),
    ),
    "mushroom": Source("mushroom/mushroom.arff", "class", n_folds=5),
    "soybean": Source("soybean/soybean.arff", "class"),
    "splice": Source("splice/splice.arff", "Class", ("Instance_name",)),
    "letter": Source("letter/letter.arff", "class", n_folds=5),
    "satimage": Source("satimage/Satellite.csv.gz", "classes", n_folds=5),
    "segment": Source("segment/segment.arff", "class"),
    "spambase": Source("spambase/spambase.arff", "class"),
    "magic": Source("magic/telescope.csv", "Class", n_folds=5),
    "covertype": Source("covertype/covtype.csv.gz", "Cover_Type", n_folds=3),
    "abalone": Source("abalone/abalone.arff", "Class_Rings", regression=True),
    "california": Source(
        "california_housing/cal.housing.arff", "medianHouseValue", regression=True, n_folds=5
    ),
    "bike": Source(
        "bike_sharing/Bike-Sharing-Dataset.zip",
        "cnt",
        ("instant", "dteday", "casual", "registered"),
        regression=True,
        n_folds=5,
    ),
    "diamonds": Source("diamonds/diamonds.csv", "price", regression=True, n_folds=3),
    "concrete": Source("concrete/concrete.csv", "strength", regression=True),
}


def load(name: str) -> Problem:
    """Return the data set called ``name`` in ``SETS``."""
    source = SETS[name]
    table = _read(name, source)
    target = source.target or table.names[-1]
    table = table.drop([column for column in source.left_out if column in table.names])
    labels = table.column(target).to_list()
    y = np.array(labels, dtype=np.float64) if source.regression else np.array([*map(str, labels)])
    return Problem(name, table, table.drop(target), y)


def _read(name: str, source: Source) -> Table:
    if not source.path:
        return load_dataset(name)
    path = _shared(source.path)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open("hour.csv") as file:
            return read_table(file)
    table = read_table(path)
    if name == "covertype":
        rows = np.random.default_rng(0).permutation(table.n_rows)[:COVERTYPE_ROWS]
        return table.rows(np.sort(rows))
    return table


def make_splits(problem: Problem, seed: int) -> Splits:
    """Return the splits of a set; classes are spread evenly over the folds."""
    from sklearn.model_selection import KFold, StratifiedKFold

    source = SETS[problem.name]
    kind = KFold if source.regression else StratifiedKFold
    splits = []
    for repeat in range(source.repeats):
        state = int(np.random.SeedSequence([seed, repeat]).generate_state(1)[0])
        folds = kind(source.n_folds, shuffle=True, random_state=state)
        splits += [Split(*both) for both in folds.split(np.zeros(len(problem.y)), problem.y)]
    return splits
