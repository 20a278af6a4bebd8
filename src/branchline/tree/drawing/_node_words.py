"""The words of a drawing: short ones that stand in it, full ones that appear under the pointer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._drawing import clean
from branchline._plain_numbers import cell, count, number, percent, rounded
from branchline._trees._tree_arrays import EVERY_BRANCH, THRESHOLD_TEST, TreeArrays
from branchline.table import Schema
from branchline.tree.drawing._shown_nodes import ShownNode
from branchline.tree.reading._labels import (
    Labels,
    are_better_named_by_others,
    margin_words,
    quoted_name,
    short_number,
    threshold_words,
)

__all__ = ["Answer", "Band", "NodeWords", "brief_number", "weight_words"]

_MOST_VALUES = 4
_LONGEST_HINT, _LONGEST_COLUMN = 400, 80


@dataclass(frozen=True, slots=True)
class Answer:
    """What leads from a node to one of its children.

    Parameters
    ----------
    names
        What the value must be: a relation ("≤ 2.45"), or the names of categories; none when only
        missing values go this way.
    takes_missing
        Whether missing values go this way.
    """

    names: list[str]
    takes_missing: bool

    @property
    def is_missing_only(self) -> bool:
        """Whether nothing but missing values goes this way."""
        return self.takes_missing and not self.names


@dataclass(frozen=True, slots=True)
class Band:
    """Where a soft threshold sends rows both ways.

    Parameters
    ----------
    share
        Its width as a share of the widest band of the same column in the tree.
    words
        From where to where it reaches.
    """

    share: float
    words: str


class NodeWords:
    """Words for the shown nodes of a tree.

    Parameters
    ----------
    tree, schema, classes, decision
        As for ``Labels``.
    notes
        A few words for some inner nodes.
    """

    def __init__(
        self,
        tree: TreeArrays,
        schema: Schema,
        classes: npt.NDArray[Any] | None,
        decision: npt.NDArray[np.int64] | None,
        notes: Mapping[int, str] | None = None,
    ) -> None:
        self._tree, self._schema = tree, schema
        self._notes = notes or {}
        self._labels = Labels(tree, schema, classes, decision)
        self._answers: dict[int, list[Answer]] = {}  # a column may have very many categories
        self.classes = None if classes is None else [_named(str(name)) for name in classes]
        among = tree.missing_branch[~tree.is_leaf]
        self.all_share_missing = bool(len(among) and (among == EVERY_BRANCH).all())

    # -- in the drawing -------------------------------------------------------------------------

    def column(self, node: int) -> str:
        """Return the name of the column that a node tests."""
        return _named(self._schema.names[int(self._tree.feature[node])])

    def test(self, node: int) -> str:
        """Return what a node asks of its column; nothing when each category has its answer."""
        if self._tree.kind[node] != THRESHOLD_TEST:
            return ""
        is_finite = np.isfinite(self._tree.threshold[node])
        return f"≤ {self._threshold(node)}" if is_finite else "is present"

    def band(self, node: int) -> Band | None:
        """Return the band of a soft threshold; None where rows go one way."""
        notes, feature = self._tree.notes, self._tree.feature
        margin = 0.0 if notes is None else notes.margin(node)
        if notes is None or margin <= 0:
            return None
        others = np.flatnonzero(feature == feature[node]).tolist()
        widest = max(notes.margin(other) for other in others)
        kind, cut = self._schema.fields[int(feature[node])].type, float(self._tree.threshold[node])
        ends = [
            threshold_words(kind, end) if kind.is_time else brief_number(end)
            for end in (cut - margin, cut + margin)
        ]
        return Band(margin / widest, f"both ways: {ends[0]} to {ends[1]}")

    def answers(self, node: int) -> list[Answer]:
        """Return the answers of a node, one for each branch."""
        if node not in self._answers:
            missing = int(self._tree.missing_branch[node])
            self._answers[node] = [
                Answer(names, branch == missing) for branch, names in enumerate(self._names(node))
            ]
        return self._answers[node]

    def shares_missing(self, node: int) -> bool:
        """Whether missing values go to every branch of a node, unlike at others."""
        is_shared = bool(self._tree.missing_branch[node] == EVERY_BRANCH)
        return is_shared and not self.all_share_missing

    def note(self, shown: ShownNode) -> str:
        """Return the words that were given for an inner node; nothing where there are none."""
        return self._notes.get(shown.node, "") if shown.children else ""

    def decided(self, shown: ShownNode) -> int:
        """Return the class that a node decides for; branches drawn as one, their most frequent."""
        return int(np.argmax(shown.value)) if shown.is_rest else self._labels.decided(shown.node)

    def rows(self, shown: ShownNode) -> str:
        """Return how many rows a node holds."""
        n_rows = weight_words(shown.weight)
        return f"{n_rows} row{'' if n_rows == '1' else 's'}"

    def outcome(self, shown: ShownNode) -> tuple[str, str]:
        """Return what a node predicts, and what this rests on."""
        notes = self._tree.notes
        noted = None if notes is None or shown.is_rest else notes.short_value(shown.node)
        if noted is not None:
            return clean(noted), self.rows(shown)
        if self.classes is not None:
            place = self.decided(shown)
            share = percent(float(shown.value[place]))
            return self.classes[place], f"{share} of {weight_words(shown.weight)}"
        if len(shown.value) == 1:
            deviation = f"± {rounded(float(shown.deviation[0]))}"
            return number(float(shown.value[0])), f"{deviation}, {self.rows(shown)}"
        means = [number(float(mean)) for mean in shown.value[:_MOST_VALUES]]
        more = ", …" if len(shown.value) > _MOST_VALUES else ""
        return ", ".join(means) + more, self.rows(shown)

    # -- under the pointer ----------------------------------------------------------------------

    def hint(self, shown: ShownNode, parent: ShownNode | None) -> list[str]:
        """Return lines that describe a node in full."""
        lines = []
        if parent is not None:
            lines.append(self._way(shown, parent))
        if shown.children:
            lines.append(self._labels.question(shown.node) + "?")
            lines.append(self._tree.meaning(shown.node))
            lines.append("missing: every branch" if self.shares_missing(shown.node) else "")
            lines.append(self.note(shown))
        elif shown.n_hidden_leaves:
            lines.append(f"{count(shown.n_hidden_leaves, 'leaf')}, not shown")
        lines.append(self._contents(shown))
        lines.append("" if shown.is_rest else f"node {shown.node}")
        return [_cut(clean(line), _LONGEST_HINT) for line in lines if line]

    def _way(self, shown: ShownNode, parent: ShownNode) -> str:
        column = _cut(self.column(parent.node), _LONGEST_COLUMN)
        if shown.is_rest:
            return f"{column}: {count(len(shown.branches), 'more branch', 'more branches')}"
        if self._tree.kind[parent.node] == THRESHOLD_TEST:
            return self._labels.condition(parent.node, shown.branches[0])
        answer = self.answers(parent.node)[shown.branches[0]]
        names = self._category_names(parent.node)[shown.branches[0]]
        words = ", ".join(names) or ("" if answer.takes_missing else "anything else")
        missing = ("missing", " or missing")[bool(words)] if answer.takes_missing else ""
        return f"{column}: {words}{missing}"

    def _contents(self, shown: ShownNode) -> str:
        rows = f"of {short_number(shown.weight)}"
        notes = self._tree.notes
        noted = None if notes is None or shown.is_rest else notes.value(shown.node)
        if noted is not None:
            return f"{noted}, {rows}"
        if self.classes is None:
            pairs = zip(shown.value, shown.deviation, strict=True)
            means = [f"{short_number(mean)} ± {short_number(spread)}" for mean, spread in pairs]
            return f"{', '.join(means)}, {rows}"
        frequent = np.argsort(-shown.value, kind="stable")[:_MOST_VALUES].tolist()
        return (
            ", ".join(
                f"{self.classes[place]} {percent(float(shown.value[place]))}"
                for place in frequent
                if shown.value[place] > 0
            )
            + f", {rows}"
        )

    def _names(self, node: int) -> list[list[str]]:
        """Return for each branch what the value must be."""
        if self._tree.kind[node] == THRESHOLD_TEST:
            return self._relations(node)[: int(self._tree.n_children[node])]
        groups = self._category_names(node)
        n_known = len(self._schema.fields[int(self._tree.feature[node])].type.categories or ())
        if sum(map(len, groups)) < n_known:
            return groups  # some categories have no branch, so "others" would be wrong
        rest = [
            [name for other in groups if other is not names for name in other] for names in groups
        ]
        return [
            [f"others ({len(names):,})"] if are_better_named_by_others(names, others) else names
            for names, others in zip(groups, rest, strict=True)
        ]

    def _category_names(self, node: int) -> list[list[str]]:
        """Return for each branch all names of its categories."""
        groups = self._labels.category_names(node)
        return [[clean(quoted_name(name)) for name in names] for names in groups]

    def _relations(self, node: int) -> list[list[str]]:
        if np.isinf(self._tree.threshold[node]):
            is_plain = int(self._tree.missing_branch[node]) == 1
            return [["present"], [] if is_plain else ["absent"], []]
        threshold = self._threshold(node)
        return [[f"≤ {threshold}"], [f"> {threshold}"], []]

    def _threshold(self, node: int) -> str:
        """Write a threshold with the digits that matter to a reader; hints have them all."""
        kind = self._schema.fields[int(self._tree.feature[node])].type
        value = float(self._tree.threshold[node])
        words = threshold_words(kind, value) if kind.is_time else brief_number(value)
        return f"{words}{margin_words(self._tree, node)}"


def _cut(text: str, length: int) -> str:
    """Leave out the middle of a long text."""
    if len(text) <= length:
        return text
    end = length // 3
    return f"{text[: length - end - 1]}…{text[-end:]}"


def _named(name: str) -> str:
    """Return a name that can be seen."""
    cleaned = clean(name)
    return cleaned if cleaned.strip() else repr(name)


def brief_number(value: float) -> str:
    """Write a number with four digits; large ones with one more than their whole part has."""
    size = len(str(int(abs(value)))) if abs(value) < 1e5 else 0
    return cell(value, max(4, size + 1))


def weight_words(weight: float) -> str:
    """Write a weight of rows, which shared rows make fractional, with few decimals."""
    if weight == round(weight) or weight < 0.01:
        return short_number(weight)
    return number(weight, 3)
