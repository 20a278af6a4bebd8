"""The tables on which default trees are compared: 38 with classes, 24 with numbers.

1. A table is read from the folder of real data or is bundled; columns that name rows or that tell
   the outcome are left out. Large tables are cut to ``MOST_ROWS`` rows, drawn with a fixed seed.
2. Few tables have a number as their target. Numeric columns of other tables stand in for more:
   the column is predicted from the others, the class among them.
3. Each table belongs to one half, "choose" or "verify", in turn by name: a rule is chosen on the
   first half and verified on the second.
"""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.reproductions._folds import Problem, Split, Splits, _shared
from branchline import Table, load_dataset, read_table
from branchline.table import Column, ColumnType

__all__ = ["CLASSES", "MOST_ROWS", "NUMBERS", "Source", "half_of", "load", "splits_of"]

MOST_ROWS = 5000
FOLDS = 10


class Source(NamedTuple):
    """A table: its file or bundled name, its target ("": the last column), columns left out."""

    path: str
    target: str = ""
    left_out: tuple[str, ...] = ()


_TITANIC = ("name", "ticket", "cabin", "boat", "body", "home.dest")
_BIKE = ("instant", "dteday", "casual", "registered")

CLASSES = {
    "adult": Source("adult/adult-train.csv.gz"),
    "balance-scale": Source("balance_scale/balance.scale.arff"),
    "breast-cancer-ljubljana": Source("breast_cancer_ljubljana/breast-cancer.arff"),
    "breast-cancer-wisconsin": Source("breast_cancer_wisconsin/breast.w.arff"),
    "car": Source("car/car.arff"),
    "covertype": Source("covertype/covtype.csv.gz", "Cover_Type"),
    "digits": Source("digits_8x8/digits.csv.gz"),
    "german-credit": Source("german-credit", "class"),
    "glass": Source("glass/glass.arff"),
    "heart": Source("heart", "disease"),
    "heart-hungarian": Source("heart_disease/heart.h.arff"),
    "heart-statlog": Source("heart_disease/heart.statlog.arff"),
    "hepatitis": Source("hepatitis/hepatitis.arff"),
    "ionosphere": Source("ionosphere/ionosphere.arff"),
    "iris": Source("iris", "species"),
    "labor": Source("labor/labor.arff"),
    "letter": Source("letter/letter.arff"),
    "magic": Source("magic/telescope.csv", "Class"),
    "monks-1": Source("monks/monks-1_learn.tab", "y", ("instance",)),
    "monks-2": Source("monks/monks-2_learn.tab", "y", ("instance",)),
    "monks-3": Source("monks/monks-3_learn.tab", "y", ("instance",)),
    "mushroom": Source("mushroom/mushroom.arff", "class"),
    "olivetti": Source("olivetti/olivettifaces.mat", "person"),
    "penguins": Source("penguins/penguins.csv", "species"),
    "pima-diabetes": Source("pima_diabetes/diabetes.arff"),
    "promoters": Source("promoters/promoters.tab", "y"),
    "satimage": Source("satimage/Satellite.csv.gz", "classes"),
    "segment": Source("segment/segment.arff"),
    "sonar": Source("sonar/sonar.arff"),
    "soybean": Source("soybean/soybean.arff"),
    "spambase": Source("spambase/spambase.arff"),
    "splice": Source("splice/splice.arff", "Class", ("Instance_name",)),
    "svmguide1": Source("svmguide/svmguide1", "label"),
    "tic-tac-toe": Source("tic_tac_toe/tic-tac-toe.arff"),
    "titanic": Source("titanic", "survived", _TITANIC),
    "votes84": Source("votes84", "party"),
    "wine": Source("wine/wine.arff", "class"),
    "zoo": Source("zoo/zoo.arff", "", ("animal",)),
}

NUMBERS = {
    "abalone": Source("abalone/abalone.arff", "Class_Rings"),
    "adult-hours": Source("adult/adult-train.csv.gz", "column_13"),
    "auto-mpg": Source("auto-mpg", "mpg"),
    "bike-day": Source("bike_sharing/Bike-Sharing-Dataset.zip/day.csv", "cnt", _BIKE),
    "bike-hour": Source("bike_sharing/Bike-Sharing-Dataset.zip/hour.csv", "cnt", _BIKE),
    "california": Source("california_housing/cal.housing.arff", "medianHouseValue"),
    "concrete": Source("concrete/concrete.csv", "strength"),
    "covertype-elevation": Source("covertype/covtype.csv.gz", "Elevation"),
    "diamonds": Source("diamonds/diamonds.csv", "price"),
    "friedman": Source("friedman_fried/fried.arff", "Y"),
    "german-amount": Source("german-credit", "credit_amount"),
    "glass-calcium": Source("glass/glass.arff", "Ca"),
    "heart-rate": Source("heart", "max_heart_rate"),
    "ionosphere-5": Source("ionosphere/ionosphere.arff", "a05"),
    "letter-x": Source("letter/letter.arff", "x-bar"),
    "magic-alpha": Source("magic/telescope.csv", "fAlpha"),
    "penguins-mass": Source("penguins/penguins.csv", "body_mass_g"),
    "pima-mass": Source("pima_diabetes/diabetes.arff", "mass"),
    "satimage-18": Source("satimage/Satellite.csv.gz", "x.18"),
    "segment-hue": Source("segment/segment.arff", "hue-mean"),
    "sonar-20": Source("sonar/sonar.arff", "attribute_20"),
    "svmguide1-2": Source("svmguide/svmguide1", "x2"),
    "titanic-fare": Source("titanic", "fare", _TITANIC),
    "wine-alcohol": Source("wine/wine.arff", "Alcohol"),
}


def half_of(name: str) -> str:
    """Return the half that a table belongs to: "choose" or "verify"."""
    names = list(CLASSES if name in CLASSES else NUMBERS)
    return ("choose", "verify")[names.index(name) % 2]


def load(name: str) -> Problem:
    """Return the table called ``name``, at most ``MOST_ROWS`` of its rows."""
    is_numeric = name in NUMBERS
    source = NUMBERS[name] if is_numeric else CLASSES[name]
    table = _read(source)
    target = source.target or table.names[-1]
    table = table.drop([column for column in source.left_out if column in table.names])
    labels = table.column(target).to_list()
    known = np.array([label is not None for label in labels])
    rows = np.flatnonzero(known)
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).permutation(rows)[:MOST_ROWS])
    table = table.rows(rows)
    labels = table.column(target).to_list()
    y = np.array(labels, dtype=np.float64) if is_numeric else np.array([*map(str, labels)])
    X = table.drop(target)
    return Problem(name, Table.from_columns([*X.columns, _target_column(y)]), X, y)


def _target_column(y: Any) -> Column:
    """Return the target as the last column of a file: classes as categories, whatever they are."""
    if y.dtype.kind == "f":
        return Column("target", ColumnType("numeric", "float64"), y)
    names, codes = np.unique(y, return_inverse=True)
    kind = ColumnType("category", "string", tuple(names.tolist()))
    return Column("target", kind, codes.astype(np.int32))


def _read(source: Source) -> Table:
    if "/" not in source.path:
        return load_dataset(source.path)
    if ".zip/" in source.path:
        path, member = source.path.rsplit("/", 1)
        with zipfile.ZipFile(_shared(path)) as archive, archive.open(member) as file:
            return read_table(file)
    path = _shared(source.path)
    return _READERS.get(path.parent.name, read_table)(path)


def _read_numbers(path: Path) -> Table:
    """Read a file of numbers without a header; the class is first (svmguide) or last."""
    values = np.loadtxt(path, delimiter=",")
    label, places = (0, range(1, values.shape[1]))
    if path.parent.name == "digits_8x8":
        label, places = values.shape[1] - 1, range(values.shape[1] - 1)
    columns = {f"x{place}": values[:, place] for place in places}
    return Table({**columns, "label": [f"class {int(one)}" for one in values[:, label]]})


def _read_faces(path: Path) -> Table:
    """Read ten pictures of each of forty people, averaged over squares of 4 × 4 pixels."""
    from scipy.io import loadmat

    pixels = loadmat(path)["faces"].T.reshape(-1, 16, 4, 16, 4).mean(axis=(2, 4))
    values = pixels.reshape(len(pixels), -1)
    columns = {f"x{place}": values[:, place] for place in range(values.shape[1])}
    return Table({**columns, "person": [f"person {k // 10}" for k in range(len(values))]})


def _read_orange(path: Path) -> Table:
    """Read Orange's tab-separated format: two lines of descriptions below the names."""
    lines = path.read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    cells = [line.split("\t") for line in lines[3:]]
    return Table({name: [f"v{row[place]}" for row in cells] for place, name in enumerate(names)})


_READERS: dict[str, Callable[[Path], Table]] = {
    "svmguide": _read_numbers,
    "digits_8x8": _read_numbers,
    "olivetti": _read_faces,
    "monks": _read_orange,
    "promoters": _read_orange,
}


def splits_of(problem: Problem, repeats: int, seed: int) -> Splits:
    """Return ``repeats`` × 10 splits, the same for every learner; classes are spread evenly."""
    from sklearn.model_selection import KFold, StratifiedKFold

    kind = KFold if problem.name in NUMBERS else StratifiedKFold
    splits = []
    for repeat in range(repeats):
        state = int(np.random.SeedSequence([seed, repeat]).generate_state(1)[0])
        folds = kind(FOLDS, shuffle=True, random_state=state)
        splits += [Split(*both) for both in folds.split(np.zeros(len(problem.y)), problem.y)]
    return splits
