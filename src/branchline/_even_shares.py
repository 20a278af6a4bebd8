"""Leave-one-out for classes, with the same shares of classes in every training set.

A training set without a row has fewer rows of its class. Where two classes are as frequent as each
other, a model that only knows the shares then predicts the wrong class for every row: its accuracy
is 0 in place of a half, and every other learner seems better. Ranks of rows across models (AUC)
suffer likewise. Austin, Pe'er and Korem (2025) call it distributional bias; this is their remedy.

1. Rows of each class stand in the order of a hash of their content, so that the order of the table
   does not matter.
2. A test set has c_k rows of class k, at most m of one class. m − c_k rows of each class k are left
   out of the training set, too: it then lacks m rows of every class, whichever was tested.
3. Which rows they are goes round each class with the tested row's own place in its class, so all
   rows are left out about equally often. One row of a class always stays.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from branchline._folds import Fold, FoldRows
from branchline._row_keys import scramble

__all__ = ["keeps_shares", "leave_one_out"]

# With fewer rows for each class, training sets would lack too many.
_LEAST_ROWS = 4


def keeps_shares(rows: FoldRows) -> bool:
    """Return whether there are enough rows for each class to leave one of each out."""
    n_classes = np.count_nonzero(np.bincount(rows.stratum))
    return bool(n_classes > 1 and n_classes * _LEAST_ROWS <= rows.n_rows)


def leave_one_out(rows: FoldRows) -> Iterator[Fold]:
    """Yield a fold for each block; training sets have the same shares of classes if possible."""
    if not keeps_shares(rows):
        yield from rows.leave_one_out()
        return
    members, place = _in_order(rows)
    for fold in rows.leave_one_out():
        learn = fold.learn.copy()
        learn[_partners(rows, fold, members, place)] = 0
        yield Fold(learn, fold.test)


def _in_order(
    rows: FoldRows,
) -> tuple[list[npt.NDArray[np.intp]], npt.NDArray[np.intp]]:
    """Return the rows of each class in the order of their hash, and each row's place there."""
    order = np.lexsort((rows.rank, scramble(rows.rank)))
    members = [order[rows.stratum[order] == k] for k in range(int(rows.stratum.max()) + 1)]
    place = np.empty(rows.n_rows, dtype=np.intp)
    for one in members:
        place[one] = np.arange(len(one))
    return members, place


def _partners(
    rows: FoldRows,
    fold: Fold,
    members: list[npt.NDArray[np.intp]],
    place: npt.NDArray[np.intp],
) -> npt.NDArray[np.intp]:
    """Return the rows that are left out beside those of the test set."""
    test = fold.test_rows
    counts = np.bincount(rows.stratum[test], minlength=len(members))
    leader = int(test[np.lexsort((rows.rank[test], -counts[rows.stratum[test]]))[0]])
    own = members[rows.stratum[leader]]
    found = []
    for k, of_class in enumerate(members):
        left = of_class[fold.learn[of_class] > 0]
        missing = min(int(counts.max() - counts[k]), len(left) - 1)
        if missing > 0:
            start = int(place[leader]) * len(left) // len(own)
            found.append(left[(start + np.arange(missing)) % len(left)])
    return np.concatenate(found) if found else np.zeros(0, dtype=np.intp)
