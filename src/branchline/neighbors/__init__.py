"""Learning by likeness: nearest neighbors and Parzen windows on mixed tables."""

from branchline.neighbors._nearest_neighbors import (
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
)
from branchline.neighbors._parzen import ParzenClassifier, ParzenRegressor
from branchline.neighbors._reduction import Reduction

__all__ = [
    "NearestNeighborsClassifier",
    "NearestNeighborsRegressor",
    "ParzenClassifier",
    "ParzenRegressor",
    "Reduction",
]
