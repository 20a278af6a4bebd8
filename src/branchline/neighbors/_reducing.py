"""Editing and condensing a fitted classifier: methods that return one with fewer rows.

The distance stays that of all rows: rows near borders alone would give other scales.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.neighbors._fitted_rows import FittedRows
from branchline.neighbors._reduction import (
    Reduction,
    check_n_neighbors,
    condensed,
    edited,
    error_of_rows,
)

__all__ = ["Reducing"]


class Reducing(FittedRows):
    """A nearest-neighbors classifier whose rows can be edited or condensed."""

    classes_: npt.NDArray[Any]
    n_neighbors_: int
    weights_: str
    reduction_: Reduction | None

    def edit(self, *, n_neighbors: int = 3) -> Self:
        """Return a model without the rows whose nearest others vote for another class (Wilson).

        The number of neighbors and the distance stay the same; ``reduction_`` is the report.

        Parameters
        ----------
        n_neighbors
            Number of nearest other rows that vote on each row.
        """
        self._check_fitted()
        check_n_neighbors(n_neighbors)
        n_threads = self._threads(self.rows_.n_rows, self.rows_.n_rows)
        keep = edited(self._search, self.target_, len(self.classes_), int(n_neighbors), n_threads)
        return self._reduced("edit", keep, clone(self), min(self.n_neighbors_, int(keep.sum())))

    def condense(self) -> Self:
        """Return a 1-nearest-neighbor model with the rows near borders between classes (Hart).

        Call ``edit`` first: condensing keeps every outlier and the rows around it. ``reduction_``
        is the report.
        """
        self._check_fitted()
        if self.reduction_ is None or self.reduction_.method != "edit":
            warn(
                "Condensing rows that were not edited keeps the outliers among them: "
                "model.edit().condense() drops these first.",
                BranchlineWarning,
            )
        keep = condensed(self._search, self.target_, len(self.classes_))
        return self._reduced("condense", keep, clone(self).set_params(n_neighbors=1), 1)

    def _reduced(self, method: str, keep: npt.NDArray[np.bool_], model: Self, count: int) -> Self:
        """Return ``model`` fitted with the rows kept, in the distance of all rows."""
        every = np.ones(len(keep), dtype=bool)
        n_threads = self._threads(len(keep), len(keep))
        before, after = (
            error_of_rows(self._search, self.target_, len(self.classes_), some, vote, n_threads)
            for some, vote in (
                (every, (self.n_neighbors_, self.weights_)),
                (keep, (count, self.weights_)),
            )
        )
        report = Reduction(method, len(keep), int(keep.sum()), before, after, count)
        kept = {
            "rows_": self.rows_.rows(keep),
            "row_numbers_": self.row_numbers_[keep],
            "target_": self.target_[keep],
            "n_neighbors_": count,
            "reduction_": report,
            "_search": self._search.part(keep),
        }
        model.__dict__.update({**_fitted(self), **kept})
        return model


def _fitted(model: Any) -> dict[str, Any]:
    """Return what an estimator has learned."""
    return {
        name: value
        for name, value in vars(model).items()
        if name == "_search" or (name.endswith("_") and not name.startswith("_"))
    }
