"""Sparse principal components: axes that are sums of a few terms.

The truncated power method (Yuan and Zhang 2013), with v the direction, C the covariance:

1. Begin with the principal axis of what is left of the table.
2. v ← C v, of which only the largest k entries are kept, scaled to length 1; until v settles. This
   is done for k = half of the terms, a quarter and so on, down to the k that is wanted, and once
   more from each of the 10 largest terms alone; the direction of most variance is kept.
3. The axis is taken out of the table (x ← x − (v·x) v), and the next one is looked for.

``n_terms="auto"`` takes for each axis the least k that keeps 90 % of the variance of the principal
axis of step 1. The variance of an axis is what it explains beyond the axes before it.
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._one_thread import one_thread
from branchline._validation import AnyOf, Constraint, Flag, OneOf, Whole
from branchline.projection._components import Axes, axes_of, filled_by_axes, place_rows
from branchline.projection._how_many_axes import AxisCounts
from branchline.projection._linear_axes import LinearAxes
from branchline.projection._pca import PCA

__all__ = ["SparsePCA"]

_MOST_TURNS = 500
_N_STARTS = 10
_SETTLED = 1e-12
_ENOUGH = 0.9
_TINY = 1e-300


class SparsePCA(LinearAxes):
    """Turn each row of any table into a few numbers, each a sum of only a few columns.

    Axes are easier to read than those of ``PCA`` and explain a little less. They need not be at
    right angles to each other.

    Parameters
    ----------
    n_components
        How many axes are kept: "auto" (default: those beyond chance, at least two) or a number.
    n_terms
        Of how many terms an axis is the sum: a number, or "auto" (default): the fewest that keep
        90 % of the variance that an axis of all terms would have.
    standardize
        Whether numbers are divided by their standard deviation. False keeps their units: a column
        of large numbers then decides. Default True.
    random_state
        Seed of the tables without structure that "beyond chance" is measured by. Default 0.

    Attributes
    ----------
    components_
        The direction of each axis: one row for each axis, one column for each term.
    explained_variance_, explained_variance_ratio_
        The variance that each axis explains beyond the axes before it, and its share of the whole.
    terms_
        What the numbers of a direction stand for: columns, or categories of columns.
    counts_
        What each rule says of how many axes there are. A loaded model does not have it.

    See Also
    --------
    PCA : turn each row of any table into a few numbers that keep most of what differs between rows.
    ICA : turn each row of any table into numbers that are as independent of each other as can be.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.projection import SparsePCA
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = SparsePCA(2).fit(X)
    >>> model.formula(0), model.formula(1)
    ('0.59·petal_length + 0.58·petal_width + 0.56·sepal_length', 'sepal_width')
    >>> model.explained_variance_ratio_.round(2).tolist()
    [0.69, 0.25]
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": AnyOf((Whole(1, 100_000), OneOf(("auto",)))),
        "n_terms": AnyOf((Whole(1, 100_000), OneOf(("auto",)))),
        "standardize": Flag(),
    }
    _left_out_of_files = frozenset({"counts_"})
    counts_: AxisCounts

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        n_terms: int | str = "auto",
        standardize: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_terms = n_terms
        self.standardize = standardize
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the axes; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        whole = PCA(
            self.n_components, standardize=self.standardize, random_state=self.random_state
        ).fit(X, None, sample_weight)
        rows = canonical_rows(data, merge=True)
        weights = rows.weights.of_rows(rows.table.n_rows)
        matrix, n_axes = whole._preparation.matrix(rows.table), len(whole.components_)
        filled = filled_by_axes(matrix, weights, n_axes)
        filled = filled - weights @ filled / weights.sum()
        axes = _sparse_axes(filled, weights, n_axes, self.n_terms, whole.terms_)
        total = float(weights @ (filled**2).sum(axis=1) / weights.sum())
        left = max(0.0, total - float(axes.variances.sum()))
        return self._finish(
            data,
            components_=np.ascontiguousarray(axes.directions.T),
            _variances=axes.variances,
            explained_variance_ratio_=axes.variances / max(total, _TINY),
            counts_=whole.counts_,
            _preparation=whole._preparation,
            _noise=left / max(1, filled.shape[1] - n_axes),
        )

    def _scores(self, matrix: Floats) -> Floats:
        directions = self.components_.T
        placed = place_rows(matrix, Axes(directions, self._variances), self._noise)
        holed = ~np.isfinite(matrix).all(axis=1)
        # Axes that are not at right angles: a row that is a sum of them lies elsewhere on each.
        placed[holed] = placed[holed] @ (directions.T @ directions)
        return placed

    def _rebuilt(self, places: Floats) -> Floats:
        directions = self.components_.T
        return np.asarray(places @ np.linalg.pinv(directions.T @ directions) @ self.components_)


@one_thread
def _sparse_axes(
    matrix: Floats, weights: Floats, n_axes: int, n_terms: Any, names: list[str]
) -> Axes:
    """Return sparse axes of centered rows without missing cells."""
    rows = matrix * np.sqrt(weights / weights.sum())[:, None]
    by_name = np.argsort(np.argsort(np.array(names), kind="stable"), kind="stable")
    directions, variances = np.zeros((matrix.shape[1], n_axes)), np.zeros(n_axes)
    for axis in range(n_axes):
        first = axes_of(rows, np.full(len(rows), 1.0 / len(rows)), 1).first(1)
        start = first.directions[:, 0]
        if not start.any():
            break
        direction = _fewest(rows, start, by_name, n_terms)
        signed = direction * (1.0 if direction[np.abs(direction).argmax()] > 0 else -1.0)
        directions[:, axis] = signed
        variances[axis] = _variance(rows, signed)
        rows = rows - np.outer(rows @ signed, signed)
    found = max(1, int((variances > 0).sum()))
    return Axes(directions[:, :found], variances[:found])


def _fewest(rows: Floats, start: Floats, by_name: Any, n_terms: Any) -> Floats:
    """Return the direction of the wanted number of terms, or of the fewest that are enough."""
    width = len(start)
    if n_terms != "auto":
        return _truncated(rows, start, by_name, min(int(n_terms), width))
    enough = _ENOUGH * _variance(rows, start)
    low, high = 1, width  # the variance grows with the number of terms
    best = start
    while low < high:
        middle = (low + high) // 2
        direction = _truncated(rows, start, by_name, middle)
        if _variance(rows, direction) >= enough:
            best, high = direction, middle
        else:
            low = middle + 1
    return best


def _truncated(rows: Floats, start: Floats, by_name: Any, n_terms: int) -> Floats:
    """Return the best direction of ``n_terms`` terms that the starts lead to."""
    directions = [_from_all_terms(rows, start, by_name, n_terms)]
    for term in np.lexsort((by_name, -np.abs(start)))[:_N_STARTS]:
        single = np.zeros_like(start)
        single[term] = 1.0
        directions.append(_settled(rows, single, by_name, n_terms))
    return max(directions, key=lambda direction: _variance(rows, direction))


def _from_all_terms(rows: Floats, start: Floats, by_name: Any, n_terms: int) -> Floats:
    """Return a direction of ``n_terms`` terms, by way of ones of more terms."""
    direction, size = start, len(start)
    while size > n_terms:
        size = max(n_terms, size // 2)
        direction = _settled(rows, direction, by_name, size)
    return direction


def _settled(rows: Floats, direction: Floats, by_name: Any, n_terms: int) -> Floats:
    """Return where the power method leads when it keeps ``n_terms`` terms."""
    for _ in range(_MOST_TURNS):
        before = direction
        direction = _largest_entries(rows.T @ (rows @ before), by_name, n_terms)
        if float(((direction - before) ** 2).sum()) < _SETTLED:
            break
    return direction


def _largest_entries(vector: Floats, by_name: Any, n_terms: int) -> Floats:
    """Return the vector with its largest entries only, at length 1; ties go by name."""
    kept = np.lexsort((by_name, -np.abs(vector)))[:n_terms]
    short = np.zeros_like(vector)
    short[kept] = vector[kept]
    return np.asarray(short / max(float(np.sqrt((short**2).sum())), _TINY))


def _variance(rows: Floats, direction: Floats) -> float:
    return float(((rows @ direction) ** 2).sum())
