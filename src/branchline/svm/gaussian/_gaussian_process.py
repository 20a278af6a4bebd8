"""Gaussian-process regression on any table, exact and sparse.

    y = f(x) + noise,    f a Gaussian process with covariance k(x, x′),    noise ~ N(0, σ²)

1. Rows are put in canonical order, equal ones merged; numbers and the target are standardized.
2. The kernel's parameters and σ² are those of the largest marginal likelihood (``_learning``).
3. The posterior is exact, or that of inducing rows (``_posterior``).
4. Each row is predicted without itself; intervals reach as far as these errors did (``_spread``).
   Where there are few rows for each parameter, parameters are learned without it as well
   (``_fold_errors``).
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Regressor, reports_progress
from branchline._explanation import Explanation
from branchline._one_thread import one_thread
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    Real,
    Whole,
    check_parameters,
    check_seed,
    count_threads,
)
from branchline.encoding import TableEncoder
from branchline.kernels import FittedKernel, trainable
from branchline.svm._kernel_training import KERNEL_PARAMETERS, texts_as_table
from branchline.svm._margin_regressor import TargetUnits, target_in_units
from branchline.svm._support_rows import SupportRows, explain_kernel_row
from branchline.svm.gaussian._fitted_process import FittedProcess, fitted_process
from branchline.svm.gaussian._fold_errors import fold_errors, has_few_rows
from branchline.svm.gaussian._learning import START_NOISE, learned
from branchline.svm.gaussian._marginal_likelihood import Problem
from branchline.svm.gaussian._posterior import Posterior
from branchline.svm.gaussian._process_rows import KERNELS, process_rows
from branchline.svm.gaussian._process_words import length_scales, process_as_text
from branchline.svm.gaussian._spread import Spread
from branchline.table import Schema

__all__ = ["GaussianProcessRegressor"]

_MOST_EXACT, _INDUCING = 5000, 512


class GaussianProcessRegressor(Regressor):
    """Predict numbers with a Gaussian process: smooth curves with an honest width.

    Use it on tables of up to a few thousand rows where you want to know how sure each prediction
    is. It takes any table as it is: numbers are standardized, categories match or do not, missing
    values are filled and marked. It learns how much each column matters.

    The kernel's parameters and the noise maximize the marginal likelihood. Up to 5 000 different
    rows the process is exact; beyond, 512 inducing rows stand for all. Use
    ``GradientBoostingRegressor`` on large tables that you do not need intervals for.

    Parameters
    ----------
    kernel
        "auto" (default): RBF with a length scale for each column ("ard") where there are at least
        five rows for each column, one length scale for all ("rbf") otherwise. Or the name of a
        kernel, which gets a factor to be learned; a kernel of ``branchline.kernels``, which is
        taken as it is (``1.0 * RBF()`` has a factor); or a function of two blocks of rows.
    noise_std
        Standard deviation of the noise, in units of the target. "auto" (default): it is learned.
    optimize
        Whether parameters of the kernel are learned. False: they are taken as given. Default True.
    n_restarts
        How many starts of the search for parameters are tried. The first is always the same.
        Default 1.
    n_inducing
        Number of inducing rows. "auto" (default): all rows up to 5 000 different ones, 512 beyond.
        None: always all rows.
    gamma, degree, coef0
        Parameters of kernels by name. gamma="scale" is one over the variance of all numbers.
        Defaults "scale", 3, 1.0.
    standardize
        Whether numbers get mean 0 and standard deviation 1, and the target, too. Default True.
    encoder
        How the table becomes numbers, instead of what ``standardize`` says.
        Default None: ``standardize`` decides.
    random_state
        Seed of the further starts. Default 0.
    n_jobs
        The number of threads for kernel values; None (default): all cores.

    Attributes
    ----------
    kernel_
        The kernel with its parameters, fitted; ``kernel_.kernel`` is its formula.
    noise_
        The standard deviation of the noise, in units of the target.
    length_scales_
        The length scale of each column, in standard deviations, shortest first; of kernels with
        ARD. Columns with short ones matter.
    log_marginal_likelihood_
        Of the target in the units of the fit (standardized); its lower bound for inducing rows.
    support_, dual_coef_
        The numbers of the rows that are kept, and their coefficients.
    loo_predictions_, loo_std_
        What the other rows predict for each training row, with the standard deviation that is
        expected of a new target there. A loaded model does not know them.
    loo_error_
        The mean squared error of ``loo_predictions_``; NaN for a single row.

    See Also
    --------
    KernelRidge

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.svm import GaussianProcessRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = GaussianProcessRegressor().fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.86
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **KERNEL_PARAMETERS,
        "kernel": KERNELS,
        "noise_std": AnyOf((OneOf(("auto",)), Real(0.0))),
        "optimize": Flag(),
        "n_restarts": Whole(1, 10_000),
        "n_inducing": AnyOf((OneOf(("auto", None)), Whole(1))),
    }
    _opposite = "branchline.svm.KernelLogisticRegression"
    _left_out_of_files = frozenset({"loo_predictions_", "loo_std_"})
    # As in KernelRidge: kernel values are summed in an order of their own for each batch.
    _tolerance = 1e-9
    _copies_of_columns_count = True
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    dual_coef_: Floats
    noise_: float
    log_marginal_likelihood_: float
    loo_predictions_: Floats
    loo_std_: Floats
    loo_error_: float
    _support: SupportRows
    _posterior: Posterior
    _units: TargetUnits
    _spread: Spread

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        kernel: Any = "auto",
        *,
        noise_std: float | str = "auto",
        optimize: bool = True,
        n_restarts: int = 1,
        n_inducing: Any = "auto",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        standardize: bool = True,
        encoder: TableEncoder | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.noise_std = noise_std
        self.optimize = optimize
        self.n_restarts = n_restarts
        self.n_inducing = n_inducing
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardize = standardize
        self.encoder = encoder
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the kernel's parameters and the noise; a row of weight k counts as k rows."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        seed = check_seed(self.random_state)
        rows = process_rows(self, data)
        targets, units = target_in_units(rows, standardize=bool(self.standardize))
        n_inducing = self._n_inducing(len(rows))
        problem = self._problem(rows, targets, units)
        found = learned(problem, int(self.n_restarts), seed, is_sparse=n_inducing < len(rows))
        rows = replace(rows, kernel=found.kernel, points=found.points)
        process = fitted_process(rows, targets, found.noise, n_inducing)
        fitted = process.attributes(rows, units, data)
        if n_inducing >= len(rows) and has_few_rows(problem, found):
            fitted["_spread"] = Spread.of(*fold_errors(problem, found), rows.weights)
        return self._finish(data, **fitted)

    def _n_inducing(self, n_rows: int) -> int:
        if self.n_inducing == "auto":
            return n_rows if n_rows <= _MOST_EXACT else _INDUCING
        return n_rows if self.n_inducing is None else min(n_rows, int(self.n_inducing))

    def _problem(self, rows: Any, targets: Floats, units: TargetUnits) -> Problem:
        """Return what is learned: parameters, and the noise where it is not given."""
        kernel = trainable(rows.kernel, rows.points, is_fixed=not self.optimize)
        given = None if self.noise_std == "auto" else (float(self.noise_std) / units.scale) ** 2
        if given is None and not self.optimize:
            given = START_NOISE
        return Problem(kernel, rows.points, targets, rows.weights, given)

    # -- predicting -----------------------------------------------------------------------------

    def predict(self, X: Any) -> Floats:
        """Return the expected number of each row."""
        self._check_fitted()
        points = self._support.prepare(self, X)
        means = self._support.sums(points, self.dual_coef_[:, None], self.n_jobs)[:, 0]
        return np.asarray(self._units.middle + self._units.scale * means)

    def predict_std(self, X: Any, *, with_noise: bool = True) -> Floats:
        """Return the standard deviation that is expected of each row's target.

        Parameters
        ----------
        X
            The rows.
        with_noise
            Whether the noise counts. False: the deviation of the curve itself.
        """
        check_parameters("predict_std", {"with_noise": with_noise}, {"with_noise": Flag()})
        self._check_fitted()
        points = self._support.prepare(self, X)
        n_threads = count_threads(self.n_jobs, len(points) * max(1, len(self._support)) * 16)
        found = np.sqrt(self._posterior.variances(points, n_threads)) * self._units.scale
        return np.hypot(found, self.noise_) if with_noise else found

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Return intervals that hold the target of new rows with a given probability.

        They are as many standard deviations wide as the training rows needed, each predicted by the
        others. So they hold about ``coverage`` of new rows also where the kernel is not right.

        Parameters
        ----------
        X
            The rows.
        coverage
            The share of targets that should lie inside.

        Returns
        -------
        One row per case: lower and upper bound.
        """
        allowed = {"coverage": Real(0.0, 1.0, low_open=True)}
        check_parameters("predict_interval", {"coverage": coverage}, allowed)
        center, reach = self.predict(X), self._spread.reach(float(coverage))
        width = reach * self.predict_std(X)
        return np.column_stack([center - width, center + width])

    # -- reading --------------------------------------------------------------------------------

    @property
    def length_scales_(self) -> dict[str, float]:
        """The length scale of each column, in standard deviations, shortest first."""
        self._check_fitted()
        return length_scales(self.kernel_)

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, a mapping of column names to values, or a list of one text.
        """
        return explain_kernel_row(self, row, super().explain)

    def to_text(self) -> str:
        """Return the model as text: the noise, leave-one-out error, and columns that matter."""
        self._check_fitted()
        return process_as_text(self)

    def draw(self, ax: Any = None) -> Any:
        """Return how much each column matters as bars, or draw it on axes of matplotlib."""
        from branchline.charts import drawn
        from branchline.svm.gaussian._process_words import length_chart

        self._check_fitted()
        return drawn(length_chart(self), ax)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "rows")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return FittedProcess.pack(self)

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        return FittedProcess.unpack(state, schema)
