"""What is known of a tree's stability: a line for each question, in words, as a frame, drawn."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._intervals import wilson_interval
from branchline._plain_numbers import cell, count, percent
from branchline._result_frame import Library, result_frame
from branchline._trees._tree_arrays import TreeArrays
from branchline.table import Schema
from branchline.tree.drawing import Drawing, Notes, draw_tree
from branchline.tree.reading._labels import Labels

__all__ = ["NodeStability", "TreeStability"]

_STABLE, _NOISE = 0.8, 0.5


@dataclass(frozen=True)
class NodeStability:
    """How often resampled trees ask what a node asks.

    Parameters
    ----------
    node, column, threshold
        The node, the column that it tests, and its threshold (None: categories).
    n_trees
        How many trees were grown on resampled rows.
    n_there
        How many of them test the same columns all the way to this node.
    n_same_column, n_same_question
        How many test the same column here; and how many ask nearly the same: at most a tenth of the
        node's rows would take another branch.
    threshold_low, threshold_high
        The interval (95 %) of their thresholds on the same column; NaN: there are none.
    rival, n_rival
        The other column that they test here most often, and how often.
    weight
        The weight of the node's rows.
    """

    node: int
    column: str
    threshold: float | None
    n_trees: int
    n_there: int
    n_same_column: int
    n_same_question: int
    threshold_low: float | None
    threshold_high: float | None
    rival: str | None
    n_rival: int
    weight: float

    @property
    def share_column(self) -> float:
        """The share of all resampled trees that test the same column here."""
        return self.n_same_column / self.n_trees

    @property
    def share_question(self) -> float:
        """The share of all resampled trees that ask nearly the same here."""
        return self.n_same_question / self.n_trees

    @property
    def interval(self) -> tuple[float, float]:
        """The interval (Wilson, 95 %) of the share of the same question."""
        found = wilson_interval(self.n_same_question, self.n_trees)
        return found.low, found.high

    @property
    def verdict(self) -> str:
        """In one word: "stable", "shaky" or "noise"."""
        if self.share_column >= _STABLE:
            return "stable"
        return "shaky" if self.share_column >= _NOISE else "noise"


@dataclass(frozen=True, eq=False)
class TreeStability:
    """The stability of a tree; print it to read it, ``draw`` shows it on the tree.

    Parameters
    ----------
    nodes
        The inner nodes, the root first.
    n_trees
        How many trees were grown on resampled rows.
    tree, schema, classes, decision
        The tree itself.
    """

    nodes: tuple[NodeStability, ...]
    n_trees: int
    tree: TreeArrays = field(repr=False)
    schema: Schema = field(repr=False)
    classes: npt.NDArray[Any] | None = field(repr=False)
    decision: npt.NDArray[np.int64] | None = field(repr=False)

    def __getitem__(self, node: int) -> NodeStability:
        """Return the stability of an inner node."""
        for each in self.nodes:
            if each.node == node:
                return each
        raise KeyError(node)

    def __str__(self) -> str:
        if not self.nodes:
            return "The tree is a single leaf: it asks nothing that could change."
        labels = Labels(self.tree, self.schema, self.classes, self.decision)
        questions = [labels.question(each.node) for each in self.nodes]
        width = max(8, *map(len, questions))
        head = f"{'node':>4}  {'question':{width}}  same column  same question  thresholds (95 %)"
        rows = [self._line(e, q, width) for e, q in zip(self.nodes, questions, strict=True)]
        about = f"{count(self.n_trees, 'tree')} grown on random halves of the rows"
        return "\n".join([about, head, *rows, "", self.summary])

    __repr__ = __str__

    def _line(self, each: NodeStability, question: str, width: int) -> str:
        column, same = percent(each.share_column), percent(each.share_question)
        ends = "" if each.threshold_low is None else _interval(each)
        rival = ""
        if each.rival is not None and each.verdict != "stable":
            share = percent(each.n_rival / each.n_trees)
            rival = f"  rival: {each.rival} ({share})"
        line = f"{each.node:4}  {question:{width}}  {column:>11}  {same:>13}  {ends:17}{rival}"
        return line.rstrip()

    @property
    def summary(self) -> str:
        """What a reader should know, in words."""
        noise = [each for each in self.nodes if each.verdict == "noise"]
        if not noise:
            return "More than half of the resampled trees test the same columns at every node."
        top = [each for each in noise if not self._has_above(each.node, noise)]
        names = ", ".join(f"node {each.node} ({each.column})" for each in top[:6])
        more = f" and {len(top) - 6} more" if len(top) > 6 else ""
        return (
            f"Not stable: {names}{more}, and all questions below. There, fewer than half of the "
            "resampled trees test the same column. Another sample of rows would probably give "
            "other questions."
        )

    def _has_above(self, node: int, among: list[NodeStability]) -> bool:
        numbers = {each.node for each in among}
        parent = int(self.tree.parent[node])
        while parent >= 0:
            if parent in numbers:
                return True
            parent = int(self.tree.parent[parent])
        return False

    def to_dict(self) -> dict[str, Any]:
        """Return the stability as plain data."""
        nodes = [
            {**_without_nan(asdict(each)), "verdict": each.verdict, "interval": list(each.interval)}
            for each in self.nodes
        ]
        return {"n_trees": self.n_trees, "nodes": nodes, "summary": self.summary}

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each inner node."""
        columns: dict[str, list[Any]] = {}
        for name in NodeStability.__dataclass_fields__:
            columns[name] = [getattr(each, name) for each in self.nodes]
        for name in ("share_column", "share_question", "verdict"):
            columns[name] = [getattr(each, name) for each in self.nodes]
        return result_frame(columns, library)

    def draw(self, *, max_depth: int | None = None, width: int | None = None) -> Drawing:
        """Return a drawing of the tree with the share of resampled trees at each question."""
        notes = {each.node: f"{percent(each.share_column)} agree" for each in self.nodes}
        lit = {each.node for each in self.nodes if each.verdict != "noise"}
        for node in np.flatnonzero(self.tree.is_leaf).tolist():
            if int(self.tree.parent[node]) in lit or node == 0:
                lit.add(node)
        settings: dict[str, Any] = {} if width is None else {"width": width}
        every = len(lit) == self.tree.n_nodes
        legend = ("agree: share of trees on random halves of the rows that test this column here",)
        return draw_tree(
            self.tree,
            self.schema,
            self.classes,
            decision=self.decision,
            highlight=None if every else lit,
            max_depth=max_depth,
            notes=Notes(notes, legend if every else (*legend, "pale: fewer than half")),
            **settings,
        )


def _interval(each: NodeStability) -> str:
    assert each.threshold_low is not None
    assert each.threshold_high is not None
    if np.isnan(each.threshold_low):
        return "–"
    return f"{cell(each.threshold_low, 5)} to {cell(each.threshold_high, 5)}"


def _without_nan(about: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and np.isnan(v) else v for k, v in about.items()}
