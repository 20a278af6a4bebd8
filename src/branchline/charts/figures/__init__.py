"""The figures: each a function from numbers, or from a fitted model and rows, to a chart."""

from branchline.charts.figures._curves_of_probabilities import (
    draw_calibration,
    draw_decision,
    draw_gain,
    draw_lift,
    draw_ranking,
)
from branchline.charts.figures._dendrogram import draw_dendrogram
from branchline.charts.figures._effects import draw_effects
from branchline.charts.figures._error_curves import (
    draw_choice,
    draw_pruning,
    draw_rounds,
    draw_scores,
    draw_selection,
    draw_steps,
)
from branchline.charts.figures._grids import draw_grid
from branchline.charts.figures._heat_map import draw_two_trees
from branchline.charts.figures._map import draw_map
from branchline.charts.figures._predictions import draw_intervals
from branchline.charts.figures._theory import (
    draw_bias_variance,
    draw_sample_curves,
    draw_structural_risk,
)
from branchline.charts.figures._weights import (
    draw_coefficients,
    draw_odds_ratios,
    draw_path,
    draw_summary,
)

__all__ = [
    "draw_bias_variance",
    "draw_calibration",
    "draw_choice",
    "draw_coefficients",
    "draw_decision",
    "draw_dendrogram",
    "draw_effects",
    "draw_gain",
    "draw_grid",
    "draw_intervals",
    "draw_lift",
    "draw_map",
    "draw_odds_ratios",
    "draw_path",
    "draw_pruning",
    "draw_ranking",
    "draw_rounds",
    "draw_sample_curves",
    "draw_scores",
    "draw_selection",
    "draw_steps",
    "draw_structural_risk",
    "draw_summary",
    "draw_two_trees",
]
