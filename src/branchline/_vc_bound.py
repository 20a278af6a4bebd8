"""The bound of Vapnik and Chervonenkis: how far the true error can be above that of training rows.

With probability 1 − ε, for every model of a class of VC dimension h, learned from T rows,

    R ≤ R_emp + √( (h (ln(2T/h) + 1) − ln(ε/4)) / T ).

It asks nothing of the distribution, and so is loose: it needs many rows for each unit of h. For
h ≥ 2T the class may realize every labeling of 2T rows, and h counts as 2T: the bound says nothing.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

from branchline._plain_numbers import count, fixed, number
from branchline._validation import Real, Whole, check_parameters

__all__ = ["VCBound", "vc_bound"]


@dataclass(frozen=True)
class VCBound:
    """An upper bound of the true error.

    Parameters
    ----------
    bound
        R_emp plus the penalty; above 1 it says nothing.
    risk
        The share of errors on the training rows.
    penalty
        What is added for the richness of the class.
    h, n_rows, epsilon
        The VC dimension, the number of rows, and how often the bound may fail.

    See Also
    --------
    vc_bound : return the bound of the true error by the VC dimension.

    Examples
    --------
    >>> from branchline.assess.theory import vc_bound
    >>> round(vc_bound(0.1, h=3, n=10_000).penalty, 3)
    0.058
    """

    bound: float
    risk: float
    penalty: float
    h: float
    n_rows: int
    epsilon: float

    @property
    def is_vacuous(self) -> bool:
        """Whether the bound says nothing: an error is never above 1."""
        return self.bound >= 1

    def __str__(self) -> str:
        if self.is_vacuous:
            return f"error ≤ {fixed(self.bound)}: vacuous, h = {number(self.h)} is too rich for it"
        rows, sure = count(self.n_rows, "row"), number(1 - self.epsilon)
        return (
            f"error ≤ {fixed(self.bound)} = {fixed(self.risk)} + {fixed(self.penalty)} with "
            f"probability {sure} (h = {number(self.h)}, {rows})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name; an infinite h is the text "infinite"."""
        h = self.h if math.isfinite(self.h) else "infinite"
        return {**asdict(self), "h": h, "is_vacuous": self.is_vacuous}


def vc_bound(risk: float, h: float, n: int, epsilon: float = 0.05) -> VCBound:
    """Return the bound of the true error by the VC dimension.

    Parameters
    ----------
    risk
        The share of errors on the training rows, 0 to 1.
    h
        The VC dimension of the models that were searched: d + 1 for hyperplanes in d inputs;
        ``math.inf`` for those that shatter any number of points.
    n
        The number of training rows, T in the formula.
    epsilon
        How probable it may be that the bound does not hold. Default 0.05.

    See Also
    --------
    VCBound : an upper bound of the true error.

    Examples
    --------
    >>> from branchline.assess.theory import vc_bound
    >>> print(vc_bound(0.1, h=3, n=10_000))
    error ≤ 0.158 = 0.100 + 0.058 with probability 0.95 (h = 3, 10,000 rows)
    """
    given = {"risk": risk, "n": n, "epsilon": epsilon, "h": h}
    rules: dict[str, Any] = {
        "risk": Real(0.0, 1.0),
        "n": Whole(1),
        "epsilon": Real(0.0, 1.0, low_open=True),
    }
    if h != math.inf:
        rules["h"] = Real(0.0, low_open=True)
    check_parameters("vc_bound", given, rules)
    counted = min(float(h), 2.0 * n)
    capacity = counted * (math.log(2 * n / counted) + 1)
    penalty = math.sqrt((capacity - math.log(epsilon / 4)) / n)
    return VCBound(risk + penalty, float(risk), penalty, float(h), int(n), float(epsilon))
