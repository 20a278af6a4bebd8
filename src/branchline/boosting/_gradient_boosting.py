"""Gradient boosting: trees in sequence, each a step down the slope of a loss.

1. Numbers become at most 255 bins; categories and missing values need no encoding.
2. A tree is grown on histograms of gradients: integers, so it is the same for any threads.
3. A share of each leaf's best step is added to the scores (``_rounds``).

J. H. Friedman, Greedy function approximation: a gradient boosting machine, 2001.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._state import classes_from_state, classes_to_state, malformed
from branchline._trees._draws import draws_of
from branchline.boosting._gradient_boosting_base import GradientBoosting
from branchline.boosting._gradient_boosting_settings import OF_CLASSES, OF_NUMBERS, PARAMETERS
from branchline.boosting._loss_interface import Loss
from branchline.boosting._losses_by_name import make_class_loss, make_loss
from branchline.boosting._number_of_rounds import Clock
from branchline.boosting._user_loss import AdaptedLoss
from branchline.table import Schema

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]

Floats = npt.NDArray[np.float64]


class GradientBoostingClassifier(GradientBoosting, Classifier):
    """Gradient boosting that predicts a class.

    The most accurate learner on many tables. It takes any table as it is: numbers, categories,
    dates and missing values.

    Small trees are added one after another. Each is fitted to what the trees before it still
    predict wrongly (the gradient of the loss), and adds a small step to the scores.

    The defaults are made for tables of any size; n_estimators="auto" and a smaller
    ``learning_rate`` gain a little more and take longer. When the model has to be read, use
    ``DecisionTreeClassifier``; with fewer than about 50 rows, ``LogisticRegression`` or
    ``NaiveBayes`` are safer.

    Parameters
    ----------
    loss
        "log_loss" (default; logistic for two classes, softmax for more), "exponential" (two
        classes), or an object with ``gradient_hessian(y, raw)``.
    n_estimators
        Number of rounds, each of which adds a tree (with several classes, a tree for each class).
        Default 200. "auto": chosen by validation rows, at most 2000, and the model is then fitted
        on all rows. The validation rows are three folds in tables below 2 500 rows, two of four
        folds below 10 000, and a tenth of a larger table. The search takes two to three times as
        long as the final fit.
    learning_rate
        The share of each tree that is added to the scores. A smaller value needs more rounds and is
        usually a little more accurate. Default 0.05.
    growth
        How a tree grows: "leaf_wise" (default; the leaf that gains most is split next),
        "depth_wise" (level by level) or "symmetric" (one test for all nodes of a level; smoother,
        and fast to predict).
    max_leaf_nodes
        Maximum number of leaves of a tree; None: any number. "auto" (default): one leaf per 40 rows
        of the table, at least 6 and at most 31; beyond 31,000 rows one per 1,000, at most 63.
    max_depth
        Maximum depth of a tree. Default None: any depth.
    min_samples_leaf
        Minimum number of rows in a leaf, counted by weight. "auto" (default): one for every 40 rows
        of the table, at least 3 and at most 20.
    min_hessian
        Minimum sum of second derivatives in a leaf. Default 0.001.
    l2_regularization
        λ in the penalty ½λw² on the value w of each leaf. Larger values give more cautious models.
        Default 2.
    leaf_penalty
        γ, the penalty for each leaf: a test must lower the loss by more than this. Default 0.
    leaf_model
        What a leaf predicts: "constant" (default: one number) or "linear": a sum with a slope for
        each numeric column tested on the way to the leaf. Slopes that are no more than chance are
        shrunk to 0. Pays on smooth relations; takes longer to fit and to predict. Not with
        ``monotonic_cst``, ``warm_start``, second_order=False, and losses that are not minimized by
        Newton steps ("absolute_error", "huber", "quantile", own losses).
    slope_l2
        Ridge penalty of the slopes of linear leaves: as if this number of additional rows had
        shown no slope. Default 2.
    second_order
        Choose tests by first and second derivatives (default). False: by first derivatives only, as
        least squares (Friedman, 2001).
    subsample
        The share of rows that each round uses, drawn at random. Default 0.8.
    max_features
        How many columns each node looks at: a share, a number, "sqrt", "log2" or "third"; None:
        all. "auto" (default): half of them, at least 4.
    tree_features
        How many columns each tree may use; same choices as ``max_features``. Default None: all.
    max_bins
        Maximum number of bins of a numeric column, up to 255. "auto" (default): 255; in a table
        with more columns than rows, one bin per three rows, at least 8.
    category_l2
        λ that is added in tests of categories. Default 0.
    category_smoothing
        Categories are ordered by their mean gradient before they are split. To keep rare categories
        from coming first or last by chance, the mean is shrunk towards 0 as if this number of
        additional rows had gradient 0. Default 10.
    category_penalty
        A column with k categories gains something by chance, and more the larger k is. This share
        of that gain is subtracted from its tests: 1 all of it, 0 nothing. It keeps identifiers and
        names out of the model unless they predict something. Default 0.8.
    min_samples_category
        Categories with fewer rows than this in a node count as missing values there. Default 2.
    monotonic_cst
        Directions by column: 1 (predictions never fall when the value grows), -1 (they never rise)
        or 0. A mapping from names, or a list. For two classes: the direction of the probability of
        the second class. Default None.
    interaction_cst
        Groups of columns that may be used together on a path: a list of lists of names, "pairwise"
        or "no_interactions". Default None: all columns.
    early_stopping
        Hold out validation rows, and keep the number of rounds with the lowest loss on them.
        Default False.
    validation_fraction
        The share of rows that early stopping holds out. Default 0.1.
    patience
        Stop after this number of rounds without improvement on the validation rows. Default 50.
    tol
        The smallest relative improvement that counts. Default 0.
    class_weight
        A weight for each class, or "balanced": all classes count equally. Default None: as in the
        rows.
    time_budget
        Maximum time of ``fit`` in seconds, the search for the number of rounds included; at least
        one round is made. Default None: no limit.
    warm_start
        Whether another ``fit`` adds rounds to the existing ones. Default False.
    random_state
        Seed for rounding, draws and folds. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    trees_
        The trees, as arrays.
    n_estimators_
        The number of rounds.
    feature_importances_
        The share of each column in the total gain of all tests. Slopes of linear leaves are not
        counted; ``attributions`` counts them.
    validation_loss_
        The mean loss on the validation rows after each round; None without such rows.

    See Also
    --------
    RandomForestClassifier : nothing to tune.
    AdaBoostClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.boosting import GradientBoostingClassifier
    >>> X, y = load_dataset("german-credit").split_target("class")
    >>> model = GradientBoostingClassifier(n_estimators=50).fit(X, y)
    >>> model.n_estimators_
    50
    """

    _opposite = "branchline.boosting.GradientBoostingRegressor"
    _constraints: ClassVar = {**PARAMETERS, **OF_CLASSES}
    class_weight: Any
    classes_: npt.NDArray[Any]

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        loss: Any = "log_loss",
        n_estimators: Any = 200,
        learning_rate: float = 0.05,
        growth: str = "leaf_wise",
        max_leaf_nodes: Any = "auto",
        max_depth: int | None = None,
        min_samples_leaf: Any = "auto",
        min_hessian: float = 1e-3,
        l2_regularization: float = 2.0,
        leaf_penalty: float = 0.0,
        leaf_model: str = "constant",
        slope_l2: float = 2.0,
        second_order: bool = True,
        subsample: float = 0.8,
        max_features: Any = "auto",
        tree_features: Any = None,
        max_bins: Any = "auto",
        category_l2: float = 0.0,
        category_smoothing: float = 10.0,
        category_penalty: float = 0.8,
        min_samples_category: int = 2,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int = 50,
        tol: float = 0.0,
        class_weight: Any = None,
        time_budget: float | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.growth = growth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_hessian = min_hessian
        self.l2_regularization = l2_regularization
        self.leaf_penalty = leaf_penalty
        self.leaf_model = leaf_model
        self.slope_l2 = slope_l2
        self.second_order = second_order
        self.subsample = subsample
        self.max_features = max_features
        self.tree_features = tree_features
        self.max_bins = max_bins
        self.category_l2 = category_l2
        self.category_smoothing = category_smoothing
        self.category_penalty = category_penalty
        self.min_samples_category = min_samples_category
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.tol = tol
        self.class_weight = class_weight
        self.time_budget = time_budget
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None) -> Self:
        """Boost round by round.

        Parameters
        ----------
        X, y
            The table and the class of each row.
        sample_weight
            The weight of each row.
        eval_set
            Validation rows and their classes: the rounds with the least loss on them are kept.
        """
        clock = Clock(self.time_budget)
        data, draws = draws_of(self._begin(X, y, sample_weight), self.class_weight)
        classes = data.class_target.classes
        loss = self._loss(len(classes))
        validation = self._validation_data(data, eval_set)
        fitted = self._boost(data, draws, loss, validation, clock)
        return self._finish(data, classes_=classes, **fitted)

    def _loss(self, n_classes: int) -> Loss:
        if isinstance(self.loss, str):
            return make_class_loss(self.loss, n_classes)
        return own_loss(self.loss, max(2, n_classes))

    def _fitted_loss(self) -> Loss:
        return self._loss(len(self.classes_))

    def decision_function(self, X: Any) -> Floats:
        """Return the raw scores: of the second of two classes, or of each."""
        self._check_fitted()
        return _as_decision(self._scores(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of ``classes_``."""
        self._check_fitted()
        return self._probabilities(self._scores(X))

    def _probabilities(self, raw: Floats) -> Floats:
        if len(self.classes_) == 1:
            return np.ones((raw.shape[1], 1))
        return self._fitted_loss().to_prediction(raw)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the raw scores after each round."""
        for raw in self._staged_scores(X):
            yield _as_decision(raw)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the probabilities after each round."""
        for raw in self._staged_scores(X):
            yield self._probabilities(raw)

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield the predicted classes after each round."""
        for shares in self.staged_predict_proba(X):
            yield self.classes_[np.argmax(shares, axis=1)]

    def _explained(self, prediction: Any) -> tuple[int, str]:
        place = int(np.flatnonzero(self.classes_ == prediction)[0])
        if self.trees_.n_outputs == 1:
            return 0, f"log-odds of {str(prediction)!r}"
        return place, f"score of {str(prediction)!r}"

    def _is_mirrored(self, prediction: Any) -> bool:
        return self.trees_.n_outputs == 1 and bool(prediction == self.classes_[0])

    def _pack(self) -> FittedState:
        return {"classes": classes_to_state(self.classes_), **self._pack_common()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        n_outputs = len(classes) if len(classes) > 2 else 1
        return {"classes_": classes, **self._unpack_common(state, schema, n_outputs)}


class GradientBoostingRegressor(GradientBoosting, Regressor):
    """Gradient boosting that predicts a number, or several quantiles of it.

    The most accurate learner on many tables. It takes any table as it is: numbers, categories,
    dates and missing values.

    Small trees are added one after another. Each is fitted to what the trees before it still
    predict wrongly (the gradient of the loss), and adds a small step to the prediction.

    Predictions stay near the range of the training targets: it cannot follow a trend beyond them,
    as ``Ridge`` can. When the model has to be read, use ``DecisionTreeRegressor``.

    Parameters
    ----------
    loss
        "squared_error" (default: predicts the mean), "absolute_error" (the median), "huber" (a mean
        that outliers change little), "quantile", "poisson", "gamma" or "tweedie" (counts and
        amounts; they predict the logarithm of the mean), or an object with ``gradient_hessian(y,
        raw)``.
    quantile
        The quantile, or quantiles, that loss="quantile" predicts. Default 0.5.
    n_estimators
        Number of rounds, each of which adds a tree (with several classes, a tree for each class).
        Default 200. "auto": chosen by validation rows, at most 2000, and the model is then fitted
        on all rows. The validation rows are three folds in tables below 2 500 rows, two of four
        folds below 10 000, and a tenth of a larger table. The search takes two to three times as
        long as the final fit.
    learning_rate
        The share of each tree that is added to the scores. A smaller value needs more rounds and is
        usually a little more accurate. Default 0.05.
    growth
        How a tree grows: "leaf_wise" (default; the leaf that gains most is split next),
        "depth_wise" (level by level) or "symmetric" (one test for all nodes of a level; smoother,
        and fast to predict).
    max_leaf_nodes
        Maximum number of leaves of a tree; None: any number. "auto" (default): one leaf per 40 rows
        of the table, at least 6 and at most 31; beyond 31,000 rows one per 1,000, at most 63.
    max_depth
        Maximum depth of a tree. Default None: any depth.
    min_samples_leaf
        Minimum number of rows in a leaf, counted by weight. "auto" (default): one for every 40 rows
        of the table, at least 3 and at most 20.
    min_hessian
        Minimum sum of second derivatives in a leaf. Default 0.001.
    l2_regularization
        λ in the penalty ½λw² on the value w of each leaf. Larger values give more cautious models.
        Default 2.
    leaf_penalty
        γ, the penalty for each leaf: a test must lower the loss by more than this. Default 0.
    leaf_model
        What a leaf predicts: "constant" (default: one number) or "linear": a sum with a slope for
        each numeric column tested on the way to the leaf. Slopes that are no more than chance are
        shrunk to 0. Pays on smooth relations; takes longer to fit and to predict. Not with
        ``monotonic_cst``, ``warm_start``, second_order=False, and losses that are not minimized by
        Newton steps ("absolute_error", "huber", "quantile", own losses).
    slope_l2
        Ridge penalty of the slopes of linear leaves: as if this number of additional rows had
        shown no slope. Default 2.
    second_order
        Choose tests by first and second derivatives (default). False: by first derivatives only, as
        least squares (Friedman, 2001).
    subsample
        The share of rows that each round uses, drawn at random. Default 0.8.
    max_features
        How many columns each node looks at: a share, a number, "sqrt", "log2" or "third"; None:
        all. "auto" (default): half of them, at least 4.
    tree_features
        How many columns each tree may use; same choices as ``max_features``. Default None: all.
    max_bins
        Maximum number of bins of a numeric column, up to 255. "auto" (default): 255; in a table
        with more columns than rows, one bin per three rows, at least 8.
    category_l2
        λ that is added in tests of categories. Default 0.
    category_smoothing
        Categories are ordered by their mean gradient before they are split. To keep rare categories
        from coming first or last by chance, the mean is shrunk towards 0 as if this number of
        additional rows had gradient 0. Default 10.
    category_penalty
        A column with k categories gains something by chance, and more the larger k is. This share
        of that gain is subtracted from its tests: 1 all of it, 0 nothing. It keeps identifiers and
        names out of the model unless they predict something. Default 0.8.
    min_samples_category
        Categories with fewer rows than this in a node count as missing values there. Default 2.
    monotonic_cst
        Directions by column: 1 (predictions never fall when the value grows), -1 (they never rise)
        or 0. A mapping from names, or a list. Default None.
    interaction_cst
        Groups of columns that may be used together on a path: a list of lists of names, "pairwise"
        or "no_interactions". Default None: all columns.
    early_stopping
        Hold out validation rows, and keep the number of rounds with the lowest loss on them.
        Default False.
    validation_fraction
        The share of rows that early stopping holds out. Default 0.1.
    patience
        Stop after this number of rounds without improvement on the validation rows. Default 50.
    tol
        The smallest relative improvement that counts. Default 0.
    time_budget
        Maximum time of ``fit`` in seconds, the search for the number of rounds included; at least
        one round is made. Default None: no limit.
    warm_start
        Whether another ``fit`` adds rounds to the existing ones. Default False.
    random_state
        Seed for rounding, draws and folds. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    trees_
        The trees, as arrays.
    n_estimators_
        The number of rounds.
    feature_importances_
        The share of each column in the total gain of all tests. Slopes of linear leaves are not
        counted; ``attributions`` counts them.
    validation_loss_
        The mean loss on the validation rows after each round; None without such rows.

    See Also
    --------
    RandomForestRegressor
    ResidualBooster : residual fitting by any learner.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.boosting import GradientBoostingRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = GradientBoostingRegressor(n_estimators=50).fit(X, y)
    >>> model.n_estimators_
    50
    """

    _opposite = "branchline.boosting.GradientBoostingClassifier"
    _constraints: ClassVar = {**PARAMETERS, **OF_NUMBERS}
    quantile: Any

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        loss: Any = "squared_error",
        quantile: Any = 0.5,
        n_estimators: Any = 200,
        learning_rate: float = 0.05,
        growth: str = "leaf_wise",
        max_leaf_nodes: Any = "auto",
        max_depth: int | None = None,
        min_samples_leaf: Any = "auto",
        min_hessian: float = 1e-3,
        l2_regularization: float = 2.0,
        leaf_penalty: float = 0.0,
        leaf_model: str = "constant",
        slope_l2: float = 2.0,
        second_order: bool = True,
        subsample: float = 0.8,
        max_features: Any = "auto",
        tree_features: Any = None,
        max_bins: Any = "auto",
        category_l2: float = 0.0,
        category_smoothing: float = 10.0,
        category_penalty: float = 0.8,
        min_samples_category: int = 2,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int = 50,
        tol: float = 0.0,
        time_budget: float | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.growth = growth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_hessian = min_hessian
        self.l2_regularization = l2_regularization
        self.leaf_penalty = leaf_penalty
        self.leaf_model = leaf_model
        self.slope_l2 = slope_l2
        self.second_order = second_order
        self.subsample = subsample
        self.max_features = max_features
        self.tree_features = tree_features
        self.max_bins = max_bins
        self.category_l2 = category_l2
        self.category_smoothing = category_smoothing
        self.category_penalty = category_penalty
        self.min_samples_category = min_samples_category
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.tol = tol
        self.time_budget = time_budget
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None) -> Self:
        """Boost round by round.

        Parameters
        ----------
        X, y
            The table and the number of each row.
        sample_weight
            The weight of each row.
        eval_set
            Validation rows and their numbers: the rounds with the least loss on them are kept.
        """
        clock = Clock(self.time_budget)
        data, draws = draws_of(self._begin(X, y, sample_weight))
        validation = self._validation_data(data, eval_set)
        fitted = self._boost(data, draws, self._fitted_loss(), validation, clock)
        return self._finish(data, **fitted)

    def _fitted_loss(self) -> Loss:
        if isinstance(self.loss, str):
            return make_loss(self.loss, self.quantile)
        return own_loss(self.loss, 0)

    def predict(self, X: Any) -> Floats:
        """Return the predicted number of each row; of several quantiles a column each."""
        self._check_fitted()
        return self._fitted_loss().to_prediction(self._scores(X))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield the predictions after each round."""
        loss = self._fitted_loss()
        for raw in self._staged_scores(X):
            yield loss.to_prediction(raw)

    def _explained(self, prediction: Any) -> tuple[int, str]:
        del prediction
        is_log = self.loss in ("poisson", "gamma", "tweedie")
        return 0, "logarithm of the predicted mean" if is_log else "predicted number"

    def _pack(self) -> FittedState:
        return {"n_outputs": self.trees_.n_outputs, **self._pack_common()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        n_outputs = self._fitted_loss().n_outputs
        if state.get("n_outputs") != n_outputs:
            raise malformed("the number of outputs is not that of the loss")
        return self._unpack_common(state, schema, n_outputs)


def own_loss(loss: Any, n_classes: int) -> Loss:
    """Return a loss of the user's own, or one of ours, as boosting takes it."""
    if isinstance(loss, Loss):
        return loss
    return AdaptedLoss(loss, n_classes)


def _as_decision(raw: Floats) -> Floats:
    return raw[0] if len(raw) == 1 else np.ascontiguousarray(raw.T)
