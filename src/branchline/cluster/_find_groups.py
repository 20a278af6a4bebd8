"""``find_groups``: whether there are groups, how many, what they are, whether they come back.

1. Groups are counted (``how_many``); the answer may be one.
2. The rows are put into as many clusters, or into the number that was asked for, by one method.
3. Each cluster is described (``describe_clusters``) and found again in bootstrap samples
   (``cluster_stability``).
4. A known class, if there is one, is compared with the clusters; it takes no part in finding them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._row_distances._comparison import METRICS
from branchline._validation import OneOf, check_parameters, check_training_inputs
from branchline.cluster._adjusted_rand import adjusted_rand
from branchline.cluster._describe_clusters import describe_clusters
from branchline.cluster._groups import Groups, KnownClasses
from branchline.cluster._how_many import how_many
from branchline.cluster._k_medoids import KMedoids
from branchline.cluster._kmeans import KMeans
from branchline.cluster._number_of_clusters import N_CLUSTERS
from branchline.cluster._stability_of_model import cluster_stability
from branchline.cluster._trees_of_clusters import AgglomerativeClustering, DivisiveClustering
from branchline.errors import ParameterError, Repair

__all__ = ["METHODS", "find_groups"]

METHODS = ("kmeans", "kmedoids", "agglomerative", "divisive", "mixture")
_WITH_METRIC = ("kmedoids", "agglomerative", "divisive")
_MOST_CLASSES = 100
_MOST_CLUSTERS = 100


def find_groups(  # noqa: PLR0913
    X: Any,
    n_clusters: int | str = "auto",
    *,
    method: str = "kmeans",
    metric: str = "auto",
    max_clusters: int | str = "auto",
    known: Any = None,
    known_name: str = "the known class",
    row_names: Any = None,
    n_columns: int = 3,
    random_state: Any = 0,
    on_step: Callable[[str], None] | None = None,
) -> Groups:
    """Say whether a table has groups of rows, how many, what each one is, and how certain that is.

    Parameters
    ----------
    X
        A table of any kind. All of its columns are compared, so leave out names and identifiers.
    n_clusters
        "auto" (default): as many as there are groups, which may be one. A number divides the rows
        into as many clusters, whether there are groups or not.
    method
        "kmeans" (default), "kmedoids", "agglomerative", "divisive" or "mixture".
    metric
        How rows are compared, as in ``distances``; for "kmedoids", "agglomerative", "divisive".
        Default "auto".
    max_clusters
        The largest number of groups that is tried. "auto" (default): 8, and 20 where 8 is found.
    known
        A known class of each row, which is only compared with the clusters.
        Default None: no classes.
    known_name
        What the known class is called. Default "the known class".
    row_names
        A name for each row, by which typical rows are shown. Default None: the numbers of the rows.
    n_columns
        Number of columns that are shown for each cluster. Default 3.
    random_state
        Seed of everything that is drawn. Default 0.
    on_step
        Is called with a sentence when a step begins. Default None: nothing is called.

    See Also
    --------
    Groups : whether a table has groups, how many, what each is, and whether they come back.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import find_groups
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = find_groups(X, known=y)
    >>> round(found.known.agreement.value, 2)
    0.62
    """
    allowed = {"n_clusters": N_CLUSTERS, "method": OneOf(METHODS), "metric": OneOf(METRICS)}
    check_parameters(
        "find_groups", {"n_clusters": n_clusters, "method": method, "metric": metric}, allowed
    )
    _check(n_clusters, method, metric)
    table = check_training_inputs(X, None).table
    say = on_step or (lambda _: None)
    counts = how_many(table, max_clusters=max_clusters, random_state=random_state, on_step=say)
    k = counts.n_groups if n_clusters == "auto" else int(n_clusters)
    model = _model(method, metric, k, random_state).fit(table)
    labels = np.asarray(model.labels_, dtype=np.intp)
    asked = None if n_clusters == "auto" else int(n_clusters)
    classes = None if known is None else _known(labels, known, known_name, random_state)
    if labels.max() == 0:
        return Groups(counts, model, labels, None, None, classes, asked)
    say(f"Describing {int(labels.max()) + 1} clusters …")
    described = describe_clusters(
        table, labels, n_columns=n_columns, row_names=row_names, random_state=random_state
    )
    say("Finding the clusters again in 30 bootstrap samples …")
    again = cluster_stability(table, model, random_state=random_state)
    return Groups(counts, model, labels, described, again, classes, asked)


def _check(n_clusters: Any, method: str, metric: str) -> None:
    if metric != "auto" and method not in _WITH_METRIC:
        raise ParameterError(
            f"method={method!r} compares rows in its own way: metric={metric!r} needs "
            f"{', '.join(_WITH_METRIC[:-1])} or {_WITH_METRIC[-1]}.",
            code="P721",
            values=[metric],
            repair=Repair("find_groups(X, method='kmedoids', metric=...)", "--method kmedoids"),
        )
    if n_clusters != "auto" and int(n_clusters) > _MOST_CLUSTERS:
        raise ParameterError(
            f"At most {_MOST_CLUSTERS} clusters are described; {n_clusters:,} were asked for.",
            code="P663",
            values=[n_clusters],
            repair=Repair("find_groups(X, 8)", "--n-clusters 8"),
        )


def _model(method: str, metric: str, k: int, seed: Any) -> Any:
    """Return the clustering, not fitted."""
    from branchline.density import Mixture

    if method == "kmeans":
        return KMeans(k, random_state=seed)
    if method == "mixture":
        return Mixture(k, random_state=seed)
    if method == "kmedoids":
        return KMedoids(k, metric=metric, random_state=seed)
    joins = method == "agglomerative"
    return (AgglomerativeClustering if joins else DivisiveClustering)(k, metric=metric)


def _known(labels: Any, known: Any, name: str, seed: Any) -> KnownClasses:
    """Return the known class beside the clusters; rows without a class are left out."""
    given = list(known)
    if len(given) != len(labels):
        why = f"known has {len(given)} entries, but the table has {len(labels)} rows."
        raise ParameterError(why, code="P660")
    there = np.array([value is not None and value == value for value in given], dtype=bool)
    texts = np.array([str(value) for value in given])[there]
    classes = np.unique(texts)
    if not 1 <= len(classes) <= _MOST_CLASSES:
        raise ParameterError(
            f"{name} has {len(classes):,} different values. A known class needs between 1 and "
            f"{_MOST_CLASSES}.",
            code="P722",
            values=[name],
            repair=Repair("find_groups(X)", "--drop leaves a column out without comparing it"),
        )
    counts = tuple(
        tuple(int(((labels[there] == k) & (texts == one)).sum()) for one in classes)
        for k in range(int(labels.max()) + 1)
    )
    agreement = adjusted_rand(labels[there], texts, random_state=seed)
    return KnownClasses(name, agreement, tuple(classes.tolist()), counts)
