"""Why the tokens of a sequence have their labels: against which label, by which features.

1. The runner-up of a token is the label that would score best there, the other labels kept.
2. What the label's score is ahead of the runner-up's is a sum over features and over the
   transitions from the label before and to the label after: these are the parts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._plain_numbers import signed
from branchline._result_frame import Library, result_frame

__all__ = ["SequenceExplanation", "TokenExplanation", "explain_tokens"]

_MOST_PARTS = 3


@dataclass(frozen=True)
class TokenExplanation:
    """Why one token has its label.

    Parameters
    ----------
    row
        The row of the token in the table that was given.
    label
        The predicted label.
    runner_up
        The label that would score best here if all other labels stay; None: no other is allowed.
    ahead
        How far the label scores ahead of the runner-up; the sum of all parts.
    margin
        How far the best labeling of the sequence is ahead of the best one with another label here.
    parts
        What the sum is made of, the largest first: features of the token and its neighbors, and
        transitions.

    See Also
    --------
    SequenceExplanation : ``least_certain`` returns it.

    Examples
    --------
    >>> from branchline.sequence import SequenceLabeler
    >>> table = {"sentence": [1, 1, 1, 2, 2], "word": ["the", "old", "man", "man", "sleeps"]}
    >>> tags = ["D", "A", "N", "N", "V"]
    >>> model = SequenceLabeler("sentence").fit(table, tags)
    >>> token = model.explain({"sentence": [9, 9], "word": ["the", "man"]}).tokens[1]
    >>> token.label, token.margin > 0
    ('N', True)
    """

    row: int
    label: Any
    runner_up: Any
    ahead: float
    margin: float
    parts: tuple[tuple[str, float], ...]

    def __str__(self) -> str:
        if self.runner_up is None:
            return f"row {self.row}: {self.label} (no other label is allowed)"
        shown = [f"{name} {signed(amount)}" for name, amount in self.parts[:_MOST_PARTS]]
        rest = sum(amount for _, amount in self.parts[_MOST_PARTS:])
        if len(self.parts) > _MOST_PARTS:
            shown.append(f"the rest {signed(rest)}")
        return (
            f"row {self.row}: {self.label}, ahead of {self.runner_up} by {signed(self.ahead)}: "
            f"{'; '.join(shown)}"
        )


@dataclass(frozen=True, eq=False)
class SequenceExplanation:
    """Why the tokens of one sequence have their labels.

    Parameters
    ----------
    tokens
        An explanation for each token, in the order of the sequence.

    See Also
    --------
    GridLabeler : ``explain`` returns it.
    SequenceLabeler : ``explain`` returns it.

    Examples
    --------
    >>> from branchline.sequence import SequenceLabeler
    >>> table = {"sentence": [1, 1, 1, 2, 2], "word": ["the", "old", "man", "man", "sleeps"]}
    >>> tags = ["D", "A", "N", "N", "V"]
    >>> model = SequenceLabeler("sentence").fit(table, tags)
    >>> len(model.explain({"sentence": [9, 9], "word": ["the", "man"]}).tokens)
    2
    """

    tokens: tuple[TokenExplanation, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, at: int) -> TokenExplanation:
        return self.tokens[at]

    def __str__(self) -> str:
        return "\n".join(str(token) for token in self.tokens)

    __repr__ = __str__

    def least_certain(self) -> TokenExplanation:
        """Return the token with the smallest margin."""
        return min(self.tokens, key=lambda token: token.margin)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each token and part of its explanation."""
        rows = [
            (token.row, str(token.label), str(token.runner_up), name, amount)
            for token in self.tokens
            for name, amount in token.parts
        ]
        names = ("row", "label", "runner_up", "part", "amount")
        columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
        return result_frame(dict(zip(names, columns, strict=True)), library)


def explain_tokens(
    model: Any, rows: Any, features: Any, found: tuple[Any, Floats]
) -> SequenceExplanation:
    """Return the explanation of one sequence.

    Parameters
    ----------
    model
        The fitted labeler.
    rows
        The row of each token in the table that was given.
    features
        The features of each token (row).
    found
        The places of the labels, and their margins.
    """
    labels, margins = found
    names, n_labels = model.classes_.tolist(), len(model.classes_)
    path = np.concatenate([[n_labels], labels, [n_labels]]).astype(np.intp)
    moves = np.where(model.allowed_ == 1, model.transition_weights_, -np.inf)
    tokens = []
    for t in range(len(labels)):
        before, here, after = path[t : t + 3].tolist()
        token = model.feature_weights_[features[t]]
        scores = token.sum(axis=0) + moves[before, :n_labels] + moves[:n_labels, after]
        scores[here] = -np.inf
        other = int(np.argmax(scores)) if np.isfinite(scores).any() else None
        parts: list[tuple[str, float]] = []
        if other is not None:
            parts = _parts(model, features[t], (before, here, other, after))
        tokens.append(
            TokenExplanation(
                row=int(rows[t]),
                label=names[here],
                runner_up=None if other is None else names[other],
                ahead=float(sum(amount for _, amount in parts)),
                margin=float(margins[t]),
                parts=tuple(parts),
            )
        )
    return SequenceExplanation(tuple(tokens))


def _parts(model: Any, features: Any, around: tuple[int, int, int, int]) -> list[tuple[str, float]]:
    before, here, other, after = around
    moves, n_labels = model.transition_weights_, len(model.classes_)
    weights = model.feature_weights_[features]
    amounts = (weights[:, here] - weights[:, other]).tolist()
    parts = [
        (model.features_.name_of(int(feature), model.schema_), amount)
        for feature, amount in zip(features, amounts, strict=True)
    ]
    first = "first in its sequence" if before == n_labels else f"after {model.classes_[before]}"
    last = "last in its sequence" if after == n_labels else f"before {model.classes_[after]}"
    parts.append((first, float(moves[before, here] - moves[before, other])))
    parts.append((last, float(moves[here, after] - moves[other, after])))
    return sorted(parts, key=lambda part: -abs(part[1]))
