"""Parameters and classes that had another name in version 0.1, and how old values read today.

Old names are refused in calls, with the new name as the repair. Model files keep the names of the
version that wrote them, so loading translates them.
"""

from collections.abc import Container, Mapping
from typing import Any

__all__ = ["new_class", "new_name", "translated"]

_PARAMETERS = {
    "centres": "centers",  # words: ok
    "confidence": "level",
    "early_stopping": "stop_by",
    "epochs": "max_epochs",
    "final": "final_estimator",
    "folds": "n_folds",
    "inner_folds": "n_inner_folds",
    "learner": "estimator",
    "learners": "estimators",
    "n_centres": "n_centers",
    "n_iter_no_change": "patience",
    "one_se": "rule",
    "repeats": "n_repeats",
    "rule": "decision",
    "scoring": "metric",
    "time": "time_column",
    "tolerance": "tol",
    "vectorised": "vectorized",
}
_VALUES = {"roc_auc": "auc"}
_CLASSES = {"NearestCentre": "NearestCenter", "Normalised": "Normalized"}  # words: ok

# Parameters whose values were words with hyphens; all others may hold words of the user.
_WORDS = frozenset(
    {
        *("accept", "centers", "criterion", "distance", "drop", "estimator", "estimators"),
        *("final_estimator", "metric", "penalty", "prune", "rule", "solver", "stop_by"),
        *("strategy", "subset_search"),
    }
)


def new_name(name: str, known: Container[str]) -> str | None:
    """Return today's name of a parameter, if ``known`` has it and does not have the old one."""
    renamed = _PARAMETERS.get(name)
    return renamed if name not in known and renamed is not None and renamed in known else None


def new_class(name: str) -> str:
    """Return today's name of a class or kernel."""
    return _CLASSES.get(name, name)


def translated(parameters: Mapping[str, Any], known: Container[str]) -> dict[str, Any]:
    """Return the parameters of a model file under today's names, with today's words."""
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        key = new_name(name, known) or name
        if name == "one_se" and isinstance(value, bool):
            value = "one_se" if value else "best"
        found[key] = _with_underscores(value) if key in _WORDS else value
    return found


def _with_underscores(value: Any) -> Any:
    if isinstance(value, str):
        words = value.replace("nearest-centre", "nearest_center").replace("-", "_")  # words: ok
        return _VALUES.get(words, words)
    if isinstance(value, list):
        return [_with_underscores(one) for one in value]
    if isinstance(value, tuple):
        return tuple(_with_underscores(one) for one in value)
    return value
