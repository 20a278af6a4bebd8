"""What may be chosen by name in a comparison: the one place that lists each choice.

Nothing heavy is imported here, so that a wrong choice is refused at once.
"""

from branchline import catalog
from branchline.catalog import SIZES, TASKS, nearest_learner
from branchline.errors import ParameterError, Repair

__all__ = ["PREFERENCES", "RESAMPLINGS", "TASKS", "THRESHOLDS", "TUNINGS", "check_learner_names"]

PREFERENCES = ("accuracy", "balance", "simplicity")
TUNINGS = SIZES
THRESHOLDS = ("tuned", "half")
RESAMPLINGS = (
    *("folds", "leave_one_out", "hold_out", "three_way", "bootstrap"),
    *("group_folds", "time_folds", "resubstitution"),
)


def check_learner_names(words: str) -> list[str]:
    """Return the learners of a list such as "tree,logistic"; refuse names that do not exist."""
    names = [name.strip() for name in words.split(",") if name.strip()]
    for name in names:
        try:
            catalog.entry(name)
        except ParameterError as error:
            mended = ",".join(dict.fromkeys(nearest_learner(one) or "tree" for one in names))
            repair = Repair(f"compare(X, y, learners={mended!r})", f"--learners {mended}")
            raise ParameterError(error.message, code="P090", values=[name], repair=repair) from None
    return names
