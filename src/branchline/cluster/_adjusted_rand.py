"""How far two clusterings of the same rows agree, beyond chance, with an interval.

The adjusted Rand index (Hubert and Arabie 1985) counts pairs of rows that are together in both:
(observed − expected) / (largest − expected); 1 for equal clusterings, 0 on average by chance.
The interval is that of the percentile bootstrap over rows (drawn on the table of counts).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._validation import check_seed
from branchline.errors import ParameterError

__all__ = ["Agreement", "adjusted_rand", "rand_of_counts"]

_N_SAMPLES = 1000


@dataclass(frozen=True)
class Agreement:
    """An adjusted Rand index with its interval.

    Parameters
    ----------
    value
        1 for equal clusterings, 0 on average by chance.
    low, high
        The ends of its 95 % interval.

    See Also
    --------
    adjusted_rand : return how far two clusterings of the same rows agree, beyond chance.

    Examples
    --------
    >>> from branchline.cluster import adjusted_rand
    >>> found = adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2])
    >>> round(found.value, 3)
    0.571
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def adjusted_rand(one: Any, other: Any, *, random_state: Any = 0) -> Agreement:
    """Return how far two clusterings of the same rows agree, beyond chance.

    Parameters
    ----------
    one, other
        The clusters (or classes) of the rows.
    random_state
        Seed of the bootstrap samples. Default 0.

    See Also
    --------
    Agreement : an adjusted Rand index with its interval.

    Examples
    --------
    >>> from branchline.cluster import adjusted_rand
    >>> round(adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2]).value, 3)
    0.571
    """
    first, second = np.asarray(one), np.asarray(other)
    if first.ndim != 1 or first.shape != second.shape or len(first) == 0:
        raise ParameterError(
            f"Two clusterings of the same rows are compared; {first.shape} and {second.shape} "
            "entries were given.",
            code="P660",
        )
    counts = _table(first, second)
    generator = np.random.default_rng(check_seed(random_state))
    shares = counts.ravel() / counts.sum()
    samples = generator.multinomial(int(counts.sum()), shares, size=_N_SAMPLES)
    found = _index(samples.reshape(-1, *counts.shape).astype(np.float64))
    low, high = np.quantile(found, [0.025, 0.975])
    return Agreement(float(_index(counts[None])[0]), float(low), float(high))


def rand_of_counts(counts: Floats) -> float:
    """Return the index of a table of counts: how many rows are in each pair of clusters."""
    return float(_index(counts[None])[0])


def _table(first: Any, second: Any) -> Floats:
    """Return how many rows are in each pair of clusters."""
    rows = np.unique(first.astype(str), return_inverse=True)[1].reshape(-1)
    columns = np.unique(second.astype(str), return_inverse=True)[1].reshape(-1)
    counts = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(counts, (rows, columns), 1)
    return counts


def _index(counts: Floats) -> Floats:
    """Return the index of each table of counts."""
    together = _pairs(counts).sum(axis=(1, 2))
    in_one, in_other = (_pairs(counts.sum(axis=axis)).sum(axis=1) for axis in (2, 1))
    expected = in_one * in_other / np.maximum(_pairs(counts.sum(axis=(1, 2))), 1.0)
    largest = (in_one + in_other) / 2
    room = largest - expected
    return np.where(room > 0, (together - expected) / np.where(room > 0, room, 1.0), 1.0)


def _pairs(n: Floats) -> Floats:
    return n * (n - 1) / 2
