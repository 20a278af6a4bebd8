"""What any model must beat: the most frequent class, the mean."""

from branchline.baseline._majority import MajorityClassifier
from branchline.baseline._mean import MeanRegressor

__all__ = ["MajorityClassifier", "MeanRegressor"]
