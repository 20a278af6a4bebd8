"""Mixtures: rows as draws from a few components, each a simple distribution.

1. Rows are put in canonical order, equal ones merged, so that nothing depends on their order.
2. Columns become standardized numbers and levels of categories (``_mixed_cells``).
3. Components are fitted by EM for each number of components and kind of covariance that is tried;
   the model of the least BIC is kept (``_mixture_fit``).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import ClassifierTags, Tags

from branchline._arrays import Floats, Ints
from branchline._base import Clusterer, Complexity, FittedState, reports_progress
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._memory import refuse_over_budget
from branchline._one_thread import one_thread
from branchline._plain_numbers import count
from branchline._state import malformed
from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole, check_seed
from branchline._warn import warn
from branchline.density._category_part import LevelRows
from branchline.density._gaussian_part import COVARIANCES
from branchline.density._mixed_cells import Cells, MixedCells, fit_mixed_cells
from branchline.density._mixture_fit import (
    Components,
    EMOptions,
    FittedComponents,
    MixtureRows,
    fit_components,
    log_sum,
)
from branchline.density._mixture_sample import draw_rows
from branchline.density._mixture_state import components_from_state, components_to_state
from branchline.density._mixture_words import describe_components
from branchline.errors import BranchlineWarning, Repair
from branchline.table import Schema, Table

__all__ = ["Mixture", "MixtureChoice"]

_PATIENCE = 3  # larger models in a row that may be worse before the search ends
_WIDE = 100  # numbers, from which on "auto" tries no covariances between them
_LEAST_VARIANCE = 1e-4


@dataclass(frozen=True)
class MixtureChoice:
    """A model that was tried: its size, kind of covariance, log likelihood and BIC.

    See Also
    --------
    Mixture

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import Mixture
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> len(Mixture(max_components=2).fit(X).choices_) > 1
    True
    """

    n_components: int
    covariance: str
    log_likelihood: float
    bic: float


class Mixture(Clusterer):
    """Describe any table as a mixture of a few kinds of rows, and say how many kinds there are.

    Numbers of a component are normal, with or without correlations; categories have shares.
    Within a component, categories are independent of each other and of the numbers. Missing cells
    are integrated out: a row counts with what is known of it.

    Rows that are not normal (skewed, rounded, bounded) need several components for one group, so
    the number of components is not always a number of groups.

    Parameters
    ----------
    n_components
        How many components: "auto" (default) takes the number of the least BIC, which may be 1.
    covariance
        "full" (each component its own), "tied" (one for all), "diagonal" (no correlations),
        "spherical" (one variance for all standardized numbers of a component), or "auto"
        (default): the kind of the least BIC.
    max_components
        The largest number that "auto" tries. Default 9.
    min_variance
        The least variance of a column in a component, as a share of the column's variance. "auto"
        (default): 0.0001, and never less than what rounding leaves: h²/12 for values h apart.
    n_restarts
        How many starts are tried. Default 10.
    tol
        EM ends when the mean log likelihood of a row rises by less. Default 1e-06.
    max_iter
        The largest number of turns of EM. Default 1000.
    random_state
        Seed of the starts. Default 0.

    Attributes
    ----------
    n_components_, covariance_
        What was chosen.
    weights_
        The share of rows of each component, the largest first.
    labels_
        The component of each training row; a loaded model does not have them.
    log_likelihood_, bic_, aic_
        Of the training rows, in the units of the table.
    choices_
        Every model that was tried (``MixtureChoice``); a loaded model does not have them.
    n_iter_
        How many turns of EM were made. Not saved.
    trace_
        The log likelihood after each turn of EM; it never falls. Not saved.

    See Also
    --------
    KMeans
    how_many

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import Mixture
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = Mixture(3, covariance="full").fit(X)
    >>> round(model.log_likelihood_, 1)
    -181.0
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": AnyOf((Whole(1, 1000), OneOf(("auto",)))),
        "covariance": OneOf(("auto", *COVARIANCES)),
        "max_components": Whole(1, 1000),
        "min_variance": AnyOf((Real(0, 1, low_open=True), OneOf(("auto",)))),
        "n_restarts": Whole(1, 10_000),
        "tol": Real(0),
        "max_iter": Whole(1, 1_000_000),
    }
    _tolerance = 1e-6
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"labels_", "choices_", "trace_", "n_iter_"})
    choices_: tuple[MixtureChoice, ...]
    n_iter_: int
    trace_: tuple[float, ...]
    log_likelihood_: float
    bic_: float
    _components: Components
    _cells: MixedCells

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        covariance: str = "auto",
        max_components: int = 9,
        min_variance: float | str = "auto",
        n_restarts: int = 10,
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.covariance = covariance
        self.max_components = max_components
        self.min_variance = min_variance
        self.n_restarts = n_restarts
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the components; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        rows, origins = canonical_rows_with_origins(data, merge=True)
        weights = rows.weights.of_rows(rows.table.n_rows)
        mixed, cells = fit_mixed_cells(rows.table, weights)
        table = self._rows_of(mixed, cells, weights)
        volume = float(weights @ mixed.log_volumes(cells))
        tried = list(self._tried(table, mixed, volume, check_seed(self.random_state)))
        best, choice = min(tried, key=lambda pair: pair[1].bic)
        self._warn_unsettled(best)
        model = best.model.by_weight()
        labels = table.log_joint(model).argmax(axis=1)
        self._finish(
            data,
            choices_=tuple(choice for _, choice in tried),
            n_iter_=len(best.trace) - 1 or 1,
            trace_=tuple(value - volume for value in best.trace),
            log_likelihood_=choice.log_likelihood,
            bic_=choice.bic,
            _components=model,
            _cells=mixed,
        )
        self.labels_ = self._labels_of_given(X, data, labels[origins.canonical_of_row])
        return self

    def _tried(
        self, rows: MixtureRows, mixed: MixedCells, volume: float, seed: int
    ) -> Iterator[tuple[FittedComponents, MixtureChoice]]:
        """Fit the models that are asked for, the smallest first."""
        n_rows = float(rows.weights.sum())
        least, n_worse = np.inf, 0
        for k in self._sizes(len(rows.weights)):
            worse = True
            for kind in self._kinds(mixed.n_numbers, k):
                options = EMOptions(
                    kind, self._floor(mixed), self.n_restarts, self.tol, self.max_iter, seed
                )
                fitted = fit_components(rows, k, options)
                likelihood = fitted.log_likelihood - volume
                n_free = fitted.model.n_parameters(len(mixed.n_levels))
                bic = n_free * np.log(max(n_rows, 1.0)) - 2 * likelihood
                yield fitted, MixtureChoice(k, kind, likelihood, float(bic))
                if bic < least:
                    least, worse = bic, False
            n_worse = n_worse + 1 if worse else 0
            if n_worse == _PATIENCE:
                return

    def _sizes(self, n_rows: int) -> range:
        if isinstance(self.n_components, str):
            return range(1, min(self.max_components, n_rows) + 1)
        wanted = min(int(self.n_components), n_rows)
        if wanted < self.n_components:
            warn(
                BranchlineWarning(
                    f"{count(int(self.n_components), 'component')} were asked for, but there are "
                    f"only {count(n_rows, 'different row')}: {wanted} will be fitted.",
                    code="W057",
                    repair=Repair(f"Mixture({wanted})"),
                )
            )
        return range(wanted, wanted + 1)

    def _kinds(self, n_numbers: int, n_components: int) -> tuple[str, ...]:
        if self.covariance != "auto":
            if self.covariance in ("full", "tied"):
                refuse_over_budget(24 * n_components * n_numbers**2, "the covariances")
            return (self.covariance,)
        if n_numbers < 2:
            return ("diagonal",)
        kinds = ("diagonal", "spherical") if n_numbers > _WIDE else COVARIANCES
        return tuple(kind for kind in kinds if n_components > 1 or kind != "tied")

    def _floor(self, mixed: MixedCells) -> Floats:
        if not isinstance(self.min_variance, str):
            return np.full(mixed.n_numbers, float(self.min_variance))
        return np.maximum(mixed.scales.step**2 / 12, _LEAST_VARIANCE)

    def _warn_unsettled(self, best: FittedComponents) -> None:
        if not best.settled:
            warn(
                BranchlineWarning(
                    f"After {self.max_iter} turns the likelihood still rises by more than "
                    f"{self.tol:g} a row.",
                    code="W058",
                    repair=Repair(f"Mixture(max_iter={10 * self.max_iter})"),
                )
            )

    # -- rows -------------------------------------------------------------------------------------

    @one_thread
    def _log_joint(self, X: Any) -> tuple[Floats, Floats]:
        """Return log π_k p(row | k), in standardized numbers, and what their units take off."""
        table = self._check_rows(X).table
        cells = self._cells.cells(table)
        rows = self._rows_of(self._cells, cells)
        return rows.log_joint(self._components), self._cells.log_volumes(cells)

    @staticmethod
    def _rows_of(mixed: MixedCells, cells: Cells, weights: Floats | None = None) -> MixtureRows:
        levels = LevelRows.of(cells.levels, mixed.n_levels)
        return MixtureRows.of(cells.numbers, levels, weights)

    def predict(self, X: Any) -> Ints:
        """Return the most probable component of each row; 0 is the heaviest component."""
        return np.asarray(self._log_joint(X)[0].argmax(axis=1)).astype(np.int64)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each component, given what is known of a row."""
        joint, _ = self._log_joint(X)
        return np.asarray(np.exp(joint - log_sum(joint)[:, None]))

    def score_samples(self, X: Any) -> Floats:
        """Return the log density of the known cells of each row, in the units of the table."""
        joint, volumes = self._log_joint(X)
        return log_sum(joint) - volumes

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log density of rows."""
        return float(self.score_samples(X).mean())

    def bic(self, X: Any) -> float:
        """Return p log n − 2 log L of rows; lower is better."""
        scores = self.score_samples(X)
        return float(self.n_parameters_ * np.log(len(scores)) - 2 * scores.sum())

    def aic(self, X: Any) -> float:
        """Return 2 p − 2 log L of rows; lower is better."""
        return float(2 * self.n_parameters_ - 2 * self.score_samples(X).sum())

    def sample(self, n_rows: int = 1, random_state: Any = 0) -> Table:
        """Draw rows; columns that do not vary, and identifiers, are not described and left out."""
        self._check_fitted()
        draws = np.random.default_rng(check_seed(random_state))
        return draw_rows(self._components, self._cells, self.schema_, n_rows, draws)

    # -- reading ----------------------------------------------------------------------------------

    @property
    def n_components_(self) -> int:
        """How many components there are."""
        return len(self._components)

    @property
    def covariance_(self) -> str:
        """The kind of covariance."""
        return self._components.gaussians.kind

    @property
    def weights_(self) -> Floats:
        """The share of rows of each component."""
        return self._components.weights

    @property
    def aic_(self) -> float:
        """The AIC of the training rows."""
        return 2 * self.n_parameters_ - 2 * self.log_likelihood_

    @property
    def n_parameters_(self) -> int:
        """How many free numbers the model has."""
        self._check_fitted()
        return self._components.n_parameters(len(self._cells.n_levels))

    @property
    def number_names_(self) -> list[str]:
        """The columns of numbers that the model describes, in the order of ``means_``."""
        return [self.schema_.names[place] for place in self._cells.scales.places]

    @property
    def means_(self) -> Floats:
        """The mean of each column of numbers in each component."""
        return self._cells.scales.in_units(self._components.gaussians.means)

    @property
    def covariances_(self) -> Floats:
        """The covariance matrix of the numbers of each component, in their units."""
        found = [self._components.gaussians.covariance(at) for at in range(self.n_components_)]
        units = self._cells.scales.units
        return np.stack(found) * np.outer(units, units)

    def describe(self) -> str:
        """Return each component in words: its share, its numbers, its categories."""
        self._check_fitted()
        return describe_components(self._components, self._cells, self.schema_)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, self.n_parameters_), "parameters")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags()  # what has probabilities is asked for them
        return tags

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "cells": self._cells.pack(),
            "log_likelihood": self.log_likelihood_,
            "bic": self.bic_,
            **components_to_state(self._components),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        packed = state.get("cells")
        if not isinstance(packed, dict):
            raise malformed("the scales of the table are missing")
        cells = MixedCells.unpack(packed, schema)
        return {"_cells": cells, **components_from_state(state, cells)}
