"""Inner folds of linear learners: rows are encoded once, and a set of columns is some of the terms.

Fitting logistic regression on a few columns takes a fraction of a millisecond; checking and
encoding the rows each time takes far longer. So, for learners whose problem is known (two classes
with a fixed L2 penalty; least squares):

1. The columns of each training part are encoded together; each column's terms are what they would
   be alone.
2. Many sets of columns are fitted and tested in one native call (``linear_sets.hpp``).

Errors are those of the learner itself, but for rounding. Where they are not known (NaN), the
learner has to be asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline import _core
from branchline._arrays import Floats
from branchline._validation import ClassTarget, TrainingData, count_threads
from branchline.encoding import TableEncoder
from branchline.linear import LinearRegression, LogisticRegression

__all__ = ["LinearFolds", "linear_folds"]

Parts = Sequence[tuple[TrainingData, TrainingData]]
Terms = npt.NDArray[np.int64]

# Encoded cells of all folds that are kept, and terms of a set that are fitted, at most.
_MOST_CELLS = 30_000_000
_MOST_TERMS = 300
_LEAST_SQUARES = 0.0


@dataclass(frozen=True, eq=False)
class _Fold:
    """Encoded rows to learn from and to test on, and the terms of each column."""

    learn: tuple[Floats, Floats, Floats]
    test: tuple[Floats, Floats, Floats]
    terms_of: dict[str, Terms]

    def errors(self, sets: Sequence[Sequence[str]], strength: float) -> Floats:
        """Return the held-out error of each set of columns; NaN where it is not known."""
        lists = [self._terms(names) for names in sets]
        first = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        terms = np.concatenate([*lists, np.zeros(0, np.int64)])
        n_threads = count_threads(None, len(terms) * len(self.learn[1]))
        errors = _core.linear_set_errors(self.learn, self.test, first, terms, strength, n_threads)
        n_terms, n_rows = np.diff(first), len(self.learn[1])
        too_many = n_terms > (_MOST_TERMS if strength > 0 else min(_MOST_TERMS, n_rows - 2))
        return np.where(too_many, np.nan, errors)

    def _terms(self, names: Sequence[str]) -> Terms:
        found = [self.terms_of[name] for name in names if name in self.terms_of]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class LinearFolds:
    """All folds of a linear learner.

    Parameters
    ----------
    folds
        The encoded rows.
    strength
        C of the penalty; 0: least squares.
    """

    folds: tuple[_Fold, ...]
    strength: float

    def errors(self, sets: Sequence[Sequence[str]]) -> Floats:
        """Return the error of each set in each fold: sets × folds, NaN where it is not known."""
        found = [fold.errors(sets, self.strength) for fold in self.folds]
        return np.column_stack(found)


def linear_folds(parts: Parts, learner: Any) -> LinearFolds | None:
    """Return the folds of a learner whose problem is known; None: the learner must fit them."""
    strength, encoder = _strength(learner), _encoder(learner)
    if strength is None or encoder is None or not parts:
        return None
    n_cells = sum(train.n_cells + test.n_cells for train, test in parts)
    if n_cells > _MOST_CELLS or not all(_is_known(train) for train, _ in parts):
        return None
    folds = []
    for train, test in parts:
        fold = _encoded(train, test, encoder)
        if fold is None:
            return None
        folds.append(fold)
    return LinearFolds(tuple(folds), strength)


def _strength(learner: Any) -> float | None:
    """Return C of a learner, 0 for least squares, None for any other."""
    if type(learner) is LinearRegression and learner.basis is None:
        return _LEAST_SQUARES
    is_plain = type(learner) is LogisticRegression and learner.basis is None
    if is_plain and learner.penalty == "l2" and learner.class_weight is None:
        return None if isinstance(learner.C, str) else float(learner.C)
    return None


def _encoder(learner: Any) -> TableEncoder | None:
    given = getattr(learner, "encoder", None)
    if given is not None:
        return TableEncoder(**given.get_params())
    return TableEncoder(drop="most_frequent" if type(learner) is LinearRegression else None)


def _is_known(train: TrainingData) -> bool:
    """Whether a training part has two classes, of which both occur, or one number to predict."""
    if isinstance(train.target, ClassTarget):
        return train.target.n_classes == 2 and len(np.unique(train.target.class_of_row)) == 2
    return train.number_target.values.ndim == 1


def _encoded(train: TrainingData, test: TrainingData, encoder: TableEncoder) -> _Fold | None:
    weights = train.weights.of_rows(train.table.n_rows)
    encoder = encoder.fit(train.table, sample_weight=weights)
    matrices = [encoder.transform(part.table) for part in (train, test)]
    if any(sparse.issparse(matrix) for matrix in matrices):
        return None
    if any(matrix.size > _MOST_CELLS for matrix in matrices):
        return None
    places: dict[str, list[int]] = {}
    for place, term in enumerate(encoder.encoding_.terms):
        places.setdefault(term.column, []).append(place)
    rows = [
        (np.ravel(matrix, order="F"), _target(part), part.weights.of_rows(part.table.n_rows))
        for matrix, part in zip(matrices, (train, test), strict=True)
    ]
    terms_of = {name: np.array(found, dtype=np.int64) for name, found in places.items()}
    return _Fold(rows[0], rows[1], terms_of)


def _target(part: TrainingData) -> Floats:
    if isinstance(part.target, ClassTarget):
        return part.target.class_of_row.astype(np.float64)
    return np.asarray(part.number_target.values, dtype=np.float64)
