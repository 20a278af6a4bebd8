"""The settings of growing and pruning a tree: the parameters of both estimators as one object."""

from dataclasses import dataclass
from typing import Any

from branchline._trees._grow_options import GrowSettings

__all__ = ["TreeSettings"]


@dataclass(frozen=True)
class TreeSettings(GrowSettings):
    """The parameters of a decision tree; the estimators describe them."""

    # Columns and missing values
    n_surrogates: int = 5
    test_costs: dict[Any, float] | None = None
    subsets: dict[Any, Any] | None = None
    intervals: dict[Any, Any] | None = None
    questions: dict[Any, Any] | None = None
    # Tests made in nodes
    tests: str = "axis"
    n_test_columns: int = 3
    lookahead: int = 1
    # Stopping early
    stop_by: str | None = None
    min_improvement: float = 0.0
    # Pruning
    prune: str | None = "cost_complexity"
    choose_by: str = "folds"
    n_folds: int = 10
    rule: Any = 0.5
    ccp_alpha: float | None = None
    validation_fraction: float = 0.25
    accept: str = "better"
    confidence: float = 0.25
    mdl_weight: float | None = None
