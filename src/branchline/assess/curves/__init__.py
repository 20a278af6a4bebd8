"""What scores look like beyond one number: confusion, ranking, gain, calibration, learning."""

from branchline.assess.curves._calibration import Calibration, calibration_curve
from branchline.assess.curves._calibration_line import CalibrationLine, calibration_line
from branchline.assess.curves._confusion import Confusion, confusion
from branchline.assess.curves._decision_curve import DecisionCurve, decision_curve
from branchline.assess.curves._gain import GainCurve, gain_curve
from branchline.assess.curves._learning_curve import (
    Curve,
    CurvePoint,
    learning_curve,
    validation_curve,
)
from branchline.assess.curves._ranking import RankingCurve, precision_recall_curve, roc_curve
from branchline.assess.curves._staged_errors import StagedErrors, staged_errors

__all__ = [
    "Calibration",
    "CalibrationLine",
    "Confusion",
    "Curve",
    "CurvePoint",
    "DecisionCurve",
    "GainCurve",
    "RankingCurve",
    "StagedErrors",
    "calibration_curve",
    "calibration_line",
    "confusion",
    "decision_curve",
    "gain_curve",
    "learning_curve",
    "precision_recall_curve",
    "roc_curve",
    "staged_errors",
    "validation_curve",
]
