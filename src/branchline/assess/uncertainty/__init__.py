"""Prediction intervals for numbers and sets of plausible classes, from errors on unseen rows."""

from branchline.assess.uncertainty._class_sets import ClassSets
from branchline.assess.uncertainty._fit_intervals import fit_intervals
from branchline.assess.uncertainty._number_intervals import NumberIntervals
from branchline.assess.uncertainty._predict_interval import predict_interval

__all__ = ["ClassSets", "NumberIntervals", "fit_intervals", "predict_interval"]
