"""Principal components: the directions in which the rows of a table differ most.

1. Rows are put in canonical order, equal ones merged, so that nothing depends on their order.
2. The table becomes centered numbers (``_prepared_table``); missing cells stay missing.
3. Missing cells are filled by the axes themselves, and the axes are found (``_components``).
4. Rules say how many axes there are (``_how_many_axes``).
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats, Places
from branchline._base import Complexity, FittedState, Transformer, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._plain_numbers import number
from branchline._result_frame import Library, result_frame
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._validation import AnyOf, Constraint, Flag, OneOf, Real, Whole, check_seed
from branchline.charts import Chart
from branchline.projection._biplot import draw_biplot
from branchline.projection._components import Axes, axes_of, filled_by_axes, place_rows
from branchline.projection._how_many_axes import AxisCounts, count_axes
from branchline.projection._prepared_table import Preparation, fit_preparation
from branchline.table import Schema

__all__ = ["PCA"]

_MOST_TERMS = 6
_FEWEST = 2  # axes can be drawn
_TINY = 1e-300
_RULES = ("auto", "above_average", "knee")


class PCA(Transformer):
    """Turn each row of any table into a few numbers that keep most of what differs between rows.

    Numbers, categories and dates may be mixed, and cells may be missing: missing cells are neither
    filled with means nor dropped, but take the value that the axes suggest. ``counts_`` says how
    many axes the table has, and whether it has any beyond chance.

    The first axes need not have anything to do with a target: they show where rows differ most.

    Parameters
    ----------
    n_components
        How many axes are kept: "auto" (default: those beyond chance, at least two), a number, a
        share of the variance between 0 and 1, "above_average" (Kaiser's rule) or "knee".
    standardize
        Whether numbers are divided by their standard deviation. False keeps their units: a column
        of large numbers then decides.
    random_state
        Seed of the tables without structure that "beyond chance" is measured by.

    Attributes
    ----------
    components_
        The direction of each axis: one row for each axis, one column for each term.
    explained_variance_, explained_variance_ratio_
        The variance of each axis, and its share of the whole.
    terms_
        What the numbers of a direction stand for: columns, or categories of columns.
    counts_
        What each rule says of how many axes there are, missing cells counting as the mean; can be
        printed and drawn. A loaded model does not have it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.projection import PCA
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = PCA(2).fit(X)
    >>> model.explained_variance_ratio_.round(2).tolist()
    [0.73, 0.23]
    >>> model.formula(0)
    '0.58·petal_length + 0.57·petal_width + 0.52·sepal_length − 0.26·sepal_width'
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": AnyOf((Whole(1, 100_000), Real(0, 1, low_open=True), OneOf(_RULES))),
        "standardize": Flag(),
    }
    _tolerance = 1e-8
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"counts_"})
    components_: Floats
    _variances: Floats
    explained_variance_ratio_: Floats
    counts_: AxisCounts
    _preparation: Preparation
    _noise: float

    def __init__(
        self,
        n_components: int | float | str = "auto",
        *,
        standardize: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.standardize = standardize
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the axes; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        rows = canonical_rows(data, merge=True)
        weights = rows.weights.of_rows(rows.table.n_rows)
        preparation, matrix = fit_preparation(rows, weights, standardize=self.standardize)
        seed = check_seed(self.random_state)
        places = preparation.column_of_term(rows.table.schema)
        every, counts = self._axes(matrix, weights, places, seed)
        n_axes = self._n_kept(every, counts)
        return self._finish(
            data,
            components_=np.ascontiguousarray(every.directions[:, :n_axes].T),
            _variances=every.variances[:n_axes],
            explained_variance_ratio_=every.variances[:n_axes] / max(every.variances.sum(), _TINY),
            counts_=counts,
            _preparation=preparation,
            _noise=every.noise_beyond(n_axes),
        )

    def _axes(
        self, matrix: Floats, weights: Floats, places: Places, seed: int
    ) -> tuple[Axes, AxisCounts]:
        """Return all axes, and how many of them there are by each rule.

        Cells that the axes have filled agree with the axes by construction, so the rules see the
        mean in place of a missing cell: else noise would have axes.
        """
        filled = np.where(np.isfinite(matrix), matrix, 0.0)
        every = axes_of(filled, weights)
        counts = count_axes(filled, weights, every, places, seed)
        if np.isfinite(matrix).all():
            return every, counts
        filled = filled_by_axes(matrix, weights, self._n_kept(every, counts))
        return axes_of(filled - weights @ filled / weights.sum(), weights), counts

    def _n_kept(self, every: Axes, counts: AxisCounts) -> int:
        wanted, most = self.n_components, len(every.variances)
        if isinstance(wanted, str):
            if wanted == "auto":
                return min(most, max(_FEWEST, counts.beyond_chance))
            return min(most, max(1, int(getattr(counts, wanted))))
        if isinstance(wanted, float | np.floating) and wanted < 1:
            held = np.cumsum(every.variances) / max(every.variances.sum(), _TINY)
            return min(most, int(np.searchsorted(held, wanted * (1 - 1e-12))) + 1)
        return min(most, int(wanted))

    def transform(self, X: Any) -> Floats:
        """Return where each row lies on the axes; missing cells are left out of it."""
        matrix = self._preparation_of().matrix(self._check_rows(X).table)
        placed = place_rows(matrix, self._kept_axes(), self._noise)
        return placed * self._preparation.unit

    def inverse_transform(self, X: Any) -> Floats:
        """Return the terms (``terms_``) that belong to places on the axes, in their units."""
        prepared = self._preparation_of()
        places = np.asarray(X, dtype=np.float64) / prepared.unit
        return np.asarray((places @ self.components_) * prepared.scale + prepared.center)

    def reconstruction_error(self, X: Any) -> Floats:
        """Return the mean squared error of each row's known terms, rebuilt from its axes."""
        matrix = self._preparation_of().matrix(self._check_rows(X).table)
        rebuilt = place_rows(matrix, self._kept_axes(), self._noise) @ self.components_
        known = np.isfinite(matrix)
        errors = np.where(known, matrix - rebuilt, 0.0) ** 2
        return np.asarray(errors.sum(axis=1) / np.maximum(known.sum(axis=1), 1))

    # -- reading --------------------------------------------------------------------------------

    @property
    def explained_variance_(self) -> Floats:
        """The variance of each axis, the largest first."""
        return self._variances * self._preparation_of().unit ** 2

    @property
    def terms_(self) -> list[str]:
        """What the numbers of a direction stand for."""
        return self._preparation_of().names

    def loadings(self, library: Library = "pandas") -> Any:
        """Return the directions as a frame: one row for each term, one column for each axis."""
        names = self.get_feature_names_out()
        columns: dict[str, Any] = {"term": self.terms_}
        columns |= {str(name): row for name, row in zip(names, self.components_, strict=True)}
        return result_frame(columns, library)

    def formula(self, axis: int = 0, most: int = _MOST_TERMS) -> str:
        """Return one axis as a sum of (standardized) terms, the largest first."""
        self._check_fitted()
        weights = self.components_[axis]
        order = sorted(range(len(weights)), key=lambda at: (-abs(weights[at]), self.terms_[at]))
        parts = [(float(weights[at]), self.terms_[at]) for at in order[:most]]
        text = "".join(
            f"{' + ' if weight >= 0 else ' − '}{number(abs(weight), 2)}·{name}"
            for weight, name in parts
        )
        text = text[3:] if text.startswith(" + ") else "−" + text[3:]
        return text + (" …" if len(order) > most else "")

    def biplot(self, X: Any, color: Sequence[Any] | None = None) -> Chart:
        """Draw rows on the first two axes, with arrows for the terms that differ most along them.

        Parameters
        ----------
        X
            The rows to draw.
        color
            A value for each row (a class, a number): rows are colored by it.
        """
        return draw_biplot(self, self.transform(X), color)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each axis: "axis1", "axis2" and so on."""
        self._check_fitted()
        return np.array([f"axis{at + 1}" for at in range(len(self.components_))], dtype=object)

    def _preparation_of(self) -> Preparation:
        self._check_fitted()
        return self._preparation

    def _kept_axes(self) -> Axes:
        return Axes(self.components_.T, self._variances)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.components_)), "axes")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "preparation": self._preparation.pack(),
            "directions": self.components_.ravel(),
            "variance": self._variances,
            "ratio": self.explained_variance_ratio_,
            "noise": self._noise,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        packed = state.get("preparation")
        if not isinstance(packed, dict):
            raise malformed("the preparation of the table is missing")
        preparation = Preparation.unpack(packed, schema)
        variance, n_terms = state.get("variance"), int(preparation.kept.sum())
        width = len(variance) if isinstance(variance, np.ndarray) and variance.ndim == 1 else 0
        noise = number_from_state(state, "noise")
        variances = numbers_from_state(state, "variance", length=width)
        if not width or noise < 0 or (variances < 0).any():
            raise malformed("variances are below 0, or there are none")
        directions = numbers_from_state(state, "directions", length=width * n_terms)
        return {
            "components_": directions.reshape(width, n_terms),
            "_variances": variances,
            "explained_variance_ratio_": numbers_from_state(state, "ratio", length=width, low=0.0),
            "_preparation": preparation,
            "_noise": noise,
        }
