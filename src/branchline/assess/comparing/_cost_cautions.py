"""The warning that decisions do not follow the costs, where a constant answer costs less (W097).

Thresholds make decisions follow costs (``_tuned_threshold``). With three or more classes there are
none, and they can be turned off: then learners predict the most probable class, whatever it costs.
"""

import numpy as np

from branchline._plain_numbers import number
from branchline._trees._costs import check_costs
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem
from branchline.errors import BranchlineWarning, Repair

__all__ = ["cost_warnings"]


def cost_warnings(problem: Problem, plan: Plan) -> list[BranchlineWarning]:
    """Return the warning where another constant costs less than the most frequent class."""
    if problem.classes is None or plan.metric != "cost" or plan.costs is None:
        return []
    n_classes = len(problem.classes)
    costs = check_costs(plan.costs, problem.classes)
    if costs is None or (n_classes == 2 and plan.threshold != "half"):
        return []
    shares = np.bincount(problem.places, minlength=n_classes) / problem.n_rows
    of_constants = shares @ costs
    usual, cheapest = int(shares.argmax()), int(of_constants.argmin())
    if of_constants[cheapest] >= of_constants[usual]:
        return []
    names = problem.classes.tolist()
    return [
        BranchlineWarning(
            "Decisions do not follow the costs: learners predict the most probable class. Always "
            f"predicting {names[cheapest]!r} would cost {number(float(of_constants[cheapest]))} "
            f"per row on average, always predicting {names[usual]!r} (the baseline) "
            f"{number(float(of_constants[usual]))}. Compare all costs with the smaller one.",
            code="W097",
            repair=_repair(n_classes),
        )
    ]


def _repair(n_classes: int) -> Repair:
    if n_classes == 2:
        return Repair("compare(X, y, costs=…, threshold='tuned')", "--threshold tuned")
    return Repair("# DecisionTreeClassifier(costs=…) predicts the class of least cost")
