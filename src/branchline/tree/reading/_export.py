"""Trees for other programs: a dictionary of plain data, or a frame with one row per node.

1. The dictionary says everything twice: in words (``question``, ``condition``) for a reader, and in
   fields for a program. ``tree_from_dict`` reads the fields and returns the same tree, bit by bit.
2. Nodes are a list, parents before children; ``children`` and ``parent`` are places in it.
3. What a leaf holds is exact: class weights; or the weight and the sums of the target as integers
   (deviations from ``center``, times 2^``bits``) with the sums of squared deviations.
4. Numbers are written so that they read back as they were; no number is infinite.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._state import classes_to_state
from branchline._trees._tree_arrays import (
    CATEGORIES,
    EVERY_BRANCH,
    LEAF,
    STAY,
    THRESHOLD_TEST,
    TreeArrays,
    values_of,
)
from branchline.errors import ModelFileError
from branchline.table import Schema
from branchline.tree.reading._conditions import branch_conditions
from branchline.tree.reading._frames import Library, as_frame, plain
from branchline.tree.reading._labels import Labels
from branchline.tree.reading._text import leaves_below

__all__ = [
    "FORMAT",
    "MISSING_WORDS",
    "VERSION",
    "predictions",
    "tree_to_dict",
    "tree_to_frame",
    "value_columns",
]

FORMAT, VERSION = "branchline-tree", 1
MISSING_WORDS = {STAY: "stay", EVERY_BRANCH: "every branch"}


def tree_to_dict(
    tree: TreeArrays,
    schema: Schema,
    classes: npt.NDArray[Any] | None,
    decision: npt.NDArray[np.int64] | None = None,
) -> dict[str, Any]:
    """Return the tree as plain data: numbers, text, lists and dictionaries.

    Parameters
    ----------
    tree, schema, classes, decision
        The fitted tree, its columns, its classes (None: regression), the class of each node.
    """
    about: dict[str, Any] = {"format": FORMAT, "version": VERSION, **_columns(tree, schema)}
    if classes is None:
        about |= {"task": "regression", "unit": float(tree.scale.unit)}
        about |= {"centre": list(tree.scale.center or ()), "bits": int(tree.scale.bits)}
        about |= {"exponent": int(tree.scale.exponent)}
        if tree.losses is not None:
            about["measure"] = tree.losses.measure
    else:
        names, kind = _plain_classes(classes)
        about |= {"task": "classification", "unit": float(tree.scale.unit)}
        about |= {"classes": names, "class_type": kind}
    writer = _NodeWriter(tree, schema, classes, decision)
    return {**about, "nodes": [writer.node(node) for node in range(tree.n_nodes)]}


def _columns(tree: TreeArrays, schema: Schema) -> dict[str, Any]:
    """Return the columns of the table, and the derived ones apart."""
    if tree.derived is None:
        return schema.to_json()
    given = tree.derived.given_schema(schema).to_json()
    return {**given, "derived": tree.derived.to_list()}


def _plain_classes(classes: npt.NDArray[Any]) -> tuple[list[Any], str]:
    """Return class names as plain data, and what they were."""
    packed = classes_to_state(classes)
    if isinstance(packed, list):
        return packed, "text"
    if isinstance(packed, dict):
        return packed["objects"], "objects"
    if packed.dtype.kind in "iufb":
        return packed.tolist(), packed.dtype.name
    raise ModelFileError(
        f"This tree cannot be exported: its classes are {packed.dtype.name}; only text, numbers "
        "and booleans can be.",
        code="M006",
    )


class _NodeWriter:
    """Writes nodes as dictionaries."""

    def __init__(
        self,
        tree: TreeArrays,
        schema: Schema,
        classes: npt.NDArray[Any] | None,
        decision: npt.NDArray[np.int64] | None,
    ) -> None:
        self._tree, self._schema, self._classes = tree, schema, classes
        self._labels = Labels(tree, schema, classes, decision)
        self._predictions = predictions(tree, classes, self._labels)
        self._means = values_of(tree.content, tree.scale)
        self._parent, self._branch, self._depth = tree.parent, _branches(tree), depths(tree)

    def node(self, node: int) -> dict[str, Any]:
        is_root = node == 0
        parent, branch = int(self._parent[node]), int(self._branch[node])
        written: dict[str, Any] = {
            "id": node,
            "parent": None if is_root else parent,
            "branch": None if is_root else branch,
            "depth": int(self._depth[node]),
            "condition": None if is_root else self._labels.condition(parent, branch),
            "kind": self._kind(node),
        }
        if self._tree.kind[node] != LEAF:
            written |= self._test(node)
        return {**written, **self._content(node)}

    def _kind(self, node: int) -> str:
        if self._tree.kind[node] == THRESHOLD_TEST:
            return "presence" if np.isinf(self._tree.threshold[node]) else "threshold"
        return "leaf" if self._tree.kind[node] == LEAF else "categories"

    def _test(self, node: int) -> dict[str, Any]:
        field = self._schema.fields[int(self._tree.feature[node])]
        first, missing = int(self._tree.first_child[node]), int(self._tree.missing_branch[node])
        test: dict[str, Any] = {"question": self._labels.question(node), "column": field.name}
        if self._kind(node) == "threshold":
            test["threshold"] = float(self._tree.threshold[node])
        if self._tree.kind[node] == CATEGORIES:
            conditions = branch_conditions(self._tree, node, field.name, field.type, heaviest=False)
            test["categories"] = [list(each.categories or ()) for each in conditions]
            names, offset = field.type.categories or (), int(self._tree.pool_offset[node])
            branches = self._tree.pool[offset : offset + len(names)]
            shared = np.flatnonzero(branches == EVERY_BRANCH).tolist()
            if shared:
                test["shared"] = [names[code] for code in shared]
        test["missing"] = MISSING_WORDS.get(missing, missing)
        test["children"] = list(range(first, first + int(self._tree.n_children[node])))
        return test

    def _content(self, node: int) -> dict[str, Any]:
        tree = self._tree
        content: dict[str, Any] = {"weight": float(tree.weight[node])}
        if self._classes is not None:
            content["class_weights"] = (tree.content[node] * tree.scale.unit).tolist()
        else:
            content["mean"] = self._means[node].tolist()
            if tree.losses is not None:
                content["loss"] = tree.losses.loss[node].tolist()
                if tree.losses.median is not None:
                    content["median"] = tree.losses.median[node].tolist()
            content["variance"] = tree.variance[node].tolist()
            if tree.kind[node] == LEAF:
                content["sums"] = tree.content[node, 1:].tolist()
                content["spread"] = tree.spread[node].tolist()
        content["prediction"] = self._predictions[node]
        return content


def predictions(tree: TreeArrays, classes: npt.NDArray[Any] | None, labels: Labels) -> list[Any]:
    """Return what each node predicts: a class, a number, or a list of numbers."""
    if classes is None:
        numbers = tree.value[:, 0] if tree.value.shape[1] == 1 else tree.value
        return list(numbers.tolist())
    names = [plain(name) for name in classes]
    return [names[labels.decided(node)] for node in range(tree.n_nodes)]


def _branches(tree: TreeArrays) -> npt.NDArray[np.int64]:
    """Return which branch of its parent each node is."""
    parent = tree.parent.astype(np.int64)
    return np.arange(tree.n_nodes) - tree.first_child[parent]


def depths(tree: TreeArrays) -> npt.NDArray[np.int64]:
    """Return the number of tests above each node; as fast for a chain as for a bush."""
    parent = tree.parent.tolist()
    depth = [0] * tree.n_nodes
    for node in range(1, tree.n_nodes):
        depth[node] = depth[parent[node]] + 1
    return np.array(depth, dtype=np.int64)


def tree_to_frame(
    tree: TreeArrays,
    schema: Schema,
    classes: npt.NDArray[Any] | None,
    decision: npt.NDArray[np.int64] | None = None,
    *,
    outputs: Sequence[str] | None = None,
    library: Library = "pandas",
) -> Any:
    """Return one row per node: where it stands, what it asks, what it predicts.

    Parameters
    ----------
    tree, schema, classes, decision
        The fitted tree, its columns, its classes (None: regression), the class of each node.
    outputs
        Names of the outputs of a regression tree that has several.
    library
        "pandas" or "polars".
    """
    labels = Labels(tree, schema, classes, decision)
    parent, branch = tree.parent.tolist(), _branches(tree).tolist()
    inner, names = (~tree.is_leaf).tolist(), (*schema.names, None)  # −1: no column
    cuts = tree.threshold.astype(object)
    cuts[(tree.kind != THRESHOLD_TEST) | np.isinf(tree.threshold)] = None
    columns: dict[str, Any] = {
        "node": np.arange(tree.n_nodes),
        "parent": tree.parent,
        "depth": depths(tree),
        "condition": [None, *map(labels.condition, parent[1:], branch[1:])],
        "question": [labels.question(node) if inner[node] else None for node in range(len(inner))],
        "column": [names[place] for place in tree.feature.tolist()],
        "threshold": cuts.tolist(),
        "n_branches": tree.n_children,
        "n_leaves": leaves_below(tree),
        "weight": tree.weight,
    }
    if classes is not None or tree.value.shape[1] == 1:
        columns["prediction"] = predictions(tree, classes, labels)
    return as_frame({**columns, **value_columns(tree, classes, outputs)}, library)


def value_columns(
    tree: TreeArrays, classes: npt.NDArray[Any] | None, outputs: Sequence[str] | None
) -> dict[str, npt.NDArray[np.float64]]:
    if classes is not None:
        return {f"p({name})": tree.value[:, place] for place, name in enumerate(classes)}
    deviation = np.sqrt(tree.variance)
    if tree.value.shape[1] == 1:
        return {"deviation": deviation[:, 0]}
    names = outputs or [str(place) for place in range(tree.value.shape[1])]
    word = tree.center_word
    means = {f"{word}({name})": tree.value[:, place] for place, name in enumerate(names)}
    spreads = {f"deviation({name})": deviation[:, place] for place, name in enumerate(names)}
    return means | spreads
