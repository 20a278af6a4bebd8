"""Clusters: groups of rows that are alike, found without a target.

Names that are imported "as themselves" are for the package's other rooms; users have ``__all__``.
"""

from branchline.cluster._adjusted_rand import Agreement, adjusted_rand
from branchline.cluster._biclusters import Biclusters, bicluster
from branchline.cluster._cluster_description import ClusterDescription, ClusterDescriptions
from branchline.cluster._cluster_pictures import draw_distances, draw_heat_map
from branchline.cluster._cluster_rules import ClusterRule
from branchline.cluster._column_clusters import ColumnClusters, cluster_columns
from branchline.cluster._column_effects import ColumnEffect
from branchline.cluster._describe_clusters import describe_clusters
from branchline.cluster._distances import distances
from branchline.cluster._find_groups import METHODS as METHODS
from branchline.cluster._find_groups import find_groups
from branchline.cluster._group_counts import GroupCounts
from branchline.cluster._groups import Groups, KnownClasses
from branchline.cluster._how_many import how_many
from branchline.cluster._k_medoids import KMedoids
from branchline.cluster._kernel_kmeans import KernelKMeans
from branchline.cluster._kmeans import KMeans
from branchline.cluster._mini_batch_kmeans import MiniBatchKMeans
from branchline.cluster._self_organizing_map import SelfOrganizingMap
from branchline.cluster._silhouette import Silhouette, silhouette
from branchline.cluster._stability_of_model import (
    ClusterStability,
    StableCluster,
    cluster_stability,
)
from branchline.cluster._trees_of_clusters import AgglomerativeClustering, DivisiveClustering

__all__ = [
    "AgglomerativeClustering",
    "Agreement",
    "Biclusters",
    "ClusterDescription",
    "ClusterDescriptions",
    "ClusterRule",
    "ClusterStability",
    "ColumnClusters",
    "ColumnEffect",
    "DivisiveClustering",
    "GroupCounts",
    "Groups",
    "KMeans",
    "KMedoids",
    "KernelKMeans",
    "KnownClasses",
    "MiniBatchKMeans",
    "SelfOrganizingMap",
    "Silhouette",
    "StableCluster",
    "adjusted_rand",
    "bicluster",
    "cluster_columns",
    "cluster_stability",
    "describe_clusters",
    "distances",
    "draw_distances",
    "draw_heat_map",
    "find_groups",
    "how_many",
    "silhouette",
]
