"""AdaBoost: each member learns most from the rows that those before it got wrong.

With K classes, rows of weight D (sum 1) and members h_1, h_2, …:

1. h_t is fitted on rows of weight D; ε = Σ D over the rows it gets wrong.
2. SAMME's amount a = ν (ln((1 − ε) / ε) + ln(K − 1)), ν the learning rate.
3. D ← D · exp(a) where h_t is wrong, divided by the sum.
4. The vote for class k is V_k = Σ a_t over the members that predict k; the largest wins.

The bound of the training error is in ``_sequence_votes``.

Y. Freund, R. E. Schapire, A decision-theoretic generalization of on-line learning, 1997.
J. Zhu, H. Zou, S. Rosset, T. Hastie, Multi-class AdaBoost, 2009.
"""

import itertools
import math
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.utils import Tags

from branchline._arrays import Floats
from branchline._base import Classifier, FittedState, reports_progress
from branchline._explanation import Explanation, in_order_of_size
from branchline._state import classes_from_state, classes_to_state, malformed, numbers_from_state
from branchline._validation import OneOf, Whole, check_parameters, count_threads
from branchline.boosting._sequence import PARAMETERS, Sequence
from branchline.boosting._sequence_rows import sequence_rows
from branchline.boosting._sequence_trees import TreeMembers
from branchline.boosting._sequence_votes import Votes
from branchline.table import Schema, Table
from branchline.tree import DecisionTreeClassifier

__all__ = ["AdaBoostClassifier"]


class AdaBoostClassifier(Sequence, Classifier):
    """AdaBoost for two classes, SAMME for several.

    A simple learner, such as a stump, is fitted again and again. After each round, rows that were
    predicted wrongly get more weight, so the next member looks at them. The members vote, the
    better ones with more weight.

    It is simple, has published error bounds (``training_error_bound_``), and can boost any
    classifier. Wrong labels hurt it, because their rows get ever more weight:
    ``GradientBoostingClassifier`` is more robust, and more accurate on most tables.

    Parameters
    ----------
    estimator
        The learner that is fitted in each round: the name of a learner
        (``branchline.catalog.names()``), an estimator, or None (default): a tree of depth
        ``max_depth``. Learners that take ``sample_weight`` get the weights of the round. For
        others, rows are drawn by these weights; the draw depends on the content of rows,
        ``random_state`` and the round.
    n_estimators
        Maximum number of members. Default 50.
    learning_rate
        Factor for the weight of each member, at most 1. Smaller values need more members. Default
        1.
    max_depth
        Maximum depth of the default trees. Default 1: stumps.
    criterion
        Impurity measure of the default trees: "gini" (default), "entropy" or "misclassification".
    max_bins
        Maximum number of different values of a column that the default trees use. Default 255.
        None: all.
    warm_start
        Whether another ``fit`` on the same rows adds members to the existing ones. Default False.
    random_state
        Seed of the draws for learners that take no weights. Members do not get it. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    estimators_
        The fitted members. Boosting ends before ``n_estimators`` when a member is not better than
        guessing (it is left out, unless it is the first), and when a member makes no error.
    estimator_weights_
        The weight of each member, times the learning rate. Two classes: α = ½ ln((1 − ε) / ε)
        (Freund and Schapire); several: ln((1 − ε) / ε) + ln(K − 1) (SAMME). A member without errors
        would have infinite weight. It gets the weight of a member with half a row wrong, or more
        than all earlier members together, so it alone decides.
    estimator_errors_
        ε of each member: the weight of the rows that it predicts wrongly, in its round.
    training_error_
        After each round, the share of training rows that the vote predicts wrongly.
    training_error_bound_
        After each round, an upper bound of that share. With several classes it can be above 1.
    error_bound_envelope_
        exp(−2 Σ γ²) with γ = ½ − ε (times the learning rate): a simpler, weaker upper bound of the
        training error. None for several classes, where members need not be right in half of the
        rows.
    feature_importances_
        The importances of the members, averaged by their weights.
    sequence_
        The members in the form in which they are saved.

    See Also
    --------
    GradientBoostingClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.boosting import AdaBoostClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = AdaBoostClassifier().fit(X, y)
    >>> bool(model.training_error_[-1] <= model.training_error_bound_[-1])
    True
    """

    _opposite = "branchline.boosting.AdaBoostRegressor"
    _noted = "estimator_errors_"
    _constraints: ClassVar = {
        **PARAMETERS,
        "criterion": OneOf(("gini", "entropy", "misclassification")),
    }
    estimator_errors_: Floats
    training_error_: Floats
    training_error_bound_: Floats
    error_bound_envelope_: Floats | None

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        max_depth: int | None = 1,
        criterion: str = "gini",
        max_bins: int | None = 255,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.criterion = criterion
        self.max_bins = max_bins
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit member after member, each on the weights that those before it leave."""
        data = self._begin(X, y, sample_weight)
        rows = sequence_rows(data, count_threads(self.n_jobs, data.n_cells))
        rounds = Votes(rows, self.learning_rate)
        grower = self._grower(rows, {"criterion": self.criterion}, may_isolate=True)
        fitted = self._run(rounds, rows, grower)
        return self._finish(
            data,
            classes_=data.class_target.classes,
            estimator_weights_=np.array(rounds.amounts) * _shown(rounds.n_classes),
            estimator_errors_=rounds.estimator_errors_,
            training_error_=np.array(rounds.training_error),
            training_error_bound_=np.array(rounds.bound),
            error_bound_envelope_=rounds.envelope_or_none(),
            **fitted,
        )

    # -- predicting ---------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Return the vote for each class less the mean of all; two classes: Σ α h(x), h = ±1.

        Above 0 the second class is predicted; of several, the one with the largest value.
        """
        self._check_fitted()
        return self._decisions(self._in_blocks(X, self._votes))

    def predict_proba(self, X: Any) -> Floats:
        """Return the softmax of the votes, SAMME's estimate; two classes: 1 / (1 + e^(−2 Σ α h)).

        With many rounds these probabilities are too close to 0 and 1.
        """
        self._check_fitted()
        return _probabilities(self._in_blocks(X, self._votes))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class with the largest vote; the first of ``classes_`` on ties."""
        self._check_fitted()
        return self._names(self._in_blocks(X, self._votes))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the decision function after each round."""
        for votes in self._staged_votes(X):
            yield self._decisions(votes)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the probabilities after each round."""
        for votes in self._staged_votes(X):
            yield _probabilities(votes)

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield the predicted classes after each round."""
        for votes in self._staged_votes(X):
            yield self._names(votes)

    def row_weights(self, X: Any, y: Any, *, n_rounds: int | None = None) -> Floats:
        """Return the weights of rows after some rounds, with a mean of 1.

        After each round the rows that its member predicts incorrectly weigh more: w ∝ exp(−V_y),
        V_y being the sum of the amounts of the members that predict the class y of the row.

        Parameters
        ----------
        X, y
            Rows and their classes, usually those that the model was fitted on.
        n_rounds
            The number of rounds; None: all of them. 0: all rows weigh 1.
        """
        self._check_fitted()
        most = len(self.estimator_weights_)
        wanted = most if n_rounds is None else n_rounds
        check_parameters("row_weights", {"n_rounds": wanted}, {"n_rounds": Whole(0, most)})
        places = np.searchsorted(self.classes_, np.asarray(y))
        log = np.zeros(len(places))
        for votes in itertools.islice(self._staged_votes(X), wanted):
            log = -votes[np.arange(len(places)), places]
        weights = np.exp(log - log.max(initial=0.0))
        scaled: Floats = weights / weights.mean()
        return scaled

    def _staged_votes(self, X: Any) -> Iterator[Floats]:
        return self._running_votes(self._check_rows(X).table)

    def _votes(self, table: Table) -> Floats:
        n_rows, n_classes = table.n_rows, len(self.classes_)
        predicted = self._all_outputs(table)
        cells = predicted + n_classes * np.arange(n_rows)
        amounts = np.repeat(self._amounts_of(self.estimator_weights_), n_rows)
        # Member by member: a cell adds its amounts in the order of the rounds.
        votes = np.bincount(cells.ravel(), amounts, minlength=n_rows * n_classes)
        return np.asarray(votes, dtype=np.float64).reshape(n_rows, n_classes)

    def _running_votes(self, table: Table) -> Iterator[Floats]:
        """Yield the sum of amounts for each class after each round; the array is used again."""
        votes, every = np.zeros((table.n_rows, len(self.classes_))), np.arange(table.n_rows)
        amounts = self._amounts_of(self.estimator_weights_).tolist()
        for amount, predicted in zip(amounts, self._outputs(table), strict=True):
            votes[every, predicted] += amount
            yield votes

    def _decisions(self, votes: Floats) -> Floats:
        centered = votes - votes.mean(axis=1, keepdims=True)
        decisions: Floats = centered[:, 1] if len(self.classes_) == 2 else centered
        return decisions

    def _names(self, votes: Floats) -> npt.NDArray[Any]:
        names: npt.NDArray[Any] = self.classes_[votes.argmax(axis=1)]
        return names

    def _amounts_of(self, weights: Floats) -> Floats:
        amounts: Floats = weights / _shown(len(self.classes_))
        return amounts

    # -- reading ------------------------------------------------------------------------------

    def _as_tree(self, number: int) -> DecisionTreeClassifier:
        """Return one of our own trees as an estimator."""
        tree: DecisionTreeClassifier = self._made_tree(
            DecisionTreeClassifier, number, classes_=self.classes_, _costs=None
        )
        tree.decision_ = tree.tree_.value.argmax(axis=1)
        return tree.set_params(criterion=self.criterion)

    def _explain(self, row: Table) -> Explanation:
        """Explain by the paths: what each test changes in its tree's vote is its column's share."""
        if not isinstance(self.sequence_, TreeMembers):
            return super()._explain(row)
        votes = self._votes(row)
        which = int(votes[0].argmax())
        name, amounts = self.classes_[which], self._amounts_of(self.estimator_weights_)
        base, shares = self.sequence_.path_shares(row, which, amounts)
        mean = float(votes[0].mean())
        about = f"vote for {str(name)!r} beyond the mean of all classes"
        parts, total = in_order_of_size(row, shares), base + float(shares.sum()) - mean
        return Explanation(name, about, base - mean, total, parts, is_sum=True)

    # -- saving -------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "classes": classes_to_state(self.classes_),
            **self._pack_members(),
            "member_errors": self.estimator_errors_,
            "training_error": self.training_error_,
            "training_error_bound": self.training_error_bound_,
            "error_bound_envelope": self.error_bound_envelope_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        fitted = self._unpack_members(state, schema, classes)
        n_members = fitted["sequence_"].n_members

        def numbers(name: str, high: float) -> Floats:
            return numbers_from_state(state, name, length=n_members, low=0.0, high=high)

        envelope = None
        if state.get("error_bound_envelope") is not None:
            envelope = numbers("error_bound_envelope", math.inf)
        if (envelope is None) != (len(classes) > 2):
            raise malformed("there is an envelope for several classes, or none for two")
        return {
            "classes_": classes,
            **fitted,
            "estimator_errors_": numbers("member_errors", 1.0 + 1e-9),
            "training_error_": numbers("training_error", 1.0 + 1e-9),
            "training_error_bound_": numbers("training_error_bound", math.inf),
            "error_bound_envelope_": envelope,
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.max_depth == 1
        return tags


def _shown(n_classes: int) -> float:
    """Return what SAMME's amounts are multiplied by to be the weights that users see."""
    return 0.5 if n_classes <= 2 else 1.0


def _probabilities(votes: Floats) -> Floats:
    probabilities: Floats = softmax(votes, axis=1)
    return probabilities
