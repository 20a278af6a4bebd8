"""The machines of a recommended support vector machine: margin, support vectors, certificate."""

from typing import Any

import numpy as np

from branchline._plain_numbers import percent, rounded
from branchline.ensemble import ThresholdClassifier
from branchline.report._blocks import Block, Folded, Grid, Words
from branchline.report._learner_of import learner_of
from branchline.report._words import named, number_words, plural

__all__ = ["machine_facts", "margin_blocks", "margin_in"]

_MOST_MACHINES = 300


def margin_in(model: Any) -> Any:
    """Return the support vector machine that a model is, or chose; None: neither."""
    model = learner_of(model)
    inner = model.member_ if isinstance(model, ThresholdClassifier) else model
    inner = getattr(inner, "best_estimator_", inner)
    is_machine = hasattr(inner, "kkt_violation_") and hasattr(inner, "support_")
    return inner if is_machine else None


def machine_facts(model: Any) -> dict[str, Any] | None:
    """Return what is certain of a support vector machine as plain data."""
    machine = margin_in(model)
    if machine is None:
        return None
    return {
        "support_vectors": len(machine.support_),
        "objective": _numbers(machine.objective_),
        "gap": _numbers(machine.gap_),
        "margin": _numbers(machine.margin_) if hasattr(machine, "margin_") else None,
        "leave_one_out_bound": getattr(machine, "loo_bound_", None),
        "converged": bool(machine.converged_),
    }


def _numbers(values: Any) -> list[float | None]:
    """Return a number for each machine; None where it is not finite."""
    listed = np.atleast_1d(np.asarray(values, dtype=np.float64)).tolist()
    return [value if np.isfinite(value) else None for value in listed]


def margin_blocks(model: Any) -> list[Block]:
    """Return the support vectors of a machine and how exact it is, in words and numbers."""
    machine = margin_in(model)
    if machine is None:
        return []
    n_support = plural(len(machine.support_), "row")
    told = [f"{n_support} decide: its support vectors. All others could be left out."]
    bound = getattr(machine, "loo_bound_", None)
    if bound is not None and bound < 1:
        told.append(f"So its leave-one-out error is at most {percent(bound, decimals=1)}.")
    told.append(_exactness(machine))
    words = Words(" ".join(told))
    if not hasattr(machine, "margin_") or not len(machine._tasks):
        return [words]
    return [words, *_machines(machine)]


def _exactness(machine: Any) -> str:
    if not machine.converged_:
        return "The solver stopped before it was done: more time may change the model."
    objective, gap = (np.atleast_1d(value) for value in (machine.objective_, machine.gap_))
    if not np.isfinite(gap).all():
        return (
            "Its kernel is not positive semidefinite, so that no bound tells how good the fit is."
        )
    share = float(np.max(gap / np.maximum(np.abs(objective), 1e-300), initial=0.0))
    shown = "less than 0.0001 %" if share < 1e-6 else f"at most {rounded(100 * share, 2)} %"
    return f"The duality gap proves that its objective is {shown} above the least possible."


def _machines(machine: Any) -> list[Block]:
    """Return a line for each machine; many are folded."""
    names = [str(name) for name in machine.classes_]
    margins, gaps = np.atleast_1d(machine.margin_), np.atleast_1d(machine.gap_)
    used = np.count_nonzero(machine.dual_coef_, axis=1)
    rows = []
    for k, task in enumerate(machine._tasks[:_MOST_MACHINES]):
        against = "the rest" if task.negative is None else named(names[task.negative])
        about = f"{named(names[task.positive])} against {against}"
        rows.append(
            (about, f"{used[k]:,}", number_words(float(margins[k])), number_words(float(gaps[k])))
        )
    heads = ("machine", "support vectors", "margin", "duality gap")
    grid = Grid("Margins, in the space of the kernel", heads, tuple(rows), 1)
    return [grid] if len(rows) <= 12 else [Folded("All machines", (grid,))]
