"""Kernel Fisher discriminant: axes in the space of a kernel on which classes are far apart.

1. Ridge regression on the kernel predicts an indicator Y_c of each class, f = K a + b (as
   ``KernelRidge``). The strength α of its penalty is given, or that of the least leave-one-out
   error; it keeps the axes from following single rows.
2. Optimal scoring (Hastie, Buja and Tibshirani 1994): the θ of Ȳᵀ W f θ = ρ² D θ, with Ȳ the
   centered indicators, W the weights of rows and D those of classes, make f θ the discriminant
   axes: most variance between classes, for the variance within them and the penalty.
3. Each row is placed on the axes by an f of other folds (ten, with the same α): training rows lie
   nearer to their class than new ones.
4. Axes are turned and scaled so that places of step 3 have the variance 1 within classes in every
   direction, and no correlation between class centers m_c. ``separation_`` is their variance.
5. A row at z is of class c with a probability in proportion to p_c exp(−s ‖z − m_c‖²); the scale s
   makes the log loss of the places of step 3 least.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._explanation import Explanation
from branchline._intervals import Interval
from branchline._one_thread import one_thread
from branchline._row_scores import interval_of_means
from branchline._state import (
    classes_from_state,
    classes_to_state,
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole
from branchline.charts import drawn
from branchline.encoding import TableEncoder
from branchline.kernels import FittedKernel
from branchline.svm._class_axes import ClassAxes, class_axes, draw_classes
from branchline.svm._indicator_scores import indicator_scores
from branchline.svm._kernel_training import KERNEL_PARAMETERS, texts_as_table, training_rows
from branchline.svm._support_rows import SupportRows, explain_kernel_row
from branchline.table import Schema

__all__ = ["KernelFisherDiscriminant"]

_FARTHEST = 1e150  # so that squares are finite


class KernelFisherDiscriminant(TransformerMixin, Classifier):
    """Find axes on which known classes are far apart, and predict the class of new rows on them.

    With kernel="linear" this is Fisher's linear discriminant with a penalty; other kernels follow
    curves. Any table is taken as it is: categories, texts of string kernels, missing values.

    Rows are placed on the axes as if they were new, so classes are drawn as far apart as they will
    be for new rows. Time grows with the cube of the number of rows.

    Parameters
    ----------
    n_components
        How many axes are kept, at most one fewer than classes; None (default): all of them.
    alpha
        Strength of the penalty on large weights, on the scale of the eigenvalues of the kernel
        matrix. "auto" (default): the value with the lowest leave-one-out error.
    kernel
        "rbf" (default), "linear", "poly", "sigmoid", "laplacian", "precomputed", a kernel of
        ``branchline.kernels``, or a function of two blocks of rows.
    gamma, degree, coef0
        Parameters of kernels by name. gamma="scale" is one over the variance of all numbers.
        Defaults "scale", 3, 0.0.
    standardize
        Whether numbers get mean 0 and standard deviation 1. Default True.
    encoder
        How the table becomes numbers, instead of what ``standardize`` says.
        Default None: ``standardize`` decides.
    n_jobs
        The number of threads for kernel values; None (default): all cores.

    Attributes
    ----------
    classes_
        The classes, sorted.
    class_counts_
        The number of rows of each class, by weight.
    centers_
        The center of each class on the axes (one row per class), each row placed by other folds.
    separation_
        The variance of the class centers along each axis, where that within classes is 1.
    scale_
        How fast probabilities fall with the squared distance to a center; ½ where the rows of a
        class are normally distributed.
    alpha_
        α as given or chosen.
    cv_error_
        The share of rows that are predicted wrongly when they are placed by fits of other folds.
        The centers, the directions of the axes, ``scale_`` and ``alpha_`` have seen the row, so it
        can be a little too low.
    cv_interval_
        The same with its 95 % interval; a loaded model does not know it.
    dual_coef_, intercept_
        The coefficients of each distinct row (one column per axis), and the constants.
    support_
        The numbers of the rows that the model keeps: each distinct row.

    See Also
    --------
    SVC : support vector classifier with a certificate, on any table.
    LinearDiscriminantAnalysis : linear discriminant analysis.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.projection import KernelFisherDiscriminant
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = KernelFisherDiscriminant().fit(X[::2], y[::2])
    >>> model.transform(X).shape, round(model.score(X[1::2], y[1::2]), 2)
    ((150, 2), 0.96)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": AnyOf((OneOf((None,)), Whole(1, 100_000))),
        "alpha": AnyOf((OneOf(("auto",)), Real(0.0, low_open=True))),
        **KERNEL_PARAMETERS,
    }
    _opposite = "branchline.svm.KernelRidge"
    _tolerance = 1e-8
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"cv_interval_"})
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    _support: SupportRows
    class_counts_: Floats
    centers_: Floats
    scale_: float
    alpha_: float
    cv_error_: float
    cv_interval_: Interval
    dual_coef_: Floats
    intercept_: Floats

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        n_components: int | None = None,
        *,
        alpha: float | str = "auto",
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        standardize: bool = True,
        encoder: TableEncoder | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardize = standardize
        self.encoder = encoder
        self.n_jobs = n_jobs

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the axes; a row of weight k counts as k rows."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        rows = training_rows(self, data)
        target = rows.data.class_target
        scores = indicator_scores(rows, self.alpha)
        axes = class_axes(
            scores.fitted, scores.left_out, target.class_of_row, rows.weights, self.n_components
        )
        wrong = (axes.classes_of(axes.places) != target.class_of_row).astype(np.float64)
        error = interval_of_means(wrong, rows.weights)
        support = SupportRows.of(rows, np.arange(len(rows)), data.kept_rows, is_single=False)
        return self._finish(
            data,
            **support.attributes(),
            classes_=target.classes,
            class_counts_=axes.class_weights,
            centers_=axes.centers,
            scale_=axes.scale,
            alpha_=scores.alpha,
            cv_error_=error.estimate,
            cv_interval_=error,
            dual_coef_=scores.coefficients @ axes.scoring,
            intercept_=scores.bias @ axes.scoring,
        )

    # -- using ----------------------------------------------------------------------------------

    def transform(self, X: Any) -> Floats:
        """Return where each row lies on the axes."""
        self._check_fitted()
        points = self._support.prepare(self, X)
        sums: Floats = self._support.sums(points, self.dual_coef_, self.n_jobs) + self.intercept_
        return np.clip(sums, -_FARTHEST, _FARTHEST)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, by the distance to its center on the axes."""
        return self._axes().probabilities(self.transform(X))

    @property
    def separation_(self) -> Floats:
        """The variance of the class centers along each axis, where that within classes is 1."""
        return self._axes().separation

    def draw(self, X: Any, y: Any = None, ax: Any = None) -> Any:
        """Draw rows on the first two axes, with the centers of the classes.

        Training rows lie nearer to their class than new rows will: draw rows that the model has
        not seen to see how far apart the classes are.

        Parameters
        ----------
        X
            The rows to draw.
        y
            A value for each row: rows are colored by it.
        ax
            Axes of matplotlib. When they are given, the chart is drawn on them.
        """
        return drawn(draw_classes(self.transform(X), y, self._axes(), self.classes_), ax)

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, a mapping of column names to values, or a list of one text.
        """
        return explain_kernel_row(self, row, super().explain)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each axis: "axis1", "axis2" and so on."""
        self._check_fitted()
        return np.array([f"axis{at + 1}" for at in range(len(self.intercept_))], dtype=object)

    def _axes(self) -> ClassAxes:
        self._check_fitted()
        return ClassAxes(self.centers_, self.class_counts_, self.scale_)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "rows")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **self._support.pack(),
            "classes": classes_to_state(self.classes_),
            "counts": self.class_counts_,
            "centers": self.centers_.ravel(),
            "dual_coef": self.dual_coef_.ravel(),
            "intercept": self.intercept_,
            "scale": self.scale_,
            "alpha": self.alpha_,
            "cv_error": self.cv_error_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        support, classes = SupportRows.unpack(state, schema), classes_from_state(state)
        constants = state.get("intercept")
        width = len(constants) if isinstance(constants, np.ndarray) and constants.ndim == 1 else 0
        counts = numbers_from_state(state, "counts", length=len(classes), low=0.0)
        scale, alpha, error = (
            number_from_state(state, name) for name in ("scale", "alpha", "cv_error")
        )
        if not width or not (counts > 0).all() or alpha <= 0 or scale < 0 or not 0 <= error <= 1:
            raise malformed("there is no axis, an empty class, or a number out of range")
        coefficients = numbers_from_state(state, "dual_coef", length=len(support) * width)
        centers = numbers_from_state(
            state, "centers", length=len(classes) * width, low=-_FARTHEST, high=_FARTHEST
        )
        return {
            **support.attributes(),
            "classes_": classes,
            "class_counts_": counts,
            "centers_": centers.reshape(len(classes), width),
            "scale_": scale,
            "alpha_": alpha,
            "cv_error_": error,
            "dual_coef_": coefficients.reshape(len(support), width),
            "intercept_": numbers_from_state(state, "intercept", length=width),
        }
