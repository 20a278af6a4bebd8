"""Published tables, computed anew: ours beside the printed numbers, and whether they agree."""

from branchline.reproduce._drawn import DrawnReproduction
from branchline.reproduce._eigenfaces import eigenfaces
from branchline.reproduce._friedman import friedman
from branchline.reproduce._golub import golub
from branchline.reproduce._image_codes import image_codes
from branchline.reproduce._labels_in_noise import labels_in_noise
from branchline.reproduce._orientation import orientation
from branchline.reproduce._promoters import promoters
from branchline.reproduce._reproduction import Figure, Line, Reproduction
from branchline.reproduce._selection_bias import selection_bias
from branchline.reproduce._selection_curve import SelectionCurve, selection_curve
from branchline.reproduce._selection_table import table_selection_curve
from branchline.reproduce._sine import ErrorCurve, SineExperiment, sine
from branchline.reproduce._splice import splice
from branchline.reproduce._stocks import stocks
from branchline.reproduce._threes import threes
from branchline.reproduce._worked_examples import worked_examples

__all__ = [
    "DrawnReproduction",
    "ErrorCurve",
    "Figure",
    "Line",
    "Reproduction",
    "SelectionCurve",
    "SineExperiment",
    "eigenfaces",
    "friedman",
    "golub",
    "image_codes",
    "labels_in_noise",
    "orientation",
    "promoters",
    "selection_bias",
    "selection_curve",
    "sine",
    "splice",
    "stocks",
    "table_selection_curve",
    "threes",
    "worked_examples",
]
