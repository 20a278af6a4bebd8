"""Which rows to label next, how good the model is by then, and when to stop."""

from branchline.active._active_learner import ActiveLearner
from branchline.active._label_record import LabelRecord as LabelRecord
from branchline.active._labeling_curve import LabelingCurve, simulate_labeling
from branchline.active._stop_advice import StopAdvice

__all__ = ["ActiveLearner", "LabelingCurve", "StopAdvice", "simulate_labeling"]
