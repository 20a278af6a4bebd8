"""``cluster_columns``: columns that tell the same, joined by how strongly they hang together.

1. The association of two columns, 0 to 1, on rows where both are known: |correlation| of two
   numbers; the correlation ratio of a number and a category; Cramér's V of two categories. The last
   two are corrected for the number of categories (Bergsma 2013), or chance would grow with it; a
   category with more values than half of the rows only names rows and has no association.
2. 1 − association is the distance, columns are joined by average linkage, and the tree is cut.
3. The medoid of a cluster is the column of the largest total association with the others.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._drawable import Drawable
from branchline._memory import refuse_over_budget
from branchline._plain_numbers import count, joined
from branchline._plain_text import clean
from branchline._result_frame import Library, result_frame
from branchline._validation import (
    AnyOf,
    OneOf,
    Real,
    Whole,
    check_parameters,
    check_training_inputs,
)
from branchline.charts import Chart, drawn
from branchline.charts.figures import draw_dendrogram, draw_two_trees
from branchline.cluster._trees_of_clusters import AgglomerativeClustering
from branchline.table import Column, Table

__all__ = ["ColumnClusters", "cluster_columns", "correlations"]

_FEWEST = 3
_MOST_SHOWN = 12


@dataclass(frozen=True, eq=False)
class ColumnClusters(Drawable):
    """Clusters of columns.

    Parameters
    ----------
    names
        The columns.
    association
        How strongly each pair of columns hangs together, from 0 to 1.
    labels
        The cluster of each column; 0 is the largest.
    medoids
        For each cluster the place of the column that stands for it.
    merges
        The tree in SciPy's form; heights are 1 − association.

    See Also
    --------
    cluster_columns

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import cluster_columns
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> len(cluster_columns(X).clusters)
    2
    """

    names: tuple[str, ...]
    association: Floats
    labels: Places
    medoids: Places
    merges: Floats

    def __len__(self) -> int:
        return len(self.medoids)

    @property
    def clusters(self) -> list[list[str]]:
        """The names of each cluster's columns, the medoid first."""
        return [
            [self.names[at] for at in sorted(np.flatnonzero(self.labels == k),
                                             key=lambda at: (at != self.medoids[k], at))]
            for k in range(len(self))
        ]  # fmt: skip

    def __str__(self) -> str:
        groups = self.clusters
        several = [names for names in groups if len(names) > 1]
        lines = [f"{count(len(self.names), 'column')} in {count(len(self), 'cluster')}."]
        for k, names in enumerate(several):
            inside = self.association[np.ix_(self.labels == k, self.labels == k)]
            mean = (inside.sum() - np.trace(inside)) / (len(inside) * (len(inside) - 1))
            others = joined([clean(name) for name in names[1:]], _MOST_SHOWN)
            lines.append(f"  {clean(names[0])} stands for {others} (mean association {mean:.2f})")
        alone = [clean(names[0]) for names in groups if len(names) == 1]
        return "\n".join([*lines, *([f"  alone: {joined(alone, _MOST_SHOWN)}"] if alone else [])])

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each column: its cluster, and the column that stands for it."""
        medoid = [self.names[self.medoids[k]] for k in self.labels]
        own = [float(self.association[at, self.medoids[k]]) for at, k in enumerate(self.labels)]
        columns = {"column": list(self.names), "cluster": self.labels, "medoid": medoid,
                   "association": own}  # fmt: skip
        return result_frame(columns, library)

    def _chart(self) -> Chart:
        """Return the tree of columns, with the clusters in colors and the cut."""
        return draw_dendrogram(self.merges, labels=self.names, n_clusters=len(self))

    def draw_association(self, ax: Any = None) -> Any:
        """Return how strongly columns hang together, in the order of the tree.

        Parameters
        ----------
        ax
            Axes of matplotlib. When they are given, the chart is drawn on them.
        """
        chart = draw_two_trees(
            self.association,
            self.merges,
            self.merges,
            self.names,
            self.names,
            center=None,
            title="How strongly columns hang together",
            measure="association",
        )
        return drawn(chart, ax)


def cluster_columns(
    X: Any, n_clusters: int | None = None, *, least_association: float = 0.5
) -> ColumnClusters:
    """Put columns that tell the same into clusters, and name one that stands for each.

    Parameters
    ----------
    X
        A table of any kind; cells may be missing.
    n_clusters
        Number of clusters; None (default): by ``least_association``.
    least_association
        Clusters are joined while their columns have at least this association on average.
        Default 0.5.

    See Also
    --------
    ColumnClusters : clusters of columns.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import cluster_columns
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = cluster_columns(X)
    >>> found.clusters
    [['petal_length', 'sepal_length', 'petal_width'], ['sepal_width']]
    """
    check_parameters(
        "cluster_columns",
        {"n_clusters": n_clusters, "least_association": least_association},
        {"n_clusters": AnyOf((Whole(1, 1_000_000), OneOf((None,)))),
         "least_association": Real(0, 1)},
    )  # fmt: skip
    table = check_training_inputs(X, None).table
    association = _associations(table)
    if len(association) == 1:
        one = np.zeros(1, dtype=np.intp)
        return ColumnClusters(table.names, association, one, one, np.zeros((0, 4)))
    height = 1 - least_association if n_clusters is None else None
    model = AgglomerativeClustering(n_clusters or 1, height=height, metric="precomputed")
    model.fit(1 - association)
    labels = np.asarray(model.labels_, dtype=np.intp)
    medoids = [_medoid(association, np.flatnonzero(labels == k)) for k in range(labels.max() + 1)]
    return ColumnClusters(table.names, association, labels, np.array(medoids), model.merges_)


def _medoid(association: Floats, members: Places) -> int:
    totals = association[np.ix_(members, members)].sum(axis=1)
    return int(members[np.argmax(np.round(totals, 12))])


def _associations(table: Table) -> Floats:
    """Return how strongly each pair of columns hangs together; the diagonal is 1."""
    refuse_over_budget(24 * table.n_columns**2, "associations of all pairs of columns")
    columns = table.columns
    numbers = [at for at, one in enumerate(columns) if one.kind == "numeric"]
    found = np.eye(len(columns))
    if numbers:
        matrix = np.column_stack([columns[at].numbers() for at in numbers]).astype(np.float64)
        found[np.ix_(numbers, numbers)] = np.abs(correlations(matrix))
    for at, one in enumerate(columns):
        for place in range(at):
            if one.kind == "category" or columns[place].kind == "category":
                found[at, place] = found[place, at] = _of_pair(one, columns[place])
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def correlations(matrix: Floats) -> Floats:
    """Return correlations of columns over rows where both are known; 0 where nothing varies."""
    known = np.isfinite(matrix)
    n_known = np.maximum(known.sum(axis=0), 1)
    center = np.where(known, matrix, 0.0).sum(axis=0) / n_known
    moved = np.where(known, matrix - center, 0.0)
    reach = np.abs(moved).max(axis=0, initial=0.0)
    moved = moved / np.where(reach > 0, reach, 1.0)  # squares stay finite
    there = known.astype(np.float64)
    n_both = there.T @ there
    sums, squares = moved.T @ there, (moved**2).T @ there
    least = np.maximum(n_both, 1.0)
    covariance = moved.T @ moved - sums * sums.T / least
    variance = np.maximum(squares - sums**2 / least, 0.0)
    scale = np.sqrt(variance * variance.T)
    usable = (n_both >= _FEWEST) & (scale > 1e-12 * least)
    found = np.where(usable, covariance / np.where(usable, scale, 1.0), 0.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def _of_pair(one: Column, other: Column) -> float:
    """Return the association of two columns of which at least one is a category."""
    both = ~one.is_missing & ~other.is_missing
    if both.sum() < _FEWEST:
        return 0.0
    if one.kind == other.kind:
        return _cramer(one.values[both], other.values[both])
    category, numeric = (one, other) if one.kind == "category" else (other, one)
    return _correlation_ratio(category.values[both], numeric.numbers()[both])


def _correlation_ratio(codes: Any, values: Any) -> float:
    """Return the root of the share of variance between categories, corrected for their number."""
    _, group = np.unique(codes, return_inverse=True)
    sizes = np.bincount(group)
    n_rows, k = len(values), len(sizes)
    moved = values - values.mean()
    reach = np.abs(moved).max(initial=0.0)
    if reach == 0 or 2 * k > n_rows:
        return 0.0
    moved = moved / reach
    between = float((np.bincount(group, weights=moved) ** 2 / sizes).sum() / (moved**2).sum())
    return float(np.sqrt(min(1.0, max(0.0, 1 - (1 - between) * (n_rows - 1) / (n_rows - k)))))


def _cramer(one: Any, other: Any) -> float:
    """Return Cramér's V, corrected for the number of categories."""
    _, rows = np.unique(one, return_inverse=True)
    _, columns = np.unique(other, return_inverse=True)
    n, r, c = len(rows), int(rows.max()) + 1, int(columns.max()) + 1
    if min(r, c) < 2 or 2 * max(r, c) > n:
        return 0.0
    pairs, n_of = np.unique(rows * c + columns, return_counts=True)
    expected = np.bincount(rows)[pairs // c] * np.bincount(columns)[pairs % c]
    phi = float((n_of.astype(np.float64) ** 2 / expected).sum() - 1)
    phi = max(0.0, phi - (r - 1) * (c - 1) / (n - 1))
    width = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return float(min(1.0, np.sqrt(phi / width))) if width > 0 else 0.0
