"""Multilayer perceptrons: sums of bent sums, for classes and for numbers.

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
from branchline._state import classes_from_state, classes_to_state
from branchline.encoding import TableEncoder
from branchline.encoding._encoded import EncodedRows
from branchline.neural._perceptron import Perceptron
from branchline.neural._target_scale import TargetScale, fit_target_scale
from branchline.neural._tasks import ClassTask, NumberTask, n_outputs_for, probabilities
from branchline.table import Schema

__all__ = ["MLPClassifier", "MLPRegressor"]


class MLPClassifier(Perceptron, Classifier):
    """A neural network that predicts a class.

    Good where classes depend smoothly on several columns at once. It takes any table as it is:
    numbers are scaled, categories become indicators, holes are filled and marked. It has no weights
    of rows.

    Parameters
    ----------
    hidden_layer_sizes
        The units of each hidden layer, such as (10,) or (20, 10). More units can follow more
        complicated shapes and need more rows; with enough ``alpha`` too many do little harm.
        "auto": the best of (5,), (10,), (30,) and (10, 10) by five-fold cross-validation.
    activation
        How hidden units bend their sums. "tanh" and "logistic" give smooth answers, "relu" answers
        with kinks, "identity" a model that is linear.
    alpha
        The price of large weights. Larger is smoother: raise it when the model is much better on
        its training rows than on new ones. "auto": the best of six from 0.03 to 30 by five-fold
        cross-validation, which takes thirty trainings.
    solver
        "lbfgs" uses all rows in each step and is more exact; "adam" makes a step for each batch of
        rows, for very large tables. "auto": lbfgs up to 100 000 rows.
    learning_rate
        The length of adam's steps. Lower it when losses jump up and down.
    batch_size
        The rows in each of adam's steps; "auto": 200.
    max_iter
        The most epochs of adam, or steps of lbfgs. There is a warning when it is reached.
    tol
        The training ends when the loss improves by less than this (adam), or when no weight would
        change it by more (lbfgs). Larger ends sooner.
    early_stopping
        Hold out rows, and end when their loss no longer improves. It replaces a well chosen
        ``alpha`` on large tables; on small ones the rows held out are missed. With fewer than ten
        rows nothing is held out.
    validation_fraction
        The share of rows that early stopping holds out, class by class.
    patience
        Early stopping ends after so many epochs (or tens of lbfgs's steps) without improvement;
        adam without early stopping after so many without ``tol``.
    n_restarts
        How many networks are trained, from different starting weights (and, with early stopping,
        holding out different rows); their probabilities are averaged. Ten are steadier than one
        and take ten times as long.
    random_state
        The seed of starting weights and batches.
    encoder
        How the table becomes numbers; None: ``TableEncoder()``.

    Attributes
    ----------
    classes_
        The classes, sorted.
    nets_
        The trained networks: for each its ``net`` (``weights``, ``biases``), and how training went.
    hidden_layer_sizes_, alpha_
        The layers and the decay that were given, or chosen.
    choices_
        What cross-validation tried, with losses; empty when nothing was to be chosen.
    loss_curve_, validation_curve_
        For each network the losses during training: of training rows, and of held-out ones.
    n_iter_
        The epochs or steps that were made.
    encoding_
        How the table becomes numbers.

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
    numbers are scaled, categories become indicators, holes are filled and marked. It has no weights
    of rows. The target is scaled too, so ``alpha`` and ``tol`` do not depend on its unit.

    Parameters
    ----------
    hidden_layer_sizes
        The units of each hidden layer, such as (10,) or (20, 10). More units can follow more
        complicated shapes and need more rows; with enough ``alpha`` too many do little harm.
        "auto": the best of (5,), (10,), (30,) and (10, 10) by five-fold cross-validation.
    activation
        How hidden units bend their sums. "tanh" and "logistic" give smooth answers, "relu" answers
        with kinks, "identity" a model that is linear.
    alpha
        The price of large weights. Larger is smoother: raise it when the model is much better on
        its training rows than on new ones. "auto": the best of six from 0.03 to 30 by five-fold
        cross-validation, which takes thirty trainings.
    solver
        "lbfgs" uses all rows in each step and is more exact; "adam" makes a step for each batch of
        rows, for very large tables. "auto": lbfgs up to 100 000 rows.
    learning_rate
        The length of adam's steps. Lower it when losses jump up and down.
    batch_size
        The rows in each of adam's steps; "auto": 200.
    max_iter
        The most epochs of adam, or steps of lbfgs. There is a warning when it is reached.
    tol
        The training ends when the loss improves by less than this (adam), or when no weight would
        change it by more (lbfgs). Larger ends sooner.
    early_stopping
        Hold out rows, and end when their loss no longer improves. It replaces a well chosen
        ``alpha`` on large tables; on small ones the rows held out are missed. With fewer than ten
        rows nothing is held out.
    validation_fraction
        The share of rows that early stopping holds out.
    patience
        Early stopping ends after so many epochs (or tens of lbfgs's steps) without improvement;
        adam without early stopping after so many without ``tol``.
    n_restarts
        How many networks are trained, from different starting weights (and, with early stopping,
        holding out different rows); their predictions are averaged. Ten are steadier than one and
        take ten times as long.
    random_state
        The seed of starting weights and batches.
    encoder
        How the table becomes numbers; None: ``TableEncoder()``.

    Attributes
    ----------
    nets_
        The trained networks: for each its ``net`` (``weights``, ``biases``), and how training went.
    hidden_layer_sizes_, alpha_
        The layers and the decay that were given, or chosen.
    choices_
        What cross-validation tried, with losses; empty when nothing was to be chosen.
    loss_curve_, validation_curve_
        For each network the losses during training: of training rows, and of held-out ones.
    n_iter_
        The epochs or steps that were made.
    scale_
        How the target is scaled.
    encoding_
        How the table becomes numbers.

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
