"""Basis expansion: products or radial functions of the columns, then any linear method.

1. The table is encoded (``branchline.encoding``).
2. ``fit_basis`` makes new terms of the encoded ones (``_basis_terms``): powers and products, or
   functions exp(−‖z − c‖² / 2σ²) around centers c.
3. A linear learner with a ``basis`` gets an ``ExpandedEncoding``, which is read, saved and
   explained as any encoding is.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Transformer, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._encoding._block import Term
from branchline._encoding._encoded import ENCODER, EncodedRows
from branchline._encoding._encoding import Encoding, fit_encoding, means_from_state
from branchline._encoding._table_encoder import options_of
from branchline._encoding._term_order import term_order
from branchline._one_thread import limit_threads
from branchline._state import malformed
from branchline._validation import AnyOf, Constraint, Flag, Given, OneOf, Real, Whole, check_seed
from branchline.encoding import TableEncoder
from branchline.errors import ParameterError, Repair
from branchline.linear._basis_terms import (
    LEAST_SPREAD,
    Basis,
    Products,
    RadialFunctions,
    factors_of,
    unpack_basis,
)
from branchline.table import Schema, Table

__all__ = ["BASIS", "BasisExpansion", "ExpandedEncoding", "expand_rows", "unpack_encoding"]

_MOST_ROWS_FOR_CENTRES = 20_000
_SEEDS = 2**32


@dataclass(frozen=True, eq=False)
class ExpandedEncoding(Encoding):
    """An encoding whose terms go through a basis; ``mean`` is that of the basis's terms."""

    inner: Encoding
    basis: Basis

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """What each number of the basis stands for."""
        return self.basis.terms(self.inner.terms)

    @property
    def term_names(self) -> Sequence[str]:
        """What reports call each number of the basis."""
        return [term.name for term in self.terms]

    @property
    def width(self) -> int:
        """The number of terms."""
        return len(self.terms)

    def columns_of_terms(self, schema: Schema) -> list[npt.NDArray[np.intp]]:
        """Return where the columns of each term stand in the table."""
        named = self.basis.columns(self.inner.terms)
        return [np.array([schema.position[name] for name in names]) for names in named]

    def encode(self, table: Table) -> Any:
        """Return the numbers of the basis for each row."""
        return self.basis.expand(self.inner.encode(table))

    def pack(self) -> Mapping[str, Any]:
        """Return the encoding and the basis as plain values."""
        inner, basis = dict(self.inner.pack()), dict(self.basis.pack())
        return {"inner": inner, "basis": basis, "mean": self.mean}


class BasisExpansion(Transformer):
    """Turn a table into powers and products of its columns, or into radial functions.

    A straight line through such terms is a curve in the columns: the simplest way to let a linear
    model bend. Every linear learner takes one as its ``basis``; this class alone is a step of a
    pipeline.

    Parameters
    ----------
    kind
        "polynomial" (default): the columns, and their products up to ``degree``. "rbf": Gaussian
        curves (radial basis functions) around ``n_centers`` typical rows, for curves that no low
        power follows.
    degree
        Maximum number of factors of a product. 2 lets each column bend and each pair interact;
        every further degree multiplies the number of terms. Default 2.
    interactions_only
        Whether products of different terms alone are made, without squares and cubes.
        Default False.
    n_centers
        How many radial functions there are (fewer when there are fewer distinct rows). More of
        them follow finer detail and need more rows. Default 30.
    centers
        "k_means" (default): the middles of clusters of rows, where the rows are. "rows": rows drawn
        at random; quicker on large tables.
    width
        The distance, in standard deviations of the columns, at which a radial function has
        fallen to 0.61 of its height. "auto" (default): the median distance between two centers.
    linear
        Whether the columns themselves stay beside the radial functions, so that the model can
        follow a trend beyond the rows that it has seen. Default True.
    encoder
        How the table becomes numbers, when this is used alone; None: with the defaults of
        ``TableEncoder``. As a learner's ``basis`` it must be None: the learner has an encoder.
    random_state
        The seed of k-means, or of the draw of rows. Default 0.

    Attributes
    ----------
    encoding_
        The fitted encoding with its basis; its ``terms`` say what each number stands for.

    See Also
    --------
    LinearRegression : predict a number by a weighted sum of the columns, fitted by least squares.
    LogisticRegression

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import BasisExpansion, Ridge
    >>> X, y = load_dataset("auto-mpg").select(["weight", "horsepower", "mpg"]).split_target("mpg")
    >>> BasisExpansion().fit(X).get_feature_names_out().tolist()
    ['weight', 'horsepower', 'weight²', 'weight × horsepower', 'horsepower²']
    >>> round(Ridge(basis=BasisExpansion(degree=3)).fit(X, y).score(X, y), 2)
    0.75
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "kind": OneOf(("polynomial", "rbf")),
        "degree": Whole(1, 5),
        "interactions_only": Flag(),
        "n_centers": Whole(1, 10_000),
        "centers": OneOf(("k_means", "rows")),
        "width": AnyOf((OneOf(("auto",)), Real(0, 1e6, low_open=True))),
        "linear": Flag(),
        "encoder": ENCODER,
    }
    _copies_of_columns_count = True
    # Columns are multiplied and distances added: batches and single rows agree to the last bits.
    _tolerance = 1e-9
    encoding_: Encoding

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        kind: str = "polynomial",
        degree: int = 2,
        interactions_only: bool = False,
        n_centers: int = 30,
        centers: str = "k_means",
        width: float | str = "auto",
        linear: bool = True,
        encoder: TableEncoder | None = None,
        random_state: Any = 0,
    ) -> None:
        self.kind = kind
        self.degree = degree
        self.interactions_only = interactions_only
        self.n_centers = n_centers
        self.centers = centers
        self.width = width
        self.linear = linear
        self.encoder = encoder
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the encoding, the centers and the spreads; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        rows = canonical_rows(data, merge=True)
        weights = rows.weights.of_rows(rows.table.n_rows)
        encoder = TableEncoder() if self.encoder is None else self.encoder
        encoder._check_parameters()
        encoding, matrix = fit_encoding(rows.table, weights, options_of(encoder, rows))
        expanded, _ = _expand(encoding, matrix, weights, self)
        return self._finish(data, encoding_=expanded)

    def transform(self, X: Any) -> Any:
        """Return the terms of the basis for each row."""
        rows = self._check_rows(X)
        return self.encoding_.encode(rows.table)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the name of each term: "age", "age²", "age × fare", "rbf 3"."""
        self._check_fitted()
        return np.array([term.name for term in self.encoding_.terms], dtype=object)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, self.encoding_.width), "terms")

    def _pack(self) -> FittedState:
        return {"encoding": dict(self.encoding_.pack())}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        encoding = unpack_encoding(state.get("encoding"), schema)
        if not isinstance(encoding, ExpandedEncoding):
            raise malformed("there is no basis")
        return {"encoding_": encoding}


# The constraint of the parameter ``basis``, which linear learners have.
BASIS = AnyOf(
    (OneOf((None, "polynomial", "rbf")), Given((BasisExpansion,), "a BasisExpansion")),
)


def expand_rows(rows: EncodedRows, basis: BasisExpansion | str | None) -> EncodedRows:
    """Return training rows with the terms of a learner's ``basis``."""
    if basis is None:
        return rows
    chosen = BasisExpansion(kind=basis) if isinstance(basis, str) else basis
    chosen._check_parameters()
    if chosen.encoder is not None:
        raise ParameterError(
            "The basis of a learner has an encoder of its own, and the learner has one too: give "
            "it to the learner.",
            code="P015",
            repair=Repair("model.set_params(encoder=model.basis.encoder, basis__encoder=None)"),
        )
    weights = rows.weights if rows.weights is not None else np.ones(rows.matrix.shape[0])
    encoding, matrix = _expand(rows.encoding, rows.matrix, weights, chosen)
    return replace(rows, encoding=encoding, matrix=matrix)


def unpack_encoding(state: Any, schema: Schema) -> Encoding:
    """Check packed values and return an encoding, with or without a basis."""
    if not isinstance(state, dict) or "basis" not in state:
        return Encoding.unpack(state, schema)
    if set(state) != {"inner", "basis", "mean"}:
        raise malformed("an encoding with a basis lacks a part, or has one too many")
    inner = Encoding.unpack(state["inner"], schema)
    basis = unpack_basis(state["basis"], inner.terms)
    mean = means_from_state(state, len(basis.terms(inner.terms)))
    return ExpandedEncoding(inner.blocks, inner.sparse_columns, mean, inner, basis)


def _expand(
    encoding: Encoding, matrix: Any, weights: Floats, chosen: BasisExpansion
) -> tuple[Encoding, Floats]:
    if chosen.kind == "polynomial":
        basis: Basis = _fit_products(encoding, matrix, weights, chosen)
    else:
        basis = _fit_radial(matrix, weights, chosen)
    expanded = basis.expand(matrix)
    mean = np.asarray(weights @ expanded / weights.sum())
    return ExpandedEncoding(
        encoding.blocks, encoding.sparse_columns, mean, encoding, basis
    ), expanded


def _fit_products(
    encoding: Encoding, matrix: Any, weights: Floats, chosen: BasisExpansion
) -> Products:
    degree, alone = int(chosen.degree), bool(chosen.interactions_only)
    factors = factors_of(encoding.terms, degree, interactions_only=alone)
    raw = Products(degree, alone, factors, np.ones(len(factors)))
    products = raw.expand(matrix)
    mean = weights @ products / weights.sum()
    spread = np.sqrt(weights @ (products - mean) ** 2 / weights.sum())
    # A product that hardly varies says nothing: dividing by its spread would make it noise.
    spread[(spread < LEAST_SPREAD) | (np.arange(len(factors)) < encoding.width)] = 1.0
    return replace(raw, spread=spread)


def _fit_radial(matrix: Any, weights: Floats, chosen: BasisExpansion) -> RadialFunctions:
    step = -(-matrix.shape[0] // _MOST_ROWS_FOR_CENTRES)  # rows are in an order without meaning
    part = matrix[::step]
    dense = np.asarray(part.toarray() if hasattr(part, "toarray") else part)
    order = term_order(dense)  # centers do not depend on the order of columns
    dense = dense[:, order]
    # Sorted: columns that say nothing change the canonical order of rows, but not this one.
    distinct, place = np.unique(dense, axis=0, return_inverse=True)
    weight = np.bincount(place.ravel(), weights[::step], len(distinct)).astype(np.float64)
    n_centers = min(int(chosen.n_centers), len(distinct)) if dense.shape[1] else 0
    seed = check_seed(chosen.random_state) % _SEEDS
    if n_centers in {0, len(distinct)}:
        centers = distinct[:n_centers]
    elif chosen.centers == "rows":
        drawn = np.random.default_rng(seed).permutation(len(distinct))[:n_centers]
        centers = distinct[np.sort(drawn)]
    else:
        centers = _middles(distinct, weight, n_centers, seed)
    width = _width(centers) if isinstance(chosen.width, str) else float(chosen.width)
    centers = np.ascontiguousarray(centers[:, np.argsort(order)])
    return RadialFunctions(centers, width, bool(chosen.linear))


def _middles(rows: Floats, weights: Floats, n_centers: int, seed: int) -> Floats:
    """Return the centers of clusters, by scikit-learn's k-means."""
    from sklearn.cluster import KMeans  # loads much, and few bases have centers

    model = KMeans(n_centers, n_init=1, random_state=seed, algorithm="lloyd")
    # In one thread, sums are always taken in the same order.
    with limit_threads(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        centers = model.fit(rows, sample_weight=weights).cluster_centers_
    return np.ascontiguousarray(centers, dtype=np.float64)


def _width(centers: Floats) -> float:
    apart = pdist(centers) if len(centers) > 1 and centers.shape[1] else np.zeros(0)
    apart = apart[apart > 0]
    return float(np.median(apart)) if len(apart) else 1.0
