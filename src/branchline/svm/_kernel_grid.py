"""What grids of support vector machines share: what is tried, the best cell, the chosen model."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from branchline._arrays import Floats
from branchline._base import Complexity, Estimator, FittedState
from branchline._encoding._encoded import ENCODER
from branchline._explanation import Explanation
from branchline._intervals import Interval
from branchline._state import column_attributes, malformed
from branchline._validation import Constraint, Flag, Given, Real, TrainingData, Whole, count_threads
from branchline.svm._grid_cells import GridCells, Scale, values_to_try
from branchline.svm._grid_grams import GridGrams, rows_of_grid
from branchline.svm._grid_kernels import (
    COEF0,
    DEGREE,
    GRID_KERNEL,
    listed_kernels,
    settings_of,
)
from branchline.svm._kernel_score import fitted_or_absent
from branchline.table import Schema, Table

__all__ = ["NUMBERS", "KernelGrid"]

_STRENGTHS = tuple(float(value) for value in np.logspace(-1, 3, 9))
_GAMMAS = tuple(float(value) for value in np.logspace(-2, 1, 7))
NUMBERS = Given((list, tuple, np.ndarray), "a list of numbers above 0")


class KernelGrid(Estimator):
    """A support vector machine whose kernel and C are chosen by cross-validation."""

    _grid_constraints: ClassVar[dict[str, Constraint]] = {
        "C": NUMBERS,
        "gamma": NUMBERS,
        "kernel": GRID_KERNEL,
        "degree": DEGREE,
        "coef0": COEF0,
        "relative_gamma": Flag(),
        "n_folds": Whole(2, 1000),
        "standardize": Flag(),
        "encoder": ENCODER,
        "tol": Real(0.0, low_open=True),
    }
    _copies_of_columns_count = True

    C: Any
    gamma: Any
    kernel: Any
    degree: Any
    coef0: Any
    relative_gamma: bool
    n_folds: int
    metric: str
    standardize: bool
    encoder: Any
    n_jobs: int | None
    best_estimator_: Any
    scores_: Floats
    fold_scores_: Floats
    gammas_: Floats
    strengths_: Floats
    _cells: GridCells

    def _n_steps(self) -> int | None:
        return None  # equal values are tried once

    @abstractmethod
    def _chosen(self, cells: GridCells) -> Any:
        """Return the model of the best cell, not fitted."""

    @property
    def _scale(self) -> Scale:
        """The bounds of the metric."""
        return Scale()

    # -- what is tried --------------------------------------------------------------------------

    def _strengths(self) -> Floats:
        return values_to_try(self.C, _STRENGTHS, "C")

    def _grams(self, data: TrainingData, epsilons: Floats) -> GridGrams:
        """Return the kernels to try, on the rows that all of them see."""
        gammas, listed = values_to_try(self.gamma, _GAMMAS, "gamma"), listed_kernels(self.kernel)
        settings = settings_of(listed, gammas, self.degree, self.coef0, epsilons.tolist())
        if self.encoder is not None:
            self.encoder._check_parameters()
        n_threads = count_threads(self.n_jobs, data.table.n_rows**2)
        prepared = {"standardize": bool(self.standardize), "encoder": self.encoder}
        rows = rows_of_grid(data, listed, n_threads, **prepared)
        if self.relative_gamma and settings.gammas.any():
            scale = float(rows.kernel.number_form.gamma)  # type: ignore[attr-defined]
            settings = replace(settings, gammas=settings.gammas * scale)
        return GridGrams(rows, data, settings, **prepared)

    # -- the chosen model -----------------------------------------------------------------------

    def _best_kernel(self, cells: GridCells) -> dict[str, Any]:
        """Return the kernel of the best cell as parameters of a machine."""
        settings, (k, _) = cells.settings, cells.best
        return {"kernel": settings.listed[settings.member[k]], **settings.own(k)}

    @property
    def kernels_(self) -> list[dict[str, Any]]:
        """The kernel of each row of the scores: its name (of several) and its parameters."""
        fitted_or_absent(self)
        settings = self._cells.settings
        return [settings.told(k) for k in range(len(settings))]

    @property
    def best_params_(self) -> dict[str, Any]:
        """C and the parameters of the kernel that won."""
        fitted_or_absent(self)
        return {"C": self._cells.best_strength, **self._cells.settings.told(self._cells.best[0])}

    @property
    def best_score_(self) -> float:
        """Its mean score over folds."""
        fitted_or_absent(self)
        return self._cells.best_score

    @property
    def best_interval_(self) -> Interval:
        """Its mean score with the corrected 95 % interval of fold scores.

        The cell was chosen because its score is the best, so the score is a little too good, and
        the interval does not know of the choice. ``compare`` assesses the choice on other rows.
        """
        fitted_or_absent(self)
        return self._cells.best_interval

    def draw(self, ax: Any = None) -> Any:
        """Return the score of each kernel and C as a heat map, or draw it on axes of matplotlib."""
        from branchline.charts import drawn
        from branchline.charts.figures import draw_grid

        self._check_fitted()
        told = self.kernels_
        is_gamma = all(list(one) == ["gamma"] for one in told)
        rows = self.gammas_.tolist() if is_gamma else [_in_words(one) for one in told]
        chart = draw_grid(
            -self.scores_ if self._scale.is_error else self.scores_,
            rows, self.strengths_.tolist(),
            names=("gamma" if is_gamma else "kernel", "C"),
            measure=f"−{self.metric}" if self._scale.is_error else self.metric,
        )  # fmt: skip
        return drawn(chart, ax)

    def _complexity(self) -> Complexity:
        complexity: Complexity = self.best_estimator_._complexity()
        return complexity

    def _explain(self, row: Table) -> Explanation:
        explanation: Explanation = self.best_estimator_._explain(row)
        return explanation

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {"model": dict(self.best_estimator_._pack()), **self._cells.pack()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        cells = GridCells.unpack(state, listed_kernels(self.kernel), self._scale)
        packed = state.get("model")
        if not isinstance(packed, dict):
            raise malformed("a grid has no model")
        model = self._chosen(cells)
        fitted = model._unpack(packed, schema)
        model.__dict__.update(fitted, **column_attributes(schema))
        return {
            "best_estimator_": model,
            "support_": model.support_,
            **cells.attributes(),
        }


def _in_words(told: dict[str, Any]) -> str:
    """Return a row of the scores as text: "poly, degree 2"."""
    kernel = [str(told["kernel"])] if "kernel" in told else []
    numbers = [f"{name} {value:.3g}" for name, value in told.items() if name != "kernel"]
    return ", ".join(kernel + numbers) or "one kernel"
