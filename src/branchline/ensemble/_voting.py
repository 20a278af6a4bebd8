"""Voting: several learners are fitted on the same rows, and their predictions are averaged.

1. Each learner m is fitted on all rows: f_m.
2. Weights w_m: equal, given, or learned from errors out of fold (``_weights``).
3. The prediction is Σ w_m f_m(x): of probabilities (a soft vote), of decisions (a hard vote), of
   numbers. On a tie the first class wins.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import reports_progress
from branchline._named_learners import Learners
from branchline._validation import AnyOf, Given, OneOf, TrainingData, Whole, check_seed
from branchline.ensemble._ensemble import Averaging, AveragingClassifier, AveragingRegressor
from branchline.ensemble._fitting import OutOfFold, out_of_fold
from branchline.ensemble._training_rows import TrainingRows, arrange_rows
from branchline.ensemble._weights import (
    accuracy_weights,
    check_numbers,
    equal_weights,
    score_members,
    stacked_weights,
)

__all__ = ["VotingClassifier", "VotingRegressor"]

_LEARNED: dict[str, Callable[[TrainingRows, OutOfFold], Floats]] = {
    "accuracy": accuracy_weights,
    "stacked": stacked_weights,
}
_CONSTRAINTS: dict[str, Any] = {
    "estimators": Learners(),
    "weights": AnyOf(
        (OneOf((None, *_LEARNED)), Given((list, tuple, np.ndarray), "a number for each learner"))
    ),
    "n_folds": Whole(2),
}


class _Voting(Averaging):
    """How both voting ensembles are fitted."""

    estimators: Any
    weights: Any
    n_folds: int
    random_state: Any
    n_jobs: int | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.weights is not None and not isinstance(self.weights, str):
            check_numbers(type(self).__name__, "weights", self.weights, len(self.estimators))

    def _learn(self, data: TrainingData, *, is_weighted: bool) -> dict[str, Any]:
        """Return the fitted members with their weights."""
        rows = arrange_rows(data, is_weighted=is_weighted)
        members = self._prepare(rows)
        scores = None
        if isinstance(self.weights, str):
            seed = check_seed(self.random_state)
            fitted, held = out_of_fold(rows, members, self.n_folds, seed, self.n_jobs)
            weights, scores = _LEARNED[self.weights](rows, held), score_members(rows, held)
        else:
            fitted, weights = self._fit_whole(rows, members), equal_weights(len(members))
            if self.weights is not None:
                weights = check_numbers("", "weights", self.weights, len(members))
        labels = [label for label, _ in members]
        return {"labels_": labels, "members_": fitted, "weights_": weights, "scores_": scores}


class VotingClassifier(_Voting, AveragingClassifier):
    """Predict the class by a vote of several classifiers.

    Parameters
    ----------
    estimators
        The members: names of learners (``branchline.catalog.names()``), estimators, or pairs of a
        label and one of these. Different kinds of learners gain most, because their errors differ.
        Default ('logistic', 'random_forest', 'gradient_boosting').
    vote
        "soft" (default): probabilities are averaged, so a confident member counts more. "hard":
        each member votes for one class; choose it when probabilities cannot be trusted. The
        probabilities of the ensemble are then the shares of the votes.
    weights
        None (default): equal weights. A list with a number for each member: only the ratios matter.
        "accuracy": ln((K − 1) p / (1 − p)) for K classes, where p is the accuracy of the member out
        of fold. "stacked": the weights of at least 0 for which the mean of the probabilities has
        the least squared error out of fold; members that do not help get weight 0.
    n_folds
        Number of folds for learning weights. More folds take longer and leave fewer rows out.
        Default 5.
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
        The weight of each member; they sum to 1.
    scores_
        The accuracy of each member out of fold; None when weights were not learned.

    See Also
    --------
    StackingClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.ensemble import VotingClassifier
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> model = VotingClassifier(estimators=["c45", "cart", "one_rule"], vote="hard").fit(X, y)
    >>> round(model.score(X, y), 3)
    0.956
    """

    _opposite = "branchline.ensemble.VotingRegressor"
    _constraints: ClassVar = {**_CONSTRAINTS, "vote": OneOf(("soft", "hard"))}

    def __init__(
        self,
        *,
        estimators: Any = ("logistic", "random_forest", "gradient_boosting"),
        vote: str = "soft",
        weights: Any = None,
        n_folds: int = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.vote = vote
        self.weights = weights
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members and find their weights."""
        data = self._begin(X, y, sample_weight)
        fitted = self._learn(data, is_weighted=sample_weight is not None)
        return self._finish(data, classes_=data.class_target.classes, **fitted)


class VotingRegressor(_Voting, AveragingRegressor):
    """Predict the weighted mean of several regressors.

    Parameters
    ----------
    estimators
        The members: names of learners (``branchline.catalog.names()``), estimators, or pairs of a
        label and one of these. Different kinds of learners gain most, because their errors differ
        (``ambiguity`` measures how much). Default ('ridge', 'random_forest', 'gradient_boosting').
    weights
        None (default): equal weights. A list with a number for each member: only the ratios matter.
        "accuracy": 1 / mean squared error out of fold. "stacked": the weights of at least 0 for
        which the mean has the least squared error out of fold; members that do not help get
        weight 0.
    n_folds
        Number of folds for learning weights. More folds take longer and leave fewer rows out.
        Default 5.
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
        The weight of each member; they sum to 1.
    scores_
        The root mean squared error of each member out of fold; None when weights were not learned.

    See Also
    --------
    StackingRegressor

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.ensemble import VotingRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> learners = ["tree", "stump", "baseline"]
    >>> model = VotingRegressor(estimators=learners, weights="stacked").fit(X, y)
    >>> model.weights_.round(2).tolist()
    [0.83, 0.17, 0.0]
    """

    _opposite = "branchline.ensemble.VotingClassifier"
    _constraints: ClassVar = _CONSTRAINTS

    def __init__(
        self,
        *,
        estimators: Any = ("ridge", "random_forest", "gradient_boosting"),
        weights: Any = None,
        n_folds: int = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members and find their weights."""
        data = self._begin(X, y, sample_weight)
        fitted = self._learn(data, is_weighted=sample_weight is not None)
        return self._finish(data, **fitted)
