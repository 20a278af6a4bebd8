"""``python -m benchmarks.reproductions.neighbors_accuracy``: neighbors on ten mixed data sets.

1. Every set is split by stratified 10-fold cross-validation, once; all learners get the very same
   splits. Large sets are cut to the rows that ``SETS`` says.
2. Ours, as it is by default, gets the table as it is. scikit-learn's ``KNeighborsClassifier`` gets
   it in three encodings, with k and weights chosen by ``GridSearchCV`` (five folds, inside the
   training rows); its *best* encoding is the one of the best average.
3. The same once more with k = 5 and uniform weights given, against the first encoding.
4. Seconds are processor time of fit and predict together, one thread each, a fold.

Numbers go into ``benchmarks/results/neighbors_accuracy.json`` after every set; a Markdown table of
all that is known is printed.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

import numpy as np

from benchmarks._peers import limit_processes
from benchmarks.reproductions._folds import (
    DataAbsentError,
    Problem,
    Splits,
    _shared,
    load_problem,
    make_splits,
)

RESULTS = Path(__file__).resolve().parents[1] / "results" / "neighbors_accuracy.json"
COUNTS = [1, 3, 5, 7, 9, 11, 15, 21, 31, 51]
GIVEN = 5
NAMES_OF_PEOPLE = ("name", "ticket", "cabin", "boat", "body", "home.dest")
OURS = "branchline"
PEERS = ("one-hot, standard", "ordinal, standard", "one-hot, min-max")


# -- data -----------------------------------------------------------------------------------------


def bundled(name: str) -> Problem:
    return load_problem(name)


def titanic(_: str) -> Problem:
    """Return the passengers without what names them or tells the outcome."""
    from branchline import load_dataset

    table = load_dataset("titanic")
    X, y = table.split_target("survived")
    return _problem("titanic", X.drop([n for n in NAMES_OF_PEOPLE if n in X.names]), y)


def adult(_: str) -> Problem:
    """Return the first 5 000 rows of the census."""
    from benchmarks._data import adult as load
    from branchline import Table

    data = load()
    if data is None:
        raise DataAbsentError("adult is not in the folder of real data (BRANCHLINE_DATA)")
    return _problem("adult", Table(data.X[:5000]), np.asarray(data.y[:5000]))


def mushroom(name: str) -> Problem:
    """Return 2 000 of the 8 124 rows, drawn once."""
    whole = load_problem(name)
    rows = np.random.default_rng(0).permutation(len(whole.y))[:2000]
    return _problem(name, whole.X.rows(rows), whole.y[rows])


def abalone(_: str) -> Problem:
    """Return the shells in three classes of age: up to 8 rings, 9 and 10, more."""
    from branchline import read_table

    table = read_table(_shared("abalone/abalone.arff"))
    X, rings = table.split_target(table.names[-1])
    return _problem("abalone", X, np.digitize(np.asarray(rings, dtype=float), [8.5, 10.5]))


def _problem(name: str, X: Any, y: Any) -> Problem:
    return Problem(name, X, X, np.asarray(y).astype(str))


SETS: dict[str, Callable[[str], Problem]] = {
    "german-credit": bundled,
    "titanic": titanic,
    "heart": bundled,
    "hepatitis": bundled,
    "adult": adult,
    "mushroom": mushroom,
    "soybean": bundled,
    "votes84": bundled,
    "breast-cancer-ljubljana": bundled,
    "abalone": abalone,
}


# -- learners -------------------------------------------------------------------------------------


def ours(**parameters: Any) -> Any:
    from branchline.neighbors import NearestNeighborsClassifier

    return NearestNeighborsClassifier(n_jobs=1, **parameters)


def pipeline(X: Any, encoding: str, **parameters: Any) -> Any:
    """Return scikit-learn's neighbors behind an encoding of a mixed table."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

    categories, numbers = encoding.split(", ")
    kinds = [field.type.kind for field in X.schema]
    places = {kind: [at for at, one in enumerate(kinds) if one == kind] for kind in set(kinds)}
    scaler = MinMaxScaler() if numbers == "min-max" else StandardScaler()
    encoders: list[Any] = [OneHotEncoder(handle_unknown="ignore", sparse_output=False)]
    if categories == "ordinal":
        options = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
        encoders = [OrdinalEncoder(encoded_missing_value=-1, **options), StandardScaler()]
    steps = [
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), scaler), "numeric"),
        ("categories", make_pipeline(*encoders), "category"),
    ]
    columns = ColumnTransformer([(name, step, places.get(kind, [])) for name, step, kind in steps])
    return make_pipeline(columns, KNeighborsClassifier(n_jobs=1, **parameters))


def searched(X: Any, encoding: str) -> Any:
    """Return the pipeline with k and weights chosen by cross-validation."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    grid = {"n_neighbors": COUNTS, "weights": ["uniform", "distance"]}
    grid = {f"kneighborsclassifier__{name}": values for name, values in grid.items()}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return GridSearchCV(pipeline(X, encoding), grid, cv=folds, n_jobs=1)


def cells(X: Any) -> Any:
    """Return a table as scikit-learn takes it: objects, NaN for missing numbers."""
    array = np.asarray(X, dtype=object)
    for at, field in enumerate(X.schema):
        if field.type.kind == "numeric":
            array[:, at] = [np.nan if cell is None else float(cell) for cell in array[:, at]]
    return array


# -- measuring ------------------------------------------------------------------------------------


def measure(make: Callable[[], Any], rows: Callable[[Any], Any], y: Any, splits: Splits) -> Any:
    """Return accuracy in percent and processor seconds a fold."""
    right, seconds = 0, []
    for train, test in splits:
        X_train, X_test = rows(train), rows(test)
        begin = process_time()
        predicted = make().fit(X_train, y[train]).predict(X_test)
        seconds.append(process_time() - begin)
        right += int(np.sum(predicted == y[test]))
    return {"accuracy": 100 * right / len(y), "seconds": fmean(seconds)}


def measure_set(problem: Problem) -> dict[str, Any]:
    """Return what was measured of all learners on one set."""
    X, y = problem.X, problem.y
    splits = make_splits(y, 1, 0)
    array = cells(X)
    found = {
        OURS: measure(ours, X.rows, y, splits),
        f"{OURS}, k = {GIVEN}": measure(
            lambda: ours(n_neighbors=GIVEN, weights="uniform"), X.rows, y, splits
        ),
        f"{PEERS[0]}, k = {GIVEN}": measure(
            lambda: pipeline(X, PEERS[0], n_neighbors=GIVEN), array.__getitem__, y, splits
        ),
    }
    for name in PEERS:
        found[name] = measure(lambda name=name: searched(X, name), array.__getitem__, y, splits)
    return found


# -- reporting ------------------------------------------------------------------------------------


def markdown(results: dict[str, Any]) -> str:
    """Return accuracies, then seconds a fold, a row a set."""
    learners = (OURS, *PEERS)
    timed = (OURS, *PEERS, f"{OURS}, k = {GIVEN}", f"{PEERS[0]}, k = {GIVEN}")
    parts = [
        _table("accuracy in %", "accuracy", learners, results, "{:.2f}"),
        _table("processor seconds a fold", "seconds", timed, results, "{:.3f}"),
    ]
    best = max(PEERS, key=lambda name: fmean(one[name]["accuracy"] for one in results.values()))
    return "\n\n".join([*parts, f"scikit-learn's best encoding on average: {best}"])


def _table(title: str, what: str, names: Any, results: dict[str, Any], form: str) -> str:
    rows = [[title, *names]]
    numbers = {data: [one[name][what] for name in names] for data, one in results.items()}
    rows += [[data, *map(form.format, row)] for data, row in numbers.items()]
    means = [fmean(column) for column in zip(*numbers.values(), strict=True)]
    rows.append(["average", *map(form.format, means)])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * len(names) + "|", *lines[1:]])


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    limit_processes(1)
    warnings.filterwarnings("ignore", "The least populated class", UserWarning)
    warnings.filterwarnings("ignore", "Found unknown categories", UserWarning)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.neighbors_accuracy")
    parser.add_argument("sets", nargs="*", help=f"some of {', '.join(SETS)} (default: all)")
    parser.add_argument("--json", type=Path, default=RESULTS, help="file of the results")
    options = parser.parse_args(arguments)
    results = json.loads(options.json.read_text()) if options.json.exists() else {}
    for name in options.sets or SETS:
        try:
            results[name] = measure_set(SETS[name](name))
        except DataAbsentError as error:
            print(f"{name}: skipped: {error}", file=sys.stderr)
            continue
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if results:
        print(markdown({name: results[name] for name in SETS if name in results}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
