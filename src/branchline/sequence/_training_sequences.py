"""Training sequences in an order of their own, equal ones merged.

1. A sequence's key is a hash of its tokens' cells and labels, and of their places in it.
2. Sequences are sorted by key. Those with equal features and labels become one of summed weight.
So neither the order of rows nor copies of a sequence change what is learned.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats, Ints
from branchline._canonical_rows import row_keys_of
from branchline._row_keys import scramble
from branchline._validation import TrainingData
from branchline.errors import DataError, Repair
from branchline.sequence._token_features import TokenFeatures
from branchline.sequence._token_marks import TokenMarks

__all__ = ["TrainingSequences", "refuse_uneven_weights"]


@dataclass(frozen=True, eq=False)
class TrainingSequences:
    """Sequences as the kernel takes them.

    Parameters
    ----------
    starts
        Where each sequence begins.
    features
        The features of each token, one after the other.
    labels
        The label of each token.
    weights
        The weight of each sequence.
    """

    starts: Ints
    features: npt.NDArray[np.uint32]
    labels: npt.NDArray[np.uint32]
    weights: Floats

    @classmethod
    def of_tokens(
        cls, data: TrainingData, marks: TokenMarks, known: TokenFeatures
    ) -> "TrainingSequences":
        """Return the training sequences of a checked table of tokens."""
        order, starts = marks.order, marks.starts
        features = known.of_tokens(data.table.rows(order), starts).reshape(len(order), -1)
        labels = data.class_target.class_of_row[order]
        weights = data.weights.of_rows(len(order))[order][starts[:-1]]
        chosen, summed = _merged(_order(data, marks), starts, (features, labels), weights)
        sizes = np.diff(starts)[chosen]
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        within = np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)
        tokens = np.repeat(starts[:-1][chosen], sizes) + within
        flat = np.ascontiguousarray(features[tokens]).reshape(-1)
        return cls(ends, flat, np.ascontiguousarray(labels[tokens]), summed)

    @property
    def n_tokens(self) -> float:
        """The weight of all tokens."""
        return float(self.weights @ np.diff(self.starts))


def _order(data: TrainingData, marks: TokenMarks) -> npt.NDArray[np.intp]:
    keys = row_keys_of(data)[marks.order]
    starts = marks.starts[:-1]
    within = np.arange(len(keys)) - np.repeat(starts, np.diff(marks.starts))
    with np.errstate(over="ignore"):
        mixed = scramble(keys ^ scramble(within.astype(np.uint64)))
        return np.argsort(np.add.reduceat(mixed, starts), kind="stable")


def _merged(
    order: npt.NDArray[np.intp], starts: Ints, tokens: tuple[Any, Any], weights: Floats
) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return the first of equal sequences, in order, and their summed weights."""
    features, labels = tokens
    place: dict[bytes, int] = {}
    chosen: list[int] = []
    summed: list[float] = []
    for sequence in order.tolist():
        begin, end = starts[sequence], starts[sequence + 1]
        content = features[begin:end].tobytes() + b"|" + labels[begin:end].tobytes()
        at = place.setdefault(content, len(chosen))
        if at == len(chosen):
            chosen.append(sequence)
            summed.append(0.0)
        summed[at] += float(weights[sequence])
    return np.array(chosen, dtype=np.intp), np.array(summed)


def refuse_uneven_weights(weights: Any, marks: TokenMarks) -> None:
    """Refuse weights that differ among the tokens of a sequence."""
    given = np.asarray(weights, dtype=np.float64)[marks.order]
    starts = marks.starts[:-1]
    uneven = np.maximum.reduceat(given, starts) != np.minimum.reduceat(given, starts)
    if uneven.any():
        first = int(np.argmax(uneven))
        rows = np.sort(marks.order[marks.starts[first] : marks.starts[first + 1]])
        row, whole = marks.nouns
        raise DataError(
            f"All {row}s of a {whole} must have the same weight; those of {marks.name_of(first)} "
            "differ.",
            code="D646",
            rows=rows[:5],
            n_rows=len(rows),
            repair=Repair("model.fit(X, y)"),
        )
