"""Pictures of clusters: a heat map with two trees, an ordered matrix of distances, silhouettes.

Large tables are drawn by some of their rows and columns, evenly spread, and trees are folded to at
most 30 leaves, so that a picture stays small; its note says so.
"""

from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._plain_numbers import count
from branchline._prepared_table import fit_preparation
from branchline._validation import OneOf, check_parameters, check_training_inputs
from branchline.charts import Chart
from branchline.charts.figures import draw_two_trees
from branchline.cluster._column_clusters import correlations
from branchline.cluster._distances import distances
from branchline.cluster._stability_of_model import evenly_spread
from branchline.cluster._trees_of_clusters import AgglomerativeClustering
from branchline.errors import DataError, Repair
from branchline.table import Table

__all__ = ["draw_distances", "draw_heat_map"]

_LINKAGES = ("average", "single", "complete", "ward")
_MOST_ROWS, _MOST_COLUMNS = 1000, 300
_FARTHEST = 3.0


def draw_heat_map(X: Any, *, row_names: Any = None, linkage: str = "average") -> Chart:
    """Draw a table as colors, with rows and columns that are alike next to each other.

    Rows are joined by Euclidean distances of standardized numbers, columns by
    1 − ``|correlation|``. A category is drawn as a column for each of its values.

    Parameters
    ----------
    X
        A table of any kind; missing cells stay empty.
    row_names
        A name for each row; default: its place from 0.
    linkage
        The distance of two clusters, as in ``AgglomerativeClustering``. Default "average".

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import draw_heat_map
    >>> X, y = load_dataset("iris").split_target("species")
    >>> len(draw_heat_map(X).to_frame().query("mark == 'standard deviations'"))
    120
    """
    check_parameters("draw_heat_map", {"linkage": linkage}, {"linkage": OneOf(_LINKAGES)})
    table, names, note = _some_rows(X, row_names)
    data = check_training_inputs(table, None)
    preparation, matrix = fit_preparation(data, np.ones(table.n_rows), standardize=True)
    if matrix.shape[1] == 0:
        raise DataError("No column of the table varies, so there is nothing to draw.", code="D711",
                        repair=Repair("table.look() lists the columns"))  # fmt: skip
    some = evenly_spread(matrix.shape[1], _MOST_COLUMNS)
    if len(some) < matrix.shape[1]:
        note.append(f"Of {count(matrix.shape[1], 'column')}, {len(some)} are drawn.")
    shown = matrix[:, some]
    terms = [preparation.names[at] for at in some]
    note.append("Numbers are standardized.")
    if (np.abs(shown) > _FARTHEST).any():
        note.append("Beyond 3 standard deviations the color stays the same.")
    if np.isnan(shown).any():
        note.append("Missing cells are empty.")
    return draw_two_trees(
        np.clip(shown, -_FARTHEST, _FARTHEST),
        _row_tree(table, linkage),
        _tree(1 - np.abs(correlations(shown)), "average"),
        names,
        terms,
        title="Rows and columns that are alike",
        measure="standard deviations",
        note=" ".join(note),
    )


def draw_distances(
    X: Any, *, metric: str = "auto", row_names: Any = None, linkage: str = "average"
) -> Chart:
    """Draw how far rows are apart; rows that are near each other stand next to each other.

    Groups are squares of small distances along the diagonal. One group has none.

    Parameters
    ----------
    X
        A table of any kind.
    metric
        How rows are compared, as in ``distances``. Default "auto".
    row_names
        A name for each row; default: its place from 0.
    linkage
        The distance of two clusters, as in ``AgglomerativeClustering``. Default "average".

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import draw_distances
    >>> X, y = load_dataset("iris").split_target("species")
    >>> draw_distances(X).title
    'Distances of rows, in the order of their tree'
    """
    check_parameters("draw_distances", {"linkage": linkage}, {"linkage": OneOf(_LINKAGES)})
    table, names, note = _some_rows(X, row_names)
    note.append("Groups are squares of small distances along the diagonal.")
    square = distances(table, metric=metric)
    tree = _tree(square, linkage)
    return draw_two_trees(
        square,
        tree,
        tree,
        names,
        [str(at) for at in range(len(square))] if names is None else names,
        center=None,
        title="Distances of rows, in the order of their tree",
        measure="distance",
        note=" ".join(note),
    )


def _some_rows(X: Any, row_names: Any) -> tuple[Table, list[str] | None, list[str]]:
    """Return the rows that are drawn, their names, and a sentence if others are not."""
    data = check_training_inputs(X, None)
    n_rows = data.table.n_rows
    names = None if row_names is None else [str(name) for name in row_names]
    if n_rows <= _MOST_ROWS:
        return data.table, names, []
    _, origins = canonical_rows_with_origins(data, merge=False, n_threads=1)
    some: Places = np.sort(origins.first[evenly_spread(n_rows, _MOST_ROWS)])
    shown = [str(at) if names is None else names[at] for at in some.tolist()]
    return data.table.rows(some), shown, [f"Of {n_rows:,} rows, {_MOST_ROWS:,} are drawn."]


def _row_tree(table: Table, linkage: Any) -> Floats:
    if table.n_rows < 2:
        return np.zeros((0, 4))
    model = AgglomerativeClustering(1, linkage=linkage, metric="euclidean", standardize=True)
    return model.fit(table).merges_


def _tree(square: Floats, linkage: Any) -> Floats:
    if len(square) < 2:
        return np.zeros((0, 4))
    near = np.maximum(square, 0.0)
    np.fill_diagonal(near, 0.0)
    model = AgglomerativeClustering(1, linkage=linkage, metric="precomputed")
    return model.fit((near + near.T) / 2).merges_
