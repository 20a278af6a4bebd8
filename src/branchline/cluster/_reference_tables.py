"""Reference tables: like a given table, but of one group.

A reference keeps what is not a matter of groups: how columns hang together, and the width, skew
and tails of each column.

1. Each column becomes normal scores S (of its ranks); missing scores are filled by the axes. The
   levels of a category are ranked by what the other columns tell of them. Cells that share few
   values show less of a correlation than what lies behind them; this is made up for.
2. S is rotated at random: Q S with a random orthogonal Q keeps all correlations and is one normal
   cloud. For normal tables, rotations of the rows themselves give an exact test (Langsrud 2005).
3. Each column gets back values by rank: drawn from the nearest distribution with one peak
   (Grenander 1956, on both sides of the peak). A column of few values keeps these values,
   but for a wide gap between them; a category keeps its levels.
4. Cells that are missing in the table are missing in its references.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from branchline._arrays import Floats, Places
from branchline.projection._components import filled_by_axes

__all__ = [
    "OnePeak",
    "References",
    "factor_of",
    "fit_references",
    "one_peak",
    "rotated",
    "row_radii",
]

_FEW_VALUES = 20
_FILLING_AXES = 5
_LEAST_DEVIATION = 0.3
_MOST_ALIKE = 0.999
_WIDE_GAP, _LEAST_SIDE, _LEAST_VALUES = 5.0, 0.1, 3


@dataclass(frozen=True, eq=False)
class OnePeak:
    """A distribution with one peak: pieces of equal density.

    Parameters
    ----------
    edges
        The ends of the pieces, in order.
    below
        The share of values below each of them.
    values
        The values that the column has, if they are few; else empty.
    """

    edges: Floats
    below: Floats
    values: Floats

    def quantiles(self, shares: Floats) -> Floats:
        """Return the values below which the given shares lie."""
        found = np.interp(shares, self.below, self.edges)
        if not len(self.values):
            return found
        middles = (self.values[1:] + self.values[:-1]) / 2
        return self.values[np.searchsorted(middles, found)]


@dataclass(frozen=True, eq=False)
class References:
    """How reference tables are made.

    Parameters
    ----------
    factor
        A square root of the correlations of the scores: rows times this have them.
    blocks
        For each column of the table its terms, and its peak, or its terms sorted by their scores.
    missing
        Which cells are missing.
    """

    factor: Floats
    blocks: tuple[tuple[slice, OnePeak | Floats], ...]
    missing: np.ndarray

    def draw(self, generator: np.random.Generator) -> Floats:
        """Return a table of one group."""
        n_rows = len(self.missing)
        scores = rotated(self.factor, n_rows, generator)
        table = np.empty(self.missing.shape)
        shares = np.sort(generator.random(n_rows))  # of all columns: correlated ones stay alike
        for column, (terms, held) in enumerate(self.blocks):
            order = np.argsort(scores[:, column], kind="stable")
            if isinstance(held, OnePeak):
                table[order, terms.start] = held.quantiles(shares)
            else:
                places = (np.arange(n_rows) * len(held)) // n_rows
                table[order, terms] = held[places]
        table[self.missing] = np.nan
        return table


def fit_references(matrix: Floats, column_of_term: Places) -> References:
    """Learn from rows how columns hang together, and the shape of each."""
    _, first, n_terms = np.unique(column_of_term, return_index=True, return_counts=True)
    slices = [slice(at, at + n) for at, n in zip(first, n_terms, strict=True)]
    along = _along_columns(matrix, slices)
    scores = np.column_stack([_scores(column) for column in along])
    factor = _behind_values(factor_of(scores), np.array([_reliability(one) for one in scores.T]))
    blocks = tuple(
        (terms, _shape(matrix[:, terms], column))
        for terms, column in zip(slices, along, strict=True)
    )
    return References(factor, blocks, np.isnan(matrix))


def factor_of(table: Floats) -> Floats:
    """Return R of table = Q R: what is left of centered rows when they are rotated."""
    if np.isnan(table).any():
        n_axes = max(1, min(_FILLING_AXES, min(table.shape) // 4))
        table = filled_by_axes(table, np.ones(len(table)), n_axes)
    centered = table - table.mean(axis=0)
    n_directions = max(1, min(len(table) - 1, table.shape[1]))
    return np.asarray(np.linalg.qr(centered, mode="r")[:n_directions])


def rotated(
    factor: Floats, n_rows: int, generator: np.random.Generator, radii: Floats | None = None
) -> Floats:
    """Return rows with the mean 0 and the covariances of a factor, in a random rotation.

    With ``radii``, each row is turned by itself, and as far out as one of these.
    """
    normal = generator.standard_normal((n_rows, len(factor)))
    if radii is not None:
        length = np.sqrt((normal**2).sum(axis=1))
        return np.asarray((normal * (radii / length)[:, None]) @ factor)
    basis, triangle = np.linalg.qr(normal - normal.mean(axis=0))
    return np.asarray((basis * np.sign(np.diag(triangle))) @ factor)


def row_radii(table: Floats) -> Floats:
    """Return how far out each row is (Mahalanobis); empty if it is not farther than normal rows.

    r² is the squared length of whitened rows. The mean of r⁴ of normal rows is d (d + 2), with the
    variance 8 d (d + 2) / n (Mardia 1970).
    """
    n, d = table.shape
    nothing = np.zeros(0)
    if d < 2 or n < 4 * d or np.isnan(table).any():
        return nothing
    left, values, _ = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    left = left[:, values > 1e-9 * values[0]]
    d = left.shape[1]
    squares = (left**2).sum(axis=1)
    excess = float(n**2 * (squares**2).mean()) - d * (d + 2) * (n - 1) / (n + 1)
    is_far = d > 1 and excess > 2 * np.sqrt(8 * d * (d + 2) / n)
    return np.sqrt(squares) if is_far else nothing


def _along_columns(matrix: Floats, slices: list[slice]) -> list[Floats]:
    """Return one number for each row and column: the term, or the place of the category.

    Levels of a category are placed by the mean of the other columns in them, along the direction in
    which these means differ most. A category without other columns keeps the order of its levels.
    """
    found = [matrix[:, terms.start] for terms in slices]
    others = np.where(np.isfinite(matrix), matrix, 0.0)
    for column, terms in enumerate(slices):
        if terms.stop - terms.start == 1:
            continue
        known = np.isfinite(matrix[:, terms]).all(axis=1)
        level = matrix[known, terms].argmax(axis=1)
        rest = np.delete(others[known], np.arange(terms.start, terms.stop), axis=1)
        n_held = np.maximum(np.bincount(level, minlength=terms.stop - terms.start), 1)
        means = np.zeros((len(n_held), max(1, rest.shape[1])))
        means[:, 0] = np.arange(len(n_held))
        if rest.shape[1]:
            is_held = np.eye(len(n_held))[level]
            means = is_held.T @ rest / n_held[:, None]
        weighted = (means - n_held @ means / n_held.sum()) * np.sqrt(n_held)[:, None]
        places = np.linalg.svd(weighted, full_matrices=False)[0][:, 0] / np.sqrt(n_held)
        found[column] = np.where(known, 0.0, np.nan)
        found[column][known] = places[level]
    return found


def _reliability(scores: Floats) -> float:
    """Return the deviation of scores that few values share; 1 where there are many values."""
    known = scores[np.isfinite(scores)]
    if len(np.unique(known)) > _FEW_VALUES:
        return 1.0
    return max(_LEAST_DEVIATION, float(known.std())) if len(known) else 1.0


def _behind_values(factor: Floats, reliability: Floats) -> Floats:
    """Return the factor of the correlations of what lies behind columns of few values."""
    n_columns = len(reliability)
    if n_columns == 1 or (reliability == 1.0).all() or len(factor) < n_columns:
        return factor
    covariance = factor.T @ factor
    scale = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    behind = covariance / np.outer(scale, scale) / np.outer(reliability, reliability)
    behind = np.clip(behind, -_MOST_ALIKE, _MOST_ALIKE)
    np.fill_diagonal(behind, 1.0)
    values, vectors = np.linalg.eigh(behind)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    length = np.sqrt((root**2).sum(axis=0))
    return np.asarray(root / length * scale)


def _scores(values: Floats) -> Floats:
    """Return normal scores; equal values share the mean of theirs (few) or of their ranks."""
    scores = np.full(len(values), np.nan)
    known = np.isfinite(values)
    _, inverse, n_equal = np.unique(values[known], return_inverse=True, return_counts=True)
    ends = np.cumsum(n_equal) / max(1, int(known.sum()))
    if len(n_equal) > _FEW_VALUES:
        scores[known] = ndtri(ends - n_equal / (2 * max(1, int(known.sum()))))[inverse]
        return scores
    density = np.exp(-0.5 * ndtri(ends[:-1]) ** 2) / np.sqrt(2 * np.pi)
    fall = -np.diff(np.concatenate([[0.0], density, [0.0]]))
    scores[known] = (fall / np.diff(np.concatenate([[0.0], ends])))[inverse]
    return scores


def _shape(block: Floats, along: Floats) -> OnePeak | Floats:
    known = np.isfinite(block).all(axis=1)
    if block.shape[1] == 1:
        return one_peak(block[known, 0])
    return block[known][np.argsort(along[known], kind="stable")]


def one_peak(values: Floats) -> OnePeak:
    """Return the distribution with one peak that is nearest to values, by likelihood.

    Values are counted in pieces of about √n values, and of 1, 2, 4, … towards both ends, so that
    tails keep their length. For each place of the peak, densities rise up
    to it and fall behind it (pool adjacent violators); the place of the largest likelihood is kept.
    """
    values = np.sort(values)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) == 1:
        return OnePeak(np.repeat(distinct, 2), np.array([0.0, 1.0]), distinct)
    if len(distinct) <= _FEW_VALUES:
        middles = (distinct[1:] + distinct[:-1]) / 2
        ends = 2 * distinct[[0, -1]] - middles[[0, -1]]
        edges, masses = np.concatenate([ends[:1], middles, ends[1:]]), counts.astype(np.float64)
        few = np.zeros(0) if _has_wide_gap(distinct, counts) else distinct
    else:
        middles = (distinct[1:] + distinct[:-1]) / 2
        ends = 2 * distinct[[0, -1]] - middles[[0, -1]]
        wanted = np.searchsorted(np.cumsum(counts), _piece_ends(len(values)))
        chosen = np.unique(np.minimum(wanted, len(middles) - 1))
        edges = np.concatenate([ends[:1], middles[chosen], ends[1:]])
        masses = np.histogram(values, edges)[0].astype(np.float64)
        few = np.zeros(0)
    densities = _rising_and_falling(masses, np.diff(edges))
    shares = densities * np.diff(edges)
    below = np.concatenate([[0.0], np.cumsum(shares)]) / shares.sum()
    return OnePeak(edges, below, few)


def _piece_ends(n: int) -> Places:
    """Return after how many values pieces end: 1, 2, 4, … of them at both ends, √n between."""
    size = max(1, round(n**0.5))
    outer = 2 ** np.arange(1, max(1, size).bit_length()) - 1
    inner = np.arange(outer[-1] + size if len(outer) else size, n - size, size)
    return np.unique(np.concatenate([outer, inner, n - outer]).astype(np.intp))


def _has_wide_gap(distinct: Floats, counts: Places) -> bool:
    """Return whether few values stand in two places far apart, each with several values and rows.

    References of such a column may have values in the gap: kept values would keep the gap.
    """
    if len(distinct) < 2 * _LEAST_VALUES:
        return False
    steps = np.diff(distinct)
    at = int(np.argmax(steps))
    below = counts[: at + 1].sum() / counts.sum()
    n_less = min(at + 1, len(distinct) - at - 1)
    is_wide = steps[at] > _WIDE_GAP * np.median(steps)
    return bool(is_wide and n_less >= _LEAST_VALUES and _LEAST_SIDE <= below <= 1 - _LEAST_SIDE)


def _rising_and_falling(masses: Floats, widths: Floats) -> Floats:
    """Return the densities of largest likelihood that rise up to a peak and fall behind it."""
    pieces = list(zip(masses.tolist(), widths.tolist(), strict=True))
    left, right = _rising(pieces), [[], *_rising(pieces[::-1])]
    curves = [
        [*up, *down[::-1]]
        for up, down in zip(left, right[len(pieces) - 1 :: -1], strict=True)
        if not down or down[-1] <= up[-1]  # else the peak is further right
    ]
    found = np.array(curves)
    likelihood = [float(masses @ logs) for logs in np.log(np.maximum(found, 1e-300))]
    return np.asarray(found[int(np.argmax(likelihood))])


def _rising(pieces: list[tuple[float, float]]) -> list[list[float]]:
    """Return, for the first piece, the first two, …, densities that never fall.

    Neighbors that fall are pooled; what the next piece changes are the last pools alone.
    """
    pools: list[tuple[float, float, int]] = []
    found = []
    for mass, width in pieces:
        pools.append((mass, width, 1))
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] > pools[-1][0] * pools[-2][1]:
            one, other = pools.pop(), pools.pop()
            pools.append((other[0] + one[0], other[1] + one[1], other[2] + one[2]))
        found.append([density for m, w, n in pools for density in [m / w] * n])
    return found
