"""Choosing C, epsilon and the kernel of a regressor by cross-validation, on shared matrices.

1. Rows are split into folds in canonical order: neither row order nor chance matters, and equal
   rows stay together.
2. Each kernel gives one matrix for all folds, epsilons and C; those of RBF come from one matrix of
   squared distances (``_grid_grams``).
3. In each fold the C are solved in rising order, each from the last (``_grid_regression``).
4. The best mean score wins (the smallest C, then the first kernel and epsilon, on ties); an ``SVR``
   is fitted with it.

The encoding (scales, levels) is that of all rows; it never looks at the target.
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import Regressor, reports_progress
from branchline._validation import Constraint, OneOf
from branchline.svm._grid_cells import GridCells, Scale, values_to_try
from branchline.svm._grid_grams import GridGrams
from branchline.svm._grid_regression import ERRORS, GridRegression
from branchline.svm._kernel_grid import NUMBERS, KernelGrid
from branchline.svm._kernel_training import texts_as_table
from branchline.svm._svr import SVR

__all__ = ["SVRGrid"]

_EPSILONS = (0.03, 0.1, 0.3)


class SVRGrid(KernelGrid, Regressor):
    """Support vector regressor whose C, epsilon and kernel are chosen by cross-validation, quickly.

    One matrix of each kernel serves all folds, epsilons and C; one matrix of distances serves all
    gammas of the RBF kernel.

    Parameters
    ----------
    C
        The strengths to try; None (default): nine from 0.1 to 1000.
    gamma
        Values of gamma to try; with ``relative_gamma`` they are multiplied by the value of
        gamma="scale". None (default): seven values from 0.01 to 10.
    epsilon
        Values of epsilon to try, as in ``SVR``. None (default): 0.03, 0.1 and 0.3.
    kernel
        A kernel as in ``SVR``, or a list of them to try. Default "rbf".
    degree, coef0
        Values to try for kernels by name: a number, or a list of numbers. Defaults 3, 0.0.
    relative_gamma
        Whether gammas are multiples of "scale". Default True.
    n_folds
        The number of folds. Default 5.
    metric
        "rmse" (default), "mae" (errors: small is good) or "r2".
    standardize, encoder, tol, n_jobs
        As in ``SVR``.

    Attributes
    ----------
    scores_
        The mean score over folds: a row for each kernel and epsilon, a column for each C.
    fold_scores_
        The score of each fold: kernel and epsilon × C × fold.
    kernels_
        The kernel of each row of the scores, and its epsilon: its name (of several), gamma, degree,
        coef0.
    gammas_, epsilons_, strengths_
        What was tried: the gamma (0 where the kernel does not have one) and epsilon of each row,
        and C.
    best_params_, best_score_, best_interval_
        The cell that won: its parameters, its mean score, and that with a 95 % interval.
    best_estimator_
        The ``SVR`` fitted to all rows with it.

    See Also
    --------
    SVR

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.svm import SVRGrid
    >>> x = np.linspace(0, 6, 50)
    >>> model = SVRGrid(C=[1, 10, 100], epsilon=[0.01, 0.1]).fit(x[:, None], np.sin(x))
    >>> model.scores_.shape, model.predict([[1.5]]).round(1).tolist()
    ((14, 3), [1.0])
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **KernelGrid._grid_constraints,
        "epsilon": NUMBERS,
        "metric": OneOf(tuple(ERRORS)),
    }
    _opposite = "branchline.svm.SVCGrid"
    _tolerance = SVR._tolerance

    best_estimator_: SVR

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        C: Any = None,
        gamma: Any = None,
        *,
        epsilon: Any = None,
        kernel: Any = "rbf",
        degree: Any = 3,
        coef0: Any = 0.0,
        relative_gamma: bool = True,
        n_folds: int = 5,
        metric: str = "rmse",
        standardize: bool = True,
        encoder: Any = None,
        tol: float = 1e-3,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.relative_gamma = relative_gamma
        self.n_folds = n_folds
        self.metric = metric
        self.standardize = standardize
        self.encoder = encoder
        self.tol = tol
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Try every cell and fit the best one; rows of weight k count as k copies."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        strengths, epsilons = self._strengths(), values_to_try(self.epsilon, _EPSILONS, "epsilon")
        grams = self._grams(data, epsilons)
        found = self._search(grams, strengths)
        cells = GridCells(grams.settings, strengths, found, data.table.n_rows, self._scale)
        model = self._chosen(cells).fit(X, y, sample_weight)
        return self._finish(
            data, best_estimator_=model, support_=model.support_, **cells.attributes()
        )

    def _search(self, grams: GridGrams, strengths: Floats) -> Floats:
        """Return the score of each kernel (and epsilon), C and fold."""
        search = GridRegression(
            grams.rows,
            strengths,
            int(self.n_folds),
            self.metric,
            float(self.tol),
            bool(self.standardize),
        )
        found = []
        for some in grams.settings.runs():
            with self._step_of_fit("kernels"):
                (gram,) = grams.stack(some[:1].tolist())
                found.append(search.scores_of(gram, grams.settings.epsilons[some]))
        return np.concatenate(found)

    def _chosen(self, cells: GridCells) -> SVR:
        return SVR(
            cells.best_strength,
            epsilon=float(cells.settings.epsilons[cells.best[0]]),
            **self._best_kernel(cells),
            standardize=self.standardize,
            encoder=self.encoder,
            tol=self.tol,
            n_jobs=self.n_jobs,
        )

    @property
    def _scale(self) -> Scale:
        return ERRORS[self.metric][1]

    @property
    def epsilons_(self) -> Floats:
        """The epsilon of each row of the scores."""
        return self._cells.settings.epsilons

    def predict(self, X: Any) -> Floats:
        """Return the predicted number of each row."""
        self._check_fitted()
        return self.best_estimator_.predict(X)
