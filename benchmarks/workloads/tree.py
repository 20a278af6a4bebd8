"""Trees: growing, pruning and predicting with a single tree.

scikit-learn and YDF grow one tree in one thread, so ours has one thread too where it is the
reference; with more threads it is listed beside. Scores are accuracies on new rows.
"""

from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data, adult, two_classes
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

# A full tree fits noise: two equally good ones differ by about this much on 50 000 new rows.
CLOSE = 0.006
PREDICTIONS = 1000


@workload(
    "tree-fit-full-100k-28",
    bar=8.0,
    against="scikit-learn",
    why="columns are sorted once; the lists are split at each node",
    short=True,
)
def fit_full(bench: Bench) -> None:
    """Grow one full exact tree on 100 000 × 28 float32."""
    _compare_fits(bench, max_depth=None)


@workload(
    "tree-fit-depth10-100k-28",
    bar=8.0,
    against="scikit-learn",
    why="columns are sorted once; the lists are split at each node",
)
def fit_depth_10(bench: Bench) -> None:
    """Grow one exact tree of depth 10 on 100 000 × 28 float32."""
    _compare_fits(bench, max_depth=10)


def _compare_fits(bench: Bench, max_depth: int | None) -> None:
    data = two_classes(bench.rows(100_000), n_test=50_000, seed=bench.seed)
    bench.compare(
        {
            "branchline": lambda: lambda: our_tree(1, max_depth).fit(data.X, data.y),
            "branchline-2-threads": lambda: lambda: our_tree(2, max_depth).fit(data.X, data.y),
            "scikit-learn": lambda: lambda: sklearn_tree(max_depth).fit(data.X, data.y),
        },
        score=lambda model: accuracy(model.predict(data.X_test), data.y_test),
        closeness=CLOSE,
        redrawn=True,
    )


# n log n grows 1.5 times faster from 10 000 to a million rows than n does.
@workload(
    "tree-fit-1m-28",
    bar=1 / 1.5,
    against="hundred-fits-of-10k",
    why="n log n grows 1.5 times faster from 10 000 rows to a million than n does",
)
def fit_a_million(bench: Bench) -> None:
    """Grow one full tree on 1 000 000 × 28 float32, against a hundred on 10 000 each."""
    data = two_classes(bench.rows(1_000_000))
    parts = np.array_split(np.arange(len(data.y)), 100)

    def hundred() -> Any:
        return [our_tree(1, None).fit(data.X[part], data.y[part]) for part in parts]

    bench.compare(
        {
            "branchline": lambda: lambda: our_tree(1, None).fit(data.X, data.y),
            "hundred-fits-of-10k": lambda: hundred,
        },
        n_repeats=2,
    )


@workload("tree-fit-regression-100k-28")
def fit_regression(bench: Bench) -> None:
    """Grow one full regression tree on 100 000 × 28 float32; the target has noise."""
    data = two_classes(bench.rows(100_000))
    noise = np.random.default_rng(7).normal(size=len(data.y))
    target = data.X[:, 0] + data.X[:, 1] * data.X[:, 2] + noise

    def sklearn_fit() -> Any:
        from sklearn.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(random_state=0).fit(data.X, target)

    def our_fit() -> Any:
        from branchline.tree import DecisionTreeRegressor

        model = DecisionTreeRegressor(prune=None, correct_for_chance=False, n_jobs=1)
        return model.fit(data.X, target)

    bench.compare({"branchline": lambda: our_fit, "scikit-learn": lambda: sklearn_fit})


@workload("tree-predict-100k-28", bar=2.0, against="scikit-learn", why="no copy to float32")
def predict_many(bench: Bench) -> None:
    """Predict the classes of 100 000 × 28 float32 with a full tree."""
    data = two_classes(bench.rows(100_000), n_test=bench.rows(100_000))
    bench.compare(
        {
            "branchline": lambda: _predict_with(our_tree(1, None), data),
            "branchline-2-threads": lambda: _predict_with(our_tree(2, None), data),
            "scikit-learn": lambda: _predict_with(sklearn_tree(None), data),
        },
        score=lambda predicted: accuracy(predicted, data.y_test),
        closeness=CLOSE,
    )


@workload(
    "tree-predict-one-row-1000-times",
    limit=0.020,
    why="services predict single rows: 20 µs each",
    short=True,
)
def predict_one(bench: Bench) -> None:
    """Predict the class of one row of 28 float32, a thousand times (limit: 20 µs each)."""
    data = two_classes(bench.rows(100_000))
    row = np.ascontiguousarray(data.X[:1])

    def many_times(model: Any) -> Any:
        model.fit(data.X, data.y)
        return lambda: [model.predict(row) for _ in range(PREDICTIONS)]

    bench.compare(
        {
            "branchline": lambda: many_times(our_tree(1, 10)),
            "scikit-learn": lambda: many_times(sklearn_tree(10)),
        }
    )


@workload(
    "tree-adult", bar=1.0, against="ydf", why="eleven trees in the time of a peer's one", short=True
)
def tree_adult(bench: Bench) -> None:
    """Fit a pruned tree on the adult census data, missing values included."""
    data = adult()
    if data is None:
        bench.skip(ABSENT)
    bench.compare(
        {
            "branchline": lambda: lambda: our_pruned(bench.threads).fit(data.X, data.y),
            "branchline-validation": lambda: (
                lambda: our_pruned(bench.threads, choose_by="validation").fit(data.X, data.y)
            ),
            "ydf": lambda: _ydf_fit(data, bench.threads),
            "scikit-learn-one-hot": lambda: lambda: one_hot_pipeline(data).fit(data.X, data.y),
        },
        score=lambda model: _adult_accuracy(model, data),
        closeness=CLOSE,
    )


def our_tree(threads: int, max_depth: int | None) -> Any:
    from branchline.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(
        max_depth=max_depth, prune=None, correct_for_chance=False, n_jobs=threads
    )


def our_pruned(threads: int, **parameters: Any) -> Any:
    from branchline.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(n_jobs=threads, **parameters)


def sklearn_tree(max_depth: int | None) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=max_depth, random_state=0)


def _predict_with(model: Any, data: Data) -> Any:
    model.fit(data.X, data.y)
    return lambda: model.predict(data.X_test)


def _ydf_fit(data: Data, threads: int) -> Any:
    """Return the fit of YDF's CART on columns in memory; a person's frame is converted too."""
    ydf = import_peer("ydf")
    from benchmarks.reproductions._in_python import ydf_columns
    from branchline import Table

    columns = {**ydf_columns(Table(data.X)), "income": data.y}
    ydf.verbose(0)
    return lambda: ydf.CartLearner(label="income", num_threads=threads).train(columns)


def _adult_accuracy(model: Any, data: Data) -> float:
    if hasattr(model, "score"):
        return accuracy(model.predict(data.X_test), data.y_test)
    from benchmarks.reproductions._in_python import ydf_columns
    from branchline import Table

    probability = model.predict(ydf_columns(Table(data.X_test)))
    return accuracy(np.asarray(probability) >= 0.5, data.y_test)


def one_hot_pipeline(data: Data) -> Any:
    """Return encoder and tree; encoding is part of its fit, as it is for a person with a frame."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    words = [name for name, dtype in data.X.schema.items() if not dtype.is_numeric()]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer((encoder, words), remainder="passthrough")
    return make_pipeline(columns, sklearn_tree(None))


def accuracy(predicted: Any, y: Any) -> float:
    return float(np.mean(np.asarray(predicted) == y))
