"""Members are fitted on their share of the rows, and asked about rows they have not seen.

1. A member is a copy of its learner. It gets distinct rows with the weight of their copies where
   it takes weights, else the copies themselves; a sample of one class makes a constant.
2. Estimators of other libraries get a pandas frame (an array when columns have no names).
3. Probabilities are put in the order of the ensemble's classes; a class that a member has not seen
   has probability 0.
4. Out of fold: for each fold, members fitted on the other folds predict what was held out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline._base import Estimator
from branchline._folds import Fold
from branchline._model_rows import rows_for
from branchline._named_learners import takes_weights
from branchline._saving._read import restore
from branchline._state import classes_to_state
from branchline._validation import count_threads
from branchline._worker_threads import map_in_threads
from branchline.ensemble._training_rows import TrainingRows, Units
from branchline.errors import BranchlineError, DataError, ParameterError, Repair
from branchline.table import Table

__all__ = ["Job", "OutOfFold", "fit_jobs", "out_of_fold", "outputs_of", "refuse_unweighted"]

Floats = npt.NDArray[np.float64]
Members = Sequence[tuple[str, Any]]


@dataclass(frozen=True)
class Job:
    """A learner, the units of rows to fit it on, the rows to predict, and whether to keep it."""

    label: str
    learner: Any
    units: Units
    asked: npt.NDArray[np.intp] | None = None
    keep: bool = True


@dataclass(frozen=True)
class OutOfFold:
    """Predictions of rows that members were not fitted on.

    Parameters
    ----------
    rows
        The place of each row; one that stands for copies may be here once for several folds.
    units
        How many of its units were held out together.
    outputs
        The predictions: (row, member) for numbers, (row, member, class) for classes.
    """

    rows: npt.NDArray[np.intp]
    units: Units
    outputs: Floats

    def of_inputs(self, rows: TrainingRows, values: Floats) -> Floats:
        """Return values of held-out rows as the mean of each row, in the order of the input.

        Rows that no fold holds out (the first in time) are NaN.
        """
        weight = self.units.astype(np.float64)
        total = np.zeros(rows.n_rows)
        sums = np.zeros((rows.n_rows, values.shape[1]))
        np.add.at(total, self.rows, weight)
        for column in range(values.shape[1]):
            # Divided first, so that large numbers do not overflow.
            np.add.at(sums[:, column], self.rows, values[:, column] * (weight / total[self.rows]))
        sums[total == 0] = np.nan
        means: Floats = sums[rows.place_of_input]
        return means


def refuse_unweighted(members: Members, rows: TrainingRows) -> None:
    """Refuse weights that a member could not use."""
    for label, learner in members:
        if rows.is_weighted and not takes_weights(learner):
            raise ParameterError(
                f"Weights were given, but the member {label!r} ({type(learner).__name__}) takes no "
                "sample_weight. Fit without weights, or put another learner in its place.",
                code="P082",
                values=[label],
                repair=Repair("model.fit(X, y)"),
            )


def fit_jobs(rows: TrainingRows, jobs: Sequence[Job], n_jobs: Any) -> list[tuple[Any, Any]]:
    """Return, for each job, the fitted member and its predictions."""
    n_cells = rows.n_rows * rows.table.n_columns * len(jobs)
    n_threads = min(count_threads(n_jobs, n_cells), len(jobs))
    return map_in_threads(lambda job: _work(rows, job), jobs, n_threads)


def out_of_fold(
    rows: TrainingRows, members: Members, n_folds: int, seed: int, n_jobs: Any
) -> tuple[list[Any], OutOfFold]:
    """Return the members fitted on all rows, and their predictions out of fold."""
    # Without a second block of rows, members are tested on the rows they are fitted on.
    folds = rows.folds.split(n_folds, seed) or [Fold(rows.units, rows.units)]
    held = [fold.test_rows for fold in folds]
    whole = [Job(label, learner, rows.units) for label, learner in members]
    jobs = [
        Job(label, learner, fold.learn, asked, keep=False)
        for fold, asked in zip(folds, held, strict=True)
        for label, learner in members
    ]
    done = fit_jobs(rows, [*whole, *jobs], n_jobs)
    n_members = len(members)
    predicted = [
        np.stack([outputs for _, outputs in done[first : first + n_members]], axis=1)
        for first in range(n_members, len(done), n_members)
    ]
    units = np.concatenate([fold.test[asked] for fold, asked in zip(folds, held, strict=True)])
    fitted = [member for member, _ in done[:n_members]]
    return fitted, OutOfFold(np.concatenate(held), units, np.concatenate(predicted))


def _work(rows: TrainingRows, job: Job) -> tuple[Any, Any]:
    fitted, outputs = _fit(rows, job), None
    if job.asked is not None and len(job.asked):
        outputs = outputs_of(fitted, rows.table.rows(job.asked), rows.classes, job.label)
    return (fitted if job.keep else None), outputs


def _fit(rows: TrainingRows, job: Job) -> Any:
    """Fit a copy of a learner on the rows that have units."""
    places = np.flatnonzero(job.units)
    units = job.units[places]
    if rows.classes is not None:
        seen = np.unique(rows.target.class_of_row[places])
        if len(seen) == 1:
            return _constant(rows, rows.classes[seen])
    options = {}
    is_ours = isinstance(job.learner, Estimator)
    if rows.is_weighted or (is_ours and (units > 1).any() and takes_weights(job.learner)):
        options["sample_weight"] = units * rows.unit
    else:
        places = np.repeat(places, units)
    table = rows.table if _is_all(places, rows.n_rows) else rows.table.rows(places)
    try:
        return clone(job.learner).fit(rows_for(job.learner, table), rows.answers[places], **options)
    except BranchlineError as error:
        # Rows are counted in another order here, so their numbers would mislead.
        named = error.with_rows(())
        named.message = f"The member {job.label!r} could not be fitted. {error.message}"
        raise named from error


def _is_all(places: npt.NDArray[np.intp], n_rows: int) -> bool:
    return len(places) == n_rows and bool((places == np.arange(n_rows)).all())


def _constant(rows: TrainingRows, only: npt.NDArray[Any]) -> Any:
    """Return a classifier that always predicts one class, for rows of one class."""
    state = {"classes": classes_to_state(only), "class_prior": np.ones(1)}
    return restore("MajorityClassifier", {}, rows.table.schema.to_json(), state)


# -- predictions of members ---------------------------------------------------------------------


def outputs_of(model: Any, table: Table, classes: npt.NDArray[Any] | None, label: str) -> Floats:
    """Return a member's numbers, or its probabilities in the order of ``classes``."""
    given = rows_for(model, table)
    if classes is None:
        predicted = np.asarray(model.predict(given), dtype=np.float64).reshape(table.n_rows)
    elif not hasattr(model, "predict_proba"):  # it decides, but gives no probabilities
        places = _places_of(list(model.predict(given)), classes, label)
        predicted = np.eye(len(classes))[places]
    elif model.classes_ is classes or list(model.classes_) == list(classes):
        predicted = np.asarray(model.predict_proba(given), dtype=np.float64)
    else:
        places = _places_of(list(model.classes_), classes, label)
        predicted = np.zeros((table.n_rows, len(classes)))
        predicted[:, places] = model.predict_proba(given)
    # A sum is finite when all values are; that is one fast pass in the usual case.
    if not isfinite(np.add.reduce(predicted, axis=None)) and not np.isfinite(predicted).all():
        raise DataError(
            f"The member {label!r} ({type(model).__name__}) predicts a value that is not a finite "
            "number.",
            code="D120",
        )
    return predicted


def _places_of(names: list[Any], classes: npt.NDArray[Any], label: str) -> npt.NDArray[np.intp]:
    place_of_name = {name: place for place, name in enumerate(classes.tolist())}
    plain = [name.item() if isinstance(name, np.generic) else name for name in names]
    strange = [name for name in plain if name not in place_of_name]
    if strange:
        raise DataError(
            f"The member {label!r} predicts a class that is not in the target: {strange[0]!r}.",
            code="D121",
            values=strange,
        )
    return np.array([place_of_name[name] for name in plain], dtype=np.intp)
