"""The Gaussian part of a mixture: densities and moments of rows with missing numbers.

1. The density of a row in component k is that of its known numbers o: N(x_o; μ_o, Σ_oo). Missing
   cells are integrated out, nothing is filled.
2. With full or tied covariances, rows are grouped by which cells are known. A covariance in which
   missing rows and columns are those of the identity has the inverse and the determinant of Σ_oo.
3. New moments (EM): the mean and covariance of the rows completed by their expectation, plus the
   covariance that missing cells have given the known ones. Where numbers are independent within a
   component (diagonal, spherical), the known cells alone give the maximum.
4. Variances have a floor f for each column. Of all Σ with Σ − diag(f) positive semidefinite, the
   likelihood is largest when the eigenvalues of F⁻¹ S F⁻¹ (F = diag(√f)) are raised to 1; so an
   iteration never lowers the likelihood, and the likelihood is bounded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular

from branchline._arrays import Bools, Floats, Places

__all__ = ["COVARIANCES", "Gaussians", "NumberRows", "n_covariance_parameters", "update"]

COVARIANCES = ("full", "tied", "diagonal", "spherical")
_LOG_2PI = float(np.log(2 * np.pi))
_TINY = 1e-300
_CELLS = 2**21  # numbers in a batch of small matrices


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Means (components × numbers) and covariances.

    Covariances are kept by kind: full k × d × d, tied d × d, diagonal k × d, spherical k.
    """

    kind: str
    means: Floats
    covariances: Floats

    def covariance(self, component: int) -> Floats:
        """Return the covariance of a component as a matrix."""
        d = self.means.shape[1]
        if self.kind == "tied":
            return self.covariances
        if self.kind == "full":
            return np.asarray(self.covariances[component])
        return np.diag(np.broadcast_to(self.covariances[component], (d,)))

    def take(self, order: Places) -> "Gaussians":
        """Return some of the components."""
        held = self.covariances if self.kind == "tied" else self.covariances[order]
        return Gaussians(self.kind, self.means[order], held)


@dataclass(frozen=True, eq=False)
class NumberRows:
    """Numbers of rows, grouped by which of them are known.

    Parameters
    ----------
    numbers
        Rows × columns; 0 where a cell is missing.
    known
        Which cells are known.
    whole, partial
        The rows without and with missing cells.
    patterns, pattern_of_partial
        The different rows of ``known`` among the partial ones, and which of them each one has.
    """

    numbers: Floats
    known: Bools
    whole: Places
    partial: Places
    patterns: Bools
    pattern_of_partial: Places

    @staticmethod
    def of(numbers: Floats) -> "NumberRows":
        """Group rows (NaN: missing)."""
        known = np.isfinite(numbers)
        is_whole = known.all(axis=1)
        partial = np.flatnonzero(~is_whole)
        words = np.packbits(known[partial], axis=1)
        _, first, pattern = np.unique(words, axis=0, return_index=True, return_inverse=True)
        patterns = known[partial][first]
        return NumberRows(
            np.where(known, numbers, 0.0), known, np.flatnonzero(is_whole), partial,
            patterns, pattern.reshape(-1),
        )  # fmt: skip

    def log_densities(self, gaussians: Gaussians) -> Floats:
        """Return the log density of each row in each component (rows × components)."""
        if gaussians.kind in ("diagonal", "spherical"):
            return self._independent(gaussians)
        n_components = len(gaussians.means)
        found = np.empty((len(self.numbers), n_components))
        for at in range(n_components):
            covariance = gaussians.covariance(at)
            found[self.whole, at] = self._of_whole(gaussians.means[at], covariance)
            if len(self.partial):
                found[self.partial, at] = self._of_partial(gaussians.means[at], covariance)
        return found

    def _independent(self, gaussians: Gaussians) -> Floats:
        means, n_columns = gaussians.means, self.numbers.shape[1]
        held = gaussians.covariances.reshape(len(means), -1)
        variances = np.broadcast_to(held, (len(means), n_columns))
        precision = 1.0 / variances
        squares = self._squared @ precision.T
        squares -= self.numbers @ (2 * means * precision).T
        squares += self._over_known(means**2 * precision)
        np.maximum(squares, 0.0, out=squares)
        squares += self._over_known(np.log(variances) + _LOG_2PI)
        squares *= -0.5
        return squares

    @cached_property
    def _squared(self) -> Floats:
        return np.asarray(self.numbers**2)

    @cached_property
    def _known_numbers(self) -> Floats:
        return self.known.astype(np.float64)

    def _over_known(self, values: Floats) -> Floats:
        """Return for rows and components the sum of components × columns over the known cells."""
        return self._known_numbers @ values.T if len(self.partial) else values.sum(axis=1)

    def weight_known(self, shares: Floats) -> Floats:
        """Return the weight of the known cells of each column in each component."""
        if len(self.partial):
            return np.asarray(shares.T @ self._known_numbers)
        shape = (shares.shape[1], self.numbers.shape[1])
        return np.broadcast_to(shares.sum(axis=0)[:, None], shape)

    def _of_whole(self, mean: Floats, covariance: Floats) -> Floats:
        if len(self.whole) == len(self.numbers):
            moved = self.numbers - mean
        else:
            moved = self.numbers[self.whole] - mean
        factor = np.linalg.cholesky(covariance)
        scores = solve_triangular(factor, moved.T, lower=True, check_finite=False)
        constant = 2 * np.log(np.diag(factor)).sum() + len(mean) * _LOG_2PI
        return np.asarray(-0.5 * (np.einsum("ij,ij->j", scores, scores) + constant))

    def _of_partial(self, mean: Floats, covariance: Floats) -> Floats:
        found = np.empty(len(self.partial))
        for some, rows in self._batches():
            inverse = _inverses(self.patterns[some], covariance)
            log_volume = np.linalg.slogdet(_padded(self.patterns[some], covariance))[1]
            moved, scores, pattern = self._scores(rows, some, inverse, mean)
            squares = np.einsum("ij,ij->i", moved, scores)
            n_known = self.patterns[some].sum(axis=1)
            constant = (log_volume + n_known * _LOG_2PI)[pattern]
            found[rows] = -0.5 * (squares + constant)
        return found

    def _batches(self) -> list[tuple[slice, Places]]:
        """Return slices of patterns with their (partial) rows, a bounded amount of work each."""
        width = max(1, self.numbers.shape[1])
        step = max(1, _CELLS // width**2)
        order = np.argsort(self.pattern_of_partial, kind="stable")
        ends = np.searchsorted(self.pattern_of_partial[order], np.arange(len(self.patterns) + 1))
        return [
            (slice(first, last), order[ends[first] : ends[last]])
            for first in range(0, len(self.patterns), step)
            for last in [min(first + step, len(self.patterns))]
        ]

    def _scores(
        self, rows: Places, some: slice, inverse: Floats, mean: Floats
    ) -> tuple[Floats, Floats, Places]:
        """Return x_o − μ_o and Σ_oo⁻¹ (x_o − μ_o) of partial rows; 0 where a cell is missing."""
        pattern = self.pattern_of_partial[rows] - some.start
        held = self.partial[rows]
        moved = np.where(self.known[held], self.numbers[held] - mean, 0.0)
        scores = np.empty_like(moved)
        ends = np.searchsorted(pattern, np.arange(len(inverse) + 1))
        for at in range(len(inverse)):  # rows of one pattern stand together
            part = slice(ends[at], ends[at + 1])
            scores[part] = moved[part] @ inverse[at]
        return moved, scores, pattern

    def completed(self, mean: Floats, covariance: Floats, share: Floats) -> tuple[Floats, Floats]:
        """Return the rows completed by their expectation, and the summed covariance left over."""
        left = np.zeros_like(covariance)
        if not len(self.partial):
            return self.numbers, left
        filled = self.numbers.copy()
        for some, rows in self._batches():
            inverse = _inverses(self.patterns[some], covariance)
            _, scores, pattern = self._scores(rows, some, inverse, mean)
            held = self.partial[rows]
            expected = mean + scores @ covariance
            filled[held] = np.where(self.known[held], self.numbers[held], expected)
            weight = np.bincount(pattern, weights=share[held], minlength=len(inverse))
            both = self.patterns[some][:, :, None] & self.patterns[some][:, None, :]
            explained = np.einsum("p,pij->ij", weight, np.where(both, inverse, 0.0))
            left += weight.sum() * covariance - covariance @ explained @ covariance
        return filled, (left + left.T) / 2


def _padded(patterns: Bools, covariance: Floats) -> Floats:
    """Return for each pattern the covariance, with missing cells as in the identity."""
    both = patterns[:, :, None] & patterns[:, None, :]
    return np.where(both, covariance, np.eye(len(covariance)))


def _inverses(patterns: Bools, covariance: Floats) -> Floats:
    return np.asarray(np.linalg.inv(_padded(patterns, covariance)))


# -- new moments --------------------------------------------------------------------------------


def update(rows: NumberRows, shares: Floats, old: Gaussians, floor: Floats) -> Gaussians:
    """Return the moments of greatest expected likelihood, within the floor.

    Parameters
    ----------
    rows
        The numbers.
    shares
        The weight of each row in each component.
    old
        The moments that the shares come from; a component without weight keeps them.
    floor
        The least variance of each column.
    """
    return _UPDATES[old.kind](rows, shares, old, floor)


def _update_full(rows: NumberRows, shares: Floats, old: Gaussians, floor: Floats) -> Gaussians:
    means, scatters = _scatters(rows, shares, old)
    size = shares.sum(axis=0)
    held = old.covariances.copy()
    for at in np.flatnonzero(size > _TINY):
        held[at] = raised(scatters[at] / size[at], floor)
    return Gaussians("full", means, held)


def _update_tied(rows: NumberRows, shares: Floats, old: Gaussians, floor: Floats) -> Gaussians:
    means, scatters = _scatters(rows, shares, old)
    return Gaussians("tied", means, raised(scatters.sum(axis=0) / shares.sum(), floor))


def _scatters(rows: NumberRows, shares: Floats, old: Gaussians) -> tuple[Floats, Floats]:
    """Return the new means, and Σ share (x − μ)(x − μ)ᵀ of each component."""
    means = old.means.copy()
    n_columns = means.shape[1]
    scatters = np.zeros((len(means), n_columns, n_columns))
    for at, size in enumerate(shares.sum(axis=0)):
        if size <= _TINY:
            continue
        share = shares[:, at]
        filled, left = rows.completed(old.means[at], old.covariance(at), share)
        means[at] = share @ filled / size
        moved = filled - means[at]
        scatters[at] = (moved * share[:, None]).T @ moved + left
    return means, scatters


def _known_moments(
    rows: NumberRows, shares: Floats, old: Gaussians
) -> tuple[Floats, Floats, Floats]:
    """Return the means of known cells, their summed squares about it, and their weight."""
    weight = rows.weight_known(shares)
    is_held = weight > _TINY
    safe = np.where(is_held, weight, 1.0)
    means = np.where(is_held, shares.T @ rows.numbers / safe, old.means)
    squares = np.zeros_like(means)
    for at in range(len(means)):
        moved = rows.numbers - means[at]
        if len(rows.partial):
            moved[~rows.known] = 0.0
        moved *= moved
        squares[at] = shares[:, at] @ moved
    return means, squares, weight


def _update_diagonal(rows: NumberRows, shares: Floats, old: Gaussians, floor: Floats) -> Gaussians:
    means, squares, weight = _known_moments(rows, shares, old)
    is_held = weight > _TINY
    found = np.where(is_held, squares / np.where(is_held, weight, 1.0), old.covariances)
    return Gaussians("diagonal", means, np.maximum(found, floor))


def _update_spherical(rows: NumberRows, shares: Floats, old: Gaussians, floor: Floats) -> Gaussians:
    means, squares, weight = _known_moments(rows, shares, old)
    total, weights = squares.sum(axis=1), weight.sum(axis=1)
    is_held = weights > _TINY
    found = np.where(is_held, total / np.where(is_held, weights, 1.0), old.covariances)
    return Gaussians("spherical", means, np.maximum(found, floor.max(initial=0.0)))


_UPDATES: dict[str, Callable[[NumberRows, Floats, Gaussians, Floats], Gaussians]] = {
    "full": _update_full,
    "tied": _update_tied,
    "diagonal": _update_diagonal,
    "spherical": _update_spherical,
}


def raised(covariance: Floats, floor: Floats) -> Floats:
    """Return the covariance of greatest likelihood that is at least diag(floor)."""
    covariance = (covariance + covariance.T) / 2
    root = np.sqrt(floor)
    values, vectors = np.linalg.eigh(covariance / np.outer(root, root))
    if len(values) == 0 or values[0] >= 1.0:
        return covariance
    lifted = (vectors * np.maximum(values, 1.0)) @ vectors.T
    lifted = (lifted + lifted.T) / 2
    return np.asarray(lifted * np.outer(root, root))


def n_covariance_parameters(kind: str, n_components: int, n_numbers: int) -> int:
    """Return how many numbers the covariances of a mixture have."""
    one = n_numbers * (n_numbers + 1) // 2
    sizes = {
        "full": n_components * one,
        "tied": one,
        "diagonal": n_components * n_numbers,
        "spherical": n_components if n_numbers else 0,
    }
    return sizes[kind]
