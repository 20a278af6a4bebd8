"""Choosing inputs: ReliefF, mutual information, minimum redundancy, searches, shuffled copies.

Searches share folds: rows are put in the order in which our selectors split them, and the peers are
given the same splits and scaled numbers. Names sort as columns stand: ties go to the same column.
boruta's forest has the threads; boruta itself has one.
"""

from typing import Any

import numpy as np

from benchmarks._data import ABSENT, data_folder
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer

N_FOLDS = 5


@workload("relief-2000-100", bar=50, against="skrebate", why="the peer is Python")
def relief_xor(bench: Bench) -> None:
    """Rank 2 000 × 100 by ReliefF: XOR of two columns, a threshold on a third."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(bench.rows(2000), 100))
    y = np.where(X[:, 2] > 1, 1, (X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)
    compare_relief(bench, X, y, {0, 1, 2})


@workload("relief-madelon", bar=50, against="skrebate", why="the peer is Python")
def relief_madelon(bench: Bench) -> None:
    """Rank the 500 columns of madelon by ReliefF."""
    from benchmarks.reproductions._folds import DataAbsentError
    from benchmarks.reproductions.choosing_inputs import madelon, relevant_columns

    try:
        X, y = madelon()
    except DataAbsentError:
        bench.skip(ABSENT)
    relevant = {int(name[1:]) for name in relevant_columns(X)}
    rows = slice(0, bench.rows(len(X)))
    compare_relief(bench, X[rows], (y == "1").astype(int)[rows], relevant)


def compare_relief(bench: Bench, X: Any, y: Any, relevant: set[int]) -> None:
    """Score: the share of the relevant columns among as many of the first."""

    def theirs() -> Any:
        made = import_peer("skrebate").ReliefF(
            n_neighbors=10, n_features_to_select=len(relevant), n_jobs=bench.threads
        )
        return lambda: made.fit(X, y).top_features_

    bench.compare(
        {
            "branchline": lambda: lambda: our_ranking(X, y, "relief", bench.threads),
            "skrebate": theirs,
        },
        score=lambda order: (
            len(relevant & {int(at) for at in order[: len(relevant)]}) / len(relevant)
        ),
        closeness=0.0,
        n_repeats=2,
    )


def our_ranking(X: Any, y: Any, by: str, threads: int) -> list[int]:
    """Return the columns, best first."""
    from branchline.features import rank_columns

    found = rank_columns(X, y, by=by, task="classification", n_jobs=threads)
    return [int(name[1:]) for name in found.names]


@workload(
    "information-golub",
    bar=100,
    against="scikit-learn",
    limit=0.1,
    why="one pass over codes; 0.1 s is not felt",
    short=True,
)
def information_golub(bench: Bench) -> None:
    """Mutual information of the 7 129 genes of 72 patients."""
    X, y = patients(bench)

    def theirs() -> Any:
        ranked = import_peer("scikit-learn", "feature_selection").mutual_info_classif
        return lambda: ranked(X, y, random_state=0)

    bench.compare(
        {
            "branchline": lambda: lambda: our_ranking(X, y, "mutual_information", bench.threads),
            "scikit-learn": theirs,
        },
        n_repeats=2,
    )


@workload(
    "redundancy-golub", bar=50, against="mrmr", why="the peer sorts every pair of columns anew"
)
def redundancy_golub(bench: Bench) -> None:
    """Twenty of 7 129 genes: informative about the class, and not redundant."""
    import pandas as pd

    X, y = patients(bench)
    frame, target = pd.DataFrame(X).add_prefix("x"), pd.Series(y)

    def ours() -> Any:
        from branchline.features import MinimumRedundancy

        return lambda: MinimumRedundancy(n_columns=20, task="classification").fit(X, y)

    def theirs() -> Any:
        choose = import_peer("mrmr").mrmr_classif
        return lambda: choose(frame, target, K=20, n_jobs=bench.threads, show_progress=False)

    bench.compare({"branchline": ours, "mrmr": theirs}, n_repeats=2)


def patients(bench: Bench) -> tuple[Any, Any]:
    """Return the leukemia data, or leave the workload."""
    from branchline.reproduce._golub_patients import golub_patients

    folder = data_folder()
    if folder is None or not (folder / "golub_leukemia").is_dir():
        bench.skip(ABSENT)
    X, y = golub_patients(folder)
    return X, (y == y[0]).astype(int)


@workload(
    "forward-5-of-30", bar=4, against="scikit-learn", why="fits are shared between candidates"
)
def forward(bench: Bench) -> None:
    """Five of 30 columns by forward search with logistic regression, 1 000 rows, five folds."""
    X, y, splits = shared_folds(bench.rows(1000))

    def theirs() -> Any:
        search = import_peer("scikit-learn", "feature_selection").SequentialFeatureSelector(
            peer_logistic(), n_features_to_select=5, cv=splits, n_jobs=1
        )
        return lambda: search.fit(X, y).get_support(indices=True)

    compare_searches(bench, X, y, {"scikit-learn": theirs}, "forward")


@workload("floating-5-of-30", bar=4, against="mlxtend", why="fits are shared between candidates")
def floating(bench: Bench) -> None:
    """Five of 30 columns by floating search with logistic regression, 1 000 rows, five folds."""
    X, y, splits = shared_folds(bench.rows(1000))

    def theirs() -> Any:
        search = import_peer("mlxtend", "feature_selection").SequentialFeatureSelector(
            peer_logistic(), k_features=5, floating=True, cv=splits, n_jobs=1
        )
        return lambda: search.fit(X, y).k_feature_idx_

    compare_searches(bench, X, y, {"mlxtend": theirs}, "floating")


def compare_searches(bench: Bench, X: Any, y: Any, peers: dict[str, Any], direction: str) -> None:
    """Score: how many of the columns that our search chooses are chosen."""
    frame = named_columns(X)

    def ours() -> Any:
        from branchline.features import SequentialSelector

        search = SequentialSelector(n_columns=5, direction=direction, task="classification")
        return lambda: search.fit(frame, y).get_support(indices=True)

    expected = {int(at) for at in ours()()}
    bench.compare(
        {"branchline": ours, **peers},
        score=lambda chosen: len(expected & {int(at) for at in chosen}),
        closeness=0.0,
        n_repeats=3,
    )


def named_columns(X: Any) -> Any:
    """Return a frame whose names sort as the columns stand."""
    import pandas as pd

    return pd.DataFrame(X, columns=[f"x{place:02d}" for place in range(X.shape[1])])


def shared_folds(n_rows: int) -> tuple[Any, Any, list[tuple[Any, Any]]]:
    """Return rows in the order in which our selectors split them, scaled, with the splits."""
    from sklearn.datasets import make_classification

    from branchline._canonical_rows import canonical_rows
    from branchline._folds import fold_rows
    from branchline._validation import Owner, check_training_data

    X, y = make_classification(n_rows, 30, n_informative=5, n_redundant=2, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    owner = Owner("bench", None)
    data = check_training_data(named_columns(X), y, None, task="classification", owner=owner)
    rows = canonical_rows(data, merge=True)
    folds = fold_rows(rows).split(N_FOLDS, 0, keep_classes=True)
    target = rows.class_target
    splits = [(fold.learn_rows, fold.test_rows) for fold in folds]
    return (
        rows.table.to_pandas().to_numpy(),
        np.asarray(target.classes[target.class_of_row]),
        splits,
    )


def peer_logistic() -> Any:
    return import_peer("scikit-learn", "linear_model").LogisticRegression(C=1.0)


@workload("shadows-1000-30", bar=10, against="boruta", why="our forest in place of scikit-learn's")
def shadows(bench: Bench) -> None:
    """Which of 30 columns beat shuffled copies: 100 trees, up to 50 rounds, 1 000 rows."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        bench.rows(1000), 30, n_informative=5, n_redundant=2, shuffle=False, random_state=0
    )

    def ours() -> Any:
        from branchline.features import ShadowSelector

        test = ShadowSelector(max_rounds=50, task="classification", n_jobs=bench.threads)
        return lambda: test.fit(X, y).get_support(indices=True)

    def theirs() -> Any:
        forest = import_peer("scikit-learn", "ensemble").RandomForestClassifier(
            max_depth=5, n_jobs=bench.threads
        )
        made = import_peer("boruta").BorutaPy
        return lambda: np.flatnonzero(
            made(forest, n_estimators=100, max_iter=50, random_state=0).fit(X, y).support_
        )

    bench.compare(
        {"branchline": ours, "boruta": theirs},
        score=lambda found: (np.asarray(found) < 7).sum() - (np.asarray(found) >= 7).sum(),
        closeness=0.0,
        n_repeats=1,
    )
