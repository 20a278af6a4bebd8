"""Kernel principal components: the directions of most variance in the space of a kernel.

1. The table is prepared for the kernel; equal rows are evaluated once.
2. scikit-learn's ``KernelPCA`` decomposes the centered kernel matrix, K_c = V Λ Vᵀ; its ``PCA`` the
   features of a thin one (``_kernel_product``).
3. Component k of a row is Σ_i V_ik / √λ_k K_c(x, x_i): a sum of kernel values with coefficients
   (V / √λ, each column less its mean) and a constant, which is what the model keeps.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import ArpackError
from sklearn import decomposition

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Transformer, reports_progress
from branchline._long_algebra import eigh
from branchline._one_thread import one_thread
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Whole
from branchline.encoding import TableEncoder
from branchline.errors import ParameterError, Repair
from branchline.kernels import FittedKernel
from branchline.svm._kernel_product import ThinKernel, kernel_product
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._kernel_training import (
    KERNEL_PARAMETERS,
    texts_as_table,
    training_rows,
)
from branchline.svm._support_rows import SupportRows
from branchline.table import Schema

__all__ = ["KernelPCA"]


_FEW_COMPONENTS = 16
_MANY_ROWS = 500
_MANY_TO_DECOMPOSE = 1000
# Smaller singular values than this share of the largest are rounding.
_NOTHING = 1e-6
# Eigenvalues further below 0 than this (as a share of the largest, or as they are) are not
# rounding; smaller ones than the last share are 0: scikit-learn's limits.
_SIGNIFICANT, _SIGNIFICANT_ALONE, _SMALL = 1e-5, 1e-10, 1e-12


class KernelPCA(Transformer):
    """Turn each row of any table into a few numbers that keep most of a kernel's variance.

    With kernel="linear" these are principal components. Other kernels follow curves; kernels of
    texts and of mixed tables give numbers for objects that have none.

    Parameters
    ----------
    n_components
        How many numbers a row becomes; None: as many as have any variance. Default 2.
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
    explained_variance_
        The variance of each component over the training rows, the largest first.
    explained_variance_ratio_
        The same as a share of the variance in the whole space of the kernel.
    dual_coef_, intercept_
        The coefficients of each distinct row (one column per component), and the constants.
    support_
        The numbers of the rows that the model keeps: each distinct row.

    See Also
    --------
    PCA : turn each row of any table into a few numbers that keep most of what differs between rows.
    RBF : exp(−gamma ‖x − z‖²), with gamma = 1 / (2 sigma²).

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.svm import KernelPCA
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = KernelPCA(2).fit(X)
    >>> model.transform(X).shape, model.explained_variance_ratio_.round(2).tolist()
    ((150, 2), [0.4, 0.18])
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": AnyOf((OneOf((None,)), Whole(1, 100_000))),
        **KERNEL_PARAMETERS,
    }
    # Kernel values are summed in an order of their own for each batch's tiles and threads alike,
    # but encoded numbers of one row and of many come from the same code.
    _tolerance = 1e-9
    _copies_of_columns_count = True
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    _support: SupportRows
    explained_variance_: Floats
    dual_coef_: Floats
    intercept_: Floats
    _total_variance: float

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        standardize: bool = True,
        encoder: TableEncoder | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardize = standardize
        self.encoder = encoder
        self.n_jobs = n_jobs

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components; ``y`` is ignored."""
        data = self._begin_inputs(texts_as_table(X), None)
        rows = training_rows(self, data)
        found = _components(rows, None if self.n_components is None else int(self.n_components))
        support = SupportRows.of(rows, np.arange(len(rows)), None, is_single=False)
        return self._finish(data, **support.attributes(), **found)

    def transform(self, X: Any) -> Floats:
        """Return the components of each row."""
        self._check_fitted()
        points = self._support.prepare(self, X)
        sums: Floats = self._support.sums(points, self.dual_coef_, self.n_jobs) + self.intercept_
        return sums

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each component: "component0", "component1" and so on."""
        self._check_fitted()
        return np.array([f"component{at}" for at in range(len(self.intercept_))], dtype=object)

    @property
    def explained_variance_ratio_(self) -> Floats:
        """The share of each component in the variance of the whole space."""
        self._check_fitted()
        total = self._total_variance
        return self.explained_variance_ / total if total > 0 else 0 * self.explained_variance_

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "rows")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **self._support.pack(),
            "dual_coef": self.dual_coef_.ravel(),
            "intercept": self.intercept_,
            "variance": self.explained_variance_,
            "total_variance": self._total_variance,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        support, constants = SupportRows.unpack(state, schema), state.get("intercept")
        is_row = isinstance(constants, np.ndarray) and constants.ndim == 1
        width = len(np.asarray(constants)) if is_row else 0
        n_rows = len(support)
        coefficients = numbers_from_state(state, "dual_coef", length=n_rows * width)
        variance = numbers_from_state(state, "variance", length=width, low=0.0)
        total = number_from_state(state, "total_variance")
        if total < 0 or (np.diff(variance) > 0).any():
            raise malformed("variances are below 0 or out of order")
        return {
            **support.attributes(),
            "dual_coef_": coefficients.reshape(n_rows, width),
            "intercept_": numbers_from_state(state, "intercept", length=width),
            "explained_variance_": variance,
            "_total_variance": total,
        }


def _components(rows: KernelRows, n_components: int | None) -> dict[str, Any]:
    """Return the fitted attributes of the components."""
    copies = np.sort(rows.origins.canonical_of_row)  # each distinct row as often as it came
    kernel = kernel_product(rows)
    counts = np.bincount(copies, minlength=len(rows)).astype(np.float64)[:, None]
    means = kernel.times(counts)[copies, 0] / len(copies)
    size = float(np.abs(kernel.diagonal).max())
    total = float(kernel.diagonal[copies].mean() - means.mean())
    if total < -_NOTHING * size:
        raise _no_components()
    if isinstance(kernel, ThinKernel):
        values, vectors = _of_features(kernel.factor[copies], n_components)
    else:
        values, vectors = _of_matrix(kernel.gram[np.ix_(copies, copies)], n_components)
    roots = np.sqrt(values)
    scaled = np.divide(vectors, roots, out=np.zeros_like(vectors), where=roots > 0)
    scaled -= scaled.mean(axis=0)
    coefficients = np.zeros((len(rows), len(values)))
    np.add.at(coefficients, copies, scaled)
    return {
        "dual_coef_": coefficients,
        "intercept_": -(means @ scaled),
        "explained_variance_": values / len(copies),
        "_total_variance": max(0.0, total),
    }


def _of_features(features: Floats, n_components: int | None) -> tuple[Floats, Floats]:
    """Return what ``_of_matrix`` does for F Fᵀ: the components of features F are the same."""
    with np.errstate(invalid="ignore"):  # shares of no variance at all
        found = decomposition.PCA(svd_solver="full").fit(features)
    sizes = np.asarray(found.singular_values_)
    values = np.where(sizes > _NOTHING * sizes.max(initial=0.0), sizes, 0.0) ** 2
    values = values[values > 0] if n_components is None else values[:n_components]
    vectors = found.transform(features)[:, : len(values)]
    vectors = np.divide(vectors, sizes[: len(values)], out=0 * vectors, where=values > 0)
    missing = 0 if n_components is None else min(n_components, len(features)) - len(values)
    return np.pad(values, (0, missing)), np.pad(vectors, ((0, 0), (0, missing)))


def _of_matrix(gram: Floats, n_components: int | None) -> tuple[Floats, Floats]:
    """Return eigenvalues and eigenvectors of the centered kernel matrix, the largest first."""
    if len(gram) >= _MANY_TO_DECOMPOSE and _solver(len(gram), n_components) == "dense":
        return _of_large_matrix(gram, n_components)
    model = decomposition.KernelPCA(
        n_components, kernel="precomputed", eigen_solver=_solver(len(gram), n_components)
    )
    model.set_params(random_state=0)
    try:
        model.fit(gram)
    except ArpackError:  # such as a matrix of zeros
        model.set_params(eigen_solver="dense").fit(gram)
    except ValueError as error:
        raise _no_components() from error
    return np.asarray(model.eigenvalues_), np.asarray(model.eigenvectors_)


def _of_large_matrix(gram: Floats, n_components: int | None) -> tuple[Floats, Floats]:
    """Return what ``_of_matrix`` does by scikit-learn's rules; Ctrl-C is heard."""
    means = gram.mean(axis=0)
    values, vectors = eigh(gram - means - means[:, None] + means.mean())
    last = None if n_components is None else -1 - min(n_components, len(gram))
    values, vectors = values[:last:-1], vectors[:, :last:-1]
    largest = float(values[0])
    if values[-1] < -max(_SIGNIFICANT * largest, _SIGNIFICANT_ALONE):
        raise _no_components()
    values = np.where(values > _SMALL * largest, values, 0.0)
    if n_components is None:
        vectors, values = vectors[:, values > 0], values[values > 0]
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
    return values, vectors * signs


def _solver(n_rows: int, n_components: int | None) -> str:
    """Return how eigenvectors are found: a few of many by products, which Ctrl-C can end."""
    few = n_components is not None and n_components <= _FEW_COMPONENTS and n_rows >= _MANY_ROWS
    return "arpack" if few else "dense"


def _no_components() -> ParameterError:
    return ParameterError(
        "The kernel has no principal components: its centered matrix has eigenvalues below 0 that "
        "are not small. Use a kernel that is positive semidefinite, such as 'rbf'.",
        code="P177",
        repair=Repair("model.set_params(kernel='rbf')"),
    )
