"""A fitted Gaussian process: from learned parameters to attributes, and to model files."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._base import FittedState
from branchline._folds import fold_rows
from branchline._state import (
    array_from_state,
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline._validation import TrainingData
from branchline.kernels import Points
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._margin_regressor import TargetUnits
from branchline.svm._support_rows import SupportRows
from branchline.svm.gaussian._inducing import inducing_places
from branchline.svm.gaussian._marginal_likelihood import noise_of
from branchline.svm.gaussian._posterior import (
    LeftOut,
    Posterior,
    exact_posterior,
    sparse_posterior,
)
from branchline.svm.gaussian._spread import Spread
from branchline.table import Schema

__all__ = ["FittedProcess", "fitted_process"]

_LARGEST = 1e300
_CANDIDATES = 10_000  # rows that inducing ones are taken from


@dataclass(frozen=True, eq=False)
class FittedProcess:
    """The posterior, each row predicted by the others, and the variance of the noise."""

    places: Any
    posterior: Posterior
    left_out: LeftOut
    targets: Floats
    noise: float

    def attributes(self, rows: KernelRows, units: TargetUnits, data: TrainingData) -> FittedState:
        """Return the fitted attributes, in units of the target."""
        support = SupportRows.of(rows, self.places, data.kept_rows, is_single=False)
        left, errors = self.left_out, self.targets - self.left_out.means
        deviations = np.sqrt(left.variances + self.noise)
        of_row = rows.origins.canonical_of_row
        mean = float(rows.weights @ errors**2 / rows.weights.sum())
        return {
            **support.attributes(),
            "dual_coef_": self.posterior.coefficients,
            "noise_": float(np.sqrt(self.noise)) * units.scale,
            "log_marginal_likelihood_": left.log_likelihood,
            "loo_predictions_": (units.middle + units.scale * left.means)[of_row],
            "loo_std_": (units.scale * deviations)[of_row],
            "loo_error_": _squared(mean, units.scale),
            "_posterior": self.posterior,
            "_units": units,
            "_spread": Spread.of(errors, deviations, rows.weights),
        }

    @staticmethod
    def pack(model: Any) -> FittedState:
        """Return a fitted model as plain values."""
        posterior, none = model._posterior, np.zeros(0)
        return {
            **model._support.pack(),
            "dual_coef": model.dual_coef_,
            "noise_of_rows": none if posterior.noise is None else posterior.noise,
            "inner": none if posterior.inner is None else np.tril(posterior.inner).ravel(),
            "noise": model.noise_,
            "log_marginal_likelihood": model.log_marginal_likelihood_,
            "loo_error": np.array([model.loo_error_]),
            "middle": model._units.middle,
            "scale": model._units.scale,
            "spread": model._spread.sizes,
            "spread_weights": model._spread.weights,
        }

    @staticmethod
    def unpack(state: FittedState, schema: Schema) -> FittedState:
        """Check packed values and return the fitted attributes."""
        support = SupportRows.unpack(state, schema)
        names = ("noise", "log_marginal_likelihood", "middle", "scale")
        numbers = {name: number_from_state(state, name) for name in names}
        if numbers["scale"] <= 0 or numbers["noise"] < 0:
            raise malformed("the scale of a target or its noise is out of range")
        n_rows = len(support)
        coefficients = numbers_from_state(state, "dual_coef", length=n_rows)
        posterior = _posterior_from_state(state, support, coefficients)
        error = array_from_state(state, "loo_error", np.dtype(np.float64), length=1)
        if error[0] < 0 or np.isinf(error[0]):  # NaN: of a single row it is not known
            raise malformed("a squared error is below 0 or infinite")
        return {
            **support.attributes(),
            "dual_coef_": coefficients,
            "noise_": numbers["noise"],
            "log_marginal_likelihood_": numbers["log_marginal_likelihood"],
            "loo_error_": float(error[0]),
            "_posterior": posterior,
            "_units": TargetUnits(numbers["middle"], numbers["scale"]),
            "_spread": _spread_from_state(state),
        }


def fitted_process(
    rows: KernelRows, targets: Floats, noise: float, n_inducing: int
) -> FittedProcess:
    """Return the posterior of rows whose kernel has its parameters."""
    of_rows = noise_of(noise, rows.weights)
    part = 1.0 / fold_rows(rows.data).copies
    places = np.arange(len(rows))
    if n_inducing >= len(rows):
        posterior, left = exact_posterior(rows.kernel, rows.points, targets, of_rows, part)
    else:
        candidates = rows.points.take(slice(_CANDIDATES))
        places = inducing_places(rows.kernel, candidates, n_inducing, rows.n_threads)
        both = (rows.points.take(places), rows.points)
        # A process without noise would have to pass through rows that nothing stands for.
        of_rows = np.maximum(of_rows, 1e-10)
        posterior, left = sparse_posterior(
            rows.kernel, both, targets, of_rows, part, rows.n_threads
        )
    return FittedProcess(places, posterior, left, targets, noise)


def _squared(mean: float, scale: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.minimum(np.float64(mean) * scale * scale, _LARGEST))


def _posterior_from_state(
    state: FittedState, support: SupportRows, coefficients: Floats
) -> Posterior:
    packed, n_rows = state.get("inner"), len(support)
    is_sparse = isinstance(packed, np.ndarray) and len(packed) > 0
    points: Points = support.points
    if not is_sparse:
        noise = numbers_from_state(state, "noise_of_rows", length=n_rows, low=0.0)
        numbers_from_state(state, "inner", length=0)
        return Posterior(support.kernel, points, coefficients, noise, None)
    numbers_from_state(state, "noise_of_rows", length=0)
    inner = numbers_from_state(state, "inner", length=n_rows * n_rows).reshape(n_rows, n_rows)
    if (np.diag(inner) <= 0).any() or (np.triu(inner, 1) != 0).any():
        raise malformed("a factor is not triangular, or has no inverse")
    return Posterior(support.kernel, points, coefficients, None, np.asfortranarray(inner))


def _spread_from_state(state: FittedState) -> Spread:
    packed = state.get("spread")
    length = len(packed) if isinstance(packed, np.ndarray) else 0
    sizes = numbers_from_state(state, "spread", length=length, low=0.0)
    weights = numbers_from_state(state, "spread_weights", length=length, low=0.0)
    if (weights <= 0).any() or (np.diff(sizes) < 0).any():
        raise malformed("errors of rows left out do not rise, or weigh nothing")
    return Spread(sizes, weights)
