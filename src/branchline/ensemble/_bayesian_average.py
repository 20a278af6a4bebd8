"""Bayesian model averaging: each member counts by how probable it is, given the data.

The weight of member m is its posterior probability, w_m ∝ π_m · exp(E_m), with prior π_m and
evidence E_m (an estimate of the logarithm of p(data | m)):

1. evidence="folds": E_m = Σ_i log p_m(y_i | x_i), each row predicted by a fit that has not seen it
   (pseudo-BMA).
2. evidence="bic": E_m = log L_m − ½ k_m ln n = −BIC_m / 2, with the likelihood of the rows that
   were learned from and k_m = the number of the member's parts (leaves, weights: ``complexity()``).
3. Classes: p_m is the probability of the true class, smoothed as if each of the K classes had been
   seen once more, (n p + 1) / (n + K), so that one confident mistake does not exclude a member.
4. Numbers: p_m is normal around the prediction, with the standard deviation σ_m of its errors;
   then log L_m = −n/2 (ln 2πσ_m² + 1). The standard deviation of the prediction is
   √Σ w_m (σ_m² + (f_m − f)²).

With many rows nearly all weight goes to one member, because the formula asks which member is true.
If no member is true and several are useful, ``VotingRegressor(weights="stacked")`` predicts better.

J. Hoeting, D. Madigan, A. Raftery, C. Volinsky, Bayesian model averaging: a tutorial, 1999;
Y. Yao, A. Vehtari, D. Simpson, A. Gelman, Using stacking to average Bayesian predictive
distributions, 2018 (pseudo-BMA).
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._named_learners import Learners
from branchline._power_of_two import power_of_two_scale
from branchline._state import numbers_from_state
from branchline._validation import Given, OneOf, TrainingData, Whole, check_seed
from branchline.ensemble._ensemble import Averaging, AveragingClassifier, AveragingRegressor
from branchline.ensemble._evidence import in_sample, log_likelihood, penalties, posterior
from branchline.ensemble._fitting import out_of_fold
from branchline.ensemble._training_rows import arrange_rows
from branchline.ensemble._weights import (
    check_numbers,
    equal_weights,
    score_members,
)
from branchline.table import Schema

__all__ = ["BayesianAverageClassifier", "BayesianAverageRegressor"]

_CONSTRAINTS: dict[str, Any] = {
    "estimators": Learners(),
    "evidence": OneOf(("folds", "bic")),
    "prior": Given((list, tuple, np.ndarray), "a number for each learner"),
    "n_folds": Whole(2),
}


class _BayesianAverage(Averaging):
    """How both averages are fitted."""

    estimators: Any
    evidence: str
    prior: Any
    n_folds: int
    random_state: Any
    n_jobs: int | None
    evidence_: Floats

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.prior is not None:
            check_numbers(type(self).__name__, "prior", self.prior, len(self.estimators))

    def _learn(self, data: TrainingData, *, is_weighted: bool) -> dict[str, Any]:
        """Return the fitted members with their evidence and posterior probabilities."""
        rows = arrange_rows(data, is_weighted=is_weighted)
        members = self._prepare(rows)
        labels = [label for label, _ in members]
        if self.evidence == "folds":
            seed = check_seed(self.random_state)
            fitted, held = out_of_fold(rows, members, self.n_folds, seed, self.n_jobs)
            penalty, scores = np.zeros(len(members)), score_members(rows, held)
        else:
            fitted, scores = self._fit_whole(rows, members), None
            held, penalty = in_sample(rows, fitted, labels), penalties(rows, fitted, labels)
        evidence, spread = log_likelihood(rows, held)
        prior = equal_weights(len(members))
        if self.prior is not None:
            prior = check_numbers("", "prior", self.prior, len(members))
        return {
            "labels_": labels,
            "members_": fitted,
            "scores_": scores,
            "evidence_": evidence - penalty,
            "weights_": posterior(evidence - penalty, prior),
            **({} if spread is None else {"spreads_": spread}),
        }

    def _pack(self) -> FittedState:
        return {**super()._pack(), "evidence": self.evidence_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = super()._unpack(state, schema)
        evidence = numbers_from_state(state, "evidence", length=len(fitted["members_"]))
        return {**fitted, "evidence_": evidence}


class BayesianAverageClassifier(_BayesianAverage, AveragingClassifier):
    """Average several classifiers, each weighted by its posterior probability.

    Parameters
    ----------
    estimators
        The members: names of learners (``branchline.catalog.names()``), estimators, or pairs of
        a label and one of these. The method assumes that one of them is the true model.
        Default ('tree', 'naive_bayes', 'logistic').
    evidence
        "folds" (default): the log probability that members give to held-out rows. "bic": the log
        probability of their training rows, less ½ ln n for each parameter (leaf, weight); it takes
        one fit instead of six, but parameters of different learners are hard to compare.
    prior
        Prior probability of each member, as a list; None (default): all equal.
    n_folds
        Number of folds. Default 5.
    random_state
        The seed for splitting rows into folds. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    members_
        The fitted members; ``complexity()`` is the sum of theirs.
    labels_
        Their names, also for ``set_params(label__parameter=value)``.
    weights_
        The posterior probability of each member; they sum to 1.
    evidence_
        The logarithm of each member's evidence.
    scores_
        The accuracy of each member out of fold; None with "bic".

    See Also
    --------
    VotingClassifier : predict the class by a vote of several classifiers.
    StackingClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.ensemble import BayesianAverageClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = BayesianAverageClassifier(estimators=["tree", "one_rule"]).fit(X, y)
    >>> model.weights_.round(2).tolist()
    [1.0, 0.0]
    """

    _opposite = "branchline.ensemble.BayesianAverageRegressor"
    _constraints: ClassVar = _CONSTRAINTS

    def __init__(
        self,
        *,
        estimators: Any = ("tree", "naive_bayes", "logistic"),
        evidence: str = "folds",
        prior: Any = None,
        n_folds: int = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.evidence = evidence
        self.prior = prior
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members and find how probable each is."""
        data = self._begin(X, y, sample_weight)
        fitted = self._learn(data, is_weighted=sample_weight is not None)
        return self._finish(data, classes_=data.class_target.classes, **fitted)


class BayesianAverageRegressor(_BayesianAverage, AveragingRegressor):
    """The mean of several regressors, each weighted by its probability given the data.

    Parameters
    ----------
    estimators
        The members: names of learners (``branchline.catalog.names()``), estimators, or pairs of
        a label and one of these. The method assumes that one of them is the true model.
        Default ('tree', 'ridge').
    evidence
        "folds" (default): the log probability that members give to held-out rows. "bic": the log
        probability of their training rows, less ½ ln n for each parameter (leaf, weight); it takes
        one fit instead of six, but parameters of different learners are hard to compare.
    prior
        Prior probability of each member, as a list; None (default): all equal.
    n_folds
        Number of folds. Default 5.
    random_state
        The seed for splitting rows into folds. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    members_
        The fitted members; ``complexity()`` is the sum of theirs.
    labels_
        Their names, also for ``set_params(label__parameter=value)``.
    weights_
        The posterior probability of each member; they sum to 1.
    evidence_
        The logarithm of each member's evidence.
    spreads_
        The standard deviation of each member's errors.
    scores_
        The root mean squared error of each member out of fold; None with "bic".

    See Also
    --------
    VotingRegressor : predict the weighted mean of several regressors.
    StackingRegressor

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.ensemble import BayesianAverageRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = BayesianAverageRegressor(estimators=["tree", "cart"]).fit(X, y)
    >>> model.weights_.round(2).tolist()
    [0.0, 1.0]
    """

    _opposite = "branchline.ensemble.BayesianAverageClassifier"
    _constraints: ClassVar = _CONSTRAINTS
    spreads_: Floats

    def __init__(
        self,
        *,
        estimators: Any = ("tree", "ridge"),
        evidence: str = "folds",
        prior: Any = None,
        n_folds: int = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.evidence = evidence
        self.prior = prior
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members and find how probable each is."""
        data = self._begin(X, y, sample_weight)
        return self._finish(data, **self._learn(data, is_weighted=sample_weight is not None))

    def predict_std(self, X: Any) -> Floats:
        """Return the standard deviation of each prediction, from errors and disagreement."""
        table = self._check_rows(X).table
        said = np.stack(list(self._outputs(table)), axis=1)
        exponent = max(power_of_two_scale(said), power_of_two_scale(self.spreads_))
        said, own = np.ldexp(said, -exponent), np.ldexp(self.spreads_, -exponent)
        total = np.zeros(len(said))
        mean = sum(w * one for w, one in zip(self.weights_, said.T, strict=True))
        for weight, one, spread in zip(self.weights_, said.T, own, strict=True):
            total += weight * (spread**2 + np.square(one - mean))
        return np.ldexp(np.sqrt(total), exponent)

    def _pack(self) -> FittedState:
        return {**super()._pack(), "spreads": self.spreads_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = super()._unpack(state, schema)
        n_members = len(fitted["members_"])
        spreads = numbers_from_state(state, "spreads", length=n_members, low=0.0)
        return {**fitted, "spreads_": spreads}
