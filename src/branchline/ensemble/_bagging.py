"""Bagging: one learner, fitted on many bootstrap samples, and averaged.

1. For member b each copy of a row is drawn Poisson(1) times, so about 37 % of rows are left out.
2. A copy of the learner is fitted on what was drawn, with a seed of its own where it has one.
3. The prediction is the mean over members of probabilities, votes or numbers.
4. Out of bag: a row is predicted by the members that have not drawn it. That gives an unbiased
   estimate of the error, without folds.

L. Breiman, Bagging predictors, 1996. Bagging helps unstable learners: full trees gain much, linear
models almost nothing.
"""

import math
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._intervals import Interval
from branchline._named_learners import Learner, make_learner
from branchline._row_keys import scramble
from branchline._state import malformed, number_from_state
from branchline._validation import OneOf, TrainingData, Whole, check_seed
from branchline.ensemble._bag_scores import out_of_bag_interval, out_of_bag_score
from branchline.ensemble._ensemble import Averaging, AveragingClassifier, AveragingRegressor
from branchline.ensemble._fitting import Job, fit_jobs, refuse_unweighted
from branchline.ensemble._training_rows import TrainingRows, arrange_rows
from branchline.ensemble._weights import equal_weights
from branchline.table import Schema
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["BaggingClassifier", "BaggingRegressor"]

_CONSTRAINTS: dict[str, Any] = {"estimator": Learner((None,)), "n_estimators": Whole(1)}
# Predictions out of bag that are kept at once, as numbers; members that are fitted at once.
_NUMBERS_AT_ONCE = 2**25
_FEWEST_AT_ONCE = 4


class _Bagging(Averaging):
    """How both bagging ensembles are fitted."""

    _lists: ClassVar = ()
    _singles: ClassVar = ("estimator",)
    _words: ClassVar = (None,)
    _left_out_of_files: ClassVar = frozenset({"oob_prediction_", "oob_interval_"})
    estimator: Any
    n_estimators: int
    random_state: Any
    n_jobs: int | None
    oob_score_: float | None
    oob_interval_: Interval | None

    def _parts(self) -> dict[str, Any]:
        return {"estimator": _full_tree(self._task)} if self.estimator is None else super()._parts()

    def _learn(self, data: TrainingData, *, is_weighted: bool) -> dict[str, Any]:
        """Return the fitted members and their predictions out of bag."""
        rows = arrange_rows(data, is_weighted=is_weighted)
        learner = make_learner(self._parts()["estimator"], self._task)
        seed = check_seed(self.random_state)
        refuse_unweighted([("estimator", learner)], rows)
        jobs = []
        for member in range(self.n_estimators):
            drawn = rows.draw(seed, member)
            left_out = np.flatnonzero(drawn == 0)
            jobs.append(Job(f"bag_{member + 1}", _seeded(learner, seed, member), drawn, left_out))
        members, predicted = self._fit_members(rows, jobs)
        return {
            "labels_": [job.label for job in jobs],
            "members_": members,
            "weights_": equal_weights(self.n_estimators),
            "scores_": None,
            "oob_prediction_": predicted[rows.place_of_input],
            "oob_score_": out_of_bag_score(rows, predicted),
            "oob_interval_": out_of_bag_interval(rows, predicted),
        }

    def _fit_members(self, rows: TrainingRows, jobs: list[Job]) -> tuple[list[Any], Floats]:
        """Return the members, and the mean prediction of each row out of bag; NaN: there is none.

        Members are fitted some at a time, so that their predictions need bounded memory.
        """
        shape = (rows.n_rows,) if rows.classes is None else (rows.n_rows, len(rows.classes))
        mean, count = np.zeros(shape), np.zeros(rows.n_rows)
        members = []
        at_once = max(_FEWEST_AT_ONCE, _NUMBERS_AT_ONCE // mean.size)
        for first in range(0, len(jobs), at_once):
            some = jobs[first : first + at_once]
            for job, (member, predicted) in zip(
                some, fit_jobs(rows, some, self.n_jobs), strict=True
            ):
                members.append(member)
                if predicted is not None:
                    self._add_out_of_bag(mean, count, job, predicted)
        mean[count == 0] = np.nan
        return members, mean

    def _add_out_of_bag(self, mean: Floats, count: Floats, job: Job, predicted: Floats) -> None:
        asked = job.asked
        count[asked] += 1
        times = count[asked] if mean.ndim == 1 else count[asked][:, None]
        # A running mean: sums of large numbers would overflow.
        mean[asked] += self._votes(predicted) / times - mean[asked] / times

    def _pack(self) -> FittedState:
        return {**super()._pack(), "oob_score": self.oob_score_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        score = None if state.get("oob_score") is None else number_from_state(state, "oob_score")
        lowest = 0.0 if self._task == "classification" else -math.inf
        if score is not None and not lowest <= score <= 1.0:
            raise malformed("'oob_score' is out of range")
        return {**super()._unpack(state, schema), "oob_score_": score}


class BaggingClassifier(_Bagging, AveragingClassifier):
    """Fit one classifier on many bootstrap samples, and average the predictions.

    Parameters
    ----------
    estimator
        The learner that is fitted on each sample: a name (``branchline.catalog.names()``), an
        estimator, or None (default): a tree grown to the end,
        ``DecisionTreeClassifier(prune=None)``. Learners that change much with the sample gain most;
        trees do, linear models hardly.
    n_estimators
        Number of samples. More take longer and do no harm; beyond 50 little changes. Default 25.
    vote
        "soft" (default): probabilities are averaged. "hard": each member votes for one class.
    random_state
        Seed for the samples, and for the members' own seeds. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    members_
        The fitted copies of the learner; ``complexity()`` adds up their parts. A sample of one
        class makes a ``MajorityClassifier``.
    labels_
        Their names.
    weights_
        The weight of each member: all equal.
    oob_prediction_
        For each training row (without rows of weight 0), the mean probabilities of the members that
        have not drawn it; NaN for a row that all have drawn. Not kept in a model file.
    oob_interval_
        The out-of-bag score with its 95 % interval; a loaded model does not know it.
    oob_score_
        The accuracy out of bag: an estimate for new rows; None when every member drew every row.

    See Also
    --------
    RandomForestClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.ensemble import BaggingClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = BaggingClassifier().fit(X, y)
    >>> round(model.oob_score_, 2)
    0.73
    """

    _opposite = "branchline.ensemble.BaggingRegressor"
    _constraints: ClassVar = {**_CONSTRAINTS, "vote": OneOf(("soft", "hard"))}

    def __init__(
        self,
        *,
        estimator: Any = None,
        n_estimators: int = 25,
        vote: str = "soft",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.vote = vote
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw the samples and fit a member on each."""
        data = self._begin(X, y, sample_weight)
        fitted = self._learn(data, is_weighted=sample_weight is not None)
        return self._finish(data, classes_=data.class_target.classes, **fitted)


class BaggingRegressor(_Bagging, AveragingRegressor):
    """Fit one regressor on many bootstrap samples, and average the predictions.

    Parameters
    ----------
    estimator
        The learner that is fitted on each sample: a name (``branchline.catalog.names()``), an
        estimator, or None (default): a tree grown to the end,
        ``DecisionTreeRegressor(prune=None)``. Learners that change much with the sample gain most;
        trees do, linear models hardly.
    n_estimators
        Number of samples. More take longer and do no harm; beyond 50 little changes. Default 25.
    random_state
        Seed for the samples, and for the members' own seeds. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    members_
        The fitted copies of the learner; ``complexity()`` adds up their parts.
    labels_
        Their names.
    weights_
        The weight of each member: all equal.
    oob_prediction_
        For each training row (without rows of weight 0), the mean prediction of the members that
        have not drawn it; NaN for a row that all have drawn. Not kept in a model file.
    oob_interval_
        The out-of-bag score with its 95 % interval; a loaded model does not know it.
    oob_score_
        R² out of bag: an estimate for new rows; None when it does not exist.

    See Also
    --------
    BaggingClassifier : fit one classifier on many bootstrap samples, and average the predictions.
    RandomForestRegressor : a random forest that predicts a number, or several.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.ensemble import BaggingRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = BaggingRegressor().fit(X, y)
    >>> round(model.oob_score_, 2)
    0.84
    """

    _opposite = "branchline.ensemble.BaggingClassifier"
    _constraints: ClassVar = _CONSTRAINTS

    def __init__(
        self,
        *,
        estimator: Any = None,
        n_estimators: int = 25,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw the samples and fit a member on each."""
        data = self._begin(X, y, sample_weight)
        fitted = self._learn(data, is_weighted=sample_weight is not None)
        return self._finish(data, **fitted)


def _full_tree(task: str) -> Any:
    """Return a tree that is grown to the end: what bagging helps most."""
    kind = DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
    return kind(prune=None)


def _seeded(estimator: Any, seed: int, member: int) -> Any:
    """Return a copy of the estimator, every seed in it replaced by one that is the member's own."""
    copied = clone(estimator)
    places = [key for key in copied.get_params() if key.rpartition("__")[2] == "random_state"]
    mixed = scramble(scramble(np.array([seed], dtype=np.uint64)) ^ np.uint64(member))
    own = int(mixed[0]) % 2**31
    return copied.set_params(**dict.fromkeys(places, own)) if places else copied
