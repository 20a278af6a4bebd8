"""Self-training: a learner labels the rows it is surest of, and learns from them, too.

1. The learner predicts labeled rows out of fold. This says from which probability on its labels are
   right often enough (``_label_thresholds``).
2. Round by round it labels the unlabeled rows that it is that sure of (``_pseudo_labels``).
3. The same is done inside each fold, without the labels of the rows left out. If these are then
   predicted worse than by the learner alone, the model is the learner alone, with a warning.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import Complexity, Estimator, FittedState, reports_progress
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._folds import fold_rows
from branchline._member_state import member_from_state, member_to_state
from branchline._named_learners import Learner, check_learner
from branchline._partly_labeled import PartlyLabeled, labeled_rows
from branchline._plain_numbers import count, percent
from branchline._state import classes_from_state, classes_to_state, malformed
from branchline._validation import (
    ClassTarget,
    Constraint,
    Flag,
    Real,
    TrainingData,
    Whole,
    check_seed,
)
from branchline._warn import warn
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.semi._history_state import history_from_state, history_to_state
from branchline.semi._label_thresholds import threshold_for
from branchline.semi._labeling_history import LabelingHistory
from branchline.semi._pseudo_labels import Pseudo, PseudoLabels, probabilities_of
from branchline.table import Schema

__all__ = ["SelfTraining"]


@dataclass(frozen=True, eq=False)
class _Trial:
    """How the learner alone and with its own labels did on labeled rows left out."""

    threshold: float
    alone: float
    with_own: float


class SelfTraining(PartlyLabeled):
    """Let any classifier learn from unlabeled rows: it labels those that it is surest of.

    Use it to get more out of the learner that suits the table best. Rows whose target is missing
    are unlabeled. What counts as sure is measured on labeled rows left out, and so is whether
    learning from own labels helps: if it does not, the model is the learner alone, and a warning
    says so.

    A learner repeats its own errors: gains are small where it is often wrong. With very few labels
    ``LabelPropagation`` finds more.

    Parameters
    ----------
    estimator
        The learner: a name (``branchline.catalog.names()``) or an estimator with
        ``predict_proba``. Default "logistic".
    confidence
        A row is labeled when labels of its probability are right at least this often. Larger
        values label fewer rows. Default 0.9.
    max_rounds
        Maximum number of rounds. Default 10.
    safe
        Whether to go back to the learner alone when its own labels made it worse on labeled rows
        left out. Default True.
    n_folds
        Number of folds of that check. Default 5.
    random_state
        The seed for splitting labeled rows into folds. Default 0.

    Attributes
    ----------
    classes_
        The classes, sorted.
    transduction_
        The class of each row that ``fit`` was given; labels stay as they were. A loaded model has
        none.
    estimator_
        The fitted learner.
    fell_back_
        Whether the model is the learner alone although rows were unlabeled.
    history_
        What each round labeled; it has ``draw()``, ``to_text()`` and ``to_frame()``.
    n_labeled_
        How many unlabeled rows the model learned from.
    accuracy_alone_, accuracy_with_own_labels_
        The accuracy on labeled rows left out, of the learner alone and of self-training; None
        where none was measured.

    See Also
    --------
    LabelPropagation : spread a few labels over a table.
    S3VM : support vector machine that learns from unlabeled rows.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.semi import SelfTraining
    >>> X, y = load_dataset("iris").split_target("species")
    >>> few = [name if row % 7 == 0 else None for row, name in enumerate(y)]
    >>> model = SelfTraining("lda").fit(X, few)
    >>> model.n_labeled_, model.fell_back_, round(model.score(X, y), 3)
    (112, False, 0.987)
    """

    _opposite = None
    _constraints: ClassVar[dict[str, Constraint]] = {
        "estimator": Learner(),
        "confidence": Real(0.0, 1.0),
        "max_rounds": Whole(1),
        "safe": Flag(),
        "n_folds": Whole(2),
    }
    _tolerance = 1e-9
    _copies_of_columns_count = True
    estimator_: Any
    fell_back_: bool
    history_: LabelingHistory
    n_labeled_: int
    accuracy_alone_: float | None
    accuracy_with_own_labels_: float | None

    def __init__(
        self,
        estimator: Any = "logistic",
        *,
        confidence: float = 0.9,
        max_rounds: int = 10,
        safe: bool = True,
        n_folds: int = 5,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.confidence = confidence
        self.max_rounds = max_rounds
        self.safe = safe
        self.n_folds = n_folds
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the learner on labeled rows, and on those that it labels itself."""
        data = self._begin_partly(X, y, sample_weight)
        learner = self._learner()
        rows, origins = canonical_rows_with_origins(data, merge=True)
        is_labeled = labeled_rows(rows)
        pseudo = Pseudo(learner, rows, is_labeled, int(self.max_rounds))
        base = pseudo.fitted(pseudo.units, rows.class_target.class_of_row.astype(np.int64))
        classes = rows.class_target.classes
        trial, found = self._tried(pseudo, base)
        falls_back = trial is not None and self._falls_back(trial, found)
        model = base if falls_back else found.model
        names = tuple(str(name) for name in classes.tolist())
        threshold = float("inf") if trial is None else trial.threshold
        places = rows.class_target.class_of_row.astype(np.intp)
        free = np.flatnonzero(~is_labeled)
        shares = probabilities_of(model, rows.table.rows(free), classes)
        places[free] = np.argmax(shares, axis=1)
        return self._finish_with_rows(  # type: ignore[no-any-return]
            X,
            data,
            places[origins.canonical_of_row],
            classes_=classes,
            estimator_=model,
            fell_back_=falls_back,
            history_=LabelingHistory(found.rounds, names, threshold),
            n_labeled_=0 if falls_back else found.n_labeled,
            accuracy_alone_=None if trial is None else _known(trial.alone),
            accuracy_with_own_labels_=None if trial is None else _known(trial.with_own),
        )

    def _learner(self) -> Any:
        learner = check_learner(type(self).__name__, "estimator", self.estimator, "classification")
        if hasattr(learner, "predict_proba"):
            return learner
        raise ParameterError(
            f"SelfTraining labels the rows that its learner is surest of, but "
            f"{type(learner).__name__} has no predict_proba.",
            code="P820",
            values=[type(learner).__name__],
            repair=Repair("model.set_params(estimator='logistic')"),
        )

    # -- learning -------------------------------------------------------------------------------

    def _tried(self, pseudo: Pseudo, base: Any) -> tuple[_Trial | None, PseudoLabels]:
        """Return how self-training did on labeled rows left out, and its model of all rows."""
        if pseudo.is_labeled.all() or pseudo.rows.class_target.n_classes == 1:
            return None, PseudoLabels(base, (), 0)
        labeled = np.flatnonzero(pseudo.is_labeled)
        folds = fold_rows(_labeled_part(pseudo.rows, labeled)).split(
            int(self.n_folds), check_seed(self.random_state), keep_classes=True
        )
        if not folds:
            nothing = _Trial(float("inf"), float("nan"), float("nan"))
            return nothing, PseudoLabels(base, (), 0)
        units, held, bases = [], [], []
        for fold in folds:
            learning = pseudo.units.copy()
            learning[labeled] = fold.learn
            units.append(learning)
            held.append((labeled[fold.test_rows], fold.test[fold.test_rows]))
            given = np.where(learning > 0, pseudo.rows.class_target.class_of_row, 2**31)
            bases.append(pseudo.fitted(learning, given.astype(np.int64)))
        alone = _judged(pseudo, bases, held)
        threshold = threshold_for(*alone, float(self.confidence))
        found = pseudo.trained(pseudo.units, threshold, base)
        if not self.safe or found.n_labeled == 0:
            return _Trial(threshold, _accuracy(alone), float("nan")), found
        own = [
            pseudo.trained(learning, threshold, first).model
            for learning, first in zip(units, bases, strict=True)
        ]
        with_own = _accuracy(_judged(pseudo, own, held))
        return _Trial(threshold, _accuracy(alone), with_own), found

    def _falls_back(self, trial: _Trial, found: PseudoLabels) -> bool:
        """Whether the learner alone is the model; a warning says why."""
        if np.isnan(trial.alone):
            why = "Some class has too few labels to leave one out"
        elif trial.with_own < trial.alone:
            why = (
                "Learning from its own labels made the learner worse: its accuracy on labeled "
                f"rows left out fell from {percent(trial.alone)} to {percent(trial.with_own)}"
            )
        else:
            return False
        warn(
            BranchlineWarning(
                f"{why}. The model is the learner without unlabeled rows.",
                code="W070",
                repair=Repair("model.set_params(safe=False).fit(X, y)"),
            )
        )
        return True

    # -- predicting -----------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """Return the learner's probability of each class."""
        table = self._check_rows(X).table
        return probabilities_of(self.estimator_, table, self.classes_)

    def _complexity(self) -> Complexity:
        ours = isinstance(self.estimator_, Estimator)
        return self.estimator_.complexity() if ours else Complexity(1, "parts")

    def to_text(self) -> str:
        """Return what was learned from which rows, then the learner."""
        self._check_fitted()
        rows = count(self.n_labeled_, "unlabeled row")
        line = f"{type(self.estimator_).__name__}, which also learned from {rows}"
        if self.fell_back_:
            line = f"{type(self.estimator_).__name__} without unlabeled rows (fell back)"
        lines = [line, self.history_.to_text()]
        inner = self.estimator_
        return "\n".join([*lines, *([inner.to_text()] if hasattr(inner, "to_text") else [])])

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "classes": classes_to_state(self.classes_),
            "members": [member_to_state(self.estimator_)],
            "fell_back": self.fell_back_,
            "accuracies": [self.accuracy_alone_, self.accuracy_with_own_labels_],
            **history_to_state(self.history_),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes, packed = classes_from_state(state), state.get("members")
        if not isinstance(packed, list) or len(packed) != 1:
            raise malformed("there is not one learner")
        member = member_from_state(packed[0], schema, classes)
        falls_back, known = state.get("fell_back"), state.get("accuracies")
        if type(falls_back) is not bool or not _are_accuracies(known):
            raise malformed("what was measured of self-training is out of range")
        if not hasattr(member, "predict_proba"):
            raise malformed("the learner gives no probabilities")
        history = history_from_state(state, classes)
        n_labeled = history.rounds[-1].n_labeled if history.rounds and not falls_back else 0
        return {
            "classes_": classes,
            "estimator_": member,
            "fell_back_": falls_back,
            "history_": history,
            "n_labeled_": n_labeled,
            "accuracy_alone_": known[0],  # type: ignore[index]
            "accuracy_with_own_labels_": known[1],  # type: ignore[index]
        }


def _labeled_part(rows: TrainingData, labeled: Any) -> TrainingData:
    """Return the labeled rows alone."""
    return rows.rows(labeled)


def _judged(pseudo: Pseudo, models: list[Any], held: list[Any]) -> tuple[Any, Any, Any]:
    """Return how sure models were of rows left out, whether they were right, and the mass."""
    target: ClassTarget = pseudo.rows.class_target
    sure, right, mass = [], [], []
    for model, (rows, units) in zip(models, held, strict=True):
        shares = probabilities_of(model, pseudo.rows.table.rows(rows), target.classes)
        sure.append(shares.max(axis=1))
        right.append(np.argmax(shares, axis=1) == target.class_of_row[rows])
        mass.append(units.astype(np.float64))
    return np.concatenate(sure), np.concatenate(right), np.concatenate(mass)


def _accuracy(judged: tuple[Any, Any, Any]) -> float:
    return float(judged[1] @ judged[2] / judged[2].sum())


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _are_accuracies(values: Any) -> bool:
    is_pair = isinstance(values, list) and len(values) == 2
    return is_pair and all(
        value is None or (type(value) is float and 0 <= value <= 1) for value in values
    )
