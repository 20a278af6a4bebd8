"""How good a model really is, and which of several to take: scores with intervals, ties, advice."""

from branchline.assess._bootstrap_error import BootstrapError, bootstrap_error
from branchline.assess._cross_validate import Assessment, cross_validate
from branchline.assess._intervals import Interval, corrected_t_interval, wilson_interval
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
from branchline.assess.comparing._comparison import Comparison, Standing
from branchline.assess.comparing._plan import Learner, Plan, make_plan
from branchline.assess.comparing._problem import Problem, make_problem
from branchline.assess.comparing._recommend import Recommendation
from branchline.assess.comparing._resampling import Resampling, Split
from branchline.assess.uncertainty import (
    ClassSets,
    NumberIntervals,
    fit_intervals,
    predict_interval,
)

__all__ = [
    "METRICS",
    "Assessment",
    "BootstrapError",
    "ClassSets",
    "ColumnImportance",
    "Comparison",
    "Difference",
    "Importances",
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
    "fit_intervals",
    "make_plan",
    "make_problem",
    "paired_difference",
    "permutation_importance",
    "predict_interval",
    "wilson_interval",
]
