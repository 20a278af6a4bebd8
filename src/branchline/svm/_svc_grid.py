"""Choosing C and the kernel of a classifier by cross-validation, on matrices computed once.

1. Rows are split into folds by class, in canonical order: neither row order nor chance matters, and
   equal rows stay together.
2. Each kernel gives one matrix for all folds; those of RBF come from one matrix of squared
   distances (``_grid_grams``).
3. For each matrix, all folds and pairs of classes are solved along the rising C, each from the last
   (``svm_resampling.hpp``).
4. The best mean score wins (the smallest C, then the first kernel, on ties); an ``SVC`` is fitted
   with it.

The encoding (scales, levels) is that of all rows; it never looks at the target.
"""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Classifier, FittedState, reports_progress
from branchline._class_weight import CLASS_WEIGHT, weigh_rows
from branchline._validation import Constraint, OneOf
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.svm._grid_cells import GridCells
from branchline.svm._grid_grams import GridGrams
from branchline.svm._grid_scores import SCORES
from branchline.svm._grid_search import GridSearch
from branchline.svm._kernel_grid import KernelGrid
from branchline.svm._kernel_training import texts_as_table
from branchline.svm._svc import SVC
from branchline.table import Schema

__all__ = ["SVCGrid"]


class SVCGrid(KernelGrid, Classifier):
    """Support vector classifier whose C and kernel are chosen by cross-validation, quickly.

    One matrix of each kernel serves all folds, pairs of classes and C; one matrix of distances
    serves all gammas of the RBF kernel.

    Parameters
    ----------
    C
        The strengths to try; None (default): nine from 0.1 to 1000.
    gamma
        Values of gamma to try; with ``relative_gamma`` they are multiplied by the value of
        gamma="scale". None (default): seven values from 0.01 to 10.
    kernel
        A kernel as in ``SVC``, or a list of them to try. Default "rbf".
    degree, coef0
        Values to try for kernels by name: a number, or a list of numbers. Defaults 3, 0.0.
    relative_gamma
        Whether gammas are multiples of "scale". Default True.
    n_folds
        The number of folds. Default 5.
    metric
        "accuracy" (default), "balanced_accuracy", "f1_macro" or (two classes) "auc".
    class_weight, strategy, standardize, encoder, tol, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    scores_
        The mean score over folds: a row for each kernel, a column for each C.
    fold_scores_
        The score of each fold: kernel × C × fold.
    kernels_
        The kernel of each row of the scores: its name (of several), gamma, degree, coef0.
    gammas_, strengths_
        What was tried: the gamma of each row (0 where the kernel does not have one), and C.
    best_params_, best_score_, best_interval_
        The cell that won: C and its kernel's parameters, its mean score, and that with a 95 %
        interval.
    best_estimator_
        The ``SVC`` fitted to all rows with it.

    See Also
    --------
    SVC

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
        **KernelGrid._grid_constraints,
        "metric": OneOf(tuple(SCORES)),
        "class_weight": CLASS_WEIGHT,
        "strategy": OneOf(("one_vs_one", "one_vs_rest")),
    }
    _opposite = "branchline.svm.SVRGrid"
    _tolerance = SVC._tolerance
    # Files of earlier versions do not have them.
    _added_parameters: ClassVar[dict[str, Any]] = {"kernel": "rbf", "degree": 3, "coef0": 0.0}

    best_estimator_: SVC

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        C: Any = None,
        gamma: Any = None,
        *,
        kernel: Any = "rbf",
        degree: Any = 3,
        coef0: Any = 0.0,
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
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.relative_gamma = relative_gamma
        self.n_folds = n_folds
        self.metric = metric
        self.class_weight = class_weight
        self.strategy = strategy
        self.standardize = standardize
        self.encoder = encoder
        self.tol = tol
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Try every cell and fit the best one; rows of weight k count as k copies."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        self._refuse_curve_of_many(data.class_target.n_classes)
        strengths, grams = self._strengths(), self._grams(data, np.zeros(1))
        found = self._search(grams, strengths)
        cells = GridCells(grams.settings, strengths, found, data.table.n_rows, self._scale)
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

    def _chosen(self, cells: GridCells) -> SVC:
        return SVC(
            cells.best_strength,
            **self._best_kernel(cells),
            class_weight=self.class_weight,
            strategy=self.strategy,
            standardize=self.standardize,
            encoder=self.encoder,
            tol=self.tol,
            n_jobs=self.n_jobs,
        )

    def _search(self, grams: GridGrams, strengths: Floats) -> Floats:
        """Return the score of each kernel, C and fold."""
        rows = grams.rows
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
        for some in search.groups(len(grams.settings)):
            with self._step_of_fit("kernels"):
                found.append(search.scores_of(grams.stack(some)))
        return np.concatenate(found)

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

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = super()._unpack(state, schema)
        return {"classes_": fitted["best_estimator_"].classes_, **fitted}
