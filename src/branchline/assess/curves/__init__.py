"""What scores look like beyond one number: confusion, ranking, calibration, learning."""

from branchline.assess.curves._calibration import Calibration, calibration_curve
from branchline.assess.curves._confusion import Confusion, confusion
from branchline.assess.curves._learning_curve import (
    Curve,
    CurvePoint,
    learning_curve,
    validation_curve,
)
from branchline.assess.curves._ranking import RankingCurve, precision_recall_curve, roc_curve

__all__ = [
    "Calibration",
    "Confusion",
    "Curve",
    "CurvePoint",
    "RankingCurve",
    "calibration_curve",
    "confusion",
    "learning_curve",
    "precision_recall_curve",
    "roc_curve",
    "validation_curve",
]
