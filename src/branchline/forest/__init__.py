"""Many trees averaged: bagged trees, random and oblique forests, extra-trees."""

from branchline._trees._forest_arrays import ForestArrays
from branchline.forest._bagged_trees import BaggedTreesClassifier, BaggedTreesRegressor
from branchline.forest._extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from branchline.forest._oblique_forest import ObliqueForestClassifier, ObliqueForestRegressor
from branchline.forest._oob_importance import OobImportance
from branchline.forest._random_forest import RandomForestClassifier, RandomForestRegressor

__all__ = [
    "BaggedTreesClassifier",
    "BaggedTreesRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForestArrays",
    "ObliqueForestClassifier",
    "ObliqueForestRegressor",
    "OobImportance",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
