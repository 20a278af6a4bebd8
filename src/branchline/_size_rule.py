"""How much accuracy is given up for a simpler model: the ``rule`` of every learner that has one.

A learner tries several sizes and knows the cross-validated error of each. ``rule`` names the size
it takes: the one of the least error, or the simplest one whose error is at most some standard
errors above the least (Breiman, Friedman, Olshen and Stone, 1984: one).
"""

from typing import Any

from branchline._validation import AnyOf, OneOf, Real

__all__ = ["RULE", "accepted_errors"]

RULE = AnyOf((OneOf(("best", "one_se")), Real(0.0)))


def accepted_errors(rule: Any) -> float:
    """Return how many standard errors above the least error are accepted."""
    named = {"best": 0.0, "one_se": 1.0}
    return named[rule] if isinstance(rule, str) else float(rule)
