"""How good predicted labels of sequences are: by token, by whole sequence, and by label.

The tokens of a sequence are right or wrong together, so an interval counts sequences, not tokens.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats, Ints, Places
from branchline._intervals import Interval
from branchline._notebook import box, grid, words
from branchline._plain_numbers import alike, count
from branchline._result_frame import Library, result_frame
from branchline._row_scores import Origin, interval_of_rows, ratio_of_rows
from branchline.sequence._token_marks import TOKENS, Nouns

__all__ = ["SequenceScores", "scores_of_sequences"]


@dataclass(frozen=True, eq=False)
class SequenceScores:
    """The accuracy of predicted labels.

    Parameters
    ----------
    tokens
        The share of tokens with the right label, with a 95 % interval.
    sequences
        The share of sequences in which every label is right, with a 95 % interval.
    labels
        The labels, sorted.
    precision, recall
        Of each label: the share of its predictions that are right, and the share of its tokens that
        are found; NaN where there are none.
    confusion
        How many tokens of each label (row) were predicted as each label (column).
    n_sequences
        Number of sequences.
    nouns
        What a row is called, and rows that belong together.

    See Also
    --------
    GridLabeler : ``evaluate`` returns it.
    SequenceLabeler : ``evaluate`` returns it.

    Examples
    --------
    >>> from branchline.sequence import SequenceLabeler
    >>> table = {"sentence": [1, 1, 1, 2, 2], "word": ["the", "old", "man", "man", "sleeps"]}
    >>> tags = ["D", "A", "N", "N", "V"]
    >>> model = SequenceLabeler("sentence").fit(table, tags)
    >>> round(model.evaluate(table, tags).tokens.estimate, 2)
    1.0
    """

    tokens: Interval
    sequences: Interval
    labels: AnyArray
    precision: Floats
    recall: Floats
    confusion: Ints
    n_sequences: int
    nouns: Nouns = TOKENS

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return int(self.confusion.sum())

    def __str__(self) -> str:
        row, whole = self.nouns
        lines = [
            f"{f'{row} accuracy':<17}  {self.tokens}",
            f"{f'{whole} accuracy':<17}  {self.sequences}",
            f"95 % intervals from {count(self.n_sequences, whole)} of {count(self.n_tokens, row)}",
        ]
        names = [str(name) for name in self.labels.tolist()]
        width = max(len("label"), *map(len, names))
        lines.append(f"\n{'label':<{width}}  precision  recall  {row}s")
        for at, name in enumerate(names):
            shown = [_share(self.precision[at]), _share(self.recall[at])]
            n = int(self.confusion[at].sum())
            lines.append(f"{name:<{width}}  {shown[0]:>9}  {shown[1]:>6}  {n:>{len(row) + 1}}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = []
        row, whole = self.nouns
        for name, one in ((f"{row}s", self.tokens), (f"whole {whole}s", self.sequences)):
            score, low, high = alike([one.estimate, one.low, one.high])
            rows.append((name, score, f"{low} to {high}"))
        head = f"{count(self.n_sequences, whole)} of {count(self.n_tokens, row)}"
        return box(words(head, quiet=True), grid(("right", "share", "95 % interval"), rows))

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each label: precision, recall, number of tokens."""
        columns = {
            "label": [str(name) for name in self.labels.tolist()],
            "precision": self.precision,
            "recall": self.recall,
            f"{self.nouns[0]}s": self.confusion.sum(axis=1),
        }
        return result_frame(columns, library)


def _share(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}"


def scores_of_sequences(
    truth: AnyArray, predicted: AnyArray, owners: Places, n_train: float, nouns: Nouns = TOKENS
) -> SequenceScores:
    """Return the scores of predicted labels.

    Parameters
    ----------
    truth, predicted
        The label of each token.
    owners
        The number of the sequence of each token.
    n_train
        How many sequences the model learned from.
    nouns
        What a row is called, and rows that belong together.
    """
    right = np.asarray(truth == predicted, dtype=np.float64)
    n_sequences = int(owners.max()) + 1
    whole = (np.bincount(owners, 1 - right, minlength=n_sequences) == 0).astype(np.float64)
    labels = np.unique(np.concatenate([truth, predicted]))
    places = [np.searchsorted(labels, names) for names in (truth, predicted)]
    n_labels = len(labels)
    cells = np.bincount(places[0] * n_labels + places[1], minlength=n_labels**2)
    confusion = cells.reshape(n_labels, n_labels).astype(np.int64)
    hits = np.diag(confusion).astype(np.float64)
    with np.errstate(invalid="ignore"):
        precision, recall = hits / confusion.sum(axis=0), hits / confusion.sum(axis=1)
    return SequenceScores(
        tokens=_interval(right, owners, n_train),
        sequences=_interval(whole, np.arange(n_sequences), n_train),
        labels=labels,
        precision=precision,
        recall=recall,
        confusion=confusion,
        n_sequences=n_sequences,
        nouns=nouns,
    )


def _interval(right: Floats, owners: Places, n_train: float) -> Interval:
    values = ratio_of_rows(right, np.ones(len(right)))
    assert values is not None
    return interval_of_rows(values, Origin(owners, n_train))
