"""Every error code with its cause and its remedy: the text behind ``branchline errors``.

A code never changes its meaning. Its letter is its family: D data, F files of data, K kinds, M
model files, N order of calls, P parameters, W warnings, X extras. Each family has a file (large
ones have several), in the order of the numbers.
"""

from branchline._error_codes import (
    _active,
    _charts,
    _clusters,
    _data,
    _data_of_learners,
    _decisions,
    _density,
    _distances,
    _effects,
    _features,
    _few_labels,
    _files,
    _gaussian,
    _kinds,
    _models,
    _neighbors,
    _networks,
    _optimal_trees,
    _parameters,
    _parameters_of_comparing,
    _parameters_of_learners,
    _parameters_of_leaves,
    _projection,
    _scale,
    _sequences,
    _streams,
    _studio,
    _tree_criteria,
    _tree_editing,
    _tree_tests,
    _warnings,
)
from branchline._error_codes._entry import ErrorCode

__all__ = ["ERROR_CODES", "ErrorCode"]

_FAMILIES = (
    _active.ENTRIES,
    _charts.ENTRIES,
    _clusters.ENTRIES,
    _data.ENTRIES,
    _data_of_learners.ENTRIES,
    _decisions.ENTRIES,
    _density.ENTRIES,
    _distances.ENTRIES,
    _effects.ENTRIES,
    _features.ENTRIES,
    _few_labels.ENTRIES,
    _files.ENTRIES,
    _gaussian.ENTRIES,
    _kinds.ENTRIES,
    _models.ENTRIES,
    _neighbors.ENTRIES,
    _networks.ENTRIES,
    _optimal_trees.ENTRIES,
    _parameters.ENTRIES,
    _parameters_of_comparing.ENTRIES,
    _parameters_of_learners.ENTRIES,
    _parameters_of_leaves.ENTRIES,
    _projection.ENTRIES,
    _scale.ENTRIES,
    _sequences.ENTRIES,
    _streams.ENTRIES,
    _studio.ENTRIES,
    _tree_criteria.ENTRIES,
    _tree_editing.ENTRIES,
    _tree_tests.ENTRIES,
    _warnings.ENTRIES,
)

ERROR_CODES: dict[str, ErrorCode] = {
    entry.code: entry
    for entry in sorted((entry for family in _FAMILIES for entry in family), key=lambda e: e.code)
}
