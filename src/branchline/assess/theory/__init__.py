"""Where errors come from and how far they can be bounded: decompositions, bounds, shattering."""

from branchline._vc_bound import VCBound, vc_bound
from branchline.assess.theory._bias_variance import (
    BiasVariance,
    bias_variance_by_bootstrap,
    bias_variance_by_simulation,
    shrunken_mean_decomposition,
)
from branchline.assess.theory._bias_variance_curve import BiasVarianceCurve, bias_variance_curve
from branchline.assess.theory._description_length import DescriptionLength, description_length
from branchline.assess.theory._known_function import KnownFunction, friedman_function, sine_function
from branchline.assess.theory._refutations import Refutation, refute
from branchline.assess.theory._shattering import Shattering, shatter

__all__ = [
    "BiasVariance",
    "BiasVarianceCurve",
    "DescriptionLength",
    "KnownFunction",
    "Refutation",
    "Shattering",
    "VCBound",
    "bias_variance_by_bootstrap",
    "bias_variance_by_simulation",
    "bias_variance_curve",
    "description_length",
    "friedman_function",
    "refute",
    "shatter",
    "shrunken_mean_decomposition",
    "sine_function",
    "vc_bound",
]
