"""Stacking: a final learner learns how to combine the predictions of the others.

1. Rows are split into folds; each learner, fitted on the other folds, predicts the fold left out.
2. These predictions (numbers, or probabilities of classes) are the columns of a new table; the
   final learner is fitted on it. No member has seen the rows that it predicts, so a member that
   memorizes its training rows gains nothing by it.
3. Members are fitted again on all rows; a new row goes through them, then the final learner.

D. Wolpert, Stacked generalization, 1992. With final_estimator="non_negative" the final learner is
the weighted mean whose weights, at least 0 and with a sum of 1, have the least squared error
(L. Breiman, Stacked regressions, 1996).
"""

from typing import Any, ClassVar, Self

from branchline._arrays import Floats
from branchline._base import Classifier, Regressor, reports_progress
from branchline._named_learners import Learner, Learners
from branchline._validation import Flag, Whole
from branchline.ensemble._stack import CONVEX, Stack

__all__ = ["StackingClassifier", "StackingRegressor"]

_CONSTRAINTS: dict[str, Any] = {
    "estimators": Learners(),
    "final_estimator": Learner((CONVEX,)),
    "n_folds": Whole(2),
    "passthrough": Flag(),
}


class StackingClassifier(Stack, Classifier):
    """Combine several classifiers by a final one that learns from their probabilities.

    Parameters
    ----------
    estimators
        The members: names of learners (``branchline.catalog.names()``), estimators, or pairs of a
        label and one of these. Different kinds of learners gain most.
        Default ('logistic', 'random_forest', 'gradient_boosting').
    final_estimator
        The learner that combines the members' probabilities: a name or an estimator; a simple one
        is best. "non_negative": a weighted mean, whose weights are at least 0. Default "logistic".
    n_folds
        Number of folds. More folds take longer and leave fewer rows out. Default 5.
    passthrough
        Whether the final learner also gets the columns of the table. It can then learn which member
        is best for which rows, but it can also overfit. Default False.
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
    final_
        The fitted final learner; None with "non_negative".
    weights_
        The weight of each member with "non_negative"; else None.
    scores_
        The accuracy of each member out of fold.
    out_of_fold_
        The training table of the final learner: for each training row, the members' probabilities
        when the row was held out (of the second class when there are two). Not kept in a model
        file.

    See Also
    --------
    VotingClassifier : without a second level.
    BayesianAverageClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.ensemble import StackingClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = StackingClassifier(estimators=["tree", "one_rule"], final_estimator="non_negative")
    >>> model = model.fit(X, y)
    >>> model.weights_.round(2).tolist()
    [0.75, 0.25]
    """

    _opposite = "branchline.ensemble.StackingRegressor"
    _constraints: ClassVar = _CONSTRAINTS
    _left_out_of_files: ClassVar = frozenset({"out_of_fold_"})

    def __init__(
        self,
        *,
        estimators: Any = ("logistic", "random_forest", "gradient_boosting"),
        final_estimator: Any = "logistic",
        n_folds: int = 5,
        passthrough: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.n_folds = n_folds
        self.passthrough = passthrough
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members, and the final learner on their predictions out of fold."""
        data = self._begin(X, y, sample_weight)
        fitted = self._learn(data, is_weighted=sample_weight is not None)
        return self._finish(data, classes_=data.class_target.classes, **fitted)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, as the final learner gives it."""
        return self._answer(X)


class StackingRegressor(Stack, Regressor):
    """Combine several regressors by a final one that learns from their predictions.

    Parameters
    ----------
    estimators
        The members: names of learners (``branchline.catalog.names()``), estimators, or pairs of a
        label and one of these. Different kinds of learners gain most.
        Default ('ridge', 'random_forest', 'gradient_boosting').
    final_estimator
        The learner that combines the members' predictions: a name or an estimator; a simple one is
        best. "non_negative": a weighted mean, which stays within the members' predictions.
        Default "ridge".
    n_folds
        Number of folds. More folds take longer and leave fewer rows out. Default 5.
    passthrough
        Whether the final learner also gets the columns of the table. It can then learn which member
        is best for which rows, but it can also overfit. Default False.
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
    final_
        The fitted final learner; None with "non_negative".
    weights_
        The weight of each member with "non_negative"; else None.
    scores_
        The root mean squared error of each member out of fold.
    out_of_fold_
        The training table of the final learner: for each training row, the members' predictions
        when the row was held out. Not kept in a model file.

    See Also
    --------
    VotingRegressor
    BayesianAverageRegressor

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.ensemble import StackingRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = StackingRegressor(estimators=["tree", "stump"], final_estimator="tree").fit(X, y)
    >>> model.scores_.round(2).tolist()
    [4.06, 5.12]
    """

    _opposite = "branchline.ensemble.StackingClassifier"
    _constraints: ClassVar = _CONSTRAINTS
    _left_out_of_files: ClassVar = frozenset({"out_of_fold_"})

    def __init__(
        self,
        *,
        estimators: Any = ("ridge", "random_forest", "gradient_boosting"),
        final_estimator: Any = "ridge",
        n_folds: int = 5,
        passthrough: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.n_folds = n_folds
        self.passthrough = passthrough
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members, and the final learner on their predictions out of fold."""
        data = self._begin(X, y, sample_weight)
        return self._finish(data, **self._learn(data, is_weighted=sample_weight is not None))

    def predict(self, X: Any) -> Floats:
        """Return the number that the final learner makes of the members' numbers."""
        return self._answer(X)
