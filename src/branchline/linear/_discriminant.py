"""Linear discriminant analysis: normal classes of one covariance, and Bayes's rule.

1. Terms are scaled by their spread within classes; the mean μ_k of each class is weighted.
2. One covariance Σ within all classes, divided by the total weight, and shrunk towards
   equal variances (``_covariance``) as far as held-out rows demand (``_shrinkage_folds``).
3. s_k(z) = zᵀΣ⁻¹μ_k − ½ μ_kᵀΣ⁻¹μ_k + ln π_k; probabilities are the softmax of s.
"""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._encoding._encoded import ENCODER
from branchline._state import frequencies_from_state, malformed, number_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Real
from branchline.encoding import TableEncoder
from branchline.linear._basis import BASIS, BasisExpansion
from branchline.linear._covariance import (
    Moments,
    covariance_within,
    inverse_root,
    scaled_moments,
)
from branchline.linear._linear_classifier import LinearClassifier
from branchline.linear._priors import PRIORS, priors_of
from branchline.linear._shrinkage_folds import choose_shrinkage
from branchline.table import Schema

__all__ = ["LinearDiscriminantAnalysis"]

_SHRINKAGE = AnyOf((OneOf((None, "auto", "ledoit_wolf")), Real(0, 1)))


class LinearDiscriminantAnalysis(LinearClassifier):
    """Linear discriminant analysis: normal classes that share one covariance.

    A quick closed form, often as good as logistic regression, and better with few rows when
    columns are about normal within classes.

    Parameters
    ----------
    shrinkage
        How far the covariance is drawn towards equal, uncorrelated variances: a number from 0 to 1,
        or None: not at all. "auto" (default): the share of least log loss in five folds, but as
        "ledoit_wolf" where terms outnumber rows. "ledoit_wolf": the share for which the covariance
        itself has the least expected error.
    priors
        The probability of each class before a row is looked at, as a mapping; None (default): as
        frequent as in the training rows. Give it when classes were sampled at other rates than they
        occur.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``, but without an
        indicator for the most frequent category of a column.
    basis
        Powers and products of terms ("polynomial"), or radial functions around typical rows
        ("rbf"), or a ``BasisExpansion``, for boundaries that bend; None (default): a straight one.

    Attributes
    ----------
    classes_
        The classes, sorted.
    coef_, intercept_
        The log-odds in the units of the table; one row for two classes (of the second).
    priors_
        The prior of each class.
    shrinkage_
        How far the covariance was shrunk.

    See Also
    --------
    QuadraticDiscriminantAnalysis
    LogisticRegression

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import LinearDiscriminantAnalysis
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> round(model.score(X, y), 2)
    0.98
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "shrinkage": _SHRINKAGE,
        "priors": PRIORS,
        "encoder": ENCODER,
        "basis": BASIS,
    }
    _opposite = "branchline.linear.LinearRegression"
    _default_encoder = TableEncoder(drop="most_frequent")
    priors_: Floats
    shrinkage_: float

    def __init__(
        self,
        *,
        shrinkage: float | str | None = "auto",
        priors: dict[Any, Any] | None = None,
        encoder: TableEncoder | None = None,
        basis: BasisExpansion | str | None = None,
    ) -> None:
        self.shrinkage = shrinkage
        self.priors = priors
        self.encoder = encoder
        self.basis = basis

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn means and the covariance; rows of weight k count as k copies."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        classes = data.class_target.classes
        moments, size = scaled_moments(rows)
        priors = priors_of(self.priors, classes, moments.weight)
        shrinkage = self.shrinkage
        if shrinkage == "auto":
            shrinkage = choose_shrinkage(rows, partial(priors_of, self.priors, classes))
        covariance, shrinkage = covariance_within(moments, shrinkage)
        weights, bias = _linear_sums(moments, covariance, priors)
        if len(classes) == 2:
            weights, bias = weights[1:] - weights[:1], bias[1:] - bias[:1]
        return self._finish(
            data,
            classes_=classes,
            encoding_=rows.encoding,
            weights_=weights / size,
            bias_=bias if len(classes) > 1 else np.zeros(1),
            priors_=priors,
            shrinkage_=shrinkage,
        )

    def _pack(self) -> FittedState:
        return {**super()._pack(), "priors": self.priors_, "shrinkage": self.shrinkage_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = super()._unpack(state, schema)
        n_classes = len(fitted["classes_"])
        return {
            **fitted,
            "priors_": frequencies_from_state(state, "priors", length=n_classes),
            "shrinkage_": _share_from_state(state, "shrinkage"),
        }


def _linear_sums(moments: Moments, covariance: Any, priors: Floats) -> tuple[Floats, Floats]:
    """Return weights and constant of each class's sum."""
    root, _ = inverse_root(covariance, moments.total)
    center = (moments.weight / moments.weight.sum()) @ moments.mean
    turned = (moments.mean - center) @ root
    weights = turned @ root.T
    bias = np.log(priors) - 0.5 * (turned**2).sum(axis=1) - weights @ center
    return weights, bias - bias.mean()


def _share_from_state(state: FittedState, name: str) -> float:
    share = number_from_state(state, name)
    if not 0 <= share <= 1:
        raise malformed(f"{name!r} is not a share")
    return share
