"""A threshold on the probability of one class, chosen by a metric or by the costs of errors.

1. Rows are split into folds; the learner, fitted on the other folds, gives each row left out its
   probability p of the positive class.
2. Every threshold t is tried: positive is predicted when p ≥ t (``_threshold_sweep``). The one
   with the best metric, or the least cost, is kept.
3. The learner is fitted again on all rows; its probabilities stay as they are, t alone decides.

A learner is too confident about its training rows; step 1 gives probabilities as for new rows.

C. Elkan, The foundations of cost-sensitive learning, 2001: if the probabilities are right, the
threshold of least cost is c / (c + m) for a false alarm that costs c and a missed row that costs m.
Here it is found for probabilities as they come.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, Estimator, FittedState, reports_progress
from branchline._explanation import Explanation, explain_by_leaving_out
from branchline._intervals import Interval
from branchline._named_learners import Learner, make_learner
from branchline._plain_numbers import alike, number
from branchline._state import malformed
from branchline._validation import Given, OneOf, TrainingData, Whole, check_seed
from branchline.ensemble._ensemble import Ensemble
from branchline.ensemble._fitting import out_of_fold, outputs_of, refuse_unweighted
from branchline.ensemble._threshold_choices import (
    find_costs,
    find_positive,
    gives_probabilities,
    refuse_many_classes,
    refuse_without_probabilities,
    rows_of_rarest,
)
from branchline.ensemble._threshold_interval import (
    ends_of,
    interval_from_state,
    threshold_interval,
)
from branchline.ensemble._threshold_sweep import (
    HALF,
    METRICS,
    Sweep,
    sweep_from_state,
    sweep_thresholds,
)
from branchline.ensemble._training_rows import arrange_rows
from branchline.table import Schema, Table

__all__ = ["ThresholdClassifier"]

_LABEL = "estimator"


class ThresholdClassifier(Ensemble, Classifier):
    """A binary classifier with a tuned decision threshold.

    Use it when 0.5 is the wrong threshold: one class is rare, or one error costs more than the
    other. ``predict`` uses the threshold. ``predict_proba`` returns the learner's probabilities
    unchanged, so the predicted class is not always the more probable one.

    Parameters
    ----------
    estimator
        The learner that gives the probabilities: a name (``branchline.catalog.names()``) or an
        estimator with ``predict_proba``. Default "logistic".
    metric
        The metric that the threshold optimizes: "accuracy", "balanced_accuracy" (both classes have
        the same weight), "f1" (of the positive class) or "cost". None (default): "cost" when
        ``costs`` are given, else "balanced_accuracy".
    positive
        The class to which the threshold belongs; None (default): the rarer one.
    costs
        Costs of errors, for the metric "cost": {(truth, predicted): cost} or a matrix (rows: truth,
        in the order of the classes). Errors that are not named cost 1.
        Default None: all errors cost the same.
    n_folds
        Number of folds. More folds take longer, and give probabilities nearer to those of the
        learner that is fitted on all rows. Default 5.
    random_state
        The seed for splitting rows into folds. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    positive_
        The class that is predicted from the threshold on.
    threshold_
        The positive class is predicted when its probability is at least this; above 1: never. It
        stays at 0.5 when a class has a single row, or when all held-out rows are of one class, as
        can happen in tables with times.
    threshold_interval_
        The threshold with its 95 % interval: the range of the thresholds that other rows would
        have chosen (200 draws of rows with replacement; the learner is not fitted again). None when
        none was tried.
    threshold_curve_
        The thresholds that were tried and their scores, in two columns; empty when none was. If
        there are more than 2,000, evenly spaced ones are kept, and the chosen one and 0.5.
    out_of_fold_score_
        The score of the threshold out of fold (with "cost": the mean cost); None when none was
        tried. As the best of many it is slightly optimistic: use ``compare`` or ``cross_validate``.
    score_at_half_
        The score of the threshold 0.5 on the same rows.
    member_
        The learner, fitted on all rows; ``complexity()`` is its own.

    See Also
    --------
    compare : with ``costs`` or ``threshold``.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.ensemble import ThresholdClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = ThresholdClassifier(estimator="naive_bayes", costs={("bad", "good"): 5.0}).fit(X, y)
    >>> round(model.score_at_half_, 3), round(model.out_of_fold_score_, 3)
    (0.989, 0.497)
    """

    _opposite = None
    _lists: ClassVar = ()
    _singles: ClassVar = (_LABEL,)
    _constraints: ClassVar = {
        "estimator": Learner(),
        "metric": OneOf((None, *METRICS)),
        "positive": Given((str, bool, int, float, np.generic), "one of the classes"),
        "costs": Given((dict, list, tuple, np.ndarray), "a matrix or a mapping"),
        "n_folds": Whole(2),
    }
    threshold_: float
    threshold_interval_: Interval | None
    threshold_curve_: Floats
    out_of_fold_score_: float | None
    score_at_half_: float | None
    _place: int

    def __init__(
        self,
        *,
        estimator: Any = "logistic",
        metric: str | None = None,
        positive: Any = None,
        costs: Any = None,
        n_folds: int = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.metric = metric
        self.positive = positive
        self.costs = costs
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the learner, and choose the threshold by its probabilities out of fold."""
        data = self._begin(X, y, sample_weight)
        fitted = self._learn(data, is_weighted=sample_weight is not None)
        return self._finish(data, classes_=data.class_target.classes, **fitted)

    def _learn(self, data: TrainingData, *, is_weighted: bool) -> dict[str, Any]:
        """Return the learner fitted on all rows, and the threshold."""
        rows = arrange_rows(data, is_weighted=is_weighted)
        classes = data.class_target.classes
        member = (_LABEL, make_learner(self.estimator, self._task))
        refuse_many_classes(classes)
        refuse_without_probabilities(member[1])
        refuse_unweighted([member], rows)
        place, costs = find_positive(rows, self.positive), find_costs(self.costs, classes)
        interval: Interval | None = None
        if rows_of_rarest(rows) < 2:
            fitted, sweep = self._fit_whole(rows, [member]), None
        else:
            seed = check_seed(self.random_state)
            fitted, held = out_of_fold(rows, [member], self.n_folds, seed, self.n_jobs)
            truth = rows.target.class_of_row[held.rows] == place
            pair = float(costs[place, 1 - place]), float(costs[1 - place, place])
            swept = held.outputs[:, 0, place], truth, held.units
            sweep, folds = None, rows.folds.rows(held.rows)
            if truth.any() and not truth.all():  # in time, all held-out rows may be of one class
                sweep = sweep_thresholds(*swept, self._metric, pair)
                interval = threshold_interval(*swept, folds, sweep, seed)
        about = {"labels_": [_LABEL], "scores_": None, "_place": place, "positive_": classes[place]}
        return {"members_": fitted, **about, **_kept(sweep, interval)}

    @property
    def _metric(self) -> str:
        usual = "balanced_accuracy" if self.costs is None else "cost"
        return usual if self.metric is None else self.metric

    @property
    def member_(self) -> Any:
        """The learner, fitted on all rows."""
        return self.members_[0]

    # -- predicting -------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """Return the learner's probability of each class; the threshold does not change them."""
        table = self._check_rows(X).table
        return outputs_of(self.member_, table, self.classes_, _LABEL)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the positive class where its probability is at least ``threshold_``."""
        is_positive = self.predict_proba(X)[:, self._place] >= self.threshold_
        other = len(self.classes_) - 1 - self._place
        names: npt.NDArray[Any] = self.classes_[np.where(is_positive, self._place, other)]
        return names

    # -- reading ----------------------------------------------------------------------------------

    def _complexity(self) -> Complexity:
        ours = isinstance(self.member_, Estimator)
        return self.member_.complexity() if ours else Complexity(1, "parts")

    def _explain(self, row: Table) -> Explanation:
        explained = explain_by_leaving_out(
            row,
            lambda rows: self.predict_proba(rows)[:, self._place],
            prediction=self.predict(row)[0],
            about=f"probability of {str(self.positive_)!r}",
        )
        return replace(explained, notes=(self._rule(),))

    def _rule(self) -> str:
        if len(self.classes_) == 1:
            return f"always {self.classes_[0]}"
        other = self.classes_[1 - self._place]
        return f"{self.positive_} from a probability of {number(self.threshold_)} on, else {other}"

    def to_text(self) -> str:
        """Return the threshold and what it gains as text, then the learner."""
        self._check_fitted()
        lines = [self._rule()]
        if self.threshold_interval_ is not None:
            ends = self.threshold_interval_.within(0.0, 1.0)
            low, high = alike([ends.low, ends.high])
            lines.append(f"95 % interval of the threshold: {low} to {high}")
        if self.out_of_fold_score_ is not None:
            lines.append(
                f"{self._metric} out of fold: {number(self.out_of_fold_score_)} "
                f"(at 0.5: {number(self.score_at_half_)})"
            )
        lines.append(f"learner: {type(self.member_).__name__}")
        lines += [self.member_.to_text()] if hasattr(self.member_, "to_text") else []
        return "\n".join(lines)

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **super()._pack(),
            "positive": self._place,
            "threshold": self.threshold_,
            "threshold_ends": ends_of(self.threshold_interval_),
            "score": self.out_of_fold_score_,
            "score_at_half": self.score_at_half_,
            "curve": self.threshold_curve_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = dict(super()._unpack(state, schema))
        classes, place = fitted["classes_"], state.get("positive")
        if len(classes) > 2 or type(place) is not int or not 0 <= place < len(classes):
            raise malformed("'positive' is not one of two classes")
        if len(fitted["members_"]) != 1 or not gives_probabilities(fitted["members_"][0]):
            raise malformed("there is not one learner that gives probabilities")
        highest = np.inf if self._metric == "cost" else 1.0
        fitted |= {"_place": place, "positive_": classes[place]}
        sweep = sweep_from_state(state, highest)
        return {**fitted, **_kept(sweep, interval_from_state(state, sweep))}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _kept(sweep: Sweep | None, interval: Interval | None) -> dict[str, Any]:
    """Return the fitted attributes that a sweep gives, or the lack of one."""
    return {
        "threshold_interval_": interval,
        "threshold_": HALF if sweep is None else sweep.threshold,
        "threshold_curve_": np.zeros((0, 2)) if sweep is None else sweep.curve,
        "out_of_fold_score_": None if sweep is None else sweep.score,
        "score_at_half_": None if sweep is None else sweep.score_at_half,
    }
