"""``n_clusters="auto"``: as many clusters as ``how_many`` finds, and a warning where it is one."""

from typing import Any

from branchline._arrays import Floats
from branchline._prepared_table import Preparation, fit_preparation
from branchline._validation import AnyOf, Constraint, OneOf, TrainingData, Whole
from branchline._warn import warn
from branchline.cluster._group_counts import GroupCounts
from branchline.cluster._how_many import CountOptions, count_groups
from branchline.errors import BranchlineWarning, ParameterError, Repair

__all__ = ["N_CLUSTERS", "find_number", "refuse_auto"]

N_CLUSTERS: Constraint = AnyOf((Whole(1, 1_000_000), OneOf(("auto",))))


def find_number(
    rows: TrainingData,
    weights: Floats,
    prepared: tuple[Preparation, Floats] | None = None,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
) -> GroupCounts:
    """Return how many groups canonical, merged rows have; warn where the answer is one.

    Parameters
    ----------
    rows, weights
        The rows.
    prepared
        The rows as numbers; default: standardized.
    seed
        Seed of the reference tables, samples and starts.
    n_jobs
        Number of threads.
    """
    prepared = prepared or fit_preparation(rows, weights, standardize=True)
    options = CountOptions(seed=seed, n_jobs=n_jobs, compares_columns=False)
    found = count_groups(rows, weights, prepared, options)
    if found.is_one:
        warn(
            BranchlineWarning(
                f"{found.verdict()} So all rows are put into one cluster.",
                code="W052",
                repair=Repair("model.set_params(n_clusters=3)", "--n-clusters 3"),
            )
        )
    return found


def refuse_auto(owner: Any) -> None:
    """Refuse to count groups in a matrix of distances."""
    if owner.n_clusters != "auto":
        return
    raise ParameterError(
        f"{type(owner).__name__} cannot count clusters in a matrix of distances: n_clusters='auto' "
        "needs the table itself.",
        code="P664",
        values=["auto"],
        repair=Repair("model.set_params(n_clusters=3)"),
    )
