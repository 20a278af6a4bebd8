"""Time every learner of the catalog on small tables: fits, predictions, single rows.

python -m benchmarks.small_tables                        # all learners, three tables: minutes
python -m benchmarks.small_tables tree svm --on iris     # some learners, one table
python -m benchmarks.small_tables --rows-only            # predictions of one row only

1. Tables: iris (150 × 4 numbers), penguins (mixed, with missing values), and 1 000 × 10 numbers;
   for regression, petal widths, masses, and a generated number are predicted.
2. A fit and a prediction of all rows, and predictions of one row from a NumPy row, a dictionary in
   a list, and a frame of pandas, at the defaults and on one thread.
3. Seconds are those of the processor, the least of a few, so that a busy machine disturbs little.
4. Where scikit-learn has the learner, its times stand in brackets. Rows that take longer than
   20 µs (NumPy) or 60 µs (dictionary, frame) have a star.
"""

import argparse
import itertools
import math
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks._data import data_folder
from branchline import Table, catalog, load_dataset, read_table

LIMITS = {"numpy": 20e-6, "dict": 60e-6, "pandas": 60e-6}
TABLES = ("iris", "penguins", "thousand")
CALLS = 50
SECONDS = 0.05
SCIKIT_LEARN = {
    "baseline": "dummy:DummyClassifier dummy:DummyRegressor",
    "tree": "tree:DecisionTreeClassifier tree:DecisionTreeRegressor",
    "naive_bayes": "naive_bayes:GaussianNB -",
    "nearest_neighbors": "neighbors:KNeighborsClassifier neighbors:KNeighborsRegressor",
    "logistic": "linear_model:LogisticRegression -",
    "lda": "discriminant_analysis:LinearDiscriminantAnalysis -",
    "qda": "discriminant_analysis:QuadraticDiscriminantAnalysis -",
    "perceptron": "linear_model:Perceptron -",
    "mlp": "neural_network:MLPClassifier neural_network:MLPRegressor",
    "svm": "svm:SVC svm:SVR",
    "linear_svm": "svm:LinearSVC svm:LinearSVR",
    "linear_regression": "- linear_model:LinearRegression",
    "ridge": "- linear_model:Ridge",
    "lasso": "- linear_model:Lasso",
    "elastic_net": "- linear_model:ElasticNet",
    "pls": "- cross_decomposition:PLSRegression",
    "kernel_ridge": "- kernel_ridge:KernelRidge",
    "gaussian_process": "- gaussian_process:GaussianProcessRegressor",
    "random_forest": "ensemble:RandomForestClassifier ensemble:RandomForestRegressor",
    "extra_trees": "ensemble:ExtraTreesClassifier ensemble:ExtraTreesRegressor",
    "gradient_boosting": (
        "ensemble:HistGradientBoostingClassifier ensemble:HistGradientBoostingRegressor"
    ),
    "adaboost": "ensemble:AdaBoostClassifier ensemble:AdaBoostRegressor",
}


def problem(name: str, task: str) -> tuple[Any, Any, Any]:
    """Return inputs as a frame, inputs as an array (None when they are mixed), and a target."""
    if name == "thousand":
        return thousand(task)
    table = load_dataset("iris") if name == "iris" else penguins()
    table, y = table.split_target("species")
    if task == "regression":
        table, y = table.split_target("petal_width" if name == "iris" else "body_mass_g")
        known = np.isfinite(y)
        table, y = table.rows(known), y[known]
    is_plain = all(field.type.kind == "numeric" for field in table.schema)
    return table.to_pandas(), table.to_numpy().copy() if name == "iris" and is_plain else None, y


def thousand(task: str) -> tuple[Any, Any, Any]:
    """Return 1 000 rows of ten numbers; two classes, or a number to predict."""
    draw = np.random.default_rng(0)
    cells = draw.normal(size=(1000, 10))
    target = cells[:, 0] + np.abs(cells[:, 1]) + draw.normal(size=1000) / 2
    table = Table({f"x{place}": column for place, column in enumerate(cells.T)})
    y = target if task == "regression" else (target > np.median(target)).astype(int)
    return table.to_pandas(), cells, y


def penguins() -> Table:
    """Return the penguins: numbers and categories, some of them missing."""
    folder = data_folder()
    if folder is None:
        raise SystemExit("The penguins are not here: set BRANCHLINE_DATA, or use --on iris.")
    return read_table(folder / "penguins" / "penguins.csv")


def peer(name: str, task: str) -> Any:
    """Return scikit-learn's learner of the same name by its defaults; None when there is none."""
    place = SCIKIT_LEARN.get(name, "- -").split()[task == "regression"]
    if place == "-":
        return None
    module, kind = place.split(":")
    made = getattr(import_module(f"sklearn.{module}"), kind)()
    return made.set_params(n_jobs=1) if "n_jobs" in made.get_params() else made


def least(call: Callable[[], Any], n_calls: int = 1) -> float:
    """Return the least processor seconds of a call; one sample when it is long."""
    best, spent = math.inf, 0.0
    for _ in range(7):
        begin = time.process_time()
        for _ in range(n_calls):
            call()
        taken = time.process_time() - begin
        best, spent = min(best, taken / n_calls), spent + taken
        if spent > SECONDS * 4:
            break
    return best


def rows_of(frame: Any, cells: Any) -> dict[str, Any]:
    """Return the first row as an array, as a dictionary in a list, and as a frame."""
    one = frame.iloc[:1]
    found = {"numpy": None if cells is None else cells[:1]}
    return {**found, "dict": one.to_dict("records"), "pandas": one}


def seconds_of_row(models: dict[str, Any], rows: dict[str, Any]) -> dict[str, float]:
    """Return the seconds of the prediction of one row, by what holds it."""
    found = {}
    for holder, row in rows.items():
        model = models["numpy" if holder == "numpy" else "frame"]
        if row is not None and model is not None:
            call = partial(model.predict, row)
            call()
            n_calls = int(SECONDS / max(least(call), 1e-6))
            found[holder] = least(call, max(1, min(CALLS, n_calls)))
    return found


def measure(
    make: Callable[[], Any], data: Any, *, rows_only: bool, peers: bool
) -> dict[str, float]:
    """Return the seconds of fit and predict, from arrays and frames, and those of one row."""
    frame, cells, y = data
    given = {"numpy": cells, "frame": None if peers and cells is None else frame}
    models, found = {}, {}
    for holder, X in given.items():
        models[holder] = None if X is None else make().fit(X, y)
        if X is not None and not rows_only:
            found[f"fit {holder}"] = least(lambda X=X: make().fit(X, y))
            found[f"predict {holder}"] = least(lambda X=X, holder=holder: models[holder].predict(X))
    rows = rows_of(frame, cells)
    if peers:
        del rows["dict"]
    return found | seconds_of_row(models, rows)


def written(found: dict[str, float], theirs: dict[str, float]) -> str:
    """Return the times of a learner in a line: milliseconds of fits, microseconds of rows."""
    cells = []
    for name in ("fit numpy", "fit frame", "predict numpy", "predict frame", *LIMITS):
        if name not in found:
            cells.append(f"{'':>16}")
            continue
        unit = 1e6 if name in LIMITS else 1e3
        star = "*" if found[name] > LIMITS.get(name, math.inf) else " "
        beside = f"({theirs[name] * unit:.2f})" if name in theirs else ""
        cells.append(f"{found[name] * unit:8.2f}{star}{beside:>8}"[:17])
    return " ".join(cells)


def line(name: str, task: str, table: str, rows_only: bool, peers: bool) -> str:
    """Measure a learner on a table, beside its peer."""
    data = problem(table, task)
    classes = catalog.entry(name).most_classes
    if task == "classification" and classes is not None:  # the first class against the others
        data = (*data[:2], (data[2] == np.unique(data[2])[0]).astype(int))
    settings = {"n_jobs": 1}
    ours = measure(
        lambda: catalog.make(name, task=task, **settings), data, rows_only=rows_only, peers=False
    )
    theirs: dict[str, float] = {}
    if (
        peers
        and peer(name, task) is not None
        and data[1] is not None
        and np.isfinite(data[1]).all()
    ):
        theirs = measure(lambda: peer(name, task), data, rows_only=rows_only, peers=True)
    return f"{name:<20} {task[:5]:<6} {table:<9} {written(ours, theirs)}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each learner and table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("learners", nargs="*")
    parser.add_argument("--on", choices=TABLES, action="append")
    parser.add_argument("--task", choices=("classification", "regression"))
    parser.add_argument("--rows-only", action="store_true")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    print("fit, predict: ms (scikit-learn); one row from NumPy, dict, pandas: µs")
    tasks = (options.task,) if options.task else ("classification", "regression")
    chosen = [
        (task, name, table)
        for task in tasks
        for name, table in itertools.product(options.learners or catalog.names(task), TABLES)
        if task in catalog.entry(name).tasks and table in (options.on or TABLES)
    ]
    with threadpool_limits(1):
        for task, name, table in chosen:
            what = {"rows_only": options.rows_only, "peers": not options.no_peers}
            print(line(name, task, table, **what), flush=True)


if __name__ == "__main__":
    main()
