"""Graphs as text, as a frame and as plain data.

1. The text goes down as that of a tree does. A node to which several branches lead is written
   where it is met first; elsewhere "→ [5]" stands for it. Every line has the number of its node.
2. The frame has a row per node; ``parents`` are the nodes that lead to it.
3. The plain data say everything twice: in words for a reader, in fields for a program.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import CATEGORIES, THRESHOLD_TEST
from branchline.table import Schema
from branchline.tree.graph._graph_arrays import GraphArrays
from branchline.tree.reading._conditions import branch_conditions
from branchline.tree.reading._export import predictions, value_columns
from branchline.tree.reading._frames import Library, as_frame
from branchline.tree.reading._labels import Labels

__all__ = ["graph_to_dict", "graph_to_frame", "graph_to_text"]

Classes = npt.NDArray[Any] | None
_DEEPEST_INDENT = 40


def graph_to_text(graph: GraphArrays, schema: Schema, classes: Classes) -> str:
    """Return the graph as indented lines."""
    labels, nodes = Labels(graph.nodes, schema, classes), graph.nodes
    if nodes.is_leaf[0]:
        return f"always: {labels.value(0)}"
    lines: list[str] = []
    written: set[int] = set()
    waiting = [(0, 0, "")]
    while waiting:
        node, depth, branch = waiting.pop()
        indent = "  " * min(depth, _DEEPEST_INDENT)
        start = f"{indent}{branch}: " if branch else indent
        if nodes.is_leaf[node]:
            lines.append(f"{start}[{node}] {labels.value(node)}")
        elif node in written:
            lines.append(f"{start}→ [{node}]")
        else:
            written.add(node)
            lines.append(f"{start}[{node}] {labels.question(node)}")
            below = zip(graph.children_of(node), labels.branches(node), strict=True)
            waiting.extend(reversed([(child, depth + 1, name) for child, name in below]))
    return "\n".join(lines)


def graph_to_frame(
    graph: GraphArrays, schema: Schema, classes: Classes, library: Library = "pandas"
) -> Any:
    """Return one row per node: where it stands, what it asks, what it predicts."""
    nodes, labels = graph.nodes, Labels(graph.nodes, schema, classes)
    every, names = range(graph.n_nodes), (*schema.names, None)  # −1: no column
    cuts = nodes.threshold.astype(object)
    cuts[(nodes.kind != THRESHOLD_TEST) | np.isinf(nodes.threshold)] = None
    columns: dict[str, Any] = {
        "node": np.arange(graph.n_nodes),
        "parents": [", ".join(str(node) for node, _ in graph.parents[each]) for each in every],
        "depth": graph.depth,
        "n_paths": graph.n_paths,
        "question": [None if nodes.is_leaf[each] else labels.question(each) for each in every],
        "column": [names[place] for place in nodes.feature.tolist()],
        "threshold": cuts.tolist(),
        "first": [None if nodes.is_leaf[each] else int(graph.children[each, 0]) for each in every],
        "second": [None if nodes.is_leaf[each] else int(graph.children[each, 1]) for each in every],
        "weight": nodes.weight,
        "prediction": predictions(nodes, classes, labels),
    }
    return as_frame({**columns, **value_columns(nodes, classes, None)}, library)


def graph_to_dict(graph: GraphArrays, schema: Schema, classes: Classes) -> dict[str, Any]:
    """Return the graph as plain data: numbers, text, lists and dictionaries."""
    labels = Labels(graph.nodes, schema, classes)
    predicted = predictions(graph.nodes, classes, labels)
    about: dict[str, Any] = {"format": "branchline-graph", "version": 1, **schema.to_json()}
    about["task"] = "regression" if classes is None else "classification"
    if classes is not None:
        about["classes"] = classes.tolist()
    written = []
    for node in range(graph.n_nodes):
        parents = [{"node": parent, "branch": branch} for parent, branch in graph.parents[node]]
        one: dict[str, Any] = {"id": node, "parents": parents}
        if not graph.nodes.is_leaf[node]:
            one |= _test(graph, schema, labels, node)
        one |= {"weight": float(graph.nodes.weight[node]), "prediction": predicted[node]}
        one["value"] = graph.nodes.value[node].tolist()
        written.append(one)
    return {**about, "nodes": written}


def _test(graph: GraphArrays, schema: Schema, labels: Labels, node: int) -> dict[str, Any]:
    nodes, field = graph.nodes, schema.fields[int(graph.nodes.feature[node])]
    test: dict[str, Any] = {"question": labels.question(node), "column": field.name}
    if nodes.kind[node] == CATEGORIES:
        conditions = branch_conditions(nodes, node, field.name, field.type)
        test["categories"] = [list(each.categories or ()) for each in conditions]
    elif np.isfinite(nodes.threshold[node]):
        test["threshold"] = float(nodes.threshold[node])
    test["missing"] = int(nodes.missing_branch[node])
    test["children"] = graph.children_of(node)
    return test
