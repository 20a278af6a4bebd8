"""The model of a comparison: one learner, fitted on all rows as its plan says.

1. Where inputs are chosen, they are chosen from all rows first; the selector and the learner on its
   choice are one model.
2. Parameters and thresholds are searched as in every training set.
3. The model keeps its errors on the test rows, for intervals.
"""

from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from branchline._base import Estimator
from branchline.assess.comparing._against_all import pair_of
from branchline.assess.comparing._chosen_inputs import selects, twin_of
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._run import fit_learner
from branchline.assess.uncertainty._of_comparison import errors_of_comparison
from branchline.features import SelectedClassifier, SelectedRegressor, Selector

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["final_model"]


def final_model(comparison: "Comparison", label: str, *, n_jobs: int, all_inputs: bool) -> Any:
    """Return a learner fitted on all rows; with ``all_inputs`` without a choice of inputs."""
    plan, problem, learner = comparison.plan, comparison.problem, comparison.learner(label)
    errors = None
    if all_inputs and selects(plan, learner):
        learner, pair = twin_of(learner), pair_of(comparison)
        if pair is not None and pair.plan.learners[-1].label == learner.label:
            errors = errors_of_comparison(pair, learner.label)
    else:
        errors = errors_of_comparison(comparison, label)
    selector = comparison.final_selector if selects(plan, learner) else None
    if selector is not None:
        problem = problem.with_inputs(selector.get_feature_names_out())
    model = fit_learner(plan, learner, problem, n_jobs=n_jobs)
    model = getattr(model, "best_estimator_", model)
    if selector is not None:
        model = _selected(plan, selector, model)
    if isinstance(model, Estimator) and errors is not None:
        model.prediction_errors_ = errors
    return model


def _selected(plan: Plan, selector: Selector, model: Any) -> Any:
    """Return a fitted selector and a learner fitted on its choice as one model."""
    made = SelectedClassifier if plan.task == "classification" else SelectedRegressor
    given = plan.select if isinstance(plan.select, str) else clone(selector)
    return made.of_parts(
        selector, model, selector=given, estimator=clone(model), random_state=plan.seed
    )
