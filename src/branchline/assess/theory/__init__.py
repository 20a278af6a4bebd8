"""Where errors come from and how far they can be bounded: decompositions, bounds, shattering."""

from branchline._vc_bound import VCBound, vc_bound
from branchline.assess.theory._bias_variance import (
    BiasVariance,
    bias_variance_by_bootstrap,
    bias_variance_by_simulation,
)
from branchline.assess.theory._bias_variance_curve import BiasVarianceCurve, bias_variance_curve
from branchline.assess.theory._class_bias_variance import (
    ClassBiasVariance,
    class_bias_variance_by_bootstrap,
    class_bias_variance_by_simulation,
)
from branchline.assess.theory._description_length import DescriptionLength, description_length
from branchline.assess.theory._known_classes import KnownClasses, sine_classes
from branchline.assess.theory._known_function import KnownFunction, friedman_function, sine_function
from branchline.assess.theory._refutations import Refutation, refute
from branchline.assess.theory._sample_curves import SampleCurves, sample_curves
from branchline.assess.theory._shattering import Shattering, shatter
from branchline.assess.theory._shrunken_mean import prior_strength, shrunken_mean_decomposition
from branchline.assess.theory._size_table import SizeChoice, SizeStep, StructuralRisk
from branchline.assess.theory._structural_risk import structural_risk

__all__ = [
    "BiasVariance",
    "BiasVarianceCurve",
    "ClassBiasVariance",
    "DescriptionLength",
    "KnownClasses",
    "KnownFunction",
    "Refutation",
    "SampleCurves",
    "Shattering",
    "SizeChoice",
    "SizeStep",
    "StructuralRisk",
    "VCBound",
    "bias_variance_by_bootstrap",
    "bias_variance_by_simulation",
    "bias_variance_curve",
    "class_bias_variance_by_bootstrap",
    "class_bias_variance_by_simulation",
    "description_length",
    "friedman_function",
    "prior_strength",
    "refute",
    "sample_curves",
    "shatter",
    "shrunken_mean_decomposition",
    "sine_classes",
    "sine_function",
    "structural_risk",
    "vc_bound",
]
