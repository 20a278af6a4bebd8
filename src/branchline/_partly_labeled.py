"""What classifiers share that learn from rows without a label, too.

A row whose target is missing (None, NaN, an empty cell) is unlabeled. Inside, its class has the
number that follows the last class; whatever is in canonical order keeps such rows apart.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._base import Classifier
from branchline._validation import Owner, TrainingData, check_partly_labeled_data
from branchline._warn import warn
from branchline.errors import BranchlineWarning, Repair

__all__ = ["PartlyLabeled", "labeled_rows"]


class PartlyLabeled(Classifier):
    """A classifier whose training rows need not all have a label."""

    # ``compare`` gives such a learner the rows without a target, too.
    _learns_from_unlabeled = True
    # What is said of each training row, and no part of the model.
    _left_out_of_files = frozenset({"transduction_"})
    transduction_: npt.NDArray[Any]

    def _begin_partly(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        self._start(X, y)
        owner = Owner(type(self).__name__, self._opposite)
        data = check_partly_labeled_data(X, y, sample_weight, owner=owner)
        if _has_minus_one(data):
            warn(_minus_one())
        return data

    def _finish_with_rows(
        self, X: Any, data: TrainingData, places: npt.NDArray[Any], **fitted: Any
    ) -> Any:
        """Write what was fitted, with the class of each row that was given.

        Rows of weight 0 get the class that is predicted for them.
        """
        self._finish(data, **fitted)
        names = self.classes_[places]
        if data.kept is not None:
            every = np.asarray(self.predict(X))
            every[data.kept] = names
            names = every
        self.transduction_ = names
        return self


def _has_minus_one(data: TrainingData) -> bool:
    """Return whether -1 may have been meant as "no label": all have one, and it stands beside 0."""
    classes = data.class_target.classes
    if not np.issubdtype(classes.dtype, np.number) or -1 not in classes:
        return False
    is_count = (classes >= -1) & (classes == np.rint(classes))
    is_sign = len(classes) == 2 and 1 in classes
    return bool(is_count.all() and len(classes) > 1 and not is_sign and labeled_rows(data).all())


def _minus_one() -> BranchlineWarning:
    return BranchlineWarning(
        "Every row has a label, and -1 is taken for one of the classes. An unlabeled row is one "
        "whose target is missing.",
        code="W073",
        repair=Repair("y = numpy.where(y == -1, numpy.nan, y)"),
    )


def labeled_rows(data: TrainingData) -> npt.NDArray[np.bool_]:
    """Return which rows have a label."""
    target = data.class_target
    return np.asarray(target.class_of_row < target.n_classes)
