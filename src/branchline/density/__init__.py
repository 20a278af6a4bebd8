"""Densities and what occurs together: mixtures, Bayesian networks, item sets, association rules.

Names that are imported "as themselves" are for the package's other rooms; users have ``__all__``.
"""

from branchline.density._association_rules import AssociationRules, association_rules
from branchline.density._baskets import Baskets, as_baskets
from branchline.density._baskets import baskets_of_pairs as baskets_of_pairs
from branchline.density._bayesian_network import BayesianNetwork
from branchline.density._bayesian_network_classifier import BayesianNetworkClassifier
from branchline.density._item_sets import ItemSets, frequent_item_sets
from branchline.density._mixture import Mixture, MixtureChoice
from branchline.density._read_baskets import check_pair as check_pair
from branchline.density._read_baskets import read_baskets
from branchline.density._rule import AssociationRule
from branchline.density.network._answer import NetworkAnswer
from branchline.density.network._stability import EdgeStability, NetworkStability

__all__ = [
    "AssociationRule",
    "AssociationRules",
    "Baskets",
    "BayesianNetwork",
    "BayesianNetworkClassifier",
    "EdgeStability",
    "ItemSets",
    "Mixture",
    "MixtureChoice",
    "NetworkAnswer",
    "NetworkStability",
    "as_baskets",
    "association_rules",
    "frequent_item_sets",
    "read_baskets",
]
