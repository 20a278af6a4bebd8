"""What further labels are worth, as a result to print, draw and keep."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchline._arrays import Floats
from branchline._drawable import Drawable
from branchline._intervals import Interval
from branchline._plain_numbers import count, number
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["StopAdvice"]


@dataclass(frozen=True, kw_only=True)
class StopAdvice(Drawable):
    """What further labels are worth; print it to read it.

    It is a rough guide: on ten real tables the accuracy lost by stopping was about what was asked
    for, but the number of labels was right within 20 % in 37 % of the draws only.

    Gains are in accuracy, or in shares of the rmse. Bands hold 90 %.

    Parameters
    ----------
    metric
        "accuracy" or "rmse".
    n_labeled, n_left
        Number of labels, and of rows without one.
    score
        The score on check rows with its 95 % interval; None: there are too few.
    n_more, n_more_low, n_more_high
        How many more labels are worth it, with a band; None: too little to tell.
    n_needed
        How many labels are needed before there is enough to tell; 0: there are enough.
    gain_next, gain_all
        What the next batch, and labels for all other rows, are expected to gain.
    net_next
        What the next batch is worth less what it costs; None without costs.
    negligible
        The gain that is too small to matter.
    curve_sizes, curve
        Numbers of labels, and the change of the score against today: low, expected, high.
    seen_sizes, seen
        The same, measured, of the models of earlier labels.

    See Also
    --------
    ActiveLearner : ``advice`` returns it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.active import ActiveLearner
    >>> X, y = load_dataset("iris").split_target("species")
    >>> learner = ActiveLearner(X, estimator="naive_bayes", batch_size=10)
    >>> for rows in learner:
    ...     learner.tell(rows, y[rows])
    ...     if learner.n_labeled >= 20:
    ...         break
    >>> learner.advice().n_labeled
    20
    """

    metric: str
    n_labeled: int
    n_left: int
    score: Interval | None
    negligible: float
    n_more: int | None = None
    n_more_low: int | None = None
    n_more_high: int | None = None
    n_needed: int = 0
    gain_next: Interval | None = None
    gain_all: Interval | None = None
    net_next: Interval | None = None
    curve_sizes: Floats | None = None
    curve: tuple[Floats, Floats, Floats] | None = None
    seen_sizes: Floats | None = None
    seen: Floats | None = None

    def verdict(self) -> str:
        """Return the suggestion in a sentence."""
        if self.n_left == 0:
            return "Stop: every row has a label."
        if self.n_more is None:
            more = f"Label {self.n_needed} more" if self.n_needed else "Label more"
            return f"Too little to tell what further labels are worth. {more}, then ask again."
        if self.n_more == 0:
            return f"Stop: further labels are hardly worth it{self._up_to()}."
        return f"Label {self.n_more:,} more, then stop (between {self._between()})."

    def _up_to(self) -> str:
        return f" (at most {self.n_more_high:,} more)" if self.n_more_high else ""

    def _between(self) -> str:
        most = "all" if self.n_more_high == self.n_left else f"{self.n_more_high:,}"
        return f"{self.n_more_low:,} and {most}"

    def __str__(self) -> str:
        lines = [self.verdict()]
        if self.score is not None:
            lines.append(f"{self.metric} on check rows: {self.score} with {self.n_labeled} labels.")
        if self.gain_all is not None and self.gain_next is not None:
            of = "in accuracy" if self.metric == "accuracy" else "as a share of the rmse"
            lines.append(f"Expected gain {of}: next batch {_band(self.gain_next)}, all "
                         f"{count(self.n_left, 'other row')} {_band(self.gain_all)}.")  # fmt: skip
        if self.net_next is not None:
            lines.append(f"The next batch is worth {_band(self.net_next)} more than it costs.")
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the advice as plain data."""
        names = ("metric", "n_labeled", "n_left", "n_more", "n_more_low", "n_more_high")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        for name in ("score", "gain_next", "gain_all", "net_next"):
            one = getattr(self, name)
            ends = None if one is None else [one.estimate, one.low, one.high]
            found[name] = ends
        return {**found, "verdict": self.verdict()}

    def _chart(self) -> "Chart":
        from branchline.active._labeling_charts import draw_stop_advice

        if self.curve is None:
            raise ParameterError(
                f"There is no curve to draw yet. {self.verdict()}",
                code="P844",
                repair=Repair("print(learner.advice())"),
            )
        return draw_stop_advice(self)


def _band(found: Interval) -> str:
    return f"{number(found.estimate, 2)} [{number(found.low, 2)}, {number(found.high, 2)}]"
