"""Groups without labels: clusters, distances, silhouettes and mixtures against their peers.

SciPy's linkage, scikit-learn's silhouettes and stepmix have one thread. kmedoids is under the GPL:
it is measured, and nothing of it is read or used.
"""

from typing import Any

import numpy as np

from benchmarks._data import ABSENT, adult, data_folder
from benchmarks._harness import Bench, workload
from benchmarks._peers import import_peer


@workload(
    "kmeans-100k-20",
    bar=1.0,
    against="scikit-learn",
    why="same bits for any threads must cost nothing",
    short=True,
)
def kmeans(bench: Bench) -> None:
    """Find 50 clusters of 100 000 × 20 normal numbers from one start; score: minus the inertia."""
    rows = np.random.default_rng(7).normal(size=(bench.rows(100_000), 20))
    bench.compare(
        {
            "branchline": lambda: _our_kmeans(rows, bench.threads),
            "scikit-learn": lambda: _their_kmeans(rows),
        },
        score=lambda model: -model.inertia_ / len(rows),
        closeness=0.01,
    )


def _our_kmeans(rows: Any, threads: int) -> Any:
    from branchline.cluster import KMeans

    model = KMeans(50, n_init=1, standardize=False, n_jobs=threads)
    return lambda: model.fit(rows)


def _their_kmeans(rows: Any) -> Any:
    model = import_peer("scikit-learn", "cluster").KMeans(50, n_init=1, random_state=0)
    return lambda: model.fit(rows)


@workload("medoids-5k", bar=3.0, against="kmedoids", why="the peer looks at all swaps, too")
def medoids(bench: Bench) -> None:
    """Find 10 medoids of 5 000 rows from a matrix of distances; score: minus the mean distance."""
    from branchline.cluster import KMedoids, distances

    square = distances(_blobs(bench.rows(5_000), 10), metric="euclidean")
    narrow = square.astype(np.float32)
    bench.compare(
        {
            "branchline": lambda: (
                lambda: KMedoids(10, metric="precomputed", n_jobs=bench.threads).fit(square).loss_
            ),
            "kmedoids": lambda: (
                lambda: import_peer("kmedoids").fasterpam(narrow, 10, random_state=0).loss
            ),
        },
        score=lambda loss: -loss / len(square),
        closeness=0.001,
    )


@workload("mini-batch-300k-20", against="scikit-learn")
def batches(bench: Bench) -> None:
    """Find 30 clusters of 300 000 × 20 in batches of 10 000; score: minus the inertia."""
    from sklearn.datasets import make_blobs

    n_rows = bench.rows(300_000)
    rows = make_blobs(n_rows, 20, centers=30, cluster_std=4, random_state=0)[0]
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    bench.compare(
        {
            "branchline": lambda: lambda: _in_batches(_our_batches(bench.threads), rows),
            "scikit-learn": lambda: lambda: _in_batches(_their_batches(), rows),
        },
        score=lambda model: -_inertia(model, rows) / n_rows,
        closeness=0.05,
    )


def _our_batches(threads: int) -> Any:
    from branchline.cluster import MiniBatchKMeans

    return MiniBatchKMeans(30, n_jobs=threads)


def _their_batches() -> Any:
    return import_peer("scikit-learn", "cluster").MiniBatchKMeans(30, random_state=0)


def _in_batches(model: Any, rows: Any) -> Any:
    for first in range(0, len(rows), 10_000):
        model.partial_fit(rows[first : first + 10_000])
    return model


def _inertia(model: Any, rows: Any) -> float:
    labels = np.asarray(model.predict(rows))
    apart = [rows[labels == at] - rows[labels == at].mean(axis=0) for at in np.unique(labels)]
    return float(sum((some**2).sum() for some in apart))


@workload("distances-adult-5k", limit=0.4, why="the peer (gower) takes 18.6 s")
def mixed_distances(bench: Bench) -> None:
    """Return Gower's distances of 5 000 rows of adult: 14 columns, some cells missing."""
    from branchline.cluster import distances

    data = adult()
    if data is None:
        bench.skip(ABSENT)
        return
    rows = data.X[: bench.rows(5_000)]
    bench.compare(
        {"branchline": lambda: lambda: distances(rows, n_jobs=bench.threads).mean()},
        score=float,
        reference=None,
    )


@workload("linkage-10k", bar=2.0, against="scipy", why="distances in panels, on two threads")
def linkage(bench: Bench) -> None:
    """Join 10 000 × 10 by average linkage; the score is the mean height."""
    from scipy.cluster.hierarchy import linkage as join
    from scipy.spatial.distance import pdist

    from branchline.cluster import AgglomerativeClustering

    rows = _blobs(bench.rows(10_000), 10)
    model = AgglomerativeClustering(
        10, linkage="average", metric="euclidean", standardize=False, n_jobs=bench.threads
    )
    bench.compare(
        {
            "branchline": lambda: lambda: model.fit(rows).merges_[:, 2].mean(),
            "scipy": lambda: lambda: join(pdist(rows), "average")[:, 2].mean(),
        },
        score=float,
        closeness=1e-9,
    )


@workload(
    "silhouette-10k-20",
    bar=5.0,
    against="scikit-learn",
    why="sums of distances are taken cluster by cluster",
)
def silhouettes(bench: Bench) -> None:
    """Return the silhouettes of 10 000 × 20 in 10 clusters; the score is their mean."""
    from sklearn.datasets import make_blobs

    from branchline.cluster import silhouette

    rows, labels = make_blobs(bench.rows(10_000), 20, centers=10, cluster_std=6, random_state=0)
    theirs = import_peer("scikit-learn", "metrics").silhouette_samples
    bench.compare(
        {
            "branchline": lambda: (
                lambda: silhouette(rows, labels, standardize=False, n_jobs=bench.threads).mean
            ),
            "scikit-learn": lambda: lambda: theirs(rows, labels).mean(),
        },
        score=float,
        closeness=1e-9,
    )


@workload("mixture-german", bar=10.0, against="stepmix", why="the peer is NumPy")
def mixture(bench: Bench) -> None:
    """Fit 4 components to german credit: 7 numbers, 13 categories, 10 starts, to the end.

    The table is read, and encoded for the peer, before the clock starts. Each search has floors of
    its own below which variances do not fall, so there is no score.
    """
    import pandas

    from branchline import Table

    folder = data_folder()
    if folder is None:
        bench.skip(ABSENT)
        return
    frame = pandas.read_csv(folder / "german_credit" / "german.csv", header=None).iloc[:, :-1]
    frame.columns = [f"column {at}" for at in range(frame.shape[1])]
    bench.compare(
        {"branchline": lambda: _our_mixture(Table(frame)), "stepmix": lambda: _stepmix(frame)},
    )


def _our_mixture(frame: Any) -> Any:
    from branchline.density import Mixture

    model = Mixture(4, covariance="diagonal", n_restarts=10, tol=1e-10)
    return lambda: model.fit(frame)


def _stepmix(frame: Any) -> Any:
    import pandas

    numbers = frame.select_dtypes("number")
    scaled = (numbers - numbers.mean()) / numbers.std()
    others = frame.drop(columns=numbers.columns).apply(lambda column: pandas.factorize(column)[0])
    rows, kinds = import_peer("stepmix", "utils").get_mixed_descriptor(
        pandas.concat([scaled, others], axis=1),
        continuous=list(scaled.columns),
        categorical=list(others.columns),
    )
    model = import_peer("stepmix", "stepmix").StepMix(
        4, measurement=kinds, n_init=10, abs_tol=1e-10, random_state=0, verbose=0, progress_bar=0
    )
    return lambda: model.fit(rows)


def _blobs(n_rows: int, n_columns: int) -> Any:
    from sklearn.datasets import make_blobs

    return make_blobs(n_rows, n_columns, centers=10, cluster_std=5, random_state=0)[0]
