"""Rounds of self-training: the surest unlabeled rows get labels, and the learner is fitted again.

1. The learner is fitted on the rows that have a label, and gives all others probabilities.
2. Rows whose largest probability reaches the threshold are sure. The surest of each class are
   labeled, as many as keeps the classes as frequent as among the labels: in the first round as many
   rows as there are labels, in the next twice as many, and so on.
3. Labels are chosen anew in each round, so that a wrong one can be lost again. It ends when no
   label changes and all sure rows have one, or after ``max_rounds``.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Bools, Floats, Places
from branchline._fit_member import fit_member
from branchline._model_rows import rows_for
from branchline._validation import ClassTarget, TrainingData
from branchline.errors import ParameterError, Repair
from branchline.semi._labeling_history import LabelingRound
from branchline.table import Table

__all__ = ["Pseudo", "PseudoLabels", "probabilities_of"]

Units = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PseudoLabels:
    """The model at the end, and the rounds that led to it."""

    model: Any
    rounds: tuple[LabelingRound, ...]
    n_labeled: int


@dataclass(frozen=True, eq=False)
class Pseudo:
    """Rows of which some have no label, and how they get one.

    Parameters
    ----------
    learner
        The learner that is copied and fitted.
    rows
        All rows in canonical order; those without a label have the class that follows the last.
    is_labeled
        Which rows have a label.
    max_rounds
        Maximum number of rounds.
    """

    learner: Any
    rows: TrainingData
    is_labeled: Bools
    max_rounds: int

    @property
    def units(self) -> Units:
        """What each row counts, in units."""
        units = self.rows.weights.units
        return np.ones(len(self.is_labeled), dtype=np.int64) if units is None else units

    def fitted(self, units: Units, class_of_row: npt.NDArray[Any]) -> Any:
        """Return the learner fitted on the rows that have units and a class."""
        classes = self.rows.class_target.classes
        which = np.flatnonzero((units > 0) & (class_of_row < len(classes)))
        target = ClassTarget(classes, class_of_row.astype(np.uint32))
        data = replace(self.rows, target=target).rows(which, units)
        return fit_member(self.learner, data, _refusal)

    def trained(self, units: Units, threshold: float, base: Any = None) -> PseudoLabels:
        """Return the model that labels rows for itself.

        ``units`` are those of the rows to learn from; labeled rows without units are left out.
        """
        given = np.where(
            self.is_labeled & (units == 0), _NONE, self.rows.class_target.class_of_row
        ).astype(np.int64)
        n_classes = self.rows.class_target.n_classes
        model = self.fitted(units, given) if base is None else base
        rounds: list[LabelingRound] = []
        labels = given
        for turn in range(self.max_rounds):
            proposed, n_sure = self._proposed(model, given, units, threshold, 2.0**turn)
            changed = (proposed != labels) & (proposed < n_classes)
            lost = (proposed != labels) & (labels < n_classes)
            chosen = proposed[~self.is_labeled]
            counts = np.bincount(chosen[chosen < n_classes], minlength=n_classes)
            if not (changed | lost).any():
                break
            n_labeled = int(counts.sum())
            rounds.append(
                LabelingRound(n_sure, n_labeled, int(changed.sum()), tuple(counts.tolist()))
            )
            labels = proposed
            model = self.fitted(units, labels)
        n_labeled = rounds[-1].n_labeled if rounds else 0
        return PseudoLabels(model, tuple(rounds), n_labeled)

    def _proposed(
        self, model: Any, given: Places, units: Units, threshold: float, factor: float
    ) -> tuple[Places, int]:
        """Return the class of each row, given or proposed, and how many rows are sure."""
        classes = self.rows.class_target.classes
        free = np.flatnonzero(~self.is_labeled)
        shares = probabilities_of(model, self.rows.table.rows(free), classes)
        best, sureness = np.argmax(shares, axis=1), shares.max(axis=1)
        sure = np.flatnonzero(sureness >= threshold)
        known = given[self.is_labeled]
        counted = known < len(classes)
        wanted = factor * np.bincount(
            known[counted], units[self.is_labeled][counted], minlength=len(classes)
        )
        proposed = given.copy()
        for place in range(len(classes)):
            of_class = sure[best[sure] == place]
            of_class = of_class[np.lexsort((of_class, -sureness[of_class]))]
            before = np.cumsum(units[free[of_class]]) - units[free[of_class]]
            proposed[free[of_class[before < wanted[place]]]] = place
        return proposed, len(sure)


_NONE = 2**31  # the class of labeled rows that are left out


def probabilities_of(model: Any, table: Table, classes: npt.NDArray[Any]) -> Floats:
    """Return a model's probabilities by class; 0 for classes that it does not know."""
    found = np.zeros((table.n_rows, len(classes)))
    if table.n_rows:
        places = np.searchsorted(classes, np.asarray(model.classes_))
        found[:, places] = model.predict_proba(rows_for(model, table))
    return found


def _refusal(name: str) -> ParameterError:
    return ParameterError(
        f"Weights that are not whole numbers were given, but {name} inside SelfTraining takes no "
        "sample_weight. Fit without weights, or choose another learner.",
        code="P825",
        values=[name],
        repair=Repair("model.fit(X, y)"),
    )
