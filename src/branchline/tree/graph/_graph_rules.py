"""The rules of a graph: one for each leaf, which holds when one of several ways leads to it.

1. A way is a path from the root: its conditions, one for each column. Ways that no row can take
   (a column would have to be above 5 and at most 3) are left out.
2. Two ways that differ in one column become one where the two conditions make one; a way that
   another one includes is left out. So "a = 1 and b = 0, or a = 0 and b = 0" becomes "b = 0".
3. A rule lists its shortest ways first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import count
from branchline.table import Schema, Table
from branchline.tree.graph._graph_arrays import GraphArrays
from branchline.tree.reading._conditions import Condition, branch_conditions
from branchline.tree.reading._frames import Library, as_frame
from branchline.tree.reading._labels import Labels
from branchline.tree.reading._rule_list import Rule

__all__ = ["GraphRule", "GraphRules", "graph_to_rules"]

Way = dict[str, Condition]
# A leaf to which more ways lead shows these only, and says how many there are.
_MOST_WAYS = 200


@dataclass(frozen=True)
class GraphRule:
    """If the conditions of one of the ways hold, then the outcome.

    Parameters
    ----------
    ways
        The conditions of each way; one of them must hold as a whole.
    then
        Outcome, support and confidence (or deviation), as of the rule of a tree.
    n_left_out
        How many paths of the graph are not among the ways, because there are too many.
    """

    ways: tuple[tuple[Condition, ...], ...]
    then: Rule
    n_left_out: int = 0

    def holds(self, table: Table) -> npt.NDArray[np.bool_]:
        """Return which rows of a table in the graph's schema take one of the ways."""
        rows = np.zeros(table.n_rows, dtype=bool)
        for way in self.ways:
            rows |= replace(self.then, conditions=way).holds(table)
        return rows

    def __str__(self) -> str:
        head = f"{self.then.outcome_words}  {self.then.evidence_words}"
        if self.ways == ((),):
            return f"ALWAYS {head}"
        lines = [f"THEN {head}"]
        for place, way in enumerate(self.ways):
            tests = [f"({test})" if test.has_or and len(way) > 1 else str(test) for test in way]
            lines.append(f"  {'IF' if place == 0 else 'OR'} {' AND '.join(tests)}")
        if self.n_left_out:
            lines.append(f"  OR one of {count(self.n_left_out, 'more path')}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data."""
        kept = self.then.to_dict()
        del kept["conditions"], kept["otherwise"]
        ways = [[condition.to_dict() for condition in way] for way in self.ways]
        return {"ways": ways, "n_left_out": self.n_left_out, **kept, "text": str(self)}


@dataclass(frozen=True, eq=False)
class GraphRules(Sequence[GraphRule]):
    """The rules of a graph, one for each leaf; exactly one holds for each row."""

    rules: tuple[GraphRule, ...]

    def __len__(self) -> int:
        return len(self.rules)

    @overload
    def __getitem__(self, place: int) -> GraphRule: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[GraphRule]: ...
    def __getitem__(self, place: int | slice) -> GraphRule | Sequence[GraphRule]:
        """Return a rule, or a tuple of rules."""
        return self.rules[place]

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules))

    def __repr__(self) -> str:
        n_ways = sum(len(rule.ways) for rule in self.rules)
        return f"GraphRules({count(len(self), 'rule')}, {count(n_ways, 'way')})"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per rule, plain data only."""
        return [rule.to_dict() for rule in self.rules]

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row per way, as a frame of pandas or polars."""
        pairs = [(rule, way) for rule in self.rules for way in rule.ways]
        columns: dict[str, list[Any]] = {
            "conditions": [" AND ".join(map(str, way)) for _, way in pairs],
            "outcome": [rule.then.outcome for rule, _ in pairs],
            "support": [rule.then.support for rule, _ in pairs],
            "confidence": [rule.then.confidence for rule, _ in pairs],
            "node": [rule.then.node for rule, _ in pairs],
        }
        return as_frame(columns, library)


def graph_to_rules(
    graph: GraphArrays, schema: Schema, classes: npt.NDArray[Any] | None
) -> GraphRules:
    """Return the rules of a graph, leaves in their order."""
    labels, nodes = Labels(graph.nodes, schema, classes), graph.nodes
    ways = _ways(graph, schema)
    rules = []
    for leaf in np.flatnonzero(nodes.is_leaf).tolist():
        then = Rule.of(
            (),
            value=nodes.value[leaf],
            variance=nodes.variance[leaf],
            support=float(nodes.weight[leaf]),
            decided=None if classes is None else labels.decided(leaf),
            classes=classes,
            node=leaf,
        )
        n_left_out = max(graph.n_paths[leaf] - _MOST_WAYS, 0)
        shown = sorted(_shortened(ways[leaf]), key=len)
        rules.append(GraphRule(tuple(tuple(way.values()) for way in shown), then, n_left_out))
    return GraphRules(tuple(rules))


def _ways(graph: GraphArrays, schema: Schema) -> dict[int, list[Way]]:
    """Return the ways to each leaf that some row could take; at most so many as are shown."""
    found: dict[int, list[Way]] = {node: [] for node in range(graph.n_nodes)}
    found[0].append({})
    for node in range(graph.n_nodes):
        if graph.nodes.is_leaf[node]:
            continue
        field = schema.fields[int(graph.nodes.feature[node])]
        tests = branch_conditions(graph.nodes, node, field.name, field.type)
        for child, test in zip(graph.children_of(node), tests, strict=True):
            longer = [{**way, field.name: way.get(field.name, test) & test} for way in found[node]]
            found[child] += [way for way in longer if not way[field.name].is_empty]
            del found[child][_MOST_WAYS:]
    return found


def _shortened(ways: list[Way]) -> list[Way]:
    """Join ways that differ in one column, and leave out those that others include."""
    kept = list(ways)
    place = 0
    while place < len(kept):
        for other in range(len(kept)):
            joined = None if other == place else _joined(kept[place], kept[other])
            if joined is not None:
                kept = [way for at, way in enumerate(kept) if at not in (place, other)]
                kept.append(joined)
                place = -1
                break
        place += 1
    return kept


def _joined(one: Way, other: Way) -> Way | None:
    """Return one way for two, or None."""
    if all(other.get(name) == test for name, test in one.items()):
        return one  # the other asks for more
    if one.keys() != other.keys():
        return None
    different = [name for name in one if one[name] != other[name]]
    if len(different) != 1:
        return None
    name = different[0]
    either = _either(one[name], other[name])
    if either is None:
        return None
    rest = {column: test for column, test in one.items() if column != name}
    return rest if either.is_always_true else {**rest, name: either}


def _either(one: Condition, other: Condition) -> Condition | None:
    """Return the condition that holds when one of two does; None: no single condition does."""
    missing = one.missing or other.missing
    if one.codes is not None and other.codes is not None:
        codes = tuple(sorted({*one.codes, *other.codes}))
        return replace(one, codes=codes, missing=missing)
    low, high = sorted((one, other), key=lambda each: (each.above, each.at_most))
    if low.above >= low.at_most or high.above >= high.at_most or high.above > low.at_most:
        return None
    return replace(one, above=low.above, at_most=max(low.at_most, high.at_most), missing=missing)
