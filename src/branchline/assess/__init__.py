"""How good a model really is, and which of several to take: scores with intervals, ties, advice.

Names are imported when they are first used (PEP 562): an option of the command line that is wrong
is refused without the seconds that scikit-learn and SciPy take to load.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchline._intervals import Interval, corrected_t_interval, wilson_interval
    from branchline.assess._bootstrap_error import BootstrapError, bootstrap_error
    from branchline.assess._bootstrap_error import no_information_error as no_information_error
    from branchline.assess._cross_validate import Assessment, cross_validate
    from branchline.assess._find_metric import check_metric_name as check_metric_name
    from branchline.assess._find_metric import check_positive as check_positive
    from branchline.assess._find_metric import find_metric as find_metric
    from branchline.assess._importance_intervals import ImportanceShares, importance_intervals
    from branchline.assess._metrics import METRICS, Metric
    from branchline.assess._outcome import Outcome
    from branchline.assess._paired_tests import Difference, paired_difference
    from branchline.assess._permutation_importance import (
        ColumnImportance,
        Importances,
        permutation_importance,
    )
    from branchline.assess._sealed_test import Look, SealedTest, TestOpenedError
    from branchline.assess.comparing._compare import carry_out, compare
    from branchline.assess.comparing._comparison import Comparison
    from branchline.assess.comparing._input_choice import InputChoice, select_inputs
    from branchline.assess.comparing._learners import Learner
    from branchline.assess.comparing._make_problem import make_problem
    from branchline.assess.comparing._plan import Plan, make_plan
    from branchline.assess.comparing._problem import Problem
    from branchline.assess.comparing._recommend import Recommendation
    from branchline.assess.comparing._resampling import Resampling, Split
    from branchline.assess.comparing._standing import Standing
    from branchline.assess.effects import EffectCurve, EffectCurves, effect_curves
    from branchline.assess.uncertainty import (
        ClassSets,
        NumberIntervals,
        fit_intervals,
        predict_interval,
    )

# Names that are not in __all__ are for the package's other rooms.
_HOME_OF_NAME = {
    "check_metric_name": "_find_metric",
    "check_positive": "_find_metric",
    "find_metric": "_find_metric",
    "no_information_error": "_bootstrap_error",
    "Assessment": "_cross_validate",
    "BootstrapError": "_bootstrap_error",
    "ClassSets": "uncertainty",
    "ColumnImportance": "_permutation_importance",
    "Comparison": "comparing._comparison",
    "Difference": "_paired_tests",
    "EffectCurve": "effects",
    "EffectCurves": "effects",
    "ImportanceShares": "_importance_intervals",
    "Importances": "_permutation_importance",
    "InputChoice": "comparing._input_choice",
    "Interval": "._intervals",
    "Learner": "comparing._learners",
    "Look": "_sealed_test",
    "METRICS": "_metrics",
    "NumberIntervals": "uncertainty",
    "Metric": "_metrics",
    "Outcome": "_outcome",
    "Plan": "comparing._plan",
    "Problem": "comparing._problem",
    "Recommendation": "comparing._recommend",
    "Resampling": "comparing._resampling",
    "SealedTest": "_sealed_test",
    "Split": "comparing._resampling",
    "Standing": "comparing._standing",
    "TestOpenedError": "_sealed_test",
    "bootstrap_error": "_bootstrap_error",
    "carry_out": "comparing._compare",
    "compare": "comparing._compare",
    "corrected_t_interval": "._intervals",
    "cross_validate": "_cross_validate",
    "effect_curves": "effects",
    "fit_intervals": "uncertainty",
    "predict_interval": "uncertainty",
    "select_inputs": "comparing._input_choice",
    "make_plan": "comparing._plan",
    "make_problem": "comparing._make_problem",
    "paired_difference": "_paired_tests",
    "importance_intervals": "_importance_intervals",
    "permutation_importance": "_permutation_importance",
    "wilson_interval": "._intervals",
}

__all__ = [
    "METRICS",
    "Assessment",
    "BootstrapError",
    "ClassSets",
    "ColumnImportance",
    "Comparison",
    "Difference",
    "EffectCurve",
    "EffectCurves",
    "ImportanceShares",
    "Importances",
    "InputChoice",
    "Interval",
    "Learner",
    "Look",
    "Metric",
    "NumberIntervals",
    "Outcome",
    "Plan",
    "Problem",
    "Recommendation",
    "Resampling",
    "SealedTest",
    "Split",
    "Standing",
    "TestOpenedError",
    "bootstrap_error",
    "carry_out",
    "compare",
    "corrected_t_interval",
    "cross_validate",
    "effect_curves",
    "fit_intervals",
    "importance_intervals",
    "make_plan",
    "make_problem",
    "paired_difference",
    "permutation_importance",
    "predict_interval",
    "select_inputs",
    "wilson_interval",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _HOME_OF_NAME:
        return getattr(import_module(f".{_HOME_OF_NAME[name]}", __name__), name)
    if name in {"curves", "effects", "theory", "uncertainty"}:
        return import_module(f"branchline.assess.{name}")
    raise AttributeError(f"module 'branchline.assess' has no attribute {name!r}")
