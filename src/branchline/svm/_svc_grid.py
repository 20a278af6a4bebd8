"""Choosing C and gamma by cross-validation, on one matrix of distances.

1. Rows are split into folds by class, in canonical order: neither row order nor chance matters, and
   equal rows stay together.
2. Squared distances are computed once; each gamma makes its kernel matrix of them.
3. For each gamma, all folds and pairs of classes are solved along the rising C, each from the last
   (``svm_resampling.hpp``).
4. The best mean score wins (the smallest C, then gamma, on ties); an ``SVC`` is fitted with it.

The encoding (scales, levels) is that of all rows; it never looks at the target.
"""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._class_weight import CLASS_WEIGHT, weigh_rows
from branchline._encoding._encoded import ENCODER
from branchline._explanation import Explanation
from branchline._intervals import Interval
from branchline._state import column_attributes, malformed
from branchline._validation import (
    Constraint,
    Flag,
    Given,
    OneOf,
    Real,
    TrainingData,
    Whole,
    count_threads,
)
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.kernels import RBF
from branchline.svm._grid_cells import GridCells, values_to_try
from branchline.svm._grid_scores import SCORES
from branchline.svm._grid_search import GridSearch
from branchline.svm._kernel_rows import KernelRows, kernel_rows
from branchline.svm._svc import SVC
from branchline.table import Schema, Table

__all__ = ["SVCGrid"]

_STRENGTHS = tuple(float(value) for value in np.logspace(-1, 3, 9))
_GAMMAS = tuple(float(value) for value in np.logspace(-2, 1, 7))
_LIST = Given((list, tuple, np.ndarray), "a list of numbers above 0")


class SVCGrid(Classifier):
    """Support vector classifier whose C and gamma are chosen by cross-validation, quickly.

    One matrix of distances serves all gammas, folds, pairs of classes and C. The kernel is "rbf".

    Parameters
    ----------
    C
        The strengths to try; None: nine from 0.1 to 1000.
    gamma
        Values of gamma to try; with ``relative_gamma`` they are multiplied by the value of
        gamma="scale". None: seven values from 0.01 to 10.
    relative_gamma
        Whether gammas are multiples of "scale".
    n_folds
        The number of folds.
    metric
        "accuracy", "balanced_accuracy", "f1_macro" or (two classes) "auc".
    class_weight, strategy, standardize, encoder, tol, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    scores_
        The mean score over folds: a row for each gamma, a column for each C.
    fold_scores_
        The score of each fold: gamma × C × fold.
    gammas_, strengths_
        What was tried.
    best_params_, best_score_, best_interval_
        The cell that won: C and gamma, its mean score, and that with a 95 % interval.
    best_estimator_
        The ``SVC`` fitted to all rows with it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.svm import SVCGrid
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = SVCGrid().fit(X, y)
    >>> model.scores_.shape, round(model.best_score_, 2)
    ((7, 9), 0.97)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "C": _LIST,
        "gamma": _LIST,
        "relative_gamma": Flag(),
        "n_folds": Whole(2, 1000),
        "metric": OneOf(tuple(SCORES)),
        "class_weight": CLASS_WEIGHT,
        "strategy": OneOf(("one_vs_one", "one_vs_rest")),
        "standardize": Flag(),
        "encoder": ENCODER,
        "tol": Real(0.0, low_open=True),
    }
    _opposite = "branchline.svm.SVR"
    _tolerance = SVC._tolerance
    _copies_of_columns_count = True

    best_estimator_: SVC
    scores_: Floats
    fold_scores_: Floats
    gammas_: Floats
    strengths_: Floats
    _n_rows: int

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        C: Any = None,
        gamma: Any = None,
        *,
        relative_gamma: bool = True,
        n_folds: int = 5,
        metric: str = "accuracy",
        class_weight: Any = None,
        strategy: str = "one_vs_one",
        standardize: bool = True,
        encoder: Any = None,
        tol: float = 1e-3,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.relative_gamma = relative_gamma
        self.n_folds = n_folds
        self.metric = metric
        self.class_weight = class_weight
        self.strategy = strategy
        self.standardize = standardize
        self.encoder = encoder
        self.tol = tol
        self.n_jobs = n_jobs

    def _n_steps(self) -> int | None:
        return None  # equal gammas are tried once

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Try every cell and fit the best one; rows of weight k count as k copies."""
        data = self._begin(X, y, sample_weight)
        self._refuse_curve_of_many(data.class_target.n_classes)
        strengths = values_to_try(self.C, _STRENGTHS, "C")
        gammas = values_to_try(self.gamma, _GAMMAS, "gamma")
        rows = self._rows(data)
        scale = float(rows.kernel.number_form.gamma) if self.relative_gamma else 1.0  # type: ignore[attr-defined]
        gammas = gammas * scale
        found = self._search(rows, gammas, strengths)
        cells = GridCells(gammas, strengths, found, data.table.n_rows)
        model = self._chosen(cells)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchlineWarning)  # of one class: warned of already
            model.fit(X, y, sample_weight)
        return self._finish(
            data,
            classes_=data.class_target.classes,
            best_estimator_=model,
            support_=model.support_,
            **cells.attributes(),
        )

    def _refuse_curve_of_many(self, n_classes: int) -> None:
        if self.metric == "auc" and n_classes > 2:
            raise ParameterError(
                f"metric='auc' is of two classes; there are {n_classes}.",
                code="P184",
                values=[self.metric],
                repair=Repair("model.set_params(metric='balanced_accuracy')"),
            )

    # -- searching ------------------------------------------------------------------------------

    def _rows(self, data: TrainingData) -> KernelRows:
        if self.encoder is not None:
            self.encoder._check_parameters()
        n_threads = count_threads(self.n_jobs, data.table.n_rows**2)
        return kernel_rows(
            data, RBF(), n_threads, standardize=bool(self.standardize), encoder=self.encoder
        )

    def _chosen(self, cells: GridCells) -> SVC:
        return SVC(
            cells.best_strength,
            gamma=cells.best_gamma,
            class_weight=self.class_weight,
            strategy=self.strategy,
            standardize=self.standardize,
            encoder=self.encoder,
            tol=self.tol,
            n_jobs=self.n_jobs,
        )

    def _search(self, rows: KernelRows, gammas: Floats, strengths: Floats) -> Floats:
        """Return the score of each gamma, C and fold."""
        search = GridSearch(
            rows,
            strengths,
            int(self.n_folds),
            weigh_rows(rows.weights, rows.data.class_target, self.class_weight),
            self.strategy,
            self.metric,
            float(self.tol),
        )
        found = []
        for some in search.groups(gammas):
            with self._step_of_fit("gammas"):
                found.append(search.scores_of(some))
        return np.concatenate(found)

    # -- the chosen model -----------------------------------------------------------------------

    @property
    def _cells(self) -> GridCells:
        return GridCells(self.gammas_, self.strengths_, self.fold_scores_, self._n_rows)

    @property
    def best_params_(self) -> dict[str, float]:
        """The C and gamma that won."""
        return {"C": self._cells.best_strength, "gamma": self._cells.best_gamma}

    @property
    def best_score_(self) -> float:
        """Its mean score over folds."""
        return self._cells.best_score

    @property
    def best_interval_(self) -> Interval:
        """Its mean score with the corrected 95 % interval of fold scores.

        The cell was chosen because its score is the highest, so the score is a little too good, and
        the interval does not know of the choice. ``compare`` assesses the choice on other rows.
        """
        return self._cells.best_interval

    def draw(self, ax: Any = None) -> Any:
        """Return the score of each C and gamma as a heat map, or draw it on axes of matplotlib."""
        from branchline.charts import drawn
        from branchline.charts.figures import draw_grid

        self._check_fitted()
        chart = draw_grid(
            self.scores_, self.gammas_.tolist(), self.strengths_.tolist(),
            names=("gamma", "C"), measure=self.metric,
        )  # fmt: skip
        return drawn(chart, ax)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the chosen model."""
        self._check_fitted()
        return self.best_estimator_.decision_function(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class on whose side each row is."""
        self._check_fitted()
        return self.best_estimator_.predict(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of ``classes_``."""
        self._check_fitted()
        return self.best_estimator_.predict_proba(X)

    def _complexity(self) -> Complexity:
        return self.best_estimator_._complexity()

    def _explain(self, row: Table) -> Explanation:
        return self.best_estimator_._explain(row)

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {"model": dict(self.best_estimator_._pack()), **self._cells.pack()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        cells, packed = GridCells.unpack(state), state.get("model")
        if not isinstance(packed, dict):
            raise malformed("a grid has no model")
        model = self._chosen(cells)
        fitted = model._unpack(packed, schema)
        model.__dict__.update(fitted, **column_attributes(schema))
        return {
            "classes_": model.classes_,
            "best_estimator_": model,
            "support_": model.support_,
            **cells.attributes(),
        }
