"""A mixture's parameters as packed values, and checked when they come back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._state import (
    are_frequencies,
    frequencies_from_state,
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline.density._gaussian_part import COVARIANCES, Gaussians
from branchline.density._mixed_cells import MixedCells
from branchline.density._mixture_fit import Components

__all__ = ["components_from_state", "components_to_state"]


def components_to_state(model: Components) -> dict[str, Any]:
    """Return the parameters as plain values."""
    return {
        "weights": model.weights,
        "kind": model.gaussians.kind,
        "means": model.gaussians.means.ravel(),
        "covariances": model.gaussians.covariances.ravel(),
        "level_shares": model.shares.ravel(),
    }


def components_from_state(state: Mapping[str, Any], cells: MixedCells) -> dict[str, Any]:
    """Check packed parameters and return the fitted attributes they stand for."""
    packed, kind, d = state.get("weights"), state.get("kind"), cells.n_numbers
    if not isinstance(packed, np.ndarray) or packed.ndim != 1 or not len(packed):
        raise malformed("there is no component")
    if kind not in COVARIANCES:
        raise malformed("the kind of covariance is not known")
    k = len(packed)
    weights = frequencies_from_state(state, "weights", length=k)
    means = numbers_from_state(state, "means", length=k * d).reshape(k, d)
    shape = {"full": (k, d, d), "tied": (d, d), "diagonal": (k, d), "spherical": (k,)}[kind]
    size = int(np.prod(shape))
    covariances = numbers_from_state(state, "covariances", length=size).reshape(shape)
    _check_covariances(kind, covariances)
    n_levels = cells.n_levels
    shares = numbers_from_state(state, "level_shares", length=k * sum(n_levels))
    shares = shares.reshape(k, sum(n_levels))
    parts = np.split(shares, np.cumsum(n_levels)[:-1], axis=1) if n_levels else []
    if not all(are_frequencies(part) and (part > 0).all() for part in parts):
        raise malformed("the shares of categories do not add up to 1")
    return {
        "_components": Components(weights, Gaussians(kind, means, covariances), shares),
        "log_likelihood_": number_from_state(state, "log_likelihood"),
        "bic_": number_from_state(state, "bic"),
    }


def _check_covariances(kind: str, covariances: Floats) -> None:
    if kind in ("diagonal", "spherical"):
        if not (covariances > 0).all():
            raise malformed("a variance is not above 0")
        return
    is_symmetric = bool((covariances == np.swapaxes(covariances, -1, -2)).all())
    try:
        np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError as error:
        raise malformed("a covariance is not positive") from error
    if not is_symmetric:
        raise malformed("a covariance is not symmetric")
