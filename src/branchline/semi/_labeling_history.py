"""What self-training did, round by round."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchline._drawable import Drawable
from branchline._plain_numbers import count, number
from branchline._result_frame import Library, result_frame

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["LabelingHistory", "LabelingRound"]


@dataclass(frozen=True)
class LabelingRound:
    """One round of self-training.

    Parameters
    ----------
    n_sure
        How many unlabeled rows the model was sure enough of.
    n_labeled
        How many of them got a label that the next model learns from.
    n_changed
        How many of these had no label or another one in the round before.
    of_class
        How many rows of each class were labeled.

    See Also
    --------
    LabelingHistory : the rounds of self-training.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.semi import SelfTraining
    >>> X, y = load_dataset("iris").split_target("species")
    >>> labels = [one if row % 5 == 0 else None for row, one in enumerate(y)]
    >>> model = SelfTraining("naive_bayes").fit(X, labels)
    >>> model.history_.rounds[0].n_labeled
    30
    """

    n_sure: int
    n_labeled: int
    n_changed: int
    of_class: tuple[int, ...]


@dataclass(frozen=True)
class LabelingHistory(Drawable):
    """The rounds of self-training.

    Parameters
    ----------
    rounds
        What each round did.
    classes
        The names of the classes.
    threshold
        How probable a class must be for its label to be taken; infinite where no probability was
        right often enough.

    See Also
    --------
    SelfTraining : let any classifier learn from unlabeled rows.
    LabelingRound : one round of self-training.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.semi import SelfTraining
    >>> X, y = load_dataset("iris").split_target("species")
    >>> labels = [one if row % 5 == 0 else None for row, one in enumerate(y)]
    >>> model = SelfTraining("naive_bayes").fit(X, labels)
    >>> len(model.history_.rounds)
    7
    """

    rounds: tuple[LabelingRound, ...]
    classes: tuple[str, ...]
    threshold: float

    def __len__(self) -> int:
        return len(self.rounds)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each round, as a frame of pandas or polars."""
        columns: dict[str, list[Any]] = {
            "round": list(range(1, len(self.rounds) + 1)),
            "sure": [one.n_sure for one in self.rounds],
            "labeled": [one.n_labeled for one in self.rounds],
            "changed": [one.n_changed for one in self.rounds],
        }
        for place, name in enumerate(self.classes):
            columns[f"labeled {name}"] = [one.of_class[place] for one in self.rounds]
        return result_frame(columns, library)

    def to_text(self) -> str:
        """Return a line for each round."""
        head = f"A row is labeled from a probability of {number(self.threshold)} on."
        lines = [
            f"round {place}: {count(one.n_labeled, 'row')} labeled, {one.n_changed:,} changed, "
            f"{one.n_sure:,} sure enough"
            for place, one in enumerate(self.rounds, start=1)
        ]
        return "\n".join([head, *lines])

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_rounds

        return draw_rounds(self)
