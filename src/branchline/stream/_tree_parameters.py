"""Parameters of Hoeffding trees, which all learners of streams have, and the kernel's form."""

from typing import Any

from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole

__all__ = ["PARAMETERS", "tree_rules"]

_DEEPEST = 200
_MEGABYTE = 2.0**20

PARAMETERS: dict[str, Constraint] = {
    "criterion": OneOf(("entropy", "gini")),
    "grace_period": Whole(1, 10**9),
    "delta": Real(0, 1, low_open=True),
    "tie_threshold": Real(0, 10),
    "leaf_prediction": OneOf(("adaptive", "naive_bayes", "majority")),
    "numeric": OneOf(("binned", "gaussian")),
    "max_bins": Whole(2, 4096),
    "max_depth": AnyOf((OneOf((None,)), Whole(0, _DEEPEST))),
    "max_memory": Real(0, 1e6, low_open=True),
    "max_categories": Whole(1, 65_534),
}


def tree_rules(model: Any, *, columns: float = 0.0, drift: float = 0.0) -> tuple[Any, ...]:
    """Return the rules of a tree for the kernel.

    Parameters
    ----------
    model
        An estimator with these parameters.
    columns
        The columns that a leaf looks at: a number, a share below 1, −1 for the square root, 0: all.
    drift
        Delta of the drift detectors of nodes; 0: none.
    """
    return (
        float(model.grace_period),
        float(model.delta),
        float(model.tie_threshold),
        model.criterion == "gini",
        model.numeric == "gaussian",
        model.leaf_prediction,
        int(model.max_bins),
        _DEEPEST if model.max_depth is None else int(model.max_depth),
        float(model.max_memory) * _MEGABYTE,
        float(columns),
        float(drift),
    )
