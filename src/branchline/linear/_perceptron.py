"""Rosenblatt's perceptron: weights move only when a row is on the wrong side.

1. Terms are encoded; rows stand in an order of their own and are shuffled anew for each epoch.
2. scikit-learn takes one row after the other: where y s(z) ≤ 0, w moves by the row's weight times
   y z. More than two classes: each against the rest.
3. The weights are averaged over all steps (Freund and Schapire, 1999), or the last ones are kept.
4. After each epoch the mistakes on the training rows are counted. It ends when there are none, when
   they have not become fewer for a while, or after ``max_epochs``; the best epoch's weights stay.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import SGDClassifier

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._class_sums import n_sums, versus
from branchline._encoding._encoded import ENCODER, EncodedRows
from branchline._plain_numbers import number
from branchline._state import array_from_state, malformed
from branchline._validation import Constraint, Flag, Whole, check_seed
from branchline.encoding import TableEncoder
from branchline.linear._basis import BASIS, BasisExpansion
from branchline.linear._linear_classifier import LinearClassifier
from branchline.table import Schema

__all__ = ["Perceptron"]


@dataclass(frozen=True)
class _Learned:
    weights: Floats
    bias: Floats
    mistakes: Floats


class Perceptron(LinearClassifier):
    """The perceptron: the oldest learner of a linear boundary between classes.

    It corrects its weights at each row that it predicts wrongly. It is fast and simple, and made
    for teaching: ``LogisticRegression`` and ``LinearSVC`` predict better on most tables. It has
    scores (``decision_function``), but no probabilities.

    Parameters
    ----------
    average
        Whether the weights are the average over all steps, which is steadier and nearly always
        better, or those after the last step. Default True.
    max_epochs
        Maximum number of passes over all rows. When a line separates the classes, training ends
        earlier. Default 100.
    patience
        If no line separates the classes, training ends after this number of epochs without fewer
        mistakes. Default 10.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.
    basis
        Powers and products of terms ("polynomial"), or radial functions around typical rows
        ("rbf"), or a ``BasisExpansion``, for boundaries that bend; None (default): a straight one.
    random_state
        The seed by which rows are shuffled for each epoch. Default 0.

    Attributes
    ----------
    classes_
        The classes, sorted.
    coef_, intercept_
        The sums in the units of the table; one row for two classes (of the second).
    mistakes_
        The weight of the training rows that were wrong after each epoch.
    is_separated_
        Whether no training row is wrong.

    See Also
    --------
    LinearSVC
    LogisticRegression

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import Perceptron
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> model = Perceptron().fit(X, y)
    >>> round(model.score(X, y), 2)
    0.98
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "average": Flag(),
        "max_epochs": Whole(1, 1_000_000),
        "patience": Whole(1),
        "encoder": ENCODER,
        "basis": BASIS,
    }
    _opposite = "branchline.linear.LinearRegression"
    mistakes_: Floats
    is_separated_: bool

    def __init__(
        self,
        *,
        average: bool = True,
        max_epochs: int = 100,
        patience: int = 10,
        encoder: TableEncoder | None = None,
        basis: BasisExpansion | str | None = None,
        random_state: Any = 0,
    ) -> None:
        self.average = average
        self.max_epochs = max_epochs
        self.patience = patience
        self.encoder = encoder
        self.basis = basis
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights; a row of weight k moves them k times as far."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        n_classes = data.class_target.n_classes
        learned = self._learn(rows) if n_classes > 1 and rows.encoding.width else _constant(rows)
        return self._finish(
            data,
            classes_=data.class_target.classes,
            encoding_=rows.encoding,
            weights_=learned.weights,
            bias_=learned.bias,
            mistakes_=learned.mistakes,
            is_separated_=bool(learned.mistakes.min() == 0),
        )

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the largest score; of two, the second where its score is above 0."""
        scores = self._scores(X)
        names: npt.NDArray[Any] = self.classes_[_decide(scores, len(self.classes_))]
        return names

    @property
    def predict_proba(self) -> NoReturn:
        """Raise AttributeError: a perceptron has scores, but no probabilities."""
        raise AttributeError("a perceptron has no probabilities: use decision_function")

    @property
    def predict_log_proba(self) -> NoReturn:
        """Raise AttributeError: a perceptron has scores, but no probabilities."""
        raise AttributeError("a perceptron has no probabilities: use decision_function")

    def _learn(self, rows: EncodedRows) -> _Learned:
        assert rows.weights is not None
        classes = np.arange(rows.class_target.n_classes)
        truth = rows.class_of_row.astype(np.intp)
        step = rows.weights / rows.weights.mean()
        shuffled = np.random.default_rng(check_seed(self.random_state))
        model = SGDClassifier(
            loss="perceptron",
            penalty=None,
            learning_rate="constant",
            eta0=1.0,
            shuffle=False,
            average=bool(self.average),
        )
        best: _Learned | None = None
        mistakes: list[float] = []
        for epoch in range(int(self.max_epochs)):
            order = shuffled.permutation(len(truth))
            model.partial_fit(rows.matrix[order], truth[order], classes, step[order])
            scores = np.asarray(rows.matrix @ model.coef_.T) + model.intercept_
            wrong = _decide(scores, len(classes)) != truth
            mistakes.append(float(rows.weights[wrong].sum()))
            if best is None or mistakes[-1] < best.mistakes[0]:
                sums = model.coef_.copy(), model.intercept_.copy()
                best, found = _Learned(*sums, np.array(mistakes[-1:])), epoch
            if mistakes[-1] == 0 or epoch - found >= self.patience:
                break
        assert best is not None
        return _Learned(best.weights, best.bias, np.array(mistakes))

    def to_text(self) -> str:
        """Return the model as text: a line for each coefficient, and the mistakes."""
        self._check_fitted()
        least = self.mistakes_.min()
        told = "no mistakes" if least == 0 else f"mistakes weigh {number(least)}"
        return f"{super().to_text()}\nscores; {told} on the training rows"

    def _about(self, best: int, second: int) -> str:
        return versus("score", self.classes_, best, second)

    def _pack(self) -> FittedState:
        return {**super()._pack(), "mistakes": self.mistakes_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        mistakes = array_from_state(state, "mistakes", np.dtype(np.float64))
        if len(mistakes) == 0 or not np.isfinite(mistakes).all() or (mistakes < 0).any():
            raise malformed("mistakes are not counted from 0")
        separated = bool(mistakes.min() == 0)
        fitted = super()._unpack(state, schema)
        return {**fitted, "mistakes_": mistakes, "is_separated_": separated}


def _decide(scores: Floats, n_classes: int) -> npt.NDArray[np.intp]:
    """Return the class of each row: of the largest score, the first on ties."""
    if n_classes <= 2:
        return np.asarray((scores[:, 0] > 0) & (n_classes == 2), dtype=np.intp)
    best: npt.NDArray[np.intp] = np.argmax(scores, axis=1)
    return best


def _constant(rows: EncodedRows) -> _Learned:
    """Return sums that choose the most frequent class for every row."""
    assert rows.weights is not None
    n_classes = rows.class_target.n_classes
    count = np.bincount(rows.class_of_row, rows.weights, minlength=n_classes)
    bias = count - count.mean() if n_classes != 2 else count[1:] - count[:1]
    weights = np.zeros((n_sums(n_classes), rows.encoding.width))
    return _Learned(weights, bias / count.sum(), np.array([count.sum() - count.max()]))
