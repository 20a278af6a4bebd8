"""``bicluster``: rows and columns in clusters at once, so that their blocks are even.

1. Rows are put in canonical order; the table becomes standardized numbers, a column for each value
   of a category (``_prepared_table``). Missing cells stay missing.
2. W = Σ (x_ij − m_rc)² over the known cells, where m_rc is the mean of the block of row cluster r
   and column cluster c (double k-means, Vichi 2001).
3. From each start (k-means of rows and of columns, and random clusters) three steps are repeated
   until nothing moves: rows go to the best row cluster, columns to the best column cluster, means
   are computed again. No step raises W; the least W is kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._drawable import Drawable
from branchline._one_thread import one_thread
from branchline._plain_numbers import count, fine_percent, joined
from branchline._plain_text import clean
from branchline._prepared_table import fit_preparation
from branchline._validation import Whole, check_parameters, check_seed, check_training_inputs
from branchline.charts import Axis, Cells, Chart
from branchline.cluster._group_test import cluster_rows
from branchline.cluster._numbering import by_weight
from branchline.errors import DataError, Repair

__all__ = ["Biclusters", "bicluster"]

_MOST_STEPS = 200
_MOST_NAMES = 6


@dataclass(frozen=True, eq=False)
class Biclusters(Drawable):
    """Clusters of rows and of columns, and the mean of each block.

    Parameters
    ----------
    columns
        The columns; a category has one for each of its values.
    row_labels, column_labels
        The cluster of each row and of each column; 0 is the largest.
    means
        For each row cluster and column cluster the mean of its standardized numbers.
    explained
        Which share of the squared numbers the means of the blocks explain.

    See Also
    --------
    bicluster

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import bicluster
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> bicluster(X, 3, 2).means.shape
    (3, 2)
    """

    columns: tuple[str, ...]
    row_labels: Places
    column_labels: Places
    means: Floats
    explained: float

    def names_of(self, cluster: int) -> list[str]:
        """Return the columns of a column cluster."""
        return [clean(self.columns[at]) for at in np.flatnonzero(self.column_labels == cluster)]

    def __str__(self) -> str:
        n_rows, n_columns = self.means.shape
        lines = [
            f"{count(n_rows, 'cluster')} of rows × {count(n_columns, 'cluster')} of columns: the "
            f"means of the blocks explain {fine_percent(self.explained)} of the variance."
        ]
        for c in range(n_columns):
            found = ", ".join(f"{mean:+.2f}".replace("-", "−") for mean in self.means[:, c])
            lines.append(f"  columns {c} ({joined(self.names_of(c), _MOST_NAMES)}): {found}")
        sizes = ", ".join(str(int((self.row_labels == r).sum())) for r in range(n_rows))
        lines.append(f"Mean of each row cluster in standard deviations; rows in them: {sizes}.")
        lines.append("Blocks are found in any table; how_many says whether rows form groups.")
        return "\n".join(lines)

    def _chart(self) -> Chart:
        """Return the means of the blocks as a heat map."""
        n_rows, n_columns = self.means.shape
        words = tuple(tuple(f"{mean:.2f}".replace("-", "−") for mean in row) for row in self.means)
        columns = [self.names_of(c) for c in range(n_columns)]
        names = tuple(f"{found[0]} ({len(found)})" if found else "" for found in columns)
        sizes = [int((self.row_labels == r).sum()) for r in range(n_rows)]
        rows = tuple(f"rows {r} ({n:,})" for r, n in enumerate(sizes))
        mark = Cells(np.arange(n_columns + 1) - 0.5, np.arange(n_rows + 1) - 0.5, self.means,
                     words=words, center=0.0, name="mean in standard deviations")  # fmt: skip
        share = fine_percent(self.explained)
        note = (
            f"Means in standard deviations; they explain {share} of the variance. In parentheses: "
            "the number of rows or columns in the cluster."
        )
        return Chart((mark,), Axis(categories=names), Axis(categories=rows),
                     "Clusters of rows and of columns", note)  # fmt: skip


@one_thread
def bicluster(
    X: Any,
    n_row_clusters: int,
    n_column_clusters: int,
    *,
    n_init: int = 10,
    random_state: Any = 0,
) -> Biclusters:
    """Put rows and columns into clusters at once, so that the cells of each block are alike.

    Use it where columns are many and of one kind: genes, questions, products. Cells may be missing;
    they are left out.

    Parameters
    ----------
    X
        A table of any kind.
    n_row_clusters, n_column_clusters
        Number of clusters; at most as many as there are rows and columns.
    n_init
        Number of starts; the best is kept. Default 10.
    random_state
        Seed of the starts. Default 0.

    See Also
    --------
    Biclusters : clusters of rows and of columns, and the mean of each block.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import bicluster
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = bicluster(X, 3, 2)
    >>> round(found.explained, 2)
    0.75
    """
    given = {"n_row_clusters": n_row_clusters, "n_column_clusters": n_column_clusters,
             "n_init": n_init}  # fmt: skip
    check_parameters("bicluster", given, dict.fromkeys(given, Whole(1, 100_000)))
    data = check_training_inputs(X, None)
    rows, origins = canonical_rows_with_origins(data, merge=False, n_threads=1)
    preparation, matrix = fit_preparation(rows, np.ones(rows.table.n_rows), standardize=True)
    if matrix.shape[1] == 0:
        raise DataError("No column of the table varies, so there are no blocks.", code="D711",
                        repair=Repair("table.look() lists the columns"))  # fmt: skip
    blocks = _Blocks(np.isfinite(matrix).astype(np.float64), np.nan_to_num(matrix))
    sizes = min(n_row_clusters, len(matrix)), min(n_column_clusters, matrix.shape[1])
    made = (
        blocks.descend(*start, *sizes)
        for start in _starts(matrix, sizes, n_init, check_seed(random_state))
    )
    within, of_row, of_column = min(made, key=lambda one: one[0])
    of_row, of_column = _numbered(of_row), _numbered(of_column)
    means = blocks.means(of_row, of_column, int(of_row.max()) + 1, int(of_column.max()) + 1)
    whole = float((blocks.values**2).sum())
    return Biclusters(tuple(preparation.names), of_row[origins.canonical_of_row], of_column, means,
                      1 - within / whole)  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Known cells (1) and their numbers (0 where missing)."""

    known: Floats
    values: Floats

    def descend(
        self, of_row: Places, of_column: Places, n_rows: int, n_columns: int
    ) -> tuple[float, Places, Places]:
        """Return W and the clusters after steps that never raise it."""
        last = np.inf
        for _ in range(_MOST_STEPS):
            means = self.means(of_row, of_column, n_rows, n_columns)
            of_row = _nearest(self.values, self.known, _member(of_column, n_columns), means)
            means = self.means(of_row, of_column, n_rows, n_columns)
            of_column = _nearest(self.values.T, self.known.T, _member(of_row, n_rows), means.T)
            within = self.within(of_row, of_column, n_rows, n_columns)
            if within >= last * (1 - 1e-12):
                break
            last = within
        return within, of_row, of_column

    def means(self, of_row: Places, of_column: Places, n_rows: int, n_columns: int) -> Floats:
        """Return the mean of each block; 0, the mean of all, where it has no known cell."""
        down, across = _member(of_row, n_rows), _member(of_column, n_columns)
        sums, n_known = down.T @ self.values @ across, down.T @ self.known @ across
        return np.asarray(sums / np.maximum(n_known, 1.0))

    def within(self, of_row: Places, of_column: Places, n_rows: int, n_columns: int) -> float:
        """Return W."""
        means = self.means(of_row, of_column, n_rows, n_columns)
        left = (self.values - means[np.ix_(of_row, of_column)]) * self.known
        return float((left**2).sum())


def _nearest(values: Floats, known: Floats, member: Floats, means: Floats) -> Places:
    """Return the cluster in which the squared differences of each row are least."""
    costs = (known @ member) @ (means**2).T - 2 * (values @ member) @ means.T
    return np.asarray(np.argmin(np.round(costs, 9), axis=1))


def _member(labels: Places, n_clusters: int) -> Floats:
    return np.asarray(np.eye(n_clusters)[labels])


def _starts(
    matrix: Floats, sizes: tuple[int, int], n_init: int, seed: int
) -> Iterator[tuple[Places, Places]]:
    """Yield clusters of rows and of columns: by k-means, then drawn."""
    by_rows = cluster_rows(np.ascontiguousarray(matrix), sizes[0], seed, n_starts=5)
    by_columns = cluster_rows(np.ascontiguousarray(matrix.T), sizes[1], seed, n_starts=5)
    yield by_rows.labels, by_columns.labels
    generator = np.random.default_rng([seed, 4])
    for _ in range(n_init - 1):
        drawn = (generator.integers(0, k, n) for k, n in zip(sizes, matrix.shape, strict=True))
        of_row, of_column = map(np.asarray, drawn)
        yield of_row, of_column


def _numbered(labels: Places) -> Places:
    """Return clusters numbered by size; those without members are left out."""
    found = np.unique(labels, return_inverse=True)[1].reshape(-1)
    return by_weight(labels, np.ones(len(labels)))[found]
