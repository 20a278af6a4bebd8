"""Named settings: functions that return an estimator with its parameters set."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from branchline._validation import refuse_unknown_parameters
from branchline.tree._stump import StumpClassifier

__all__ = ["OneRule"]


Preset = TypeVar("Preset", bound=Callable[..., Any])


def preset(make: Preset) -> Preset:
    """Let a function that makes an estimator refuse misspelt parameters as a class does."""

    @functools.wraps(make)
    def checked(**parameters: Any) -> Any:
        refuse_unknown_parameters(make, parameters)
        return make(**parameters)

    return checked  # type: ignore[return-value]


@preset
def OneRule(  # noqa: N802 (used like a class)
    *, min_samples_leaf: int = 6, n_jobs: int | None = None
) -> StumpClassifier:
    """Return the one-rule learner: the column whose values, one by one, predict the class best.

    Each category of the chosen column predicts its most frequent class; a number is cut once.
    Categories with fewer than ``min_samples_leaf`` rows share a branch, so that a column of
    identifiers does not win (Holte, 1993, asks for six rows of a class too).

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import OneRule
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> round(OneRule().fit(X, y).score(X, y), 3)
    0.956
    """
    return StumpClassifier(
        criterion="misclassification",
        split="multiway",
        min_samples_leaf=min_samples_leaf,
        n_jobs=n_jobs,
    )
