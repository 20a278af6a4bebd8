"""Sets of plausible classes.

1. A training row's score is 1 − the probability that a model which had not seen it gave to its true
   class. A new row's set holds every class whose score does not exceed the conformal quantile of
   these scores (Sadinle, Lei and Wasserman, 2019), and always the predicted class.
2. Each class has a quantile of its own, so that rare classes are held as often as common ones,
   where all have enough rows: 2 / (1 − level), which is 20 for a level of 0.9. Otherwise all
   classes share one quantile.
3. Trees and nearest neighbors give many classes the probability 0, and all of these would be
   equally plausible. So a tenth of each probability is a frequency: how often this class was true
   where the same class was predicted, on rows not seen. (Measured on glass, 90 % sets of nearest
   neighbors hold 1.9 instead of 5.3 of 6 classes.) A learner without probabilities is given the
   frequencies alone.

About ``level`` of new rows have their true class in the set, or more: the predicted class is always
in it, and classes of equal probability are in it together. As for numbers, the model is fitted on
all rows and the scores come from models fitted on fewer.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import count, joined, number, percent
from branchline._prediction_errors import ClassErrors
from branchline.assess.uncertainty._conformal_quantile import conformal_quantile, fewest_rows

__all__ = ["Band", "ClassSets", "class_sets", "frequencies"]

Floats = npt.NDArray[np.float64]
_ROUNDING = 1e-9
_MIXED = 0.1  # the part of frequencies in a probability; 0.05 to 0.3 give sets of the same size
_BANDS = (0.0, 0.6, 0.8, 0.95, 1.0)
_BETWEEN = " | "  # the names of a set in one cell


@dataclass(frozen=True)
class Band:
    """Training rows whose predicted class had a probability from ``low`` to ``high``.

    Parameters
    ----------
    low, high
        The ends of the band.
    n_rows
        The number of rows that were predicted out of fold.
    probability, right
        The mean probability of the predicted class, and the part of these rows where it was true.
    """

    low: float
    high: float
    n_rows: int
    probability: float
    right: float

    def __str__(self) -> str:
        ends = f"{percent(self.low)} to {percent(self.high)}" if self.low else percent(self.high)
        return (
            f"{'' if self.low else 'below '}{ends}: {percent(self.right)} of {number(self.n_rows)}"
        )


@dataclass(frozen=True, eq=False)
class ClassSets:
    """Predicted classes with sets of plausible ones.

    Parameters
    ----------
    level
        The coverage level: the share of new rows whose true class should be in the set, such as
        0.9.
    classes
        The names of the classes.
    prediction
        The predicted class of each row.
    contains
        For each row and class, whether the set holds the class.
    probability
        The probability of the predicted class; None when the learner gives none.
    is_by_class
        Whether each class has a quantile of its own.
    calibration
        How often predictions of a given probability were right on rows not seen.
    n_errors, n_effective, origin
        As in ``NumberIntervals``.

    See Also
    --------
    predict_interval : predict rows, each with an interval or a set of plausible classes.

    Examples
    --------
    >>> import branchline as bl
    >>> X, y = bl.load_dataset("iris").split_target("species")
    >>> model = bl.fit_intervals(bl.make("lda", task="classification").fit(X, y), X, y)
    >>> [len(one) for one in bl.predict_interval(model, X.rows([0, 70]), level=0.99).sets]
    [1, 2]
    """

    level: float
    classes: npt.NDArray[Any]
    prediction: npt.NDArray[Any]
    contains: npt.NDArray[np.bool_]
    probability: Floats | None
    is_by_class: bool
    calibration: tuple[Band, ...]
    n_errors: int
    n_effective: float
    origin: str

    def __repr__(self) -> str:
        rows = count(len(self.prediction), "row")
        return f"ClassSets({rows}, {percent(self.level, fine=True)})"

    def __str__(self) -> str:
        rows = count(self.n_errors, "training row")
        lines = [
            f"{percent(self.level, fine=True)} sets of classes: {self._sizes()}. {self._scope()} "
            f"They rest on {rows} ({self.origin})."
        ]
        if self.calibration:
            bands = "; ".join(str(band) for band in self.calibration)
            lines.append(f"How often predictions of a given probability were right: {bands}.")
        return "\n".join(lines)

    def _sizes(self) -> str:
        size, times = np.unique(self.contains.sum(axis=1), return_counts=True)
        parts = [
            f"{count(n, 'row')} with {_classes(k, len(self.classes))}"
            for k, n in zip(size.tolist(), times.tolist(), strict=True)
        ]
        return joined(parts)

    def _scope(self) -> str:
        share = percent(self.level, fine=True)
        if self.n_effective < fewest_rows(self.level):
            return f"Sets need at least {fewest_rows(self.level)} independent training rows."
        if self.is_by_class:
            return f"For each class, about {share} of its rows have it in their set, or more."
        return (
            f"About {share} of all rows have their class in the set; of a rare class maybe fewer."
        )

    @property
    def sets(self) -> list[list[Any]]:
        """The plausible classes of each row, in the order of ``classes``."""
        return [self.classes[row].tolist() for row in self.contains]

    def columns(self) -> dict[str, Any]:
        """Return the columns that a table of predictions gains."""
        found: dict[str, Any] = {}
        if self.probability is not None:
            found["probability"] = self.probability.tolist()
        found["plausible"] = [_BETWEEN.join(str(name) for name in names) for names in self.sets]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return what is known of the sets as plain data, without the rows."""
        size, times = np.unique(self.contains.sum(axis=1), return_counts=True)
        return {
            "level": self.level,
            "kind": "classes",
            "by_class": self.is_by_class,
            "sizes": {str(k): int(n) for k, n in zip(size.tolist(), times.tolist(), strict=True)},
            "calibration": [vars(band) for band in self.calibration],
            "errors": self.n_errors,
            "effective_errors": self.n_effective,
            "origin": self.origin,
        }


def _classes(how_many: int, n_classes: int) -> str:
    if how_many == n_classes > 1:
        return "both classes" if n_classes == 2 else f"all {n_classes} classes"
    return "one class" if how_many == 1 else count(how_many, "class")


def class_sets(
    errors: ClassErrors,
    classes: npt.NDArray[Any],
    prediction: npt.NDArray[Any],
    probabilities: Floats | None,
    level: float,
) -> ClassSets:
    """Return the sets of rows; ``probabilities`` are None for a learner that gives none."""
    predicted = np.searchsorted(classes, prediction)
    p_truth, given = frequencies(errors, predicted, len(classes))
    if errors.p_truth is not None and probabilities is not None:
        p_truth = (1 - _MIXED) * errors.p_truth + _MIXED * p_truth
        given = (1 - _MIXED) * probabilities + _MIXED * given
    bound, is_by_class = _bounds(errors, 1.0 - p_truth, len(classes), level)
    contains = 1.0 - given <= bound + _ROUNDING
    rows = np.arange(len(prediction))
    contains[rows, predicted] = True
    return ClassSets(
        level,
        classes,
        prediction,
        contains,
        None if probabilities is None else probabilities[rows, predicted],
        is_by_class,
        _calibration(errors),
        len(errors.truth),
        errors.n_effective,
        errors.origin,
    )


def _bounds(
    errors: ClassErrors, scores: Floats, n_classes: int, level: float
) -> tuple[Floats, bool]:
    """Return the largest score of a plausible class, for each class, and whether they differ."""
    share = np.bincount(errors.truth, errors.weight, n_classes) / errors.weight.sum()
    n_effective = share * errors.n_effective
    if (n_effective < 2 / (1 - level)).any():
        bound = conformal_quantile(scores, errors.weight, errors.n_effective, level)
        return np.full(n_classes, bound), False
    bounds = [
        conformal_quantile(scores[own], errors.weight[own], float(n_effective[place]), level)
        for place in range(n_classes)
        for own in [errors.truth == place]
    ]
    return np.array(bounds), True


def frequencies(
    errors: ClassErrors, predicted: npt.NDArray[np.intp], n_classes: int
) -> tuple[Floats, Floats]:
    """Return frequencies in place of probabilities: of each known row's truth, and of new rows.

    A known row is left out of the counts that it is looked up in.
    """
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (errors.predicted, errors.truth), errors.weight)
    shares = counts.sum(axis=0) / counts.sum()
    own = counts[errors.predicted, errors.truth] - errors.weight
    others = counts.sum(axis=1)[errors.predicted] - errors.weight
    known = np.where(others > 0, own / np.maximum(others, _ROUNDING), shares[errors.truth])
    total = counts.sum(axis=1, keepdims=True)
    given = np.where(total > 0, counts / np.maximum(total, _ROUNDING), shares)
    return np.clip(known, 0.0, 1.0), given[predicted]


def _calibration(errors: ClassErrors) -> tuple[Band, ...]:
    if errors.p_predicted is None:
        return ()
    right = (errors.truth == errors.predicted).astype(np.float64)
    band = np.searchsorted(_BANDS[1:-1], errors.p_predicted, side="right")
    found = []
    for place in np.unique(band).tolist():
        own = band == place
        weight = errors.weight[own]
        p_mean = float(np.average(errors.p_predicted[own], weights=weight))
        p_right = float(np.average(right[own], weights=weight))
        found.append(Band(_BANDS[place], _BANDS[place + 1], int(own.sum()), p_mean, p_right))
    return tuple(found)
