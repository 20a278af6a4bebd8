"""The path of one row down a tree, step by step, in words.

1. At each test the row's value chooses a branch: as it is; or as the test treats missing values,
   which unseen categories follow.
2. The path ends in a leaf, or where a test has no branch for the value: there the node's own value
   is the answer.
3. A test may send a missing value down every branch. The path then follows them all, the heaviest
   first; each has its share of the row, and the answer is the average of their ends.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import cell, percent
from branchline._trees._costs import decide
from branchline._trees._tree_arrays import EVERY_BRANCH, STAY, THRESHOLD_TEST, TreeArrays
from branchline.table import UNSEEN_CODE, Column, Schema, Table
from branchline.tree.missing._surrogates import Surrogates
from branchline.tree.reading._conditions import Condition, branch_conditions, values_of
from branchline.tree.reading._frames import plain
from branchline.tree.reading._labels import Labels, join_names, short_number

__all__ = ["End", "Path", "Step", "path_of_row"]

Floats = npt.NDArray[np.float64]

_DEEPEST_INDENT = 8
_MOST_ENDS = 40


@dataclass(frozen=True)
class Step:
    """One test on the path of a row.

    Parameters
    ----------
    node
        The node that asks.
    question
        What it asks.
    column, value
        The column it looks at, and the row's value there in words.
    branch
        The branch taken; None when there is none for the value.
    condition
        What taking this branch means; of a missing value, what it is treated as.
    why
        "value": the value itself chooses; "missing" or "unseen": the test says where such values
        go; "shared": they go down every branch; "stays": there is no branch for them;
        "surrogate": a test of another column decides.
    share
        The part of the row that goes on: 1 unless an earlier or this test shared it.
    n_shared
        The number of tests before this one that shared the row.
    surrogate
        The test of another column that decided, in words; else empty.
    """

    node: int
    question: str
    column: str
    value: str
    branch: int | None
    condition: str
    why: str
    share: float
    n_shared: int
    surrogate: str = ""


@dataclass(frozen=True)
class End:
    """Where a path, or a part of it, ends.

    Parameters
    ----------
    node
        A leaf, or the node where the row stays.
    share
        The part of the row that ends here.
    words
        What the node predicts.
    n_steps
        How many of the path's steps come before it.
    n_shared
        The number of tests before it that shared the row.
    """

    node: int
    share: float
    words: str
    n_steps: int
    n_shared: int


@dataclass(frozen=True)
class Path:
    """The way of one row from the root to its answer; print it to read it.

    Parameters
    ----------
    steps
        The tests, in the order in which they are met.
    ends
        Where the path ends; several when a test shared the row.
    value
        The class frequencies, or the mean of each output, averaged over the ends by their shares.
    outcome
        The class or the number (several outputs: the tuple of numbers) that is predicted.
    answer
        The outcome in words.
    """

    steps: tuple[Step, ...]
    ends: tuple[End, ...]
    value: tuple[float, ...]
    outcome: Any
    answer: str

    def __str__(self) -> str:
        width = max((len(_start(step)) for step in self.steps), default=0)
        lines: list[str] = []
        announced: set[int] = set()
        n_written, shown = 0, self.ends[:_MOST_ENDS]
        for end in shown:
            for step in self.steps[n_written : end.n_steps]:
                if step.why != "shared":
                    lines.append(_step_line(step, width))
                    continue
                if step.node not in announced:
                    lines.append(_step_line(step, width))
                    announced.add(step.node)
                lines.append(f"{_indent(step)}  {percent(step.share):>6}  {step.condition}")
            n_written = end.n_steps
            if len(self.ends) > 1:
                lines.append(f"{_indent(end)}{end.words}")
        if len(shown) < len(self.ends):
            rest = sum(end.share for end in self.ends[_MOST_ENDS:])
            lines.append(f"… {len(self.ends) - len(shown):,} more ends, {percent(rest)} of the row")
        return "\n".join([*lines, f"→ {self.answer}"])

    __repr__ = __str__


def path_of_row(
    tree: TreeArrays,
    schema: Schema,
    classes: npt.NDArray[Any] | None,
    row: Table,
    decision: npt.NDArray[np.int64] | None = None,
    *,
    costs: Floats | None = None,
    surrogates: Surrogates | None = None,
    children: npt.NDArray[np.int32] | None = None,
) -> Path:
    """Return the path of a row, given as a table of which the first row is taken.

    Parameters
    ----------
    tree, schema, classes, decision
        The fitted tree, its columns, its classes (None: regression), the class of each node.
    row
        The row, as the user has it: a category that the schema does not know is then named.
    costs
        What a decision costs; it decides where the row was shared among several leaves.
    surrogates
        The tests that decide where a value is missing; None: the tree says where it goes.
    children
        The nodes that branches lead to, in a graph; None: those of the tree.
    """
    labels = Labels(tree, schema, classes, decision)
    follower = _Follower(tree, schema, labels, row, surrogates, children)
    steps, ends = follower.follow()
    value = sum(end.share * tree.value[end.node] for end in ends)
    numbers = tuple(np.asarray(value).tolist())
    answer = ends[0].words
    if classes is None:
        if len(ends) > 1:
            answer = ", ".join(map(short_number, numbers))
        outcome = numbers[0] if len(numbers) == 1 else numbers
        return Path(tuple(steps), tuple(ends), numbers, outcome, answer)
    place = int(decide(np.asarray(value)[None], costs)[0])
    if len(ends) == 1 and decision is not None:
        place = int(decision[ends[0].node])
    if len(ends) > 1:
        answer = f"{classes[place]} {percent(numbers[place])}"
    return Path(tuple(steps), tuple(ends), numbers, plain(classes[place]), answer)


class _Follower:
    """Follows a row down a tree."""

    def __init__(
        self,
        tree: TreeArrays,
        schema: Schema,
        labels: Labels,
        row: Table,
        surrogates: Surrogates | None,
        children: npt.NDArray[np.int32] | None,
    ) -> None:
        self._tree, self._schema, self._labels = tree, schema, labels
        self._children = children
        self._surrogates = surrogates
        self._given = row.rows(slice(1))
        given = schema if tree.derived is None else tree.derived.given_schema(schema)
        self._row = tree.extended(given.apply(self._given))

    def follow(self) -> tuple[list[Step], list[End]]:
        """Return the steps and where they end."""
        steps: list[Step] = []
        ends: list[End] = []
        # A node, the part of the row that comes to it, how often it was shared, the step to it.
        waiting: list[tuple[int, float, int, Step | None]] = [(0, 1.0, 0, None)]
        while waiting:
            node, share, n_shared, step = waiting.pop()
            if step is not None:
                steps.append(step)
            taken = [] if self._tree.is_leaf[node] else self._steps(node, share, n_shared)
            if taken and taken[0].branch is None:
                steps.append(taken.pop())
            if not taken:
                ends.append(End(node, share, self._labels.value(node), len(steps), n_shared))
            for each in reversed(taken):
                deeper = n_shared + (each.why == "shared")
                waiting.append((self._child(node, each.branch or 0), each.share, deeper, each))
        return steps, ends

    def _child(self, node: int, branch: int) -> int:
        if self._children is not None:
            return int(self._children[node, branch])
        return int(self._tree.first_child[node]) + branch

    def _steps(self, node: int, share: float, n_shared: int) -> list[Step]:
        """Return the branches that the row takes at a test, the heaviest first."""
        field = self._schema.fields[int(self._tree.feature[node])]
        column = self._row.column(field.name)
        tests = branch_conditions(self._tree, node, field.name, field.type, heaviest=False)
        value, why = self._value(column)

        def step(branch: int | None, why: str, share: float) -> Step:
            question = self._labels.question(node)
            test = "" if branch is None else _condition_words(tests[branch])
            return Step(node, question, field.name, value, branch, test, why, share, n_shared)

        missing = int(self._tree.missing_branch[node])
        if why == "value" and self._tree.notes is not None and self._tree.notes.margin(node) > 0:
            to_first = self._tree.notes.first_share(node, float(values_of(column)[0]))
            if 0 < to_first < 1:
                shares = sorted([(-to_first, 0), (to_first - 1, 1)])
                return [step(branch, "shared", -share * part) for part, branch in shares]
        branch = self._branch(node, column) if why == "value" else missing
        decided = None if branch >= 0 and why == "value" else self._substitute(node)
        if decided is not None:
            branch, test = decided
            return [replace(step(branch, "surrogate", share), surrogate=test)]
        if branch == STAY:
            return [step(None, "stays", share)]
        if branch != EVERY_BRANCH:
            return [step(branch, why, share)]
        first = int(self._tree.first_child[node])
        weight = self._tree.weight[first : first + len(tests)]
        order = np.argsort(-weight, kind="stable").tolist()
        return [step(branch, "shared", share * weight[branch] / weight.sum()) for branch in order]

    def _substitute(self, node: int) -> tuple[int, str] | None:
        """Return the branch that a surrogate test chooses, and the test; None: none decides."""
        for test in () if self._surrogates is None else self._surrogates.at(node):
            branch = int(test.branch_of(self._row)[0])
            if branch >= 0:
                return branch, f"{test.words(self._schema)}, which agrees for {percent(test.agree)}"
        return None

    def _branch(self, node: int, column: Column) -> int:
        """Return the branch of a value that is present."""
        value = values_of(column)[0]
        if self._tree.kind[node] == THRESHOLD_TEST:
            return 0 if value <= self._tree.threshold[node] else 1
        return int(self._tree.pool[int(self._tree.pool_offset[node]) + value])

    def _value(self, column: Column) -> tuple[str, str]:
        """Return a value in words, and whether it is a known one, missing or unseen."""
        if column.is_missing[0]:
            return "missing", "missing"
        if column.kind == "category" and column.values[0] == UNSEEN_CODE:
            is_there = self._given.schema.named and column.name in self._given.schema.position
            name = self._given.column(column.name).to_list()[0] if is_there else None
            return "a new category" if name is None else join_names([str(name)]), "unseen"
        return _words(column), "value"


def _words(column: Column) -> str:
    """Return a value as a person writes it."""
    if column.kind == "category":
        return join_names([str(column.to_list()[0])])
    if column.type.source in {"duration", "time"}:
        return f"{cell(column.to_list()[0], 12)} days"
    if column.type.is_time:
        return str(column.to_list()[0])
    return cell(float(str(column.values[0])), 12)  # single precision has few digits


def _condition_words(test: Condition) -> str:
    """Return what a branch asks of values that are present; nothing when it takes none."""
    present = replace(test, missing=False)
    return "" if present.is_empty else str(present)


# -- lines --------------------------------------------------------------------------------------


def _indent(part: Step | End) -> str:
    return " " * 10 * min(part.n_shared, _DEEPEST_INDENT)


def _start(step: Step) -> str:
    return f"{_indent(step)}{step.column} is {step.value}"


def _step_line(step: Step, width: int) -> str:
    test = step.condition.removeprefix(step.column).strip()
    words = {
        "value": "" if test in {f"is {step.value}", "is present"} else test,
        "missing": f"goes with {test}" if test else "has a branch of its own",
        "unseen": f"is new: goes with {test or 'missing values'}",
        "shared": "goes down every branch, by weight:",
        "surrogate": f"goes with {test}, as decided by {step.surrogate}",
        "stays": "has no branch here: the answer is this node's",
    }[step.why]
    return f"{_start(step):<{width}}  {words}".rstrip()
