"""Shapes of tables on which learners fall off a cliff: trees, forests and boosting.

- *levels*: 1,000,000 rows with a column of 500,000 categories and five numbers. scikit-learn gets
  the categories' numbers, LightGBM the categories.
- *classes*: 30,000 rows of 3,000 classes in ten columns. Boosting makes one round, which is 3,000
  trees; forests have two trees, because a leaf has a number for each class.
- *wide*: 100 rows of 50,000 columns.

Single trees are unpruned on both sides: ours would otherwise grow eleven trees to choose a size.
Everything else is each library's default.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks._data import Data
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer, thread_setting
from benchmarks.workloads.large import class_rows
from benchmarks.workloads.tree import accuracy
from benchmarks.workloads.wide import wide_rows

N_NEW = 1_000
ROWS_A_LEVEL = 2
N_CLASSES = 3_000
BAR = 0.33
PEERS = {"tree": "scikit-learn", "forest": "scikit-learn", "boosting": "lightgbm"}
REASONS = {
    "levels": "a category column must not be a cliff: at most three times the peer's time",
    "classes": "many classes must not be a cliff: at most three times the peer's time",
    "wide": "many columns must not be a cliff: at most three times the peer's time",
}
SETTINGS: dict[tuple[str, str], dict[str, Any]] = {
    ("classes", "forest"): {"n_estimators": 2},
    ("classes", "boosting"): {"n_estimators": 1},
    ("levels", "forest"): {"n_estimators": 10},
}


def level_rows(n_rows: int, seed: int = 0) -> Data:
    """Return a column of half as many categories as rows, each with an effect, and five numbers."""
    import pandas as pd

    random = np.random.default_rng(seed)
    n, n_levels = n_rows + N_NEW, n_rows // ROWS_A_LEVEL
    level, effect = random.integers(0, n_levels, n), random.normal(size=n_levels)
    names = [f"level {i}" for i in range(n_levels)]
    X = pd.DataFrame({"level": pd.Categorical.from_codes(level, names)})
    for column in range(5):
        X[f"x{column}"] = random.normal(size=n)
    y = (X["x0"].to_numpy() + effect[level] + random.normal(size=n) > 0).astype(np.int64)
    return Data(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def table(case: str, bench: Bench) -> Data:
    """Return the rows of one case."""
    if case == "levels":
        return level_rows(bench.rows(1_000_000))
    if case == "classes":
        return class_rows(max(20, bench.rows(30_000) // 10), 10)
    return wide_rows(100, bench.rows(50_000), classes=True)


def ours(family: str, threads: int, **settings: Any) -> Any:
    if family == "tree":
        from branchline.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(prune=None, correct_for_chance=False, n_jobs=threads)
    if family == "forest":
        from branchline.forest import RandomForestClassifier

        return RandomForestClassifier(n_jobs=threads, **settings)
    from branchline.boosting import GradientBoostingClassifier

    return GradientBoostingClassifier(n_jobs=threads, **settings)


def theirs(family: str, threads: int, **settings: Any) -> Any:
    if family == "tree":
        return import_peer("scikit-learn", "tree").DecisionTreeClassifier()
    if family == "forest":
        make = import_peer("scikit-learn", "ensemble").RandomForestClassifier
        return make(n_jobs=threads, **settings)
    make = import_peer("lightgbm").LGBMClassifier
    return make(verbose=-1, **thread_setting("lightgbm", threads), **settings)


def _as_numbers(data: Data) -> Data:
    numbers = [X.assign(level=X["level"].cat.codes) for X in (data.X, data.X_test)]
    return data._replace(X=numbers[0], X_test=numbers[1])


def _competitor(make: Callable[[], Any], data: Data) -> Callable[[], Any]:
    make()  # imports, before anything is timed
    return lambda: make().fit(data.X, data.y)


def _register(case: str, family: str) -> None:
    peer = PEERS[family]

    def run(bench: Bench) -> None:
        data = table(case, bench)
        as_numbers = case == "levels" and peer == "scikit-learn"
        of_peer = _as_numbers(data) if as_numbers else data
        settings = SETTINGS.get((case, family), {})
        new = {"branchline": data.X_test, peer: of_peer.X_test}
        makers = {
            "branchline": (partial(ours, family, bench.threads, **settings), data),
            peer: (partial(theirs, family, bench.threads, **settings), of_peer),
        }
        bench.compare(
            {who: partial(_competitor, make, given) for who, (make, given) in makers.items()},
            score=lambda model: accuracy(
                model.predict(new["branchline" if _is_ours(model) else peer]), data.y_test
            ),
            memory=True,
            n_repeats=min(2, bench.n_repeats),
            settings=settings,
        )

    shapes = {
        "levels": "1,000,000 rows with 500,000 categories in a column",
        "classes": "30,000 rows of 3,000 classes",
        "wide": "100 rows of 50,000 columns",
    }
    run.__doc__ = f"Fit {family} on {shapes[case]}."
    workload(
        f"cliff-{case}-{family}",
        bar=BAR,
        against=peer,
        why=REASONS[case],
        by_default=True,
        short=False,
    )(run)


def _is_ours(model: Any) -> bool:
    return type(model).__module__.startswith("branchline")


for _case in REASONS:
    for _family in PEERS:
        _register(_case, _family)
