"""Kernel ridge regression with a bias, and what leaving out each row would have given.

It makes α ‖w‖² + Σ_i w_i (y_i − w·φ(x_i) − b)² least, with row weights w_i. With w = Σ a_i φ(x_i):

    [ 0   1ᵀ         ] [b]   [0]
    [ 1   K + α W⁻¹  ] [a] = [y]                                       (W = diag w_i)

1. The bias centers rows and targets at their weighted means; a is solved for without it, and with
   it the residual that each row would have when left out (``_centered_ridge``).
2. alpha="auto" takes the α of the least mean squared leave-one-out residual.
3. b is the weighted mean of y − K a.
4. Small coefficients may be dropped: a sparse model, whose predictions move by a known amount
   (``_reduced_ridge``).
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Regressor, reports_progress
from branchline._encoding._encoded import power_of_two_scale
from branchline._explanation import Explanation
from branchline._folds import fold_rows
from branchline._one_thread import one_thread
from branchline._plain_numbers import count, fixed, number
from branchline._state import array_from_state, malformed, number_from_state, numbers_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Real
from branchline.encoding import TableEncoder
from branchline.kernels import FittedKernel
from branchline.svm._centered_ridge import centered_ridge
from branchline.svm._kernel_product import kernel_product
from branchline.svm._kernel_training import (
    KERNEL_PARAMETERS,
    texts_as_table,
    training_rows,
)
from branchline.svm._reduced_ridge import attributes_of, flat, reduced, shaped
from branchline.svm._support_rows import SupportRows, explain_kernel_row
from branchline.table import Schema

__all__ = ["KernelRidge"]


class KernelRidge(Regressor):
    """Predict numbers by least squares in the space of a kernel.

    Use it for smooth curves on tables of up to a few thousand rows. It takes any table as it is:
    numbers are standardized, categories match or do not, missing values are filled and marked. The
    exact leave-one-out error comes with the fit.

    Ridge regression is solved on the kernel matrix; the constant is not penalized. Time grows with
    the cube of the number of rows: use ``GradientBoostingRegressor`` on large tables.

    Parameters
    ----------
    alpha
        Strength of the penalty on large weights, on the scale of the eigenvalues of the kernel
        matrix (1/γ of least-squares support vector machines). "auto" (default): the value with the
        lowest leave-one-out error.
    kernel
        "rbf" (default), "linear", "poly", "sigmoid", "laplacian", "precomputed", a kernel of
        ``branchline.kernels``, or a function of two blocks of rows.
    gamma, degree, coef0
        Parameters of kernels by name. gamma="scale" is one over the variance of all numbers.
        Defaults "scale", 3, 0.0.
    drop_below
        Rows are dropped from the model when their coefficients are at most this share of the
        largest one. 0: all rows are kept. ``drop_change_`` tells how far predictions move.
        Default 0.0.
    standardize
        Whether numbers get mean 0 and standard deviation 1. Default True.
    encoder
        How the table becomes numbers, instead of what ``standardize`` says.
        Default None: ``standardize`` decides.
    n_jobs
        The number of threads for kernel values; None (default): all cores.

    Attributes
    ----------
    dual_coef_, intercept_
        a of the rows that are kept (one column per output, when there are several), and b. Equal
        rows are one row, with the sum of their coefficients.
    support_
        The numbers of the rows that are kept.
    alpha_
        α as given or chosen.
    press_
        The residual that each training row would have if it had been left out; with several
        outputs, a row of them. Rows of weight 0 have none. A loaded model does not know them.
    loo_error_
        The mean of their squares, a number for each output; NaN for a single row.
    loo_interval_
        The same with its 95 % interval; a loaded model does not know it.
    effective_df_
        The trace of the hat matrix: how many free coefficients the fit is worth, b included.
    drop_change_
        The largest change of a training prediction by what was dropped.

    See Also
    --------
    GaussianProcessRegressor
    SVR

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.svm import KernelRidge
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = KernelRidge("auto").fit(X[::2], y[::2])
    >>> round(model.loo_error_, 1), round(model.score(X[1::2], y[1::2]), 2)
    (8.1, 0.85)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "alpha": AnyOf((OneOf(("auto",)), Real(0.0, low_open=True))),
        "drop_below": Real(0.0, 1.0),
        **KERNEL_PARAMETERS,
    }
    _opposite = "branchline.svm.KernelLogisticRegression"
    _multi_output = True
    # Whether all outputs are coordinates of one space, so that their errors add up as they are.
    _in_one_unit: ClassVar[bool] = False
    _left_out_of_files = frozenset({"press_", "loo_interval_"})
    # Kernel values are summed in an order of their own for each batch's tiles and threads alike,
    # but encoded numbers of one row and of many come from the same code.
    _tolerance = 1e-9
    _copies_of_columns_count = True
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    _support: SupportRows
    dual_coef_: Floats
    intercept_: Any
    alpha_: float
    press_: Floats
    loo_error_: Any
    loo_interval_: Any
    effective_df_: float
    drop_change_: float

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        alpha: float | str = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        drop_below: float = 0.0,
        standardize: bool = True,
        encoder: TableEncoder | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.drop_below = drop_below
        self.standardize = standardize
        self.encoder = encoder
        self.n_jobs = n_jobs

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve for a and b; a row of weight k counts as k rows."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        rows = training_rows(self, data)
        targets = rows.data.number_target.matrix
        exponents = np.array([power_of_two_scale(output) for output in targets.T])
        if self._in_one_unit:
            exponents[:] = exponents.max()
        targets = np.ldexp(targets, -exponents)  # so that squares cannot overflow
        kernel = kernel_product(rows)
        part = 1.0 / fold_rows(rows.data).copies
        centered = centered_ridge(kernel, rows.weights, targets, part)
        found = (
            centered.best(in_one_unit=self._in_one_unit)
            if self.alpha == "auto"
            else centered.at(float(self.alpha))
        )
        model = reduced(kernel, rows.weights, targets, found.coefficients, float(self.drop_below))
        attributes = attributes_of(found, model, rows, exponents)
        # Coefficients may be large and of both signs: single precision would lose their sum.
        support = SupportRows.of(rows, model.places, data.kept_rows, is_single=False)
        return self._finish(data, **support.attributes(), **attributes)

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the predicted number of each row; with several outputs, a row of numbers."""
        self._check_fitted()
        points = self._support.prepare(self, X)
        coefficients = self.dual_coef_.reshape(len(self._support), -1)
        sums: Floats = self._support.sums(points, coefficients, self.n_jobs) + self.intercept_
        return sums if self.dual_coef_.ndim == 2 else sums[:, 0]

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, a mapping of column names to values, or a list of one text.
        """
        return explain_kernel_row(self, row, super().explain)

    def to_text(self) -> str:
        """Return the model as text: α, what it keeps, and its leave-one-out error."""
        self._check_fitted()
        errors = ", ".join(number(error) for error in np.atleast_1d(self.loo_error_))
        return (
            f"kernel ridge regression, alpha {number(self.alpha_)}, {self.kernel_.kernel!r}\n"
            f"{count(len(self.support_), 'row')} kept, {fixed(self.effective_df_, 1)} effective "
            "degrees of freedom\n"
            f"mean squared error when each row is left out: {errors}"
        )

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "rows")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **self._support.pack(),
            "dual_coef": self.dual_coef_.ravel(),
            "intercept": np.atleast_1d(np.asarray(self.intercept_, dtype=np.float64)),
            "loo_error": np.atleast_1d(np.asarray(self.loo_error_, dtype=np.float64)),
            "alpha": self.alpha_,
            "effective_df": self.effective_df_,
            "drop_change": self.drop_change_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        support = SupportRows.unpack(state, schema)
        bias = state.get("intercept")
        n_outputs = len(bias) if isinstance(bias, np.ndarray) and bias.ndim == 1 else 0
        if n_outputs < 1:
            raise malformed("there is no output")
        numbers = {
            name: number_from_state(state, name)
            for name in ("alpha", "effective_df", "drop_change")
        }
        if numbers["alpha"] <= 0 or numbers["drop_change"] < 0:
            raise malformed("'alpha' or the change by dropped rows is out of range")
        length = n_outputs * len(support)
        coefficients = numbers_from_state(state, "dual_coef", length=length)
        return {
            **support.attributes(),
            **{f"{name}_": number for name, number in numbers.items()},
            "dual_coef_": shaped(coefficients.reshape(-1, n_outputs)),
            "intercept_": flat(numbers_from_state(state, "intercept", length=n_outputs)),
            "loo_error_": flat(_errors_from_state(state, n_outputs)),
        }


def _errors_from_state(state: FittedState, n_outputs: int) -> Floats:
    errors = array_from_state(state, "loo_error", np.dtype(np.float64), length=n_outputs)
    if (errors < 0).any() or np.isinf(errors).any():  # of a single row they are not known
        raise malformed("a squared error is below 0 or infinite")
    return errors
