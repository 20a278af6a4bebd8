"""Axes that are sums of terms: what principal, sparse and independent components share.

An axis is a direction v in the prepared table; a row x lies at v·x on it. A row with missing cells
is placed by the cells that it has (``_components.place_rows``).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Bools, Floats
from branchline._base import Complexity, FittedState, Transformer
from branchline._plain_numbers import count, number
from branchline._prepared_table import Preparation
from branchline._result_frame import Library, result_frame
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Whole, check_parameters
from branchline.charts import Chart
from branchline.errors import ParameterError, Repair
from branchline.projection._biplot import draw_biplot, draw_correlation_circle
from branchline.projection._components import Axes, correlation_table, place_rows
from branchline.table import Schema

__all__ = ["LinearAxes"]

_MOST_TERMS = 6
_ROUNDING = 1e-12  # of the largest weight: what sums leave of 0


class LinearAxes(Transformer):
    """Root of projections whose axes are sums of standardized terms."""

    _tolerance = 1e-8
    _copies_of_columns_count = True
    components_: Floats
    _variances: Floats
    explained_variance_ratio_: Floats
    _preparation: Preparation
    _noise: float

    def transform(self, X: Any) -> Floats:
        """Return where each row lies on the axes; missing cells are left out of it."""
        matrix = self._preparation_of().matrix(self._check_rows(X).table)
        return self._scores(matrix) * self._preparation.unit

    def inverse_transform(self, X: Any) -> Floats:
        """Return the terms (``terms_``) that belong to places on the axes, in their units."""
        prepared = self._preparation_of()
        places = _checked_places(X, len(self.components_)) / prepared.unit
        return np.asarray(self._rebuilt(places) * prepared.scale + prepared.center)

    def reconstruction_error(self, X: Any) -> Floats:
        """Return the mean squared error of each row's known terms, rebuilt from its axes.

        Terms count as the axes see them: numbers in standard deviations (unless
        ``standardize=False``). The rows may be old or new.
        """
        errors, known, _ = self._errors(X)
        means = errors.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        return np.asarray(means * self._preparation.unit**2)

    def reconstructed_share(self, X: Any) -> float:
        """Return which share of the variance of old or new rows the axes rebuild, at most 1.

        The variance is that around the mean of the training rows, over the cells that are known.
        Below 0: the rows would be nearer to that mean than to what the axes make of them. NaN: no
        cell differs from it.
        """
        errors, _, squares = self._errors(X)
        total = float(squares.sum())
        return 1 - float(errors.sum()) / total if total > 0 else float("nan")

    def _errors(self, X: Any) -> tuple[Floats, Bools, Floats]:
        """Return squared errors of rebuilt terms, which are known, and squares of the terms."""
        matrix = self._preparation_of().matrix(self._check_rows(X).table)
        known = np.isfinite(matrix)
        rebuilt = self._rebuilt(self._scores(matrix))
        errors = np.where(known, matrix - rebuilt, 0.0) ** 2
        return errors, np.asarray(known), np.where(known, matrix, 0.0) ** 2

    def _scores(self, matrix: Floats) -> Floats:
        """Return where prepared rows lie on the axes."""
        return place_rows(matrix, Axes(self.components_.T, self._variances), self._noise)

    def _rebuilt(self, places: Floats) -> Floats:
        """Return the prepared terms that belong to places on the axes."""
        return np.asarray(places @ self.components_)

    # -- reading --------------------------------------------------------------------------------

    @property
    def explained_variance_(self) -> Floats:
        """The variance of each axis."""
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
        weights, names = self.components_[axis], self.terms_
        is_used = np.abs(weights) > _ROUNDING * np.abs(weights).max(initial=0.0)
        order = sorted(np.flatnonzero(is_used), key=lambda at: (-abs(weights[at]), names[at]))
        if not order:
            return "0"
        parts = [(float(weights[at]), names[at]) for at in order[:most]]
        text = "".join(
            f"{' + ' if weight >= 0 else ' − '}{_times(abs(weight), name)}"
            for weight, name in parts
        )
        text = text[3:] if text.startswith(" + ") else "−" + text[3:]
        return text + (" …" if len(order) > most else "")

    def inputs(self, n_inputs: int | None = None) -> list[str]:
        """Return columns chosen by their loadings: the heaviest of each axis, one after another.

        The first axis chooses the column of its largest loadings, the second its own among those
        that are left, and so on, from the first axis again when all have chosen (Jolliffe 1972).
        Rows differ most in these columns, which need not have anything to do with a target.

        Parameters
        ----------
        n_inputs
            How many columns; None: as many as axes.
        """
        preparation = self._preparation_of()
        allowed: dict[str, Constraint] = {"n_inputs": AnyOf((OneOf((None,)), Whole(1, 1_000_000)))}
        check_parameters("inputs", {"n_inputs": n_inputs}, allowed)
        columns = preparation.column_of_term(self.schema_)
        left = np.unique(columns)
        squares = np.array(
            [(self.components_[:, columns == column] ** 2).sum(axis=1) for column in left]
        )
        chosen: list[int] = []
        for turn in range(min(len(left), n_inputs or len(self.components_))):
            weights = squares[:, turn % len(self.components_)].copy()
            weights[chosen] = -1.0
            chosen.append(int(weights.argmax()))
        return [self.schema_.names[left[at]] for at in chosen]

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

    def correlations(self, X: Any) -> Floats:
        """Return the correlation of each axis (rows) with each term (columns) over some rows.

        A missing cell is left out of the correlations of its term.
        """
        matrix = self._preparation_of().matrix(self._check_rows(X).table)
        return correlation_table(self._scores(matrix), matrix)

    def correlation_circle(self, X: Any) -> Chart:
        """Draw how strongly each term correlates with the first two axes over some rows.

        A term whose arrow reaches the circle is a sum of these two axes alone.
        """
        return draw_correlation_circle(self, self.correlations(X))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each axis: "axis1", "axis2" and so on."""
        self._check_fitted()
        return np.array([f"axis{at + 1}" for at in range(len(self.components_))], dtype=object)

    def _preparation_of(self) -> Preparation:
        self._check_fitted()
        return self._preparation

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
        longest = 1.0 + _ROUNDING  # directions have the length 1
        directions = numbers_from_state(
            state, "directions", length=width * n_terms, low=-longest, high=longest
        )
        return {
            "components_": directions.reshape(width, n_terms),
            "_variances": variances,
            "explained_variance_ratio_": numbers_from_state(state, "ratio", length=width, low=0.0),
            "_preparation": preparation,
            "_noise": noise,
        }


def _checked_places(X: Any, n_axes: int) -> Floats:
    places = np.asarray(X, dtype=np.float64)
    if places.ndim != 2 or places.shape[1] != n_axes or not np.isfinite(places).all():
        raise ParameterError(
            f"Places need {count(n_axes, 'number')} for each row, none of them missing; got an "
            f"array of shape {places.shape}.",
            code="P741",
            values=[places.shape],
            repair=Repair("model.inverse_transform(model.transform(X))"),
        )
    return places


def _times(weight: float, name: str) -> str:
    return name if weight == 1.0 else f"{number(weight, 2)}·{name}"
