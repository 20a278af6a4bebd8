"""Naive Bayes: fitting and predicting, against scikit-learn's, which has one thread as ours has.

GaussianNB takes numbers only. For the mixed table scikit-learn needs an encoding, which is part of
its fit, as it is for a person with a frame: bins and codes for CategoricalNB, the encoding with the
best accuracy on ten data sets (``benchmarks.reproductions.bayes_accuracy``). Scores are accuracies
on new rows.
"""

from typing import Any

import numpy as np

from benchmarks._data import ABSENT, Data, adult, two_classes
from benchmarks._harness import Bench, workload
from benchmarks.workloads.tree import accuracy

N_BINS = 10
BATCHES = 20


@workload(
    "bayes-gaussian-100k-28",
    bar=1.0,
    against="scikit-learn",
    why="exact sums must not be slower than rounded ones",
    short=True,
)
def gaussian(bench: Bench) -> None:
    """Fit Gaussian curves on 100 000 × 28 float32, and predict as many new rows."""
    _compare_gaussian(bench, np.float32)


@workload(
    "bayes-gaussian-100k-28-float64",
    bar=1.0,
    against="scikit-learn",
    why="exact sums must not be slower than rounded ones",
)
def gaussian_float64(bench: Bench) -> None:
    """Fit Gaussian curves on 100 000 × 28 float64, and predict as many new rows."""
    _compare_gaussian(bench, np.float64)


def _compare_gaussian(bench: Bench, dtype: Any) -> None:
    n_rows = bench.rows(100_000)
    data = two_classes(n_rows, n_test=n_rows, dtype=dtype, seed=bench.seed)
    bench.compare(
        {
            "branchline": lambda: lambda: _fit_predict(ours("gaussian"), data),
            "scikit-learn": lambda: lambda: _fit_predict(gaussian_nb(), data),
        },
        score=lambda predicted: accuracy(predicted, data.y_test),
        closeness=0.002,
        redrawn=True,
    )


@workload(
    "bayes-kernel-100k-28",
    bar=1.0,
    against="scikit-learn-binned",
    why="exact sums must not be slower than rounded ones",
)
def kernel(bench: Bench) -> None:
    """Fit smooth curves on 100 000 × 28 float32, and predict as many new rows."""
    n_rows = bench.rows(100_000)
    data = two_classes(n_rows, n_test=n_rows, seed=bench.seed)
    bench.compare(
        {
            "branchline": lambda: lambda: _fit_predict(ours("kernel"), data),
            "scikit-learn-binned": lambda: lambda: _fit_predict(binned_pipeline(), data),
        },
        score=lambda predicted: accuracy(predicted, data.y_test),
        closeness=0.002,
        redrawn=True,
    )


@workload(
    "bayes-adult",
    bar=1.0,
    against="scikit-learn-binned",
    why="exact sums must not be slower than rounded ones",
)
def bayes_adult(bench: Bench) -> None:
    """Fit the adult census data as they are, and predict the test rows."""
    data = adult()
    if data is None:
        bench.skip(ABSENT)
    bench.compare(
        {
            "branchline": lambda: lambda: _fit_predict(ours("kernel"), data),
            "scikit-learn-binned": lambda: lambda: _fit_predict(mixed_pipeline(data), data),
        },
        score=lambda predicted: accuracy(predicted, data.y_test),
        closeness=0.002,
    )


@workload(
    "bayes-partial-fit-100k-28",
    bar=1.0,
    against="scikit-learn",
    why="exact sums must not be slower than rounded ones",
)
def partial_fit(bench: Bench) -> None:
    """Learn Gaussian curves from 100 000 × 28 float32 in 20 batches; each leaves a whole model."""
    data = two_classes(bench.rows(100_000), n_test=20_000, seed=bench.seed)

    def learn(model: Any) -> Any:
        for rows in np.array_split(np.arange(len(data.y)), BATCHES):
            some = slice(rows[0], rows[-1] + 1)
            model.partial_fit(data.X[some], data.y[some], classes=[0, 1])
        return model

    bench.compare(
        {
            "branchline": lambda: lambda: learn(ours("gaussian")),
            "scikit-learn": lambda: lambda: learn(gaussian_nb()),
        },
        score=lambda model: accuracy(model.predict(data.X_test), data.y_test),
        closeness=0.002,
        redrawn=True,
    )


def ours(numeric: str) -> Any:
    from branchline.bayes import NaiveBayes

    return NaiveBayes(numeric=numeric)


def gaussian_nb() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def binned_pipeline() -> Any:
    """Return bins of equal weight, then CategoricalNB."""
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.pipeline import make_pipeline

    return make_pipeline(_bins(), CategoricalNB(min_categories=N_BINS))


def mixed_pipeline(data: Data) -> Any:
    """Return bins for numbers, codes for words (missing is a word of its own), CategoricalNB."""
    from sklearn.compose import make_column_transformer
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

    words = [name for name, dtype in data.X.schema.items() if not dtype.is_numeric()]
    numbers = [name for name in data.X.columns if name not in words]
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
    )
    codes = make_pipeline(encoder, FunctionTransformer(_from_zero))
    sizes = [N_BINS] * len(numbers) + [data.X[name].n_unique() + 3 for name in words]
    columns = make_column_transformer((_bins(), numbers), (codes, words))
    return make_pipeline(columns, CategoricalNB(min_categories=sizes))


def _from_zero(codes: Any) -> Any:
    return codes + 2.0  # missing words are 0, unknown ones 1


def _bins() -> Any:
    from sklearn.preprocessing import KBinsDiscretizer

    return KBinsDiscretizer(
        N_BINS, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf"
    )


def _fit_predict(model: Any, data: Data) -> Any:
    return model.fit(data.X, data.y).predict(data.X_test)
