"""Permutation importance: how much worse a fitted model gets when a column is shuffled.

1. The model predicts rows (best: rows it has not seen) and is scored.
2. A column's cells are shuffled among the rows, which breaks what it tells; the model is scored
   again. The loss, averaged over ``n_repeats`` shuffles, is the column's importance.
3. Rows are drawn anew with replacement to see how much depends on which rows there are: the
   importance and the rank of each column get the middle 95 % of what these draws give.
Columns that tell the same share their importance: each looks unimportant while the other is there.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._drawable import Drawable
from branchline._intervals import Interval
from branchline._notebook import box, grid
from branchline._notebook import words as paragraph
from branchline._plain_numbers import alike, count
from branchline._result_frame import Library, result_frame
from branchline._trees._costs import check_costs
from branchline._validation import Task, Whole, check_parameters, check_seed
from branchline.assess._find_metric import check_positive, find_metric
from branchline.assess._keywords import checked_keywords
from branchline.assess._metrics import Metric
from branchline.assess._outcome import Outcome
from branchline.assess._scoring import probabilities_of
from branchline.errors import NotFittedError
from branchline.table import Table, as_table

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["ColumnImportance", "Importances", "permutation_importance"]

Floats = npt.NDArray[np.float64]

_N_DRAWS = 200
_MOST_SHOWN, _MOST_IN_HTML, _MOST_IN_CHART = 12, 50, 25
SMALLEST_LOSS = 1e-12


@dataclass(frozen=True)
class ColumnImportance:
    """How much a column matters.

    Parameters
    ----------
    column
        Its name.
    loss
        By how much the score gets worse when the column is shuffled, with its interval.
    rank
        Its rank: 1 is the most important column.
    rank_low, rank_high
        The ends of the interval of its rank.

    See Also
    --------
    Importances : all columns, the most important first.
    ImportanceShares : the share of each column with its interval, the largest first.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import permutation_importance
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> permutation_importance(DecisionTreeClassifier().fit(X, y), X, y).columns[0].rank
    1
    """

    column: str
    loss: Interval
    rank: int
    rank_low: int
    rank_high: int

    @property
    def is_idle(self) -> bool:
        """Whether shuffling it changes nothing at all: then it has no rank of its own."""
        return self.loss.estimate == self.loss.low == self.loss.high == 0

    @property
    def rank_words(self) -> str:
        """The rank with the places it might have; nothing for a column that changes nothing."""
        if self.is_idle:
            return "–"
        if self.rank_low == self.rank_high:
            return f"{self.rank}"
        return f"{self.rank} ({self.rank_low} to {self.rank_high})"


@dataclass(frozen=True)
class Importances(Drawable):
    """All columns, the most important first; print it to read it.

    See Also
    --------
    permutation_importance

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import permutation_importance
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> len(permutation_importance(DecisionTreeClassifier().fit(X, y), X, y).columns)
    4
    """

    metric: str
    score: float
    columns: tuple[ColumnImportance, ...]

    @property
    def measure(self) -> str:
        """What is listed, in a few words."""
        return f"loss of {self.metric}"

    @property
    def chart_note(self) -> str:
        """What the chart shows, in a sentence."""
        return "By how much the score gets worse when a column is shuffled, with 95 % intervals."

    @property
    def head(self) -> str:
        """What the table shows, in a sentence."""
        return f"How much worse {self.metric} gets when a column is shuffled"

    def __str__(self) -> str:
        width = max([len(one.column) for one in self.columns] + [6])
        lines = [f"{'column':<{width}}  {self.measure:>28}  rank"]
        for one, (loss, low, high) in zip(self.columns, self._losses(), strict=True):
            words = f"{loss} [{low}, {high}]"
            lines.append(f"{one.column:<{width}}  {words:>28}  {one.rank_words}")
        return "\n".join(lines)

    def _losses(self) -> list[list[str]]:
        """Return each loss and the ends of its interval, all with the same decimals."""
        ends = [(one.loss.estimate, one.loss.low, one.loss.high) for one in self.columns]
        texts = alike([end for each in ends for end in each])
        return [texts[at : at + 3] for at in range(0, len(texts), 3)]

    def __repr__(self) -> str:
        lines = str(self).split("\n")
        n_more = len(lines) - _MOST_SHOWN - 1
        more = [f"… {count(n_more, 'more column')}"] if n_more > 0 else []
        return "\n".join([*lines[: _MOST_SHOWN + 1], *more])

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each column of the table, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the importances as plain data."""
        return {"metric": self.metric, "score": self.score, **self._columns()}

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {"column": [one.column for one in self.columns]}
        for end, name in (("estimate", "loss"), ("low", "low"), ("high", "high")):
            columns[name] = [getattr(one.loss, end) for one in self.columns]
        for name in ("rank", "rank_low", "rank_high"):
            columns[name] = [getattr(one, name) for one in self.columns]
        return columns

    def _chart(self) -> "Chart":
        from branchline.charts import Bar, bar_rows

        shown = [one for one in self.columns if not one.is_idle][:_MOST_IN_CHART] or self.columns[
            :1
        ]
        sizes = alike([one.loss.estimate for one in shown])
        bars = [
            Bar(one.column, one.loss.estimate, size, one.loss.low, one.loss.high)
            for one, size in zip(shown, sizes, strict=True)
        ]
        n_more = len(self.columns) - len(bars)
        note = self.chart_note
        note += f" {count(n_more, 'column')} with less or no effect not shown." if n_more else ""
        return bar_rows(bars, self.measure, "How much each column matters", note=note)

    def _repr_html_(self) -> str:
        heads = ("column", self.measure, "95 % interval", "rank")
        rows = [
            (one.column, loss, f"{low} to {high}", one.rank_words)
            for one, (loss, low, high) in zip(self.columns, self._losses(), strict=True)
        ][:_MOST_IN_HTML]
        n_more = len(self.columns) - len(rows)
        more = f"… {count(n_more, 'more column')}" if n_more else ""
        return box(paragraph(self.head, quiet=True), grid(heads, rows), paragraph(more, quiet=True))


@checked_keywords
def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    metric: str | None = None,
    positive: Any = None,
    costs: Any = None,
    n_repeats: int = 5,
    random_state: Any = 0,
) -> Importances:
    """Return how much worse a fitted model predicts when each column is shuffled.

    Parameters
    ----------
    model
        A fitted estimator.
    X, y
        Rows to predict and their true values. Use rows that the model has not seen.
    metric, positive
        The metric, and the class that it describes. Default: accuracy, or rmse for numbers.
    costs
        What each error costs, for the metric "cost"; None (default): every error costs 1.
    n_repeats
        Number of times that each column is shuffled. More repeats give narrower intervals.
        Default 5.
    random_state
        The seed of the shuffles. Default 0.

    See Also
    --------
    Importances : all columns, the most important first.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import permutation_importance
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = permutation_importance(DecisionTreeClassifier().fit(X, y), X, y)
    >>> found.columns[0].column
    'petal_width'
    """
    check_parameters("permutation_importance", {"n_repeats": n_repeats}, {"n_repeats": Whole(1)})
    _check_fitted(model)
    table = as_table(X, texts="raw")
    scorer = _Scorer(model, np.asarray(y), metric, positive, costs)
    rng = np.random.default_rng(check_seed(random_state))
    whole = scorer.outcome(table)
    draws = _draws(len(whole), rng)
    base = scorer.scores(whole, draws)
    losses = []
    for name in table.names:
        shuffled = [_shuffled(table, name, rng) for _ in range(n_repeats)]
        without = np.mean([scorer.scores(scorer.outcome(one), draws) for one in shuffled], axis=0)
        losses.append((base - without) * (-1.0 if scorer.metric.less_is_better else 1.0))
    return _importances(scorer.metric, float(base[0]), table.names, np.array(losses))


def _check_fitted(model: Any) -> None:
    if hasattr(model, "_check_fitted"):
        model._check_fitted()
    elif not hasattr(model, "n_features_in_"):
        raise NotFittedError("The model is not fitted yet.", code="N001")


class _Scorer:
    """Scores a model's predictions, on all rows and on rows drawn anew."""

    def __init__(
        self, model: Any, y: npt.NDArray[Any], metric: str | None, positive: Any, costs: Any
    ) -> None:
        self.model, self.classes = model, getattr(model, "classes_", None)
        task: Task = "regression" if self.classes is None else "classification"
        self.metric: Metric = find_metric(metric, task)
        self.positive = None
        if self.classes is not None and (self.metric.needs_positive or positive is not None):
            self.positive = check_positive(self.metric, positive, self.classes)
        self.costs = None
        if self.classes is not None and costs is not None:
            self.costs = check_costs(costs, self.classes)
        self.truth = y if self.classes is None else np.searchsorted(self.classes, y)

    def outcome(self, table: Table) -> Outcome:
        predicted = self.model.predict(table)
        if self.classes is None:
            return Outcome(self.truth.astype(np.float64), predicted)
        needs = self.metric.needs_probabilities
        probabilities = probabilities_of(self.model, table, self.classes) if needs else None
        places, names = np.searchsorted(self.classes, predicted), tuple(self.classes.tolist())
        return Outcome(self.truth, places, probabilities, names, self.positive, self.costs)

    def scores(self, outcome: Outcome, draws: list[npt.NDArray[np.intp]]) -> Floats:
        """Return the score of all rows, then of each draw."""
        return np.array([self.metric.score(outcome.rows(rows)) for rows in draws])


def _draws(n_rows: int, rng: np.random.Generator) -> list[npt.NDArray[np.intp]]:
    every = np.arange(n_rows)
    return [every, *(rng.integers(0, n_rows, n_rows) for _ in range(_N_DRAWS))]


def _shuffled(table: Table, name: str, rng: np.random.Generator) -> Table:
    """Return the table with one column's cells in another order."""
    order = rng.permutation(table.n_rows)
    columns = [
        table.column(other).take(order) if other == name else table.column(other)
        for other in table.names
    ]
    return Table.from_columns(columns, named=table.schema.named)


def _importances(metric: Metric, score: float, names: Any, losses: Floats) -> Importances:
    noise = np.abs(losses) <= SMALLEST_LOSS * max(1.0, abs(score))
    losses = np.where(noise, 0.0, losses)  # what adding floats leaves over is not an importance
    ranks = np.argsort(np.argsort(-losses, axis=0, kind="stable"), axis=0, kind="stable") + 1
    low, high = np.nanquantile(losses[:, 1:], [0.025, 0.975], axis=1)
    rank_low, rank_high = np.quantile(ranks[:, 1:], [0.025, 0.975], axis=1, method="nearest")
    columns = [
        ColumnImportance(
            name,
            Interval(float(losses[at, 0]), float(low[at]), float(high[at])),
            int(ranks[at, 0]),
            int(min(rank_low[at], ranks[at, 0])),
            int(max(rank_high[at], ranks[at, 0])),
        )
        for at, name in enumerate(names)
    ]
    return Importances(metric.name, score, tuple(sorted(columns, key=lambda one: one.rank)))
