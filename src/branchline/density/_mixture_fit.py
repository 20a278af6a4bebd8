"""Fitting a mixture by expectation and maximization (EM), and choosing how many components it has.

p(x) = Σ_k π_k N(x_numbers; μ_k, Σ_k) Π_c θ_kc(x_c), over the known cells of a row.

1. From each start (``_mixture_start``) a few turns of EM are made; the best continues until the
   mean log likelihood of a row rises by less than ``tol``.
2. A turn: the weight of each row in each component (expectation), then the parameters of greatest
   expected likelihood within the floors (maximization). The likelihood never falls.
3. BIC = p log n − 2 log L, with p parameters; "auto" takes the model of the least BIC.
"""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats, Places
from branchline.density._category_part import LEAST_SHARE, LevelRows
from branchline.density._gaussian_part import (
    Gaussians,
    NumberRows,
    n_covariance_parameters,
    update,
)
from branchline.density._mixture_start import places_of_rows, start_shares

__all__ = [
    "Components",
    "EMOptions",
    "FittedComponents",
    "MixtureRows",
    "fit_components",
    "log_sum",
]

_FEW_TURNS = 15
_FEW_COLUMNS = 32


@dataclass(frozen=True, eq=False)
class Components:
    """The parameters of a mixture, in standardized numbers.

    Parameters
    ----------
    weights
        The share of rows of each component.
    gaussians
        Means and covariances of the numbers.
    shares
        The share of each level in each component, columns one after the other.
    """

    weights: Floats
    gaussians: Gaussians
    shares: Floats

    def __len__(self) -> int:
        return len(self.weights)

    def n_parameters(self, n_columns: int) -> int:
        """Return how many free numbers there are, with ``n_columns`` columns of categories."""
        k, d = self.gaussians.means.shape
        n_covariances = n_covariance_parameters(self.gaussians.kind, k, d)
        return int(k - 1 + k * d + n_covariances + k * (self.shares.shape[1] - n_columns))

    def by_weight(self) -> "Components":
        """Return the components in order, the heaviest first."""
        order: Places = np.argsort(-self.weights, kind="stable")
        return Components(self.weights[order], self.gaussians.take(order), self.shares[order])


@dataclass(frozen=True, eq=False)
class MixtureRows:
    """Rows as the fit sees them."""

    numbers: NumberRows
    levels: LevelRows
    weights: Floats
    points: Floats
    overall: Floats

    @staticmethod
    def of(numbers: Floats, levels: LevelRows, weights: Floats | None) -> "MixtureRows":
        """Gather what EM and its starts need; without weights, what predictions need."""
        if weights is None:
            nothing = np.zeros(0)
            return MixtureRows(NumberRows.of(numbers), levels, nothing, nothing, nothing)
        overall = levels.overall(weights)
        points = places_of_rows(numbers, levels, overall)
        return MixtureRows(NumberRows.of(numbers), levels, weights, points, overall)

    def log_joint(self, model: Components) -> Floats:
        """Return log π_k + log p(row | k) for each row and component."""
        with np.errstate(divide="ignore"):
            log_weights = np.log(model.weights)
        found = self.numbers.log_densities(model.gaussians)
        return np.asarray(found + self.levels.log_shares(model.shares) + log_weights)


@dataclass(frozen=True)
class EMOptions:
    """What EM is told: kind of covariance, floor of variances, starts, when to end."""

    kind: str
    floor: Floats
    n_restarts: int
    tol: float
    max_iter: int
    seed: int


@dataclass(frozen=True, eq=False)
class FittedComponents:
    """Components with their log likelihood, turn by turn, and whether EM has settled."""

    model: Components
    trace: tuple[float, ...]
    settled: bool

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the training rows."""
        return self.trace[-1]


def fit_components(rows: MixtureRows, n_components: int, options: EMOptions) -> FittedComponents:
    """Return the best mixture of this many components."""
    n_starts = 1 if n_components == 1 else options.n_restarts
    best: FittedComponents | None = None
    for start in range(n_starts):
        begun = _begin(rows, n_components, options, [options.seed, n_components, start])
        some = _climb(rows, begun, options, min(_FEW_TURNS, options.max_iter))
        if best is None or some.log_likelihood > best.log_likelihood:
            best = some
    assert best is not None
    if best.settled:
        return best
    more = _climb(rows, best.model, options, max(1, options.max_iter - len(best.trace)))
    return FittedComponents(more.model, best.trace[:-1] + more.trace, more.settled)


def _begin(rows: MixtureRows, n_components: int, options: EMOptions, seed: list[int]) -> Components:
    """Return the parameters of hard clusters."""
    shares = start_shares(rows.points, rows.weights, n_components, seed)
    d = rows.numbers.numbers.shape[1]
    variances = np.maximum(np.ones(d), options.floor)
    shape = {
        "full": np.broadcast_to(np.diag(variances), (n_components, d, d)).copy(),
        "tied": np.diag(variances),
        "diagonal": np.broadcast_to(variances, (n_components, d)).copy(),
        "spherical": np.full(n_components, max(1.0, float(variances.max(initial=1.0)))),
    }
    means = np.zeros((n_components, d))
    blank = Gaussians(options.kind, means, shape[options.kind])
    nothing = Components(
        np.full(n_components, 1 / n_components), blank, np.tile(rows.overall, (n_components, 1))
    )
    return _maximize(rows, shares, nothing, options)


def _maximize(rows: MixtureRows, shares: Floats, old: Components, options: EMOptions) -> Components:
    size = shares.sum(axis=0)
    gaussians = old.gaussians
    if gaussians.means.shape[1]:
        gaussians = update(rows.numbers, shares, old.gaussians, options.floor)
    levels = rows.levels.update(shares, old.shares, LEAST_SHARE * rows.overall)
    return Components(size / size.sum(), gaussians, levels)


def _climb(
    rows: MixtureRows, model: Components, options: EMOptions, n_turns: int
) -> FittedComponents:
    """Make turns until the likelihood has settled, or there were enough."""
    trace: list[float] = []
    least = options.tol * float(rows.weights.sum())
    while True:
        joint = rows.log_joint(model)
        largest = _largest(joint)
        joint -= largest[:, None]
        parts = np.exp(joint, out=joint)
        total = parts @ np.ones(len(model))
        log_density = largest + np.log(total)
        trace.append(float(rows.weights @ log_density))
        settled = len(trace) > 1 and trace[-1] - trace[-2] < least
        if settled or len(trace) > n_turns:
            return FittedComponents(model, tuple(trace), settled)
        parts *= (rows.weights / total)[:, None]
        shares = parts
        model = _maximize(rows, shares, model, options)


def _largest(joint: Floats) -> Floats:
    """Return the largest entry of each row; column by column, which is faster for few columns."""
    if joint.shape[1] > _FEW_COLUMNS:
        return np.asarray(joint.max(axis=1))
    found = joint[:, 0].copy()
    for column in joint.T[1:]:
        np.maximum(found, column, out=found)
    return found


def log_sum(joint: Floats) -> Floats:
    """Return the logarithm of the summed exponentials of each row."""
    largest = joint.max(axis=1)
    return np.asarray(largest + np.log(np.exp(joint - largest[:, None]).sum(axis=1)))
