"""One association rule, with its figures."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from branchline._intervals import Interval, wilson_interval
from branchline.density._baskets import Baskets
from branchline.density._rule_tests import lift_interval

__all__ = ["AssociationRule"]


@dataclass(frozen=True, repr=False)
class AssociationRule:
    """If a basket holds ``conditions``, it holds ``conclusion``, too.

    Parameters
    ----------
    conditions, conclusion
        The items.
    count
        How many baskets hold conditions and conclusion.
    n_conditions, n_conclusion
        How many baskets hold the conditions, and the conclusion.
    support
        ``count`` as a share of all baskets.
    confidence
        The share of baskets with the conditions that hold the conclusion, with its 95 % interval.
    lift
        Confidence over the share of the conclusion in all baskets, with its 95 % interval; 1: the
        conditions make no difference.
    p_value
        The p-value of the condition that adds least.
    q_value
        The expected share of false rules among those at least as significant.

    See Also
    --------
    AssociationRules : ``suggest`` returns it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import association_rules
    >>> table = load_dataset("titanic").select(["pclass", "sex", "survived"])
    >>> round(association_rules(table, target="survived")[0].lift.estimate, 2)
    2.53
    """

    conditions: tuple[str, ...]
    conclusion: str
    count: int
    n_conditions: int
    n_conclusion: int
    support: float
    confidence: Interval
    lift: Interval
    p_value: float
    q_value: float

    @classmethod
    def counted(
        cls,
        conditions: tuple[str, ...],
        conclusion: str,
        counts: tuple[int, int, int, int],
        *,
        p_value: float,
        q_value: float,
    ) -> "AssociationRule":
        """Return a rule from counts: of both, conditions, conclusion, all baskets."""
        n_both, n_conditions, n_conclusion, total = counts
        return cls(
            conditions,
            conclusion,
            n_both,
            n_conditions,
            n_conclusion,
            n_both / total,
            wilson_interval(n_both, n_conditions),
            Interval(*lift_interval(n_both, n_conditions, n_conclusion, total)),
            p_value,
            q_value,
        )

    @staticmethod
    def columns() -> tuple[str, ...]:
        """Return the names of what ``to_dict`` holds."""
        return (
            "conditions", "conclusion", "count", "support", "confidence", "confidence_low",
            "confidence_high", "lift", "lift_low", "lift_high", "leverage", "conviction",
            "p_value", "q_value",
        )  # fmt: skip

    @property
    def leverage(self) -> float:
        """Support less what it would be if conditions and conclusion were independent."""
        return self.support * (1 - 1 / self.lift.estimate) if self.lift.estimate > 0 else 0.0

    @property
    def conviction(self) -> float:
        """How often the rule would be wrong by chance, over how often it is; inf: never wrong."""
        wrong = 1 - self.confidence.estimate
        base = self.confidence.estimate / self.lift.estimate if self.lift.estimate > 0 else 0.0
        return (1 - base) / wrong if wrong > 0 else np.inf

    @property
    def text(self) -> str:
        """The rule in a line: "bread, butter → milk"."""
        return f"{', '.join(self.conditions)} → {self.conclusion}"

    def __str__(self) -> str:
        return f"{self.text}  {self.confidence}"

    def __repr__(self) -> str:
        return f"AssociationRule({self})"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain values."""
        values = (
            list(self.conditions), self.conclusion, self.count, self.support,
            self.confidence.estimate, self.confidence.low, self.confidence.high,
            self.lift.estimate, self.lift.low, self.lift.high, self.leverage, self.conviction,
            self.p_value, self.q_value,
        )  # fmt: skip
        return dict(zip(self.columns(), values, strict=True))

    def on(self, baskets: Baskets) -> "AssociationRule | None":
        """Return the rule counted on other baskets; None when none holds the conditions.

        Its p-value is that of all conditions together: Fisher's exact test, one-sided.
        """
        held = [baskets.holds(item) for item in (*self.conditions, self.conclusion)]
        has_conditions = np.logical_and.reduce(held[:-1])
        n_conditions = baskets.count(has_conditions)
        n_conclusion = baskets.count(held[-1])
        n_both = baskets.count(has_conditions & held[-1])
        if not n_conditions or not n_conclusion:
            return None
        tail = stats.hypergeom.sf(n_both - 1, baskets.total, n_conclusion, n_conditions)
        counts = (n_both, n_conditions, n_conclusion, baskets.total)
        return self.counted(
            self.conditions, self.conclusion, counts, p_value=float(tail), q_value=1.0
        )
