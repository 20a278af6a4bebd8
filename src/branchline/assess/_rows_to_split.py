"""The rows of a table and its target, ready to be split: the same folds for every way of assessing.

``cross_validate`` and the first repeat of ``compare`` with the same seed have the same folds.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import CLASS_INDEX
from branchline._folds import FoldRows, fold_rows
from branchline._validation import ClassTarget, NumberTarget, RowWeights, TrainingData
from branchline.table import Table

__all__ = ["rows_to_split"]


def rows_to_split(
    table: Table, target: npt.NDArray[Any], classes: npt.NDArray[Any] | None
) -> FoldRows:
    """Return the rows; ``classes`` are the sorted class names, None for numbers."""
    checked: ClassTarget | NumberTarget
    if classes is None:
        checked = NumberTarget(target)
    else:
        checked = ClassTarget(classes, np.searchsorted(classes, target).astype(CLASS_INDEX))
    return fold_rows(TrainingData(table, checked, RowWeights()))
