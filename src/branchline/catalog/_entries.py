"""All learners of the library, family by family: the order in which they are listed."""

from dataclasses import replace

from branchline.catalog._costs import COSTS
from branchline.catalog._entries_baseline import BASELINES
from branchline.catalog._entries_bayes import BAYES
from branchline.catalog._entries_boosting import BOOSTING
from branchline.catalog._entries_ensemble import ENSEMBLES
from branchline.catalog._entries_few_labels import FEW_LABELS
from branchline.catalog._entries_forest import FORESTS
from branchline.catalog._entries_leaves import LEAVES
from branchline.catalog._entries_linear_classification import LINEAR_CLASSIFICATION
from branchline.catalog._entries_linear_regression import LINEAR_REGRESSION
from branchline.catalog._entries_neighbors import NEIGHBORS
from branchline.catalog._entries_neural import NEURAL
from branchline.catalog._entries_optimal import OPTIMAL
from branchline.catalog._entries_svm import SVMS
from branchline.catalog._entries_tree import TREES
from branchline.catalog._entry import Entry

__all__ = ["ENTRIES"]

_FAMILIES = (
    BASELINES,
    TREES,
    OPTIMAL,
    LEAVES,
    BAYES,
    NEIGHBORS,
    LINEAR_REGRESSION,
    LINEAR_CLASSIFICATION,
    NEURAL,
    SVMS,
    FORESTS,
    BOOSTING,
    ENSEMBLES,
    FEW_LABELS,
)

ENTRIES: dict[str, Entry] = {
    entry.name: replace(entry, costs=COSTS.get(entry.name, {}))
    for family in _FAMILIES
    for entry in family
}
