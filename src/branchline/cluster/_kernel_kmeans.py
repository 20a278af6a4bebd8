"""Kernel k-means: clusters around centers in the space of a kernel, so that they may be bent.

The center of a cluster is the mean of its rows in that space. Its squared distance from a row x is
K(x, x) − 2 Σ_j s_j K(x, x_j) + Σ_jl s_j s_l K(x_j, x_l), with s_j the share of row j in the weight
of the cluster (Schölkopf, Smola and Müller 1998).

1. The table is prepared for the kernel in canonical order; equal rows are evaluated once.
2. Several starts (k-means++ in the space of the kernel) are followed (``_kernel_clusters``): all
   rows go to the nearest center until none moves, then single rows move while W falls.
3. The start of the least W is kept. Clusters are numbered by weight.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin

from branchline._arrays import Floats, Places
from branchline._base import Clusterer, Complexity, FittedState, reports_progress
from branchline._one_thread import one_thread
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Whole, check_seed
from branchline.cluster._kernel_clusters import find_kernel_clusters
from branchline.cluster._numbering import by_weight
from branchline.encoding import TableEncoder
from branchline.kernels import FittedKernel
from branchline.svm._kernel_product import kernel_product
from branchline.svm._kernel_training import KERNEL_PARAMETERS, texts_as_table, training_rows
from branchline.svm._support_rows import SupportRows
from branchline.table import Schema

__all__ = ["KernelKMeans"]

_STARTS = 10


class KernelKMeans(TransformerMixin, Clusterer):
    """Put the rows of any table, or texts, into clusters around centers in the space of a kernel.

    With kernel="linear" this is k-means. Other kernels find clusters with bent borders, and kernels
    of texts find clusters of objects without numbers. The result depends neither on the order
    of rows nor on threads.

    It compares all rows with each other: time and memory grow with the square of their number.

    Parameters
    ----------
    n_clusters
        Number of clusters; fewer when there are fewer different rows. Default 8.
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
    n_init
        Number of starts; the best is kept. "auto" (default): 10.
    max_iter
        Maximum number of iterations of a start. Default 300.
    random_state
        Seed of the starts. Default 0.
    n_jobs
        Number of threads for kernel values; None (default): all cores.

    Attributes
    ----------
    labels_
        The cluster of each row that was given; 0 is the heaviest. A loaded model has none.
    inertia_
        W: the sum of squared distances to the centers, in the space of the kernel.
    n_iter_
        Number of iterations of the best start.
    support_
        The numbers of the rows that the model keeps: each distinct row.

    See Also
    --------
    KMeans : put the rows of any table into clusters around centers.
    KernelPCA : turn each row of any table into a few numbers that keep most of a kernel's variance.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KernelKMeans
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = KernelKMeans(3, gamma=0.1).fit(X)
    >>> [int((model.labels_ == k).sum()) for k in range(3)]
    [52, 50, 48]
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_clusters": Whole(1, 1_000_000),
        **KERNEL_PARAMETERS,
        "n_init": AnyOf((Whole(1, 1_000_000), OneOf(("auto",)))),
        "max_iter": Whole(1, 1_000_000),
    }
    _tolerance = 1e-9
    _copies_of_columns_count = True
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    inertia_: float
    n_iter_: int
    _support: SupportRows
    _shares: Floats
    _norms: Floats

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        standardize: bool = True,
        encoder: TableEncoder | None = None,
        n_init: int | str = "auto",
        max_iter: int = 300,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardize = standardize
        self.encoder = encoder
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters; ``y`` is ignored."""
        X = texts_as_table(X)
        data = self._begin_inputs(X, sample_weight)
        rows = training_rows(self, data)
        found = find_kernel_clusters(
            kernel_product(rows),
            rows.weights,
            min(int(self.n_clusters), len(rows)),
            n_starts=_STARTS if self.n_init == "auto" else int(self.n_init),
            max_iterations=int(self.max_iter),
            seed=check_seed(self.random_state),
        )
        number_of = by_weight(found.labels, rows.weights)
        labels = number_of[np.unique(found.labels, return_inverse=True)[1].reshape(-1)]
        shares = np.zeros((len(rows), len(number_of)))
        shares[np.arange(len(rows)), labels] = rows.weights
        support = SupportRows.of(rows, np.arange(len(rows)), data.kept_rows, is_single=False)
        self._finish(
            data,
            **support.attributes(),
            _shares=shares / shares.sum(axis=0),
            _norms=found.norms[np.unique(found.labels)][np.argsort(number_of)],
            inertia_=found.within,
            n_iter_=found.n_iterations,
        )
        self.labels_ = self._labels_of_given(X, data, labels[rows.origins.canonical_of_row])
        return self

    def predict(self, X: Any) -> Places:
        """Return the nearest center of each row; the heaviest cluster on ties."""
        self._check_fitted()
        points = self._support.prepare(self, X)
        return np.asarray(np.argmin(self._to_centers(points), axis=1), dtype=np.int64)

    def transform(self, X: Any) -> Floats:
        """Return the distance of each row to each center, in the space of the kernel."""
        self._check_fitted()
        points = self._support.prepare(self, X)
        squares = self._to_centers(points) + self.kernel_.diag_of_new(points)[:, None]
        return np.sqrt(np.maximum(squares, 0.0))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each distance: "cluster0", "cluster1" and so on."""
        self._check_fitted()
        return np.array([f"cluster{at}" for at in range(len(self._norms))], dtype=object)

    def _to_centers(self, points: Any) -> Floats:
        """Return squared distances to the centers, less K(x, x)."""
        found: Floats = self._norms - 2 * self._support.sums(points, self._shares, self.n_jobs)
        return found

    def _complexity(self) -> Complexity:
        return Complexity(len(self._norms), "clusters")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **self._support.pack(),
            "shares": self._shares.ravel(),
            "norms": self._norms,
            "inertia": self.inertia_,
            "n_iter": float(self.n_iter_),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        support, norms = SupportRows.unpack(state, schema), state.get("norms")
        is_row = isinstance(norms, np.ndarray) and norms.ndim == 1 and len(norms) > 0
        k = len(np.asarray(norms)) if is_row else 0
        if not 1 <= k <= len(support):
            raise malformed("there is no center, or there are more centers than rows")
        shares = numbers_from_state(state, "shares", length=len(support) * k, low=0.0)
        table = shares.reshape(len(support), k)
        if not np.allclose(table.sum(axis=0), 1.0) or ((table > 0).sum(axis=1) != 1).any():
            raise malformed("rows are not each in one cluster")
        inertia, n_iter = number_from_state(state, "inertia"), number_from_state(state, "n_iter")
        if n_iter < 1:
            raise malformed("the search had no step")
        return {
            **support.attributes(),
            "_shares": table,
            "_norms": numbers_from_state(state, "norms", length=k),
            "inertia_": inertia,
            "n_iter_": int(n_iter),
        }
