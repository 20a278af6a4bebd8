"""Edits in a model file: the list of edits, and the leaves whose class a person gave."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from branchline._dtypes import NODE_INDEX
from branchline._state import array_from_state, malformed
from branchline._trees._tree_arrays import TreeArrays
from branchline.tree.editing._edits import EDITS

__all__ = ["pack_edits", "unpack_edits"]

_LONGEST = 2**24  # characters of a list of edits


def pack_edits(fitted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that say how a tree was edited, by name; none when it was not."""
    packed: dict[str, Any] = {}
    if "edits_" in fitted:
        packed["edits"] = json.dumps(fitted["edits_"], ensure_ascii=False)
    if fitted.get("relabeled_"):
        pairs = sorted(fitted["relabeled_"].items())
        packed["relabeled"] = np.array(pairs, dtype=NODE_INDEX).ravel()
    return packed


def unpack_edits(state: Mapping[str, Any], tree: TreeArrays) -> dict[str, Any]:
    """Return the fitted attributes of an edited tree, refusing what no editor could have made."""
    found: dict[str, Any] = {}
    if "edits" in state:
        found["edits_"] = _edits(state["edits"])
    if "relabeled" in state:
        found["relabeled_"] = _relabeled(state, tree)
    return found


def _edits(text: Any) -> list[dict[str, Any]]:
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise malformed("the edits are not text")
    try:
        edits = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise malformed("the edits cannot be read") from error
    if not isinstance(edits, list) or not all(
        isinstance(edit, dict) and edit.get("edit") in EDITS for edit in edits
    ):
        raise malformed("the edits are not a list of edits")
    return edits


def _relabeled(state: Mapping[str, Any], tree: TreeArrays) -> dict[int, int]:
    pairs = array_from_state(state, "relabeled", NODE_INDEX)
    if len(pairs) % 2 or not tree.is_classification:
        raise malformed("the relabeled leaves are not pairs of leaf and class")
    node, label = pairs.reshape(-1, 2).T
    if (node < 0).any() or (node >= tree.n_nodes).any() or not tree.is_leaf[node].all():
        raise malformed("a relabeled node is not a leaf")
    if (label < 0).any() or (label >= tree.value.shape[1]).any():
        raise malformed("a leaf predicts something that is not a class")
    return dict(zip(node.tolist(), label.tolist(), strict=True))
