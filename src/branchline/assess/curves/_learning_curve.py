"""Learning and validation curves: the score against the number of rows, or against a parameter.

Learning curve: every training set of the resampling is cut to its first n rows, in an order that
depends on nothing but their content (classes kept in proportion); the test sets stay whole. So all
points of the curve are measured on the same rows.

Validation curve: the same splits for every value of one parameter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline._drawable import Drawable
from branchline._intervals import Interval
from branchline._model_rows import rows_for
from branchline._plain_numbers import alike
from branchline._result_frame import Library, result_frame
from branchline._row_keys import scramble
from branchline._row_scores import Origin, count_different
from branchline._validation import Task
from branchline.assess._find_metric import check_positive, find_metric
from branchline.assess._keywords import checked_keywords
from branchline.assess._metrics import Metric
from branchline.assess._outcome import Outcome
from branchline.assess._scoring import probabilities_of, score_interval
from branchline.assess.comparing._problem import Problem, checked_problem
from branchline.assess.comparing._resampling import Resampling, Split
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["Curve", "CurvePoint", "learning_curve", "validation_curve"]

_USUAL_SHARES = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)


@dataclass(frozen=True)
class CurvePoint:
    """One place of a curve: the score on training rows and on test rows, with 95 % intervals.

    The interval of the training score is about that score, which is too good for new rows.

    See Also
    --------
    Curve : a score against rows or against a parameter.
    learning_curve : return how the score grows with the number of training rows.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.curves import learning_curve
    >>> from branchline.bayes import NaiveBayes
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> learning_curve(NaiveBayes(), X, y, sizes=[0.25, 1.0]).points[0].at
    86
    """

    at: Any
    train: float
    test: Interval
    train_interval: Interval | None = None


@dataclass(frozen=True)
class Curve(Drawable):
    """A score against rows or against a parameter; print it to read it.

    See Also
    --------
    learning_curve : return how the score grows with the number of training rows.
    validation_curve : return the score for each value of one parameter.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.curves import learning_curve
    >>> from branchline.bayes import NaiveBayes
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> len(learning_curve(NaiveBayes(), X, y, sizes=[0.25, 1.0]).points)
    2
    """

    metric: str
    axis: str
    points: tuple[CurvePoint, ...]

    def __str__(self) -> str:
        width = max([len(str(point.at)) for point in self.points] + [len(self.axis)])
        lines = [f"{self.axis:>{width}}  {'training':>9}  {self.metric} on test rows"]
        lines += [f"{p.at!s:>{width}}  {alike([p.train])[0]:>9}  {p.test}" for p in self.points]
        return "\n".join(lines)

    __repr__ = __str__

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each place of the curve, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        return {"metric": self.metric, "axis": self.axis, **self._columns()}

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {"at": [point.at for point in self.points]}
        columns["train"] = [point.train for point in self.points]
        for end, name in (("estimate", "test"), ("low", "low"), ("high", "high")):
            columns[name] = [getattr(point.test, end) for point in self.points]
        return columns

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_scores

        return draw_scores(self)


@checked_keywords
def learning_curve(
    model: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] = _USUAL_SHARES,
    metric: str | None = None,
    positive: Any = None,
    n_folds: int = 5,
    random_state: int = 0,
) -> Curve:
    """Return how the score grows with the number of training rows.

    Parameters
    ----------
    model
        An unfitted estimator; it is copied.
    X, y
        The table and its target.
    sizes
        Shares of a training set (up to 1.0), or numbers of rows (above 1).
        Default (0.1, 0.2, 0.35, 0.5, 0.7, 1.0).
    metric, positive
        A name of ``METRICS``, and the class that it describes. Default: accuracy, or rmse for
        numbers.
    n_folds
        Number of folds of the cross-validation. Default 5.
    random_state
        Seed of the folds. Default 0.

    See Also
    --------
    Curve : a score against rows or against a parameter.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.curves import learning_curve
    >>> from branchline.bayes import NaiveBayes
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> [point.at for point in learning_curve(NaiveBayes(), X, y, sizes=[0.25, 1.0]).points]
    [86, 344]
    """
    work = _Work(model, X, y, metric, positive, n_folds, random_state)
    smallest = min(split.n_train for split in work.splits)
    counts = [round(size * smallest) if size <= 1 else int(size) for size in sizes]
    for size, count in zip(sizes, counts, strict=True):
        if not 2 <= count <= smallest:
            raise ParameterError(
                f"A training set of {size} is not possible: there are {smallest} rows in one.",
                code="P103",
                values=[size],
                repair=Repair("learning_curve(model, X, y, sizes=[0.2, 0.5, 1.0])"),
            )
    points = [work.point(count, model, n_rows=count) for count in counts]
    return Curve(work.metric.name, "rows", tuple(points))


@checked_keywords
def validation_curve(  # noqa: PLR0913 (as ``learning_curve``, and a parameter with its values)
    model: Any,
    X: Any,
    y: Any,
    *,
    parameter: str,
    values: Sequence[Any],
    metric: str | None = None,
    positive: Any = None,
    n_folds: int = 5,
    random_state: int = 0,
) -> Curve:
    """Return the score for each value of one parameter.

    The best of the curve is too good to be true: it was chosen by looking at the test rows. Use
    ``compare(..., tuning=...)`` to choose a value and to assess the choice.

    Parameters
    ----------
    model
        An unfitted estimator; it is copied.
    X, y
        The table and its target.
    parameter
        The name of the parameter.
    values
        The values to try.
    metric, positive
        A name of ``METRICS``, and the class that it describes. Default: accuracy, or rmse for
        numbers.
    n_folds
        Number of folds of the cross-validation. Default 5.
    random_state
        Seed of the folds. Default 0.

    See Also
    --------
    Curve : a score against rows or against a parameter.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.curves import validation_curve
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> tree = DecisionTreeClassifier(prune=None)
    >>> curve = validation_curve(tree, X, y, parameter="max_depth", values=[1, 2, 5])
    >>> [round(point.test.estimate, 2) for point in curve.points]
    [0.66, 0.94, 0.94]
    """
    work = _Work(model, X, y, metric, positive, n_folds, random_state)
    points = [work.point(one, clone(model).set_params(**{parameter: one})) for one in values]
    return Curve(work.metric.name, parameter, tuple(points))


class _Work:
    """The splits, and how a model does on them."""

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        metric: str | None,
        positive: Any,
        n_folds: int,
        seed: int,
    ) -> None:
        task: Task = "classification" if hasattr(model, "classes_") else _task_of(model)
        self.problem: Problem = checked_problem(X, y, task=task)
        self.metric: Metric = find_metric(metric, task)
        self.positive = None
        classes = self.problem.classes
        if classes is not None and (self.metric.needs_positive or positive is not None):
            self.positive = check_positive(self.metric, positive, classes)
        way = Resampling(self.problem.usual_resampling, n_folds=n_folds)
        self.splits = way.splits(self.problem, seed)
        # Before any cut: few rows to learn from make models differ more, but share no more.
        owners = self.owner_of_row = self.problem.folds.owner_of_row
        n_train = float(np.mean([count_different(owners[split.train]) for split in self.splits]))
        tested = np.concatenate([split.test for split in self.splits])
        copies = 1.0 if self.problem.groups is not None else _copies(owners[tested])
        self.origin = Origin(owners[tested], n_train, copies=copies)

    def point(self, at: Any, model: Any, n_rows: int | None = None) -> CurvePoint:
        """Fit on every training set, cut to ``n_rows``, and score training and test rows."""
        tests, trains = [], []
        for split in self.splits:
            rows = split.train if n_rows is None else self._cut(split, n_rows)
            fitted = clone(model)
            fitted.fit(rows_for(model, self.problem.table.rows(rows)), self.problem.target[rows])
            tests.append(self._outcome(fitted, split.test))
            trains.append((rows, self._outcome(fitted, rows)))
        scores = [self.metric.score(outcome) for _, outcome in trains]
        return CurvePoint(
            at,
            float(np.nanmean(scores)),
            score_interval(self.metric, tests, self.origin),
            self._of_training(trains),
        )

    def _of_training(self, trains: list[tuple[npt.NDArray[np.intp], Outcome]]) -> Interval:
        """Return the score of training rows with its interval: a row of k sets counts once."""
        rows = np.concatenate([rows for rows, _ in trains])
        owners, n_rows = self.owner_of_row[rows], count_different(rows)
        n_train = float(np.mean([count_different(self.owner_of_row[rows]) for rows, _ in trains]))
        origin = Origin(owners, n_train, len(rows) / n_rows, n_rows / count_different(owners))
        return score_interval(self.metric, [outcome for _, outcome in trains], origin)

    def _cut(self, split: Split, n_rows: int) -> npt.NDArray[np.intp]:
        """Return the first rows of a training set, classes in proportion."""
        keys = scramble(self.problem.row_keys[split.train])
        if self.problem.classes is None:
            return split.train[np.sort(np.argsort(keys, kind="stable")[:n_rows])]
        places = self.problem.places[split.train]
        order = np.lexsort((keys, places))
        kept = order[np.floor((np.arange(n_rows) + 0.5) * len(order) / n_rows).astype(np.intp)]
        return split.train[np.sort(kept)]

    def _outcome(self, fitted: Any, rows: npt.NDArray[np.intp]) -> Outcome:
        problem = self.problem
        given = rows_for(fitted, problem.table.rows(rows))
        predicted = fitted.predict(given)
        if problem.classes is None:
            return Outcome(problem.target[rows], predicted)
        needs = self.metric.needs_probabilities
        probabilities = probabilities_of(fitted, given, problem.classes) if needs else None
        names = tuple(problem.classes.tolist())
        places = np.searchsorted(problem.classes, predicted)
        return Outcome(problem.places[rows], places, probabilities, names, self.positive)


def _copies(owners: npt.NDArray[np.intp]) -> float:
    return len(owners) / count_different(owners)


def _task_of(model: Any) -> Task:
    from sklearn.base import is_classifier

    return "classification" if is_classifier(model) else "regression"
