"""What a search tried: each configuration with its score on inner folds."""

import math
from typing import Any

__all__ = ["plain_value", "tried_configurations"]


def tried_configurations(model: Any) -> tuple[dict[str, Any], ...]:
    """Return the configurations that a fitted search has scored; empty where there was none.

    A score is the mean over inner folds, higher being better; None where a candidate failed.
    """
    results = getattr(model, "cv_results_", None)
    if results is None:
        return ()
    pairs = zip(results["params"], results["mean_test_score"], strict=True)
    return tuple(
        {
            "parameters": {name: plain_value(value) for name, value in chosen.items()},
            "score": float(score) if math.isfinite(score) else None,
        }
        for chosen, score in pairs
    )


def plain_value(value: Any) -> Any:
    """Return a parameter's value as JSON has it; anything else by its words."""
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
