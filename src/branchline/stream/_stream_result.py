"""What an evaluation on a stream found: accuracy with its interval, the curve, the diary."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchline._arrays import Floats, Ints
from branchline._drawable import Drawable
from branchline._intervals import Interval
from branchline._plain_numbers import count, data_size, duration, fixed
from branchline.stream._drift_diary import DiaryEntry
from branchline.stream._stream_scores import StreamScores

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["StreamResult"]

_MOST_ENTRIES = 10


@dataclass(frozen=True, eq=False)
class StreamResult(Drawable):
    """An evaluation on a stream: each row was predicted before it was learned from.

    Parameters
    ----------
    learner
        The class of the model.
    n_rows
        How many rows were predicted.
    accuracy
        The share of right predictions with its 95 % interval, which allows for errors that are
        alike in time.
    faded_accuracy
        The same at the end of the stream, a row counting less the more came after it.
    majority, last_class
        The accuracy of two simple rules on the same rows: the most frequent class so far, and the
        class of the row before.
    curve_rows, curve_accuracy, curve_faded
        The last row of each block, the accuracy in it, and the faded accuracy at its end.
    diary
        When errors rose, which columns had changed, which branches were rebuilt.
    seconds
        CPU time for predicting and learning.
    n_bytes
        What the model takes, about; None where it does not say.

    See Also
    --------
    evaluate_stream : predict each row of a stream before the model learns from it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.stream import HoeffdingTreeClassifier, evaluate_stream
    >>> rows = load_dataset("german-credit")
    >>> evaluate_stream(HoeffdingTreeClassifier(), rows, target="class").n_rows
    1000
    """

    learner: str
    n_rows: int
    accuracy: Interval
    faded_accuracy: float
    majority: float
    last_class: float
    curve_rows: Ints
    curve_accuracy: Floats
    curve_faded: Floats
    diary: tuple[DiaryEntry, ...]
    seconds: float
    n_bytes: int | None

    @staticmethod
    def of(
        model: Any, scores: StreamScores, diary: tuple[DiaryEntry, ...], seconds: float
    ) -> "StreamResult":
        """Return the result of rows that were counted."""
        accuracy, majority, last_class = scores.shares()
        blocks, faded = scores.table(), scores.faded_at()
        return StreamResult(
            type(model).__name__,
            scores.n_rows,
            accuracy,
            float(faded[-1]),
            majority,
            last_class,
            blocks[:, 0].cumsum() - 1,
            blocks[:, 1] / blocks[:, 0],
            faded,
            diary,
            seconds,
            getattr(model, "n_bytes_", None),
        )

    def to_text(self) -> str:
        """Return the result in words."""
        estimate, between = self.accuracy.texts()
        memory = "" if self.n_bytes is None else f", {data_size(self.n_bytes)}"
        lines = [
            f"{self.learner} on {count(self.n_rows, 'row')}, each predicted before it was learned "
            "from",
            f"accuracy            {estimate} {between}",
            f"of the last rows    {fixed(self.faded_accuracy)}",
            f"most frequent class {fixed(self.majority)}",
            f"class of the row before {fixed(self.last_class)}",
            f"{duration(self.seconds)} of CPU time{memory}",
        ]
        if self.diary:
            times = "once" if len(self.diary) == 1 else count(len(self.diary), "time")
            lines += ["", f"Errors rose {times}:"]
            lines += map(str, self.diary[:_MOST_ENTRIES])
            if len(self.diary) > _MOST_ENTRIES:
                lines.append(f"… and {count(len(self.diary) - _MOST_ENTRIES, 'more time')}")
        else:
            lines += ["", "Errors never rose beyond chance."]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        one = self.accuracy
        return {
            "learner": self.learner,
            "n_rows": self.n_rows,
            "accuracy": {"estimate": one.estimate, "low": one.low, "high": one.high},
            "faded_accuracy": self.faded_accuracy,
            "majority": self.majority,
            "last_class": self.last_class,
            "seconds": self.seconds,
            "n_bytes": self.n_bytes,
            "curve": {
                "row": self.curve_rows.tolist(),
                "accuracy": self.curve_accuracy.tolist(),
                "faded": self.curve_faded.tolist(),
            },
            "diary": [entry.to_dict() for entry in self.diary],
        }

    def _chart(self) -> "Chart":
        from branchline.stream._stream_chart import draw_results

        return draw_results([self])
