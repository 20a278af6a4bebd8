"""Keeping fewer rows: editing drops outliers, condensing drops rows far from class borders.

Editing (Wilson, 1972): a row is dropped if its k nearest other rows vote for another class. All
rows are checked before any is dropped.
Condensing (Hart, 1968): beginning with the first row of each class, rows are gone through in their
canonical order, again and again until nothing changes; a row that the rows kept so far do not put
strictly nearest to its own class is kept as well. The rows kept then decide every other row as its
nearest one did, except rows with equal values and different classes.

Editing comes first: outliers are what condensing would keep.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from branchline._plain_numbers import count, percent
from branchline._state import malformed
from branchline._validation import Whole
from branchline.errors import ParameterError, Repair
from branchline.neighbors._measured_space import AnySearch
from branchline.neighbors._responses import Mask, Numbers
from branchline.neighbors._responses import Whole as Wholes
from branchline.neighbors._search import TIE
from branchline.neighbors._votes import class_votes

__all__ = [
    "Reduction",
    "check_n_neighbors",
    "condensed",
    "edited",
    "error_of_rows",
    "reduction_from_state",
]

_METHODS = ("edit", "condense")


@dataclass(frozen=True)
class Reduction:
    """What editing or condensing did.

    Parameters
    ----------
    method
        "edit" or "condense".
    rows_before, rows_after
        How many rows there were, and how many were kept.
    error_before, error_after
        The share of the former rows that are predicted wrongly from the rows before and from those
        kept, each row left out of its own neighbors. The rows kept were chosen by their classes,
        so the second number is optimistic: measure the result on new rows.
    n_neighbors
        The number of neighbors of the reduced model.

    See Also
    --------
    NearestNeighborsClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.neighbors import NearestNeighborsClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = NearestNeighborsClassifier(n_neighbors=5).fit(X, y).edit().reduction_
    >>> found.rows_before, found.rows_after
    (150, 144)
    """

    method: str
    rows_before: int
    rows_after: int
    error_before: float
    error_after: float
    n_neighbors: int

    def __str__(self) -> str:
        verb = "edited" if self.method == "edit" else "condensed"
        share = percent(self.rows_after / self.rows_before)
        return (
            f"{verb}: {self.rows_after:,} of {self.rows_before:,} rows kept ({share})\n"
            f"leave-one-out error: {percent(self.error_before, decimals=1)} before, "
            f"{percent(self.error_after, decimals=1)} after, with "
            f"{count(self.n_neighbors, 'neighbor')}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return asdict(self)


def check_n_neighbors(n_neighbors: Any) -> None:
    """Refuse anything but a number of rows."""
    allowed = Whole(1)
    if not allowed.allows(n_neighbors):
        raise ParameterError(
            f"The 'n_neighbors' argument of edit must be {allowed.describe()}. Got "
            f"{n_neighbors!r} instead.",
            code="P041",
            values=[n_neighbors],
            repair=Repair("model.edit(n_neighbors=3)"),
        )


def edited(search: AnySearch, class_of_row: Wholes, n_classes: int, k: int, n_threads: int) -> Mask:
    """Return which rows to keep: those that their k nearest others vote for."""
    if len(class_of_row) == 1:
        return np.ones(1, dtype=bool)
    k = min(k, len(class_of_row) - 1)
    nearest = search.nearest(search.points, k, n_threads=n_threads, others_only=True)
    votes = class_votes(nearest, k, "uniform", class_of_row.astype(np.uint32), n_classes)
    keep = np.asarray(votes.argmax(axis=1) == class_of_row)
    return keep if keep.any() else np.ones(len(keep), dtype=bool)


def condensed(search: AnySearch, class_of_row: Wholes, n_classes: int) -> Mask:
    """Return which rows to keep, gone through in the order in which they are stored."""
    own = class_of_row.astype(np.int64)
    n_rows = len(own)
    keep = np.zeros(n_rows, dtype=bool)
    nearest = np.full((n_rows, n_classes), np.inf)  # of the rows kept so far, for each class

    def add(row: int) -> None:
        keep[row] = True
        distance = search.distances_from(row)
        np.minimum(nearest[:, own[row]], distance, out=nearest[:, own[row]])

    for first in np.unique(own, return_index=True)[1].tolist():
        add(first)
    changed = True
    while changed:
        changed = False
        for row in range(n_rows):
            if not keep[row] and not _is_settled(nearest[row], own[row]):
                add(row)
                changed = True
    return keep


def _is_settled(nearest: Numbers, own: int) -> bool:
    others = np.delete(nearest, own).min(initial=np.inf)
    return bool(nearest[own] < others * (1.0 - TIE))


def error_of_rows(
    search: AnySearch,
    class_of_row: Wholes,
    n_classes: int,
    keep: Mask,
    vote: tuple[int, str],
    n_threads: int,
) -> float:
    """Return the share of rows that the rows kept predict wrongly, themselves left out.

    ``vote`` is the number of neighbors and their weighting.
    """
    k, weights = vote
    kept = np.flatnonzero(keep)
    part = search.part(kept)
    k = min(k, len(kept))
    own = class_of_row.astype(np.uint32)
    right = 0
    for is_kept in (True, False):
        rows = kept if is_kept else np.flatnonzero(~keep)
        count = min(k, len(kept) - int(is_kept))
        if len(rows) == 0 or count == 0:
            continue
        found = part.nearest(search.points[rows], count, n_threads=n_threads, others_only=is_kept)
        votes = class_votes(found, count, weights, own[kept], n_classes)
        right += int((votes.argmax(axis=1) == own[rows]).sum())
    return 1.0 - right / len(own)


def reduction_from_state(packed: Any, n_rows: int) -> Reduction | None:
    """Return a packed report, checked; None when there is none."""
    if packed is None:
        return None
    kinds = {"method": str, "rows_before": int, "rows_after": int, "n_neighbors": int}
    kinds |= {"error_before": float, "error_after": float}
    if not isinstance(packed, Mapping) or set(packed) != set(kinds):
        raise malformed("'reduction' is not a report")
    if any(type(packed[name]) is not kind for name, kind in kinds.items()):
        raise malformed("'reduction' is not a report")
    report = Reduction(**packed)
    errors = (report.error_before, report.error_after)
    sound = report.method in _METHODS and 1 <= n_rows == report.rows_after <= report.rows_before
    if not sound or not all(0 <= error <= 1 for error in errors) or report.n_neighbors < 1:
        raise malformed("'reduction' has values out of range")
    return report
