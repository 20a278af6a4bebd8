"""``--require "auc.low>=0.75"``: what a result must reach, for use in scripts and gates."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.assess import Comparison
    from branchline.assess.comparing import Plan, Problem

__all__ = ["Requirement", "check_requirements", "parse_requirements", "refuse_unscorable"]

_FORM = re.compile(
    r"\s*(?P<metric>[a-z0-9_-]+(?:@\d+(?:\.\d+)?%?)?)(?:\.(?P<end>low|high|estimate))?\s*(?P<sign><=|>=|<|>)\s*"
    r"(?P<number>[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*"
)
_HOLDS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Requirement:
    """One condition on the recommended learner's score."""

    text: str
    metric: str
    end: str
    sign: str
    number: float


def parse_requirements(texts: Sequence[str] | None, task: str) -> list[Requirement]:
    """Return the conditions, each checked before anything is fitted."""
    from branchline.assess import find_metric

    found = []
    for text in texts or ():
        match = _FORM.fullmatch(text)
        if match is None:
            raise ParameterError(
                f"--require takes METRIC.END>=NUMBER with END low, high or estimate, got {text!r}.",
                code="P130",
                values=[text],
                repair=Repair(flag='--require "accuracy.low>=0.7"'),
            )
        find_metric(match["metric"], task)
        end = match["end"] or "estimate"
        found.append(Requirement(text, match["metric"], end, match["sign"], float(match["number"])))
    return found


def refuse_unscorable(
    requirements: Sequence[Requirement], plan: "Plan", problem: "Problem"
) -> None:
    """Refuse metrics that this target cannot have, before any fit."""
    from branchline.assess import METRICS
    from branchline.assess.comparing import positive_place

    for one in requirements:
        positive_place(METRICS[one.metric], plan.positive, problem)


def check_requirements(
    comparison: "Comparison", requirements: Sequence[Requirement]
) -> list[dict[str, object]]:
    """Return each condition with the value seen and whether it holds, for the advised learner."""
    learner = comparison.recommendation.learner
    checked: list[dict[str, object]] = []
    for one in requirements:
        value = float(getattr(comparison.score(learner, one.metric), one.end))
        holds = bool(_HOLDS[one.sign](value, one.number))
        checked.append({"require": one.text, "learner": learner, "value": value, "holds": holds})
    return checked
