"""Labels of sequences by a linear score of features and transitions, learned with a margin.

1. Rows are tokens; one column names their sequence, another orders them. Cells of a token and of
   its neighbors become features (``_token_features``).
2. The score of a labeling is the sum of the weights of (feature, label) and of (label, next
   label). The best labeling of all is found by dynamic programming (Viterbi, 1967).
3. "svm": the structured support vector machine (Tsochantaridis et al., 2005; Taskar, Guestrin and
   Koller, 2003), by block-coordinate Frank–Wolfe (Lacoste-Julien et al., 2013), until the duality
   gap is small: a certificate. "perceptron": the averaged structured perceptron (Collins, 2002).
The work is done in ``native/kernels/sequences``; the formulas are stated in ``sequences.hpp``.
"""

from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from branchline import _core
from branchline._arrays import AnyArray, Floats, Ints
from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._state import (
    array_from_state,
    classes_from_state,
    classes_to_state,
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline._validation import (
    AnyOf,
    Constraint,
    Given,
    OneOf,
    Real,
    TrainingData,
    Whole,
    check_seed,
    count_threads,
)
from branchline._warn import warn
from branchline.errors import BranchlineWarning, DataError, ParameterError, Repair
from branchline.sequence._allowed_transitions import (
    ForbiddenTransitions,
    allowed_transitions,
    refuse_forbidden_training,
)
from branchline.sequence._labeler_text import labeler_frame, labeler_text
from branchline.sequence._sequence_explanation import SequenceExplanation, explain_tokens
from branchline.sequence._sequence_scores import SequenceScores, scores_of_sequences
from branchline.sequence._token_features import TokenFeatures, fit_features
from branchline.sequence._token_marks import TokenMarks, without_marks
from branchline.sequence._training_sequences import TrainingSequences, refuse_uneven_weights
from branchline.table import Schema, Table, as_table

__all__ = ["SequenceLabeler"]

_EPOCHS = {"svm": 2000, "perceptron": 10}


class SequenceLabeler(Classifier):
    """Predict a label for each token of a sequence, together with the labels of its neighbors.

    Each row of the table is a token: a word of a sentence, a day of a patient, a second of a
    recording. One column says to which sequence a row belongs, another where it stands in it; all
    others describe the token (numbers, categories, missing values). The labels of a sequence are
    chosen together, so that one can depend on the label before. Pairs that cannot follow each other
    can be forbidden.

    Use it when neighboring labels tell something. If they do not, any classifier on the same table
    does as well. It learns weights of single cells, not of combinations of cells.

    Parameters
    ----------
    sequence
        The column that names the sequence of a row; None (default): all rows are one sequence.
    position
        The column that says where in its sequence a row stands (numbers, dates or times); None
        (default): the rows of a sequence stand in their order.
    window
        How many neighbors before and after a token describe it as well. Default 1.
    method
        "svm" (default): the structured support vector machine, with a bound on how far from the
        best it is. "perceptron": faster, without a bound.
    C
        The cost of a wrong label: smaller values follow the training rows less closely. Only for
        "svm". Default 1.
    forbidden_transitions
        Pairs of labels (before, after) that never follow each other; None in place of a label is
        the start or the end of a sequence. "unseen": every pair that no training sequence has.
        Default None: any label follows any other.
    min_frequency
        How many tokens a category must have to be known; rarer ones share one feature, which unseen
        categories join. Default 2.
    max_bins
        Maximum number of bins of a numeric column. Default 16.
    tol
        The duality gap to be reached, in wrong labels per token. Default 0.001.
    max_epochs
        Maximum number of passes over all sequences; "auto" (default): 2000 for "svm", which ends as
        soon as the gap is reached, and 10 for "perceptron".
    random_state
        The seed of the order in which sequences are visited. Default 0.
    n_jobs
        Number of threads for prediction; None (default): all cores. The result does not depend on
        it.

    Attributes
    ----------
    classes_
        The labels, sorted.
    gap_, objective_
        How much lower the objective could be at most, per token, and the objective; NaN for
        "perceptron".
    n_epochs_
        Number of passes over all sequences.
    history_
        Of "svm", a row for each time the gap was looked at: epoch, objective, lower bound. Of
        "perceptron", the weight of wrong tokens in each epoch.
    feature_weights_, transition_weights_
        The weight of each feature for each label; of each label before another. The last row is the
        start of a sequence, the last column its end.

    See Also
    --------
    GridLabeler

    Examples
    --------
    >>> from branchline.sequence import SequenceLabeler
    >>> table = {
    ...     "sentence": [1, 1, 1, 2, 2, 2, 3, 3],
    ...     "word": ["the", "old", "man", "the", "man", "sleeps", "man", "sleeps"],
    ... }
    >>> tags = ["D", "A", "N", "D", "N", "V", "N", "V"]
    >>> model = SequenceLabeler("sentence").fit(table, tags)
    >>> model.predict({"sentence": [9, 9, 9], "word": ["the", "man", "sleeps"]}).tolist()
    ['D', 'N', 'V']
    >>> round(model.score(table, tags), 2)
    1.0
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "sequence": AnyOf((OneOf((None,)), Given((str,), "the name of a column"))),
        "position": AnyOf((OneOf((None,)), Given((str,), "the name of a column"))),
        "window": Whole(0, 50),
        "method": OneOf(tuple(_EPOCHS)),
        "C": Real(0.0, 1e9, low_open=True),
        "forbidden_transitions": ForbiddenTransitions(),
        "min_frequency": Whole(1),
        "max_bins": Whole(2, 1000),
        "tol": Real(0.0, 1.0),
        "max_epochs": AnyOf((OneOf(("auto",)), Whole(1, 10_000_000))),
    }
    _opposite = None
    _learns_in_sequence = True
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"history_"})
    gap_: float
    objective_: float
    n_epochs_: int
    history_: Floats
    feature_weights_: Floats
    transition_weights_: Floats
    allowed_: AnyArray
    features_: TokenFeatures
    n_sequences_: int

    def __init__(  # noqa: PLR0913 (an argument for each parameter)
        self,
        sequence: str | None = None,
        position: str | None = None,
        *,
        window: int = 1,
        method: str = "svm",
        C: float = 1.0,
        forbidden_transitions: Any = None,
        min_frequency: int = 2,
        max_bins: int = 16,
        tol: float = 0.001,
        max_epochs: int | str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.sequence = sequence
        self.position = position
        self.window = window
        self.method = method
        self.C = C
        self.forbidden_transitions = forbidden_transitions
        self.min_frequency = min_frequency
        self.max_bins = max_bins
        self.tol = tol
        self.max_epochs = max_epochs
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table of tokens and the label of each; a sequence has one weight."""
        self._check_parameters()
        table = as_table(X)
        marks = self._marks(table)
        data = self._begin(self._described(table), y, sample_weight)
        if sample_weight is not None:
            refuse_uneven_weights(sample_weight, marks)
            marks = self._marks(table if data.kept is None else table.rows(data.kept))
        classes, of_token = data.class_target.classes, data.class_target.class_of_row[marks.order]
        allowed = allowed_transitions(self.forbidden_transitions, classes, of_token, marks.starts)
        refuse_forbidden_training(allowed, classes, of_token, marks.starts)
        features = self._features(data)
        known = TrainingSequences.of_tokens(data, marks, features)
        fitted = self._learn(known, features.n_features, allowed)
        return self._finish(
            data,
            classes_=classes,
            features_=features,
            allowed_=allowed,
            n_sequences_=marks.n_sequences,
            **fitted,
        )

    def _marks(self, table: Table) -> TokenMarks:
        return TokenMarks.of_table(table, self.sequence, self.position)

    def _described(self, table: Table) -> Table:
        """Return the columns that describe tokens, which may have groups of rows."""
        return without_marks(table, (self.sequence, self.position))

    def _features(self, data: TrainingData) -> TokenFeatures:
        rules = {name: int(getattr(self, name)) for name in ("window", "min_frequency", "max_bins")}
        return fit_features(data.table, data.weights.units, rules, data.weights.unit)

    def _learn(
        self, known: TrainingSequences, n_features: int, allowed: AnyArray
    ) -> dict[str, Any]:
        n_labels = len(allowed) - 1
        given = _core.TokenSequences(known.starts, known.features, n_features)
        rules = _core.LabelRules(
            n_labels, np.ascontiguousarray(allowed.reshape(-1)), known.labels, known.weights
        )
        is_svm = self.method == "svm"
        epochs = _EPOCHS[self.method] if isinstance(self.max_epochs, str) else int(self.max_epochs)
        strength = 1.0 / (self.C * known.n_tokens) if is_svm else 0.0
        options = (strength, float(self.tol), epochs, check_seed(self.random_state))
        weights, moves, history, n_epochs, is_done = _core.train_sequences(given, rules, options)
        rows = history.reshape(-1, 3) if is_svm else history
        if is_svm and not is_done:
            _warn_of_gap(float(rows[-1, 1] - rows[-1, 2]), self.tol, n_epochs)
        return {
            "feature_weights_": weights.reshape(n_features, n_labels),
            "transition_weights_": moves.reshape(n_labels + 1, n_labels + 1),
            "history_": rows,
            "n_epochs_": n_epochs,
            "objective_": float(rows[-1, 1]) if is_svm else np.nan,
            "gap_": float(rows[-1, 1] - rows[-1, 2]) if is_svm else np.nan,
        }

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> AnyArray:
        """Return the label of each row: those of a sequence are the best together."""
        marks, _, labels, _ = self._decode(X)
        names: AnyArray = self.classes_[_in_rows(labels, marks)]
        return names

    def margins(self, X: Any) -> Floats:
        """Return how certain the label of each row is, as a difference of scores.

        It is how far the best labeling of the sequence is ahead of the best one that has another
        label there; infinite where no other label is allowed.
        """
        marks, _, _, margins = self._decode(X)
        found: Floats = _in_rows(margins, marks)
        return found

    @property
    def predict_proba(self) -> NoReturn:
        """Raise AttributeError: labels of sequences have margins, but no probabilities."""
        raise AttributeError("a sequence labeler has no probabilities: use margins")

    @property
    def predict_log_proba(self) -> NoReturn:
        """Raise AttributeError: labels of sequences have margins, but no probabilities."""
        raise AttributeError("a sequence labeler has no probabilities: use margins")

    def _decode(self, X: Any) -> tuple[TokenMarks, AnyArray, AnyArray, Floats]:
        """Return sequences, the features of their tokens, the places of labels, and margins."""
        self._check_fitted()
        rows = self._check_rows(self._described(as_table(X, texts="raw"))).table
        if rows.n_rows == 0:
            none = np.zeros(0, dtype=np.intp)
            marks = TokenMarks(none, np.zeros(1, dtype=np.int64), ())
            return marks, none, none, np.zeros(0)
        marks = self._marks(as_table(X))
        features = self.features_.of_tokens(rows.rows(marks.order), marks.starts)
        n_labels = len(self.classes_)
        given = _core.TokenSequences(marks.starts, features, self.features_.n_features)
        rules = _core.LabelRules(n_labels, self.allowed_.reshape(-1), None, None)
        weights = (self.feature_weights_.reshape(-1), self.transition_weights_.reshape(-1))
        n_threads = count_threads(self.n_jobs, rows.n_rows * self.features_.n_slots)
        labels, margins, scores = _core.decode_sequences(given, rules, *weights, n_threads)
        _refuse_without_labeling(scores, marks)
        return marks, features.reshape(rows.n_rows, -1), labels, margins

    def evaluate(self, X: Any, y: Any) -> SequenceScores:
        """Return token accuracy and whole-sequence accuracy on new sequences, with intervals."""
        truth = np.asarray(y)
        predicted = self.predict(X)
        if truth.shape != predicted.shape or len(truth) == 0:
            raise DataError(
                f"y has shape {truth.shape}; one label for each of the {len(predicted)} rows of X "
                "is needed, and at least one row.",
                code="D075",
            )
        owners = self._marks(as_table(X)).owners
        return scores_of_sequences(truth, predicted, owners, self.n_sequences_)

    # -- reading ----------------------------------------------------------------------------------

    def explain(self, X: Any) -> SequenceExplanation:  # type: ignore[override]
        """Say why the tokens of one sequence have their labels.

        Parameters
        ----------
        X
            A table of one sequence.
        """
        marks, features, labels, margins = self._decode(X)
        if marks.n_sequences != 1:
            raise ParameterError(
                f"One sequence can be explained at a time; {marks.n_sequences} were given.",
                code="P871",
                repair=Repair(
                    "from branchline import Table\n"
                    "cells = Table(X).column(model.sequence).to_list()\n"
                    "rows = [at for at, cell in enumerate(cells) if cell == cells[0]]\n"
                    "model.explain(Table(X).rows(rows))"
                ),
            )
        return explain_tokens(self, marks.order, features, (labels, margins))

    def to_text(self, *, most: int = 5) -> str:
        """Return the model as text: the ``most`` strongest features of each label, transitions."""
        self._check_fitted()
        return labeler_text(self, most)

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a row for each feature and label with a weight, and for each transition."""
        self._check_fitted()
        return labeler_frame(self, library)

    def _complexity(self) -> Complexity:
        n_weights = np.count_nonzero(self.feature_weights_)
        return Complexity(int(n_weights + np.count_nonzero(self.transition_weights_)), "weights")

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "classes": classes_to_state(self.classes_),
            "features": self.features_.pack(),
            "weights": np.ascontiguousarray(self.feature_weights_).reshape(-1),
            "transitions": np.ascontiguousarray(self.transition_weights_).reshape(-1),
            "allowed": np.ascontiguousarray(self.allowed_).reshape(-1),
            "about": np.array([float(self.n_epochs_), float(self.n_sequences_)]),
            "is_svm": bool(np.isfinite(self.objective_)),
            "objective": float(self.objective_) if np.isfinite(self.objective_) else 0.0,
            "gap": float(self.gap_) if np.isfinite(self.gap_) else 0.0,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        features = TokenFeatures.unpack(state.get("features"), schema, int(self.window))
        n_labels, width = len(classes), len(classes) + 1
        weights = numbers_from_state(state, "weights", length=features.n_features * n_labels)
        moves = numbers_from_state(state, "transitions", length=width**2)
        allowed = array_from_state(state, "allowed", np.dtype(np.uint8), length=width**2)
        about = numbers_from_state(state, "about", length=2, low=1, high=2.0**53)
        is_svm = state.get("is_svm")
        if allowed.max() > 1 or (about != np.rint(about)).any() or type(is_svm) is not bool:
            raise malformed("transitions or counts are not those of a model")
        objective, gap = (number_from_state(state, name) for name in ("objective", "gap"))
        return {
            "classes_": classes,
            "features_": features,
            "feature_weights_": weights.reshape(-1, n_labels),
            "transition_weights_": moves.reshape(width, width),
            "allowed_": allowed.reshape(width, width),
            "n_epochs_": int(about[0]),
            "n_sequences_": int(about[1]),
            "objective_": objective if is_svm else np.nan,
            "gap_": gap if is_svm else np.nan,
        }


def _in_rows(values: AnyArray, marks: TokenMarks) -> AnyArray:
    """Return values of tokens in the order of the table's rows."""
    found = np.empty(len(values), dtype=values.dtype)
    found[marks.order] = values
    return found


def _refuse_without_labeling(scores: Floats, marks: TokenMarks) -> None:
    stuck: Ints = np.flatnonzero(np.isneginf(scores))
    if len(stuck):
        first = int(stuck[0])
        rows = np.sort(marks.order[marks.starts[first] : marks.starts[first + 1]])
        raise DataError(
            f"The forbidden transitions leave no labeling for {marks.name_of(first)} of "
            f"{len(rows)} tokens.",
            code="D645",
            rows=rows[:5],
            n_rows=len(rows),
            repair=Repair("model = model.set_params(forbidden_transitions=None).fit(X, y)"),
        )


def _warn_of_gap(gap: float, tol: float, n_epochs: int) -> None:
    warn(
        BranchlineWarning(
            f"The duality gap is {gap:.2g} after {n_epochs} epochs, not {tol:.2g}: raise "
            "max_epochs, or lower C.",
            code="W081",
        )
    )
