"""Reading back what ``tree_to_dict`` wrote, refusing whatever no tree could have been written as.

1. The header, the schema and the classes are checked; then the fields of each node, one by one.
2. The fields become the packed state of a tree, which ``unpack_tree`` checks as in a model file.
3. What follows from the rest (places, weights, means) must agree with it. Words are not read.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from branchline._dtypes import NODE_INDEX, NODE_KIND, THRESHOLD, UNITS
from branchline._state import classes_from_state, malformed
from branchline._trees._costs import costs_from_state
from branchline._trees._derived import derived_from_state
from branchline._trees._tree_arrays import (
    CATEGORIES,
    EVERY_BRANCH,
    LEAF,
    THRESHOLD_TEST,
    TreeArrays,
)
from branchline._trees._tree_state import unpack_tree
from branchline.errors import ModelFileError
from branchline.table import Schema
from branchline.tree.reading._export import FORMAT, MISSING_WORDS, VERSION, tree_to_dict

__all__ = ["ReadTree", "tree_from_dict"]

_KINDS = {
    "leaf": LEAF,
    "threshold": THRESHOLD_TEST,
    "presence": THRESHOLD_TEST,
    "categories": CATEGORIES,
}
_MISSING = {words: branch for branch, words in MISSING_WORDS.items()}
_HEADER = {"format", "version", "named", "columns", "task", "unit", "nodes"}
_OF_TASK = {
    "classification": {"classes", "class_type"},
    "regression": {"centre", "bits", "exponent"},
}
_BOTH = {"derived", "surrogates", "proof"}
_OPTIONAL = {"regression": {"measure", *_BOTH}, "classification": {"costs", *_BOTH}}
_WHOLE = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_NUMBER_TYPES = {"bool", "float16", "float32", "float64", *_WHOLE}
_WORDS = {"condition", "question", "prediction"}
_FOLLOWING = {"weight", "class_weights", "mean", "variance"}
_CLOSE = 1e-6  # how far numbers that follow from others may be off, relatively


class ReadTree(NamedTuple):
    """A tree that was read back, and what is needed to use it."""

    tree: TreeArrays
    schema: Schema
    classes: npt.NDArray[Any] | None
    decision: npt.NDArray[np.int64] | None
    costs: npt.NDArray[np.float64] | None


def tree_from_dict(data: Any) -> ReadTree:
    """Rebuild a tree from what ``tree_to_dict`` returned, also by way of JSON.

    Raises ModelFileError for anything else.
    """
    _check_header(data)
    schema = Schema.from_json({"named": data["named"], "columns": data["columns"]})
    classes = _classes(data) if data["task"] == "classification" else None
    nodes = data["nodes"]
    of_derived = {} if "derived" not in data else _derived_state(data, schema)
    derived = derived_from_state(of_derived, schema)
    extended = schema if derived is None else derived.extend_schema(schema)
    state = _State(extended, data)
    for node in nodes:
        state.add(node)
    tree = unpack_tree(
        {**state.packed(), **of_derived},
        schema,
        n_classes=None if classes is None else len(classes),
        n_outputs=state.n_outputs,
    )
    decision = None if classes is None else _decision(nodes, classes)
    for given, written in zip(nodes, tree_to_dict(tree, extended, classes)["nodes"], strict=True):
        _check_agreement(given, written)
    costs = None if classes is None else _costs(data, classes)
    return ReadTree(tree, schema, classes, decision, costs)


def _derived_state(data: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    return {"derived": data["derived"], "n_given": len(schema)}


# -- header -------------------------------------------------------------------------------------


def _check_header(data: Any) -> None:
    if not isinstance(data, Mapping) or not _equal(data.get("format"), FORMAT):
        raise malformed(f"'format' is not {FORMAT!r}: this is not an exported tree")
    version = data.get("version")
    if type(version) is int and version > VERSION:
        raise ModelFileError(
            f"The tree was exported in format {version}, but this version of Branchline reads "
            f"formats up to {VERSION}.",
            code="M007",
        )
    if type(version) is not int or version != VERSION:
        raise malformed("'version' is not a version of the format")
    task = data.get("task")
    if not isinstance(task, str) or task not in _OF_TASK:
        raise malformed("'task' is neither 'classification' nor 'regression'")
    odd = sorted(map(str, (set(data) - _OPTIONAL[task]) ^ (_HEADER | _OF_TASK[task])))
    if odd:
        raise malformed(f"{odd[0]!r} is missing, or does not belong there")
    if not isinstance(data["nodes"], list) or not data["nodes"]:
        raise malformed("'nodes' is not a list of nodes")


def _classes(data: Mapping[str, Any]) -> npt.NDArray[Any]:
    names, kind = data["classes"], data["class_type"]
    if not isinstance(names, list) or not isinstance(kind, str):
        raise malformed("there are no class names")
    if kind == "text":
        return classes_from_state({"classes": names})
    if kind == "objects":
        return classes_from_state({"classes": {"objects": names} if names else None})
    if kind not in _NUMBER_TYPES:
        raise malformed("'class_type' is not a type that classes may have")
    try:
        classes = np.array(names, dtype=kind)
    except (TypeError, ValueError, OverflowError) as error:
        raise malformed("the classes are not of their type") from error
    if classes.ndim != 1 or classes.tolist() != names:
        raise malformed("the classes are not of their type")
    return classes_from_state({"classes": classes})


def _costs(data: Mapping[str, Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    if data.get("costs") is None:
        return None
    if not isinstance(data["costs"], list):
        raise malformed("'costs' is not a list for each class")
    rows = [_numbers(row, "costs") for row in data["costs"]]
    if any(len(row) != len(rows) for row in rows):
        raise malformed("'costs' is not a square matrix")
    return costs_from_state({"costs": np.array(rows, dtype=np.float64)}, classes)


def _decision(nodes: list[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    place_of = {name: place for place, name in enumerate(classes.tolist())}
    decision = np.empty(len(nodes), dtype=np.int64)
    for place, node in enumerate(nodes):
        prediction = node.get("prediction")
        if not isinstance(prediction, bool | int | float | str) or prediction not in place_of:
            raise malformed(f"node {place} predicts something that is not a class")
        decision[place] = place_of[prediction]
    return decision


# -- nodes --------------------------------------------------------------------------------------


class _State:
    """Collects the fields of nodes into the packed state of a tree."""

    def __init__(self, schema: Schema, data: Mapping[str, Any]) -> None:
        self._schema = schema
        self._unit = _number(data["unit"], "unit")
        if not 0 < self._unit <= 1:
            raise malformed("a unit of weight must weigh more than 0 and at most 1")
        self._center = None if "centre" not in data else _numbers(data["centre"], "centre")
        self._bits, self._exponent = data.get("bits"), data.get("exponent")
        self.n_outputs = len(self._center or [0.0])
        self._measure = data.get("measure")
        self._of_measure = {} if self._measure is None else {"node_loss": "loss"}
        if self._measure == "absolute_error":
            self._of_measure["node_median"] = "median"
        self._lists: dict[str, list[Any]] = {name: [] for name in _DTYPES}

    def add(self, node: Any) -> None:
        """Add a node's fields."""
        kind = node.get("kind") if isinstance(node, Mapping) else None
        if not isinstance(kind, str) or kind not in _KINDS:
            raise malformed("a node is not of a known kind")
        self._lists["kind"].append(_KINDS[kind])
        for name, written in self._of_measure.items():
            self._lists[name].extend(_numbers(node.get(written), written))
        if kind == "leaf":
            self._add_leaf(node)
        else:
            self._add_test(node, kind)

    def _add_test(self, node: Mapping[str, Any], kind: str) -> None:
        column, missing = node.get("column"), node.get("missing")
        if not isinstance(column, str) or column not in self._schema.position:
            raise malformed("a tested column does not exist")
        if isinstance(missing, str):
            missing = _MISSING.get(missing)
        if type(missing) is not int:
            raise malformed("a missing value's branch is neither a number nor a word we know")
        self._lists["feature"].append(self._schema.position[column])
        self._lists["missing_branch"].append(missing)
        if kind == "categories":
            names = self._schema[column].categories or ()
            self._add_categories(names, node.get("categories"), node.get("shared", []))
        else:
            is_cut = kind == "threshold"
            cut = _number(node.get("threshold"), "threshold") if is_cut else np.inf
            self._lists["threshold"].append(cut)

    def _add_categories(self, known: tuple[Any, ...], branches: Any, shared: Any) -> None:
        lists = [*branches, shared] if isinstance(branches, list) else [None]
        if not all(isinstance(each, list) for each in lists):
            raise malformed("the categories of a test are not a list for each branch")
        branch_of = dict.fromkeys(known, -1)
        for branch, names in [*enumerate(branches), (EVERY_BRANCH, shared)]:
            for name in names:
                if not isinstance(name, bool | int | float | str) or branch_of.get(name) != -1:
                    raise malformed("a category of a test is unknown, or in two branches")
                branch_of[name] = branch
        self._lists["n_branches"].append(len(branches))
        self._lists["pool"].extend(branch_of.values())

    def _add_leaf(self, node: Mapping[str, Any]) -> None:
        if self._center is None:
            weights = _numbers(node.get("class_weights"), "class_weights")
            self._lists["leaf_content"].extend(self._units(weight) for weight in weights)
            return
        sums = node.get("sums")
        if not isinstance(sums, list) or not all(type(each) is int for each in sums):
            raise malformed("the sums of a leaf are not whole numbers")
        weight = _number(node.get("weight"), "weight")
        self._lists["leaf_content"].extend([self._units(weight), *sums])
        self._lists["leaf_spread"].extend(_numbers(node.get("spread"), "spread"))

    def _units(self, weight: float) -> int:
        ratio = weight / self._unit
        units = round(ratio) if math.isfinite(ratio) else -1
        if units * self._unit != weight:
            raise malformed("a weight is not a whole number of units")
        return units

    def packed(self) -> dict[str, Any]:
        """Return the state that ``unpack_tree`` reads."""
        try:
            state: dict[str, Any] = {
                name: np.array(values, dtype=_DTYPES[name]) for name, values in self._lists.items()
            }
        except OverflowError as error:
            raise malformed("a whole number is out of range") from error
        state["unit"] = self._unit
        if self._center is not None:
            state |= {"centre": np.array(self._center, dtype=np.float64), "bits": self._bits}
            state["exponent"] = self._exponent
        if self._measure is not None:
            state["measure"] = self._measure
        return state


_DTYPES: dict[str, np.dtype[Any]] = {
    "kind": NODE_KIND,
    "feature": NODE_INDEX,
    "threshold": THRESHOLD,
    "missing_branch": NODE_INDEX,
    "n_branches": NODE_INDEX,
    "pool": NODE_INDEX,
    "leaf_content": UNITS,
    "leaf_spread": np.dtype(np.float64),
    "node_loss": np.dtype(np.float64),
    "node_median": np.dtype(np.float64),
}


def _check_agreement(given: Mapping[str, Any], written: Mapping[str, Any]) -> None:
    """Refuse a node that contradicts the tree that was read."""
    where = f"node {written['id']}"
    if set(given) != set(written):
        odd = sorted(map(str, set(given) ^ set(written)))
        raise malformed(f"{odd[0]!r} is missing in {where}, or does not belong there")
    for name in written.keys() - _WORDS:
        if name in _FOLLOWING:
            numbers = given[name] if isinstance(given[name], list) else [given[name]]
            agrees = _are_close(_numbers(numbers, name), written[name])
        else:
            agrees = _equal(given[name], written[name])
        if not agrees:
            raise malformed(f"{name!r} of {where} does not agree with the rest of the tree")


def _equal(given: Any, expected: Any) -> bool:
    try:
        return bool(given == expected)
    except ValueError:  # an array, which has an answer for each of its values
        return False


def _are_close(given: list[float], written: Any) -> bool:
    expected = written if isinstance(written, list) else [written]
    return len(given) == len(expected) and all(
        math.isclose(*pair, rel_tol=_CLOSE) for pair in zip(given, expected, strict=True)
    )


def _number(value: Any, name: str) -> float:
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:  # a whole number beyond the largest float
        number = math.inf
    if not math.isfinite(number):
        raise malformed(f"{name!r} is not a finite number")
    return number


def _numbers(values: Any, name: str) -> list[float]:
    if not isinstance(values, list):
        raise malformed(f"{name!r} is not a list of numbers")
    return [_number(value, name) for value in values]
