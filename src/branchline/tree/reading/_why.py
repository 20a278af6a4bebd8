"""Why a node is as it is: the tests that were considered, with their gains.

1. The training rows of the node are found again, and the native grower lists each column's best
   test: the very numbers by which the tree was grown.
2. For one column, every single test of it is measured instead.
3. A leaf tells which rule made it one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core, errors
from branchline._base import Predictor
from branchline._plain_numbers import fixed, number
from branchline._trees._grow_options import impurity_scale
from branchline._trees._tree_arrays import TreeArrays
from branchline.errors import Repair
from branchline.tree.growing._growth import Growth, Sample
from branchline.tree.reading._labels import join_names, threshold_words
from branchline.tree.reading._node_rows import shares_of_node

__all__ = [
    "Memory",
    "Reason",
    "Reasons",
    "check_node",
    "list_reasons",
    "list_reasons_of_rows",
    "training_data_of",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reason:
    """One candidate test of a node.

    Parameters
    ----------
    column
        The column's name.
    test
        The test in words.
    gain
        The decrease of impurity.
    gain_ratio
        The gain over the entropy of the branches' weights.
    score
        What tests were compared by.
    p_value
        Of the χ² test of independence, when the tree was grown with one; else None.
    n_branches
        How many branches the test has.
    chosen
        Whether it is the best of all.
    """

    column: str
    test: str
    gain: float
    gain_ratio: float
    score: float
    p_value: float | None
    n_branches: int
    chosen: bool = False


@dataclass(frozen=True)
class Reasons:
    """The candidate tests of a node, best first, and a sentence about the outcome.

    ``surrogates`` say which tests stand in for the node's test where its value is missing.
    ``meaning`` says what the name of the node's test leaves open.
    """

    node: int
    impurity: float
    verdict: str
    reasons: tuple[Reason, ...]
    surrogates: tuple[str, ...] = ()
    meaning: str = ""

    def __iter__(self) -> Iterator[Reason]:
        return iter(self.reasons)

    def __len__(self) -> int:
        return len(self.reasons)

    def __getitem__(self, column: str) -> Reason:
        """Return the test of a column."""
        for reason in self.reasons:
            if reason.column == column:
                return reason
        raise KeyError(column)

    def __str__(self) -> str:
        head = f"node {self.node}, impurity {number(self.impurity)}: {self.verdict}"
        if not self.reasons:
            return head
        width = max(len(reason.test) for reason in self.reasons)
        lines = [f"  {'test':{width}}    gain   ratio   score"]
        for reason in self.reasons:
            shown = (fixed(one, 4) for one in (reason.gain, reason.gain_ratio, reason.score))
            mark = "  ← chosen" if reason.chosen else ""
            lines.append(f"  {reason.test:{width}} {' '.join(f'{one:>7}' for one in shown)}{mark}")
        if self.meaning:
            lines.append(f"  {self.meaning}")
        if self.surrogates:
            lines += ["  where the value is missing:", *(f"    {one}" for one in self.surrogates)]
        return "\n".join([head, *lines])

    __repr__ = __str__

    def to_pandas(self) -> Any:
        """Return the tests as a pandas frame, best first."""
        import pandas as pd

        return pd.DataFrame([vars(reason) for reason in self.reasons])


@dataclass(frozen=True)
class Memory:
    """What a tree was grown on: kept so that its choices can be explained."""

    growth: Growth
    sample: Sample

    def shares(self, tree: TreeArrays, node: int) -> Floats:
        """Return how much of each row grew a node: 0 for rows that were held out."""
        used = np.zeros(self.growth.n_rows)
        used[self.sample.rows] = 1.0
        return used * shares_of_node(tree, self.growth.data.table, node)


def training_data_of(model: Predictor, call: str, *, repair: str | None = None) -> Memory:
    """Return what a fitted model was grown on; ``call`` is the method that needs it."""
    model._check_fitted()
    memory: Memory | None = model.__dict__.get("_remembered")
    if memory is None:
        raise errors.NotFittedError(
            f"This {type(model).__name__} no longer has the rows it was fitted on: models that "
            "were saved, copied or fitted on more than 16 million cells do not keep them.",
            code="N002",
            repair=Repair(repair or f"model.fit(X, y).{call}"),
        )
    return memory


def check_node(node: Any, n_nodes: int, noun: str) -> None:
    """Refuse a number that no node of this tree or graph has."""
    if isinstance(node, int | np.integer) and 0 <= node < n_nodes:
        return
    raise errors.ParameterError(
        f"The {noun} has nodes 0 to {n_nodes - 1}; there is no node {node!r}.",
        code="P020",
        values=[node],
    )


def _rows_and_target(memory: Memory, tree: TreeArrays, node: int) -> tuple[Any, Any]:
    """Return the rows that grew a node, and what the native grower is to know of them."""
    growth = memory.growth
    share = memory.shares(tree, node)
    rows = np.flatnonzero(share > 0).astype(np.uint32)
    if (share[rows] == 1).all():
        return rows, growth.target(memory.sample)
    units = growth.weights.units
    assert units is not None  # shared rows are counted in parts
    parts = np.maximum(1, np.rint(units * share)).astype(np.int64)
    if growth.numbers is None:
        classes = growth.data.class_target.class_of_row
        factor = growth.class_factor
        return rows, _core.GrowTarget(classes, None, parts, factor, growth.n_classes, 0, 0)
    sums = np.rint(growth.numbers.sums * share[:, None]).astype(np.int64)
    return rows, growth.number_target(sums, parts, 0)


def list_reasons(memory: Memory, tree: TreeArrays, node: int) -> list[Reason]:
    """Return each column's best test of a node, best first, the chosen one at the top."""
    rows, target = _rows_and_target(memory, tree, node)
    growth = memory.growth.with_test_of(tree, node)
    reasons = _listed(growth, rows, target)
    if growth.makes is not None and not tree.is_leaf[node]:
        reasons = _mark_taken(growth, tree, node, reasons)
    return sorted(reasons, key=lambda reason: (not reason.chosen, -reason.score))


def list_reasons_of_rows(memory: Memory, rows: npt.NDArray[np.uint32]) -> list[Reason]:
    """Return each column's best test of a node that holds some of the rows whole, best first."""
    reasons = _listed(memory.growth, rows, memory.growth.target(memory.sample))
    return sorted(reasons, key=lambda reason: (not reason.chosen, -reason.score))


def _listed(growth: Growth, rows: npt.NDArray[np.uint32], target: Any) -> list[Reason]:
    listed = _core.list_tests(growth.columns, rows, target, growth.options)
    scale = 1.0
    if growth.numbers is not None:  # gains are in fixed point
        criterion, unit, bits = growth.settings.criterion, growth.scale.unit, growth.scale.bits
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            scale = float(1 / np.float64(impurity_scale(criterion, unit, bits)))
    return [_reason(growth, test, scale) for test in listed]


def _mark_taken(growth: Growth, tree: TreeArrays, node: int, reasons: list[Reason]) -> list[Reason]:
    """Mark the column that the node tests: look-ahead may take one that is not the best alone."""
    names = tree.extended_schema(growth.data.table.schema).names
    taken = names[int(tree.feature[node])]
    return [replace(reason, chosen=reason.column == taken) for reason in reasons]


def _reason(growth: Growth, test: dict[str, Any], scale: float) -> Reason:
    gain, information = test["gain"] * scale, test["split_information"]
    return Reason(
        column=growth.table.names[test["column"]],
        test=_words(growth, test),
        gain=gain,
        gain_ratio=gain / information if information > 0 else 0.0,
        score=test["score"] * scale,
        p_value=test["p_value"] if growth.options.significance < 1 else None,
        n_branches=test["n_branches"],
        chosen=test["is_chosen"],
    )


def _words(growth: Growth, test: dict[str, Any]) -> str:
    column: int = test["column"]
    schema = growth.table.schema
    name: str = schema.names[column]
    if test["is_threshold"]:
        threshold = growth.threshold_between(column, test["left_code"], test["right_code"])
        if np.isinf(threshold):
            return f"{name} is present"
        return f"{name} ≤ {threshold_words(schema.fields[column].type, threshold)}"
    if growth.options.multiway or test["n_branches"] > 3:
        return name
    branch_of_code = test["branch_of_code"][1:]
    pooling = growth.codes.pooling[column]
    branches = branch_of_code if pooling is None else branch_of_code[pooling]
    categories = schema.fields[column].type.categories or ()
    left = [str(c) for c, branch in zip(categories, branches.tolist(), strict=True) if branch == 0]
    return f"{name} in ({join_names(left)})" if left else f"{name} is missing"
