"""Linear classifiers: logistic regression on numbers and on mixed tables, and learned online.

scikit-learn is given numbers it can take at once: its pipeline of scaler, one-hot encoder and
imputer is part of what is timed on the mixed table, as ours is. Scores are accuracies on new rows.
"""

from typing import Any

import numpy as np

from benchmarks._data import ABSENT, adult, two_classes
from benchmarks._harness import Bench, workload

# Both solve the same problem, so predictions differ in rounding only.
CLOSE = 0.002
_NAMES = 50_000


@workload(
    "logistic-fit-100k-28",
    bar=1.0,
    against="scikit-learn",
    why="choosing nothing must not cost anything",
    short=True,
)
def fit_numbers(bench: Bench) -> None:
    """Fit logistic regression, C = 1, on 100 000 × 28 float64."""
    data = two_classes(bench.rows(100_000), n_test=50_000, dtype=np.float64, seed=bench.seed)
    bench.compare(
        {
            "branchline": lambda: lambda: our_logistic(C=1.0).fit(data.X, data.y),
            "scikit-learn": lambda: lambda: sklearn_logistic().fit(data.X, data.y),
        },
        score=lambda model: accuracy(model.predict(data.X_test), data.y_test),
        closeness=CLOSE,
        redrawn=True,
    )


@workload("logistic-fit-adult", against="scikit-learn", short=True)
def fit_adult(bench: Bench) -> None:
    """Fit logistic regression, C = 1, on the adult table: numbers, categories, missing values."""
    data = adult()
    if data is None:
        bench.skip(ABSENT)
    bench.compare(
        {
            "branchline": lambda: lambda: our_logistic(C=1.0).fit(data.X, data.y),
            "branchline-auto": lambda: lambda: our_logistic(C="auto").fit(data.X, data.y),
            "scikit-learn": lambda: lambda: sklearn_pipeline(data.X).fit(data.X, data.y),
        },
        score=lambda model: accuracy(model.predict(data.X_test), data.y_test),
        closeness=CLOSE,
    )


@workload("hashed-logistic-1m", against="scikit-learn")
def fit_clicks(bench: Bench) -> None:
    """Learn online from 1 000 000 rows of six columns with 50 000 names each, in one pass."""
    frame, y = clicks(bench.rows(1_000_000), seed=0)
    new, y_new = clicks(50_000, seed=1)
    bench.compare(
        {
            "branchline": lambda: lambda: our_hashed().fit(frame, y),
            "scikit-learn": lambda: lambda: SklearnClicks().fit(frame, y),
        },
        score=lambda model: accuracy(model.predict(new), y_new),
        closeness=CLOSE,
        n_repeats=2,
    )


def clicks(n_rows: int, seed: int) -> tuple[Any, Any]:
    """Return names of advertisements, pages and so on, and whether somebody clicked."""
    import pandas as pd

    random, liking = np.random.default_rng(seed), np.random.default_rng(99)
    columns, score = {}, np.full(n_rows, -0.5)
    for name in ("page", "site", "ad", "user", "place", "query"):
        # Names are as unequal as words: the r-th comes in proportion to 1 / r.
        drawn = (_NAMES ** random.random(n_rows)).astype(np.int64)
        score += liking.normal(size=_NAMES + 1)[drawn]
        columns[name] = np.char.add(name[0], drawn.astype(str))
    chance = 1 / (1 + np.exp(-score))
    return pd.DataFrame(columns), (random.random(n_rows) < chance).astype(int)


def our_logistic(C: Any) -> Any:
    from branchline.linear import LogisticRegression

    return LogisticRegression(C=C)


def our_hashed() -> Any:
    from branchline.linear import HashedLogisticRegression

    return HashedLogisticRegression(n_features=2**20, max_epochs=1)


def sklearn_logistic() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(C=1.0, tol=1e-8, max_iter=10_000))


def sklearn_pipeline(X: Any) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = [name for name, kind in X.schema.items() if kind.is_numeric()]
    names = [name for name in X.columns if name not in numbers]
    encoder = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), names),
    )
    return make_pipeline(encoder, LogisticRegression(C=1.0, tol=1e-8, max_iter=10_000))


class SklearnClicks:
    """scikit-learn's hasher and descent, as one writes it: texts of each row, then one pass."""

    def __init__(self) -> None:
        from sklearn.feature_extraction import FeatureHasher
        from sklearn.linear_model import SGDClassifier

        self.hasher = FeatureHasher(2**20, input_type="string")
        self.model = SGDClassifier(
            loss="log_loss",
            alpha=1e-6,
            learning_rate="invscaling",
            eta0=0.2,
            power_t=0.25,
            shuffle=False,
        )

    def fit(self, frame: Any, y: Any) -> "SklearnClicks":
        """Learn from all rows once."""
        self.model.partial_fit(self._hash(frame), y, classes=[0, 1])
        return self

    def predict(self, frame: Any) -> Any:
        """Return the likelier class."""
        return self.model.predict(self._hash(frame))

    def _hash(self, frame: Any) -> Any:
        named = [[f"{name}={text}" for text in frame[name]] for name in frame.columns]
        return self.hasher.transform(zip(*named, strict=True))


def accuracy(predicted: Any, truth: Any) -> float:
    return float(np.mean(np.asarray(predicted) == np.asarray(truth)))
