"""Multilayer perceptrons for classes and for numbers.

1. Encode the table; hidden layers compute h_l = φ(h_{l−1} W_l + b_l), h_0 being the encoded row.
2. The last layer gives o = h W + b. Classes: p = 1 / (1 + e^−o) for two, the softmax of o for more.
   Numbers: o in a unit in which the target has mean 0 and standard deviation 1.
3. Weights make mean loss + α / (2 n) Σ w² least (``_training``); α decides how smooth it is.
4. Several networks from different starting weights may be averaged.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._encoding._encoded import EncodedRows
from branchline._state import classes_from_state, classes_to_state
from branchline.encoding import TableEncoder
from branchline.neural._perceptron import Perceptron
from branchline.neural._target_scale import TargetScale, fit_target_scale
from branchline.neural._tasks import ClassTask, NumberTask, n_outputs_for, probabilities
from branchline.table import Schema

__all__ = ["MLPClassifier", "MLPRegressor"]


class MLPClassifier(Perceptron, Classifier):
    """A neural network that predicts a class.

    Good where classes depend smoothly on several columns at once. It takes any table as it is:
    numbers are scaled, categories become indicators, missing values are filled and marked. It does
    not take sample weights.

    Parameters
    ----------
    hidden_layer_sizes
        Number of units of each hidden layer, such as (10,) or (20, 10). More units can fit more
        complicated functions and need more rows; with a large enough ``alpha``, too many units do
        little harm. "auto": the best of (5,), (10,), (30,) and (10, 10) by five-fold
        cross-validation. Default (10,).
    activation
        Activation function of the hidden units. "tanh" (default) and "logistic" give smooth
        functions, "relu" piecewise linear ones, "identity" a linear model.
    alpha
        Strength of the L2 penalty on the weights (weight decay). A larger value gives a smoother
        function: raise it when the model is much better on its training rows than on new ones.
        "auto": the best of six values from 0.03 to 30 by five-fold cross-validation, which takes
        thirty trainings. Default 5.0.
    solver
        "lbfgs" uses all rows in each step and is more precise; "adam" makes a step for each batch
        of rows, for very large tables. "auto" (default): "lbfgs" up to 100 000 rows, then "adam".
    learning_rate
        Step size of adam. Lower it when the loss jumps up and down. Default 0.003.
    batch_size
        Number of rows in each step of adam; "auto" (default): 200.
    max_iter
        Maximum number of epochs of adam, or of steps of lbfgs. Reaching it gives a warning.
        Default 2000.
    tol
        Training ends when the loss improves by less than this (adam), or when no derivative of the
        loss is larger (lbfgs). A larger value ends sooner. Default 0.0001.
    early_stopping
        Hold out validation rows, and stop when their loss no longer improves. On large tables this
        can replace tuning ``alpha``; on small tables the network misses the validation rows. With
        fewer than ten rows nothing is held out. Default False.
    validation_fraction
        Share of rows that early stopping holds out, within each class. Default 0.15.
    patience
        Number of epochs (or tens of lbfgs steps) without improvement after which early stopping
        ends the training. Without early stopping, adam ends after this number of epochs that
        improve the loss by less than ``tol``. Default 10.
    n_restarts
        Number of networks that are trained from different starting weights (and, with early
        stopping, with different validation rows); their probabilities are averaged. Ten networks
        vary less than one and take ten times as long. Default 1.
    random_state
        Seed for the starting weights and the batches. Default 0.
    encoder
        How the table becomes numbers; None (default): ``TableEncoder()``.

    Attributes
    ----------
    classes_
        The classes, sorted.
    nets_
        The trained networks: for each its ``net`` (``weights``, ``biases``), and how training went.
    hidden_layer_sizes_, alpha_
        The hidden layers and the penalty that were given, or chosen.
    choices_
        The candidates of cross-validation with their losses; empty when nothing was chosen.
    loss_curve_, validation_curve_
        For each network, the losses during training: of training rows, and of validation rows.
    n_iter_
        Number of epochs or steps.
    encoding_
        How the table becomes numbers.

    See Also
    --------
    MLPRegressor
    LogisticRegression

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.neural import MLPClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = MLPClassifier(hidden_layer_sizes=(5,), alpha=1.0).fit(X, y)
    >>> model.complexity()
    Complexity(count=43, unit='weights')
    >>> round(model.score(X, y), 2)
    0.98
    """

    _opposite = "branchline.neural.MLPRegressor"
    _usual_alpha: ClassVar[float] = 5.0

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        hidden_layer_sizes: tuple[int, ...] | str = (10,),
        activation: str = "tanh",
        alpha: float | str = 5.0,
        solver: str = "auto",
        learning_rate: float = 0.003,
        batch_size: int | str = "auto",
        max_iter: int = 2000,
        tol: float = 1e-4,
        early_stopping: bool = False,
        validation_fraction: float = 0.15,
        patience: int = 10,
        n_restarts: int = 1,
        random_state: Any = 0,
        encoder: TableEncoder | None = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.alpha = alpha
        self.solver = solver
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.encoder = encoder

    @reports_progress
    def fit(self, X: Any, y: Any) -> Self:
        """Train the networks."""
        data = self._begin(X, y, None)
        rows = self._encode_training(data)
        classes = data.class_target.classes
        task = ClassTask(rows.class_of_row, len(classes), rows.folds) if len(classes) > 1 else None
        trained = self._train(rows, task, n_outputs_for(len(classes)))
        return self._finish(data, classes_=classes, **trained)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class, averaged over networks."""
        matrix, n_classes = self._encode_rows(X), len(self.classes_)
        total = np.zeros((matrix.shape[0], n_classes))
        for trained in self.nets_:
            total += probabilities(trained.net.outputs(matrix), n_classes)
        return total / len(self.nets_)

    def _constant_outputs(self, rows: EncodedRows, n_outputs: int) -> Floats:
        """Return the outputs that stand for the frequencies of classes."""
        counts = np.bincount(rows.class_of_row).astype(np.float64)
        if n_outputs > 1:
            frequencies: Floats = np.log(counts / counts.sum())
            return frequencies
        odds: Floats = counts[1:] / counts[:1]
        return np.log(odds) if len(counts) == 2 else np.zeros(1)

    def _pack(self) -> FittedState:
        return {"classes": classes_to_state(self.classes_), **self._pack_nets()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        nets = self._unpack_nets(state, schema, n_outputs_for(len(classes)))
        return {"classes_": classes, **nets}


class MLPRegressor(Perceptron, Regressor):
    """A neural network that predicts a number, or several.

    Good where the target depends smoothly on several columns at once. It takes any table as it is:
    numbers are scaled, categories become indicators, missing values are filled and marked. It does
    not take sample weights. The target is scaled too, so ``alpha`` and ``tol`` do not depend on its
    unit.

    Parameters
    ----------
    hidden_layer_sizes
        Number of units of each hidden layer, such as (10,) or (20, 10). More units can fit more
        complicated functions and need more rows; with a large enough ``alpha``, too many units do
        little harm. "auto": the best of (5,), (10,), (30,) and (10, 10) by five-fold
        cross-validation. Default (10,).
    activation
        Activation function of the hidden units. "tanh" (default) and "logistic" give smooth
        functions, "relu" piecewise linear ones, "identity" a linear model.
    alpha
        Strength of the L2 penalty on the weights (weight decay). A larger value gives a smoother
        function: raise it when the model is much better on its training rows than on new ones.
        "auto": the best of six values from 0.03 to 30 by five-fold cross-validation, which takes
        thirty trainings. Default 1.0.
    solver
        "lbfgs" uses all rows in each step and is more precise; "adam" makes a step for each batch
        of rows, for very large tables. "auto" (default): "lbfgs" up to 100 000 rows, then "adam".
    learning_rate
        Step size of adam. Lower it when the loss jumps up and down. Default 0.003.
    batch_size
        Number of rows in each step of adam; "auto" (default): 200.
    max_iter
        Maximum number of epochs of adam, or of steps of lbfgs. Reaching it gives a warning.
        Default 2000.
    tol
        Training ends when the loss improves by less than this (adam), or when no derivative of the
        loss is larger (lbfgs). A larger value ends sooner. Default 0.0001.
    early_stopping
        Hold out validation rows, and stop when their loss no longer improves. On large tables this
        can replace tuning ``alpha``; on small tables the network misses the validation rows. With
        fewer than ten rows nothing is held out. Default False.
    validation_fraction
        Share of rows that early stopping holds out. Default 0.15.
    patience
        Number of epochs (or tens of lbfgs steps) without improvement after which early stopping
        ends the training. Without early stopping, adam ends after this number of epochs that
        improve the loss by less than ``tol``. Default 10.
    n_restarts
        Number of networks that are trained from different starting weights (and, with early
        stopping, with different validation rows); their predictions are averaged. Ten networks
        vary less than one and take ten times as long. Default 1.
    random_state
        Seed for the starting weights and the batches. Default 0.
    encoder
        How the table becomes numbers; None (default): ``TableEncoder()``.

    Attributes
    ----------
    nets_
        The trained networks: for each its ``net`` (``weights``, ``biases``), and how training went.
    hidden_layer_sizes_, alpha_
        The hidden layers and the penalty that were given, or chosen.
    choices_
        The candidates of cross-validation with their losses; empty when nothing was chosen.
    loss_curve_, validation_curve_
        For each network, the losses during training: of training rows, and of validation rows.
    n_iter_
        Number of epochs or steps.
    scale_
        How the target is scaled.
    encoding_
        How the table becomes numbers.

    See Also
    --------
    MLPClassifier
    Ridge

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.neural import MLPRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = MLPRegressor(hidden_layer_sizes=(5,)).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.93
    """

    _opposite = "branchline.neural.MLPClassifier"
    _multi_output = True
    _usual_alpha: ClassVar[float] = 1.0
    scale_: TargetScale

    @reports_progress
    def fit(self, X: Any, y: Any) -> Self:
        """Train the networks."""
        data = self._begin(X, y, None)
        rows = self._encode_training(data)
        targets = rows.data.number_target.matrix
        scale = fit_target_scale(targets)
        varies = bool((targets != targets[:1]).any())
        task = NumberTask(scale.shrink(targets), rows.folds) if varies else None
        return self._finish(data, scale_=scale, **self._train(rows, task, targets.shape[1]))

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the predicted number of each row, averaged over networks."""
        matrix = self._encode_rows(X)
        total = np.zeros((matrix.shape[0], len(self.scale_.spread)))
        for trained in self.nets_:
            total += trained.net.outputs(matrix)
        numbers = self.scale_.restore(total / len(self.nets_))
        return numbers[:, 0] if numbers.shape[1] == 1 else numbers

    def _pack(self) -> FittedState:
        return {"scale": self.scale_.pack(), **self._pack_nets()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        scale = TargetScale.unpack(state.get("scale"))
        nets = self._unpack_nets(state, schema, len(scale.spread))
        return {"scale_": scale, **nets}
