"""What both induction graphs share: fitting, sending rows down, reading, saving."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from branchline import errors
from branchline._base import Complexity, Predictor
from branchline._explanation import Explanation, in_order_of_size
from branchline._plain_numbers import count
from branchline._size_rule import RULE, accepted_errors
from branchline._validation import (
    AnyOf,
    Constraint,
    OneOf,
    Real,
    TrainingData,
    Whole,
    check_seed,
    count_threads,
)
from branchline.table import Table, as_table
from branchline.tree.drawing import Drawing, nodes_of_path
from branchline.tree.graph._choosing import Chosen, choose_price
from branchline.tree.graph._graph_arrays import GraphArrays, graph_of
from branchline.tree.graph._graph_drawing import draw_graph
from branchline.tree.graph._graph_importance import impurity_decreases
from branchline.tree.graph._graph_rules import GraphRules, graph_to_rules
from branchline.tree.graph._graph_words import graph_to_dict, graph_to_frame, graph_to_text
from branchline.tree.graph._joining import grow_graph
from branchline.tree.graph._subtrees import Subtrees
from branchline.tree.graph._tallies import explained
from branchline.tree.growing._growth import begin_growth
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.reading._importance import impurities
from branchline.tree.reading._paths import Path, path_of_row
from branchline.tree.reading._why import (
    Memory,
    Reasons,
    check_node,
    list_reasons_of_rows,
    training_data_of,
)

__all__ = ["InductionGraph"]

_NONE = OneOf((None,))
# Deeper trees are not split further: their subtrees are pruned one inside the other.
_DEEPEST = 200
_CELLS_TO_REMEMBER = 2**24


class InductionGraph(Predictor):
    """What both induction graphs share."""

    _constraints: ClassVar[dict[str, Constraint]] = {
        "level": Real(0.0, 1.0),
        "test_penalty": AnyOf((_NONE, Real(0.0))),
        "rule": RULE,
        "n_folds": Whole(2),
        "max_depth": AnyOf((_NONE, Whole(1))),
        "min_samples_leaf": Whole(1),
        "zero_gain": OneOf(("stop", "split")),
        "lookahead": Whole(1, 4),
    }
    _criterion: ClassVar[str]
    level: float
    price: float | None
    rule: Any
    n_folds: int
    max_depth: int | None
    min_samples_leaf: int
    zero_gain: str
    lookahead: int
    random_state: Any
    n_jobs: int | None
    graph_: GraphArrays
    test_penalty_: float

    # -- fitting --------------------------------------------------------------------------------

    def _fit_graph(self, data: TrainingData) -> dict[str, Any]:
        """Return the fitted attributes of a graph."""
        n_threads = count_threads(self.n_jobs, data.n_cells)
        growth = begin_growth(data, self._settings(), n_threads, None)
        subtrees = Subtrees.of(growth, growth.whole)
        price, tree = self._chosen(subtrees)
        graph = graph_of(subtrees, grow_graph(subtrees, price, self.level, tree))
        remembers = data.n_cells <= _CELLS_TO_REMEMBER
        return {
            "graph_": graph,
            "test_penalty_": _relative(subtrees, price),
            "_remembered": Memory(growth, growth.whole) if remembers else None,
        }

    def _settings(self) -> TreeSettings:
        return TreeSettings.from_parameters(
            {
                "criterion": self._criterion,
                "prune": None,
                "max_depth": min(self.max_depth or _DEEPEST, _DEEPEST),
                "min_samples_leaf": self.min_samples_leaf,
                "zero_gain": self.zero_gain,
                "lookahead": self.lookahead,
                "correct_for_chance": True,
            }
        )

    def _chosen(self, subtrees: Subtrees) -> Chosen:
        """Return the price of a test, in units of ``explained``: as given, or chosen by folds."""
        if self.test_penalty is not None:
            return Chosen(float(self.test_penalty) * _most_gain(subtrees))
        seed = check_seed(self.random_state)
        accepted = accepted_errors(self.rule)
        return choose_price(subtrees, self.level, self.n_folds, accepted, seed)

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("_remembered", None)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_remembered", None)  # the training data stay where they were
        return state

    # -- rows go down ---------------------------------------------------------------------------

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the leaf that each row ends in."""
        return self.graph_.find_leaves(self._check_rows(X).table)

    def _values_of(self, X: Any) -> npt.NDArray[np.float64]:
        self._check_fitted()
        leaves = self.apply(X)
        values: npt.NDArray[np.float64] = self.graph_.nodes.value[leaves]
        return values

    # -- reading --------------------------------------------------------------------------------

    @property
    def _reading(self) -> tuple[Any, ...]:
        self._check_fitted()
        return self.graph_, self.schema_, self.__dict__.get("classes_")

    def to_text(self) -> str:
        """Return the graph as text; "→ [5]" stands for a node that is written elsewhere."""
        return graph_to_text(*self._reading)

    def rules(self) -> GraphRules:
        """Return one rule for each leaf: the ways that lead to it, and what follows."""
        return graph_to_rules(*self._reading)

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return one row per node: where it stands, what it asks, what it predicts."""
        graph, schema, classes = self._reading
        return graph_to_frame(graph, schema, classes, library)

    def to_dict(self) -> dict[str, Any]:
        """Return the graph as plain data, ready for JSON."""
        return graph_to_dict(*self._reading)

    def path(self, row: Any) -> Path:
        """Return the way of one row from the root to its leaf; print it to read it.

        ``row`` is a mapping from column names to values, or a table of which the first row is
        taken.
        """
        graph, schema, classes = self._reading
        given: Table = as_table([dict(row)] if isinstance(row, Mapping) else row, texts="raw")
        if given.n_rows == 0:
            raise errors.DataError("There are no rows, so there is no path to follow.", code="D001")
        first = given.rows(np.array([0]))
        self._check_rows(first)
        return path_of_row(graph.nodes, schema, classes, first, children=graph.children)

    def draw(self, row: Any = None) -> Drawing:
        """Return a drawing of the graph (SVG); ``save`` writes it, a notebook shows it.

        Parameters
        ----------
        row
            A row whose path is to stand out, given as to ``path``.
        """
        return draw_graph(*self._reading, highlight=nodes_of_path(self, row))

    def why(self, node: int = 0) -> Reasons:
        """Return the tests that were considered at a node, with their gains.

        A node to which several branches lead was joined because one subtree serves the rows of all
        of them at least as well as a subtree for each.

        Parameters
        ----------
        node
            The number of the node; 0 is the root. ``to_frame`` lists them.
        """
        memory = self._training_data(f"why({node})")
        self._check_node(node)
        rows = self.graph_.rows_of_nodes(memory.growth.data.table)[0][node]
        reasons = list_reasons_of_rows(memory, np.sort(rows).astype(np.uint32))
        nodes = self.graph_.nodes
        taken = None if nodes.is_leaf[node] else self.schema_.names[int(nodes.feature[node])]
        marked = tuple(replace(reason, chosen=reason.column == taken) for reason in reasons)
        impurity = float(impurities(nodes, self._criterion)[node])
        return Reasons(node, impurity, self._verdict(node, taken), marked)

    def _verdict(self, node: int, taken: str | None) -> str:
        n_branches = len(self.graph_.parents[node])
        if taken is None:
            verdict = "a leaf"
            joined = f"{n_branches} branches lead here, whose rows do not differ at {self.level:g}"
        else:
            verdict = f"split by {taken}"
            joined = f"{n_branches} branches lead here, because one subtree serves them all"
        return f"{verdict}; {joined}" if n_branches > 1 else verdict

    def _training_data(self, call: str) -> Memory:
        return training_data_of(self, call)

    def _check_node(self, node: Any) -> None:
        check_node(node, self.graph_.n_nodes, "graph")

    def _explain(self, row: Table) -> Explanation:
        """Explain by the path: what each test on it changes is its column's share."""
        path, value = self.path(row), self.graph_.nodes.value
        prediction, classes = self.predict(row)[0], self.__dict__.get("classes_")
        if classes is None:
            which, about, prediction = 0, "predicted number", float(np.ravel(prediction)[0])
        else:
            which = int(np.flatnonzero(classes == prediction)[0])
            about = f"probability of {str(prediction)!r}"
        amounts = np.zeros(row.n_columns)
        for step in path.steps:
            child = self.graph_.children[step.node, step.branch or 0]
            change = value[child, which] - value[step.node, which]
            amounts[self.graph_.nodes.feature[step.node]] += change
        base = float(value[0, which])
        parts, notes = in_order_of_size(row, amounts), ("its path:", str(path))
        total = base + float(amounts.sum())
        return Explanation(prediction, about, base, total, parts, is_sum=True, notes=notes)

    # -- numbers --------------------------------------------------------------------------------

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """The share of each column in the decrease of impurity, summed over its tests."""
        self._check_fitted()
        total = impurity_decreases(self.graph_, len(self.schema_))
        return total / total.sum() if total.sum() > 0 else total

    @property
    def used_columns_(self) -> list[str]:
        """The names of the columns that the graph tests."""
        self._check_fitted()
        tested = self.graph_.nodes.feature[~self.graph_.nodes.is_leaf]
        return [self.schema_.names[place] for place in np.unique(tested).tolist()]

    def get_depth(self) -> int:
        """Return the depth: the number of tests on the longest way."""
        self._check_fitted()
        return int(self.graph_.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        self._check_fitted()
        return self.graph_.n_leaves

    def _complexity(self) -> Complexity:
        return Complexity(self.graph_.n_leaves, "leaves")

    def __str__(self) -> str:
        words: str = super().__str__()
        if not self.__sklearn_is_fitted__():
            return words
        return (
            f"{words}: {count(self.graph_.n_tests, 'test')}, {count(self.graph_.n_leaves, 'leaf')}"
        )


def _most_gain(subtrees: Subtrees) -> float:
    """Return the impurity of the root, in units of ``explained``."""
    if subtrees.total_square is not None:
        return subtrees.total_square - float(explained(subtrees.whole.tally))
    return float(subtrees.whole.tally[0]) - float(explained(subtrees.whole.tally))


def _relative(subtrees: Subtrees, price: float) -> float:
    """Return a price as a share of the root's impurity; at most 1, which no test is worth."""
    most = _most_gain(subtrees)
    return min(price / most, 1.0) if most > 0 else 0.0
