"""Words for the nodes of a tree: its questions, branches, conditions and values.

1. A question is what a node asks ("petal_length ≤ 2.45", "color", "age is present").
2. A branch is one of its answers ("yes", "no or missing", "red, blue"); a condition says question
   and answer in one ("petal_length > 2.45 or missing", "color in (red, blue)").
3. A value is what a node predicts, and of how many rows it knows it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import cell, number, percent, rounded
from branchline._trees._tree_arrays import THRESHOLD_TEST, TreeArrays
from branchline.table import ColumnType, Schema

__all__ = [
    "Labels",
    "join_names",
    "margin_words",
    "quoted_name",
    "short_number",
    "threshold_words",
    "weight_words",
]

_LONGEST_NAME = 30
_LONGEST_LIST = 60
_MANY_NAMES = 12
_FARTHEST_DAY = 2.0**46  # seconds are counted in 64 bits


class Labels:
    """Words for the nodes of a tree.

    Parameters
    ----------
    tree
        The fitted tree.
    schema
        The columns it was fitted on.
    classes
        The classes; None for a regression tree.
    decision
        The class that each node decides for, as a place in ``classes``; None: the most frequent.
    """

    def __init__(
        self,
        tree: TreeArrays,
        schema: Schema,
        classes: npt.NDArray[Any] | None,
        decision: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self._tree, self._schema, self._classes = tree, schema, classes
        self._decision = decision
        self._named_node, self._names = -1, list[list[str]]()

    def question(self, node: int) -> str:
        """Return what an inner node asks."""
        name = self._schema.names[int(self._tree.feature[node])]
        if self._tree.kind[node] != THRESHOLD_TEST:
            return name
        if np.isinf(self._tree.threshold[node]):
            return f"{name} is present"
        return f"{name} ≤ {self._threshold(node)}"

    def branches(self, node: int) -> list[str]:
        """Name each branch of an inner node; the one that missing values take says so."""
        missing = int(self._tree.missing_branch[node])
        labels = self._branches(node)
        if missing < 0 or (np.isinf(self._tree.threshold[node]) and missing == 1):
            return labels  # the answer "no" to "is present" means missing
        labels[missing] = f"{labels[missing]} or missing" if labels[missing] else "missing"
        return labels

    def answers(self, node: int) -> list[str]:
        """Name each branch of an inner node as a person answers: without what is missing."""
        return [words or "missing" for words in self._branches(node)]

    def _branches(self, node: int) -> list[str]:
        """Name each branch; one that only missing values take has no name."""
        if self._tree.kind[node] == THRESHOLD_TEST:
            return ["yes", "no", ""][: int(self._tree.n_children[node])]
        return [self._branch_of_names(node, names) for names in self.category_names(node)]

    def _branch_of_names(self, node: int, names: list[str]) -> str:
        if self._are_all(node, names):
            return "present"
        others = self._others(node, names)
        return "others" if are_better_named_by_others(names, others) else join_names(names)

    def _others(self, node: int, names: list[str]) -> list[str]:
        """Return the names of all other branches; none when some categories have no branch."""
        others = [name for each in self.category_names(node) if each is not names for name in each]
        known = self._schema.fields[int(self._tree.feature[node])].type.categories or ()
        return others if len(others) + len(names) == len(known) else []

    def condition(self, node: int, branch: int) -> str:
        """Return the condition of taking a branch, as a rule says it."""
        name = self._schema.names[int(self._tree.feature[node])]
        takes_missing = int(self._tree.missing_branch[node]) == branch
        if self._tree.kind[node] == THRESHOLD_TEST:
            test = self._threshold_condition(node, branch)
        else:
            names = self.category_names(node)[branch]
            others = self._others(node, names)
            test = "is present" if self._are_all(node, names) else in_words(names, others)
        if not test:
            return f"{name} is missing" if takes_missing else f"{name} is anything else"
        return f"{name} {test}{' or missing' if takes_missing else ''}"

    def value(self, node: int) -> str:
        """Return what a node predicts, and the weight of the rows it knows it from."""
        weight = weight_words(float(self._tree.weight[node]))
        value = self._tree.value[node]
        noted = None if self._tree.notes is None else self._tree.notes.value(node)
        if noted is not None:
            return f"{noted} (of {weight})"
        if self._classes is None:
            numbers = ", ".join(map(short_number, value))
            word = self._tree.center_word
            return f"{numbers} ({word if len(value) == 1 else f'{word}s'} of {weight})"
        decided = self.decided(node)
        return f"{self._classes[decided]} {percent(value[decided])} of {weight}"

    def decided(self, node: int) -> int:
        """Return the class that a node decides for, as a place among the classes."""
        if self._decision is None:
            return int(np.argmax(self._tree.value[node]))
        return int(self._decision[node])

    def category_names(self, node: int) -> list[list[str]]:
        """Return the names of each branch's categories; none at a threshold test."""
        if node != self._named_node:  # the branches of a test are asked for one after the other
            self._named_node, self._names = node, self._names_of_branches(node)
        return self._names

    def _names_of_branches(self, node: int) -> list[list[str]]:
        names_of_branch: list[list[str]] = [[] for _ in range(int(self._tree.n_children[node]))]
        if self._tree.kind[node] == THRESHOLD_TEST:
            return names_of_branch
        categories = self._schema.fields[int(self._tree.feature[node])].type.categories or ()
        offset = int(self._tree.pool_offset[node])
        branches = self._tree.pool[offset : offset + len(categories)].tolist()
        for name, branch in zip(categories, branches, strict=True):
            if branch >= 0:
                names_of_branch[branch].append(str(name))
        return names_of_branch

    def _are_all(self, node: int, names: list[str]) -> bool:
        """Whether these are all categories of a column: then only missing values go elsewhere."""
        known = self._schema.fields[int(self._tree.feature[node])].type.categories or ()
        return len(names) == len(known) > 1

    def _threshold(self, node: int) -> str:
        kind = self._schema.fields[int(self._tree.feature[node])].type
        words = threshold_words(kind, float(self._tree.threshold[node]))
        return f"{words}{margin_words(self._tree, node)}"

    def _threshold_condition(self, node: int, branch: int) -> str:
        """Return what a number must be to take a branch; nothing when no number takes it."""
        if branch == 0:
            is_finite = np.isfinite(self._tree.threshold[node])
            return f"≤ {self._threshold(node)}" if is_finite else "is present"
        if branch == 2 or np.isinf(self._tree.threshold[node]):
            return ""
        return f"> {self._threshold(node)}"


def in_words(names: list[str], others: Sequence[str] = ()) -> str:
    """Return "is red", "in (red, blue)", "not in (green)", or nothing for no names.

    ``others`` are the categories left: they are named instead when they are far fewer.
    """
    if not names:
        return ""
    if are_better_named_by_others(names, others):
        return f"not in ({join_names(list(others))})"
    return f"is {join_names(names)}" if len(names) == 1 else f"in ({join_names(names)})"


def are_better_named_by_others(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether a long list is better told by what is not in it."""
    return bool(others) and len(names) > _MANY_NAMES and 3 * len(others) <= len(names)


def margin_words(tree: TreeArrays, node: int) -> str:
    """Return " ± 4" for a soft threshold, nothing for a crisp one."""
    margin = 0.0 if tree.notes is None else tree.notes.margin(node)
    return f" ± {rounded(margin, 2)}" if margin > 0 else ""


def threshold_words(kind: ColumnType, value: float) -> str:
    """Write a threshold so that it cuts where the model does; a date as a date."""
    if kind.source in {"date", "datetime"} and abs(value) < _FARTHEST_DAY:
        days = value if kind.source == "datetime" else np.floor(value)
        moment = str(np.datetime64(int(np.floor(days * 86_400)), "s"))
        return moment if kind.source == "datetime" else moment[:-9]
    unit = " days" if kind.is_time else ""
    return f"{cell(value, 12)}{unit}"


def join_names(names: list[str]) -> str:
    """List names as far as a line allows, then say how many more there are."""
    shown: list[str] = []
    for name in names:
        short = quoted_name(name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…")
        if shown and len(", ".join([*shown, short])) > _LONGEST_LIST:
            return f"{', '.join(shown)}, … {len(names) - len(shown)} more"
        shown.append(short)
    return ", ".join(shown)


def quoted_name(name: str) -> str:
    """Quote a name that would be misread in a list: with commas, line ends, or words of ours."""
    is_plain = name.isprintable() and name.strip() == name != "" and not set(name) & set(",'\"")
    is_ours = " or " in name or name in {"missing", "present"}
    return name if is_plain and not is_ours else repr(name)


def short_number(value: float) -> str:
    """Write a predicted number with six digits, large ones with all of theirs."""
    return number(value, 6)


def weight_words(weight: float) -> str:
    """Write a weight of rows: shares of rows need no more than a digit or two."""
    if weight < 0.01:
        return rounded(weight, 2)
    return short_number(round(weight, 1 if weight >= 10 else 3))
