"""Category columns: the frequency of each category in each class, shrunk towards all rows.

With C rows of a category in a class of n, and q the category's share of all rows, the frequency is
(C + m q) / (n + m): m rows' worth of the column's own frequencies are added to each class.

1. m is chosen for each column among powers of two: the one under which the column alone predicts
   the classes of training rows best (log loss), each row left out of the counts in turn. A column
   of names that occur once or twice gets a large m and has almost no influence.
2. With a given alpha, every category of every class counts alpha more rows (Laplace).
"""

import numpy as np
import numpy.typing as npt

from branchline.bayes._terms import CategoryTerm, SilentTerm

__all__ = ["category_term"]

Floats = npt.NDArray[np.float64]

_CHOICES = np.ldexp(1.0, np.arange(-2, 25))


def category_term(
    counts: Floats, by_name: npt.NDArray[np.intp], alpha: float | str
) -> CategoryTerm | SilentTerm:
    """Return the term of a column.

    Parameters
    ----------
    counts
        The weight of each category (a row) in each class (a column).
    by_name
        The categories in the order of their names: containers number them differently, and sums
        must not depend on that.
    alpha
        "auto", or what is added to each count.
    """
    seen = counts.sum(axis=1) > 0
    n_seen, n_classes = int(seen.sum()), counts.shape[1]
    if n_seen < 2:
        return SilentTerm(n_classes)
    ordered = counts[by_name][seen[by_name]]
    if isinstance(alpha, str):
        smoothing = _best_smoothing(ordered)
        added = smoothing * _shares(counts)
    else:
        smoothing, added = float(alpha) * n_seen, np.full((len(counts), 1), float(alpha))
    frequency = (counts + added) / (ordered.sum(axis=0) + smoothing)
    frequency[~seen] = 0.0
    log_frequency = np.log(np.where(seen[:, None], frequency, 1.0))
    silent = np.zeros((2, n_classes))
    return CategoryTerm(smoothing, frequency, np.concatenate([log_frequency, silent]))


def _shares(counts: Floats) -> Floats:
    """Return the share of each category among all rows, as a column."""
    by_category = counts.sum(axis=1, keepdims=True)
    shares: Floats = by_category / _in_order(by_category)
    return shares


def _in_order(amounts: Floats) -> float:
    return float(np.sort(amounts, axis=None).sum())


def _best_smoothing(counts: Floats) -> float:
    """Return the m under which rows left out in turn are predicted best; the least on ties."""
    shares, classes = _shares(counts), counts.sum(axis=0)
    losses = [_log_loss(counts, m * shares, m, classes) for m in _CHOICES]
    return float(_CHOICES[int(np.argmin(losses))])


def _log_loss(counts: Floats, added: Floats, m: float, classes: Floats) -> float:
    """Return the log loss of the rows' classes, each given its category and all other rows."""
    prior = classes / classes.sum()
    joint = (counts + added) / (classes + m) * prior
    own = (np.maximum(counts - 1.0, 0.0) + added) / (np.maximum(classes - 1.0, 0.0) + m) * prior
    others = np.maximum(joint.sum(axis=1, keepdims=True) - joint, 0.0)
    here = counts > 0
    return float((counts[here] * np.log1p(others[here] / own[here])).sum())
