"""Tuning spaces: which values of which parameters are worth trying.

1. A space is one or more blocks; a block gives each parameter a list of values or a range.
2. Blocks keep parameters apart that make no sense together.
3. A block of lists is a grid; a block with a range has no end and is drawn from.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["USUAL_DRAWS", "Between", "Block", "Space", "count_candidates", "is_endless"]


@dataclass(frozen=True)
class Between:
    """All numbers from ``low`` to ``high``, both included.

    Parameters
    ----------
    low, high
        The bounds.
    log
        Draw evenly on a logarithmic scale: for numbers whose order of size is what matters.
    whole
        Whole numbers only.

    See Also
    --------
    search : return an unfitted search for a learner's best parameters.

    Examples
    --------
    >>> from branchline.catalog import Between
    >>> Between(0.01, 100.0, log=True).grid(5)
    [0.01, 0.1, 1.0, 10.0, 100.0]
    >>> Between(1, 64, log=True, whole=True).grid(4)
    [1, 4, 16, 64]
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        finite = math.isfinite(self.low) and math.isfinite(self.high)
        if not finite or self.low > self.high or (self.log and self.low <= 0):
            raise ValueError(f"no numbers lie in {self}")

    def grid(self, n_values: int) -> list[float]:
        """Return ``n_values`` evenly spaced numbers, ends included; whole ones only once each."""
        if n_values < 2:
            return [self._at(0.5)]
        numbers = (self._at(step / (n_values - 1)) for step in range(n_values))
        return list(dict.fromkeys(numbers))

    def rvs(self, size: int | None = None, random_state: Any = None) -> Any:
        """Draw one number, or ``size`` of them (the call that scikit-learn's searches make)."""
        from sklearn.utils import check_random_state

        draw = check_random_state(random_state)
        if size is None:
            return self._at(draw.random_sample())
        return [self._at(draw.random_sample()) for _ in range(size)]

    def _at(self, share: float) -> float:
        """Return the number at a share (0 to 1) of the way from low to high."""
        if share in {0.0, 1.0}:
            number = (self.low, self.high)[int(share)]
        elif self.log:
            number = math.exp(math.log(self.low) + share * math.log(self.high / self.low))
        else:
            number = self.low + share * (self.high - self.low)
        if self.whole:
            return round(number)
        # Twelve digits are more than any choice needs, and powers of ten come out as themselves.
        return min(max(float(f"{number:.12g}"), self.low), self.high)


Values: TypeAlias = Sequence[Any] | Between
Block: TypeAlias = Mapping[str, Values]
Space: TypeAlias = tuple[Block, ...]


def is_endless(space: Space) -> bool:
    """Whether a space has a range, so that its candidates cannot be listed."""
    return any(isinstance(values, Between) for block in space for values in block.values())


# How many candidates are drawn when a space cannot be listed, by default.
USUAL_DRAWS = {"small": 10, "medium": 30, "large": 100}


def count_candidates(space: Space) -> int:
    """Return how many candidates a space without ranges has."""
    return sum(
        math.prod(len(values) for values in block.values() if not isinstance(values, Between))
        for block in space
    )
