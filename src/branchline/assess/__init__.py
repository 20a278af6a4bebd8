"""How good a model really is: cross-validated scores with intervals."""

from branchline.assess._cross_validate import Assessment, cross_validate
from branchline.assess._intervals import Interval, corrected_t_interval, wilson_interval
from branchline.assess._metrics import METRICS, Metric

__all__ = [
    "METRICS",
    "Assessment",
    "Interval",
    "Metric",
    "corrected_t_interval",
    "cross_validate",
    "wilson_interval",
]
