"""One learner fitted on many samples of one problem, its curves laid over each other.

1. Draw S learning sets, fit the learner on each.
2. Ask each model along one input, from its least to its largest value; other inputs stand at their
   means.
3. Keep every curve. Their scatter is the variance, the distance of their mean from the truth the
   bias.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier

from branchline._arrays import Floats
from branchline._drawable import Drawable
from branchline._plain_numbers import number
from branchline._result_frame import Library, result_frame
from branchline._validation import Whole, check_parameters, check_seed
from branchline.assess._keywords import checked_keywords
from branchline.assess.theory._bias_variance import check_counts, seeded
from branchline.assess.theory._known_classes import KnownClasses
from branchline.assess.theory._known_function import KnownFunction
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["SampleCurves", "sample_curves"]

_N_DRAWN = 2000  # rows that show the range of the inputs


@dataclass(frozen=True, eq=False)
class SampleCurves(Drawable):
    """What the same learner predicts after learning from different samples.

    Parameters
    ----------
    x
        The places along the input.
    curves
        A row for each sample: what its model predicts at each place. For classes, the probability
        of the last class.
    truth
        f(x), or the true probability of that class, at each place.
    n_rows
        The rows of a sample.
    column
        Which input varies, counted from 0.

    See Also
    --------
    sample_curves : fit a learner on many samples and return its curve for each of them.

    Examples
    --------
    >>> from branchline.assess.theory import sample_curves, sine_function
    >>> from branchline.tree import DecisionTreeRegressor
    >>> stump = DecisionTreeRegressor(max_depth=1, prune=None)
    >>> sample_curves(stump, sine_function(), n_sets=5, n_places=4).curves.shape
    (5, 4)
    """

    x: Floats
    curves: Floats
    truth: Floats
    n_rows: int
    column: int

    @property
    def mean(self) -> Floats:
        """The mean of the curves at each place."""
        found: Floats = self.curves.mean(axis=0)
        return found

    @property
    def bias2(self) -> Floats:
        """The squared bias at each place, without bias of its own."""
        found: Floats = (self.mean - self.truth) ** 2 - self.variance / len(self.curves)
        return found

    @property
    def variance(self) -> Floats:
        """The variance of the curves at each place."""
        found: Floats = self.curves.var(axis=0, ddof=1)
        return found

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_sample_curves

        return draw_sample_curves(self)

    def to_text(self) -> str:
        """Return the truth, the mean and the range of the curves at ten places."""
        low, high = np.quantile(self.curves, [0.05, 0.95], axis=0)
        heads = ("x", "truth", "mean", "5 %", "95 %")
        lines = [" ".join(f"{head:>9}" for head in heads)]
        for place in np.unique(np.linspace(0, len(self.x) - 1, 10).round().astype(int)):
            cells = (self.x, self.truth, self.mean, low, high)
            lines.append(" ".join(f"{number(cell[place]):>9}" for cell in cells))
        return "\n".join([f"{len(self.curves)} samples of {self.n_rows} rows", *lines])

    def __str__(self) -> str:
        return self.to_text()

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return one row for each place of each curve: sample, x, predicted, truth."""
        n_samples, n_places = self.curves.shape
        columns = {
            "sample": np.repeat(np.arange(n_samples), n_places),
            "x": np.tile(self.x, n_samples),
            "predicted": self.curves.ravel(),
            "truth": np.tile(self.truth, n_samples),
        }
        return result_frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """Return all curves as data, for a plot of your own."""
        numbers = {name: getattr(self, name).tolist() for name in ("x", "truth", "curves")}
        return {**numbers, "n_rows": self.n_rows, "column": self.column}


@checked_keywords
def sample_curves(
    model: Any,
    problem: KnownFunction | KnownClasses,
    *,
    n_rows: int = 50,
    n_sets: int = 100,
    n_places: int = 200,
    column: int = 0,
    random_state: Any = 0,
) -> SampleCurves:
    """Fit a learner on many samples and return its curve for each of them.

    Parameters
    ----------
    model
        A regressor, or a classifier with probabilities; it is copied.
    problem
        What is drawn: ``sine_function()``, ``sine_classes()``, or one of your own, with numeric
        inputs.
    n_rows, n_sets
        The rows of a sample, and the number of samples. Defaults 50, 100.
    n_places
        The number of places along the input. Default 200.
    column
        Which input varies, counted from 0. Default 0.
    random_state
        The seed of all draws. Default 0.

    See Also
    --------
    SampleCurves : what the same learner predicts after learning from different samples.

    Examples
    --------
    >>> from branchline.assess.theory import sample_curves, sine_function
    >>> from branchline.tree import DecisionTreeRegressor
    >>> stump = DecisionTreeRegressor(max_depth=1, prune=None)
    >>> found = sample_curves(stump, sine_function(), n_sets=10, n_places=5)
    >>> found.curves.shape
    (10, 5)
    """
    check_counts("sample_curves", n_rows=n_rows, n_sets=n_sets, n_places=n_places)
    seed = check_seed(random_state)
    places, x = _places(problem, n_places, column, seed)
    curves = np.empty((n_sets, n_places))
    for place in range(n_sets):
        X, y = problem.draw(n_rows, [seed, place + 1])
        curves[place] = _asked(seeded(model, seed, place).fit(X, y), places, problem)
    truth = problem.truth(places, n_places)
    return SampleCurves(x, curves, truth if truth.ndim == 1 else truth[:, -1], n_rows, column)


def _places(problem: Any, n_places: int, column: int, seed: int) -> tuple[Floats, Floats]:
    """Return rows along one input, and its values."""
    try:
        drawn = np.asarray(problem.draw(_N_DRAWN, [seed, 0])[0], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"Curves run along a numeric input; the inputs of this problem are not numbers "
            f"({error}).",
            code="P365",
            repair=Repair("sample_curves(model, sine_function())"),
        ) from error
    most = {"column": Whole(0, drawn.shape[1] - 1)}
    check_parameters("sample_curves", {"column": column}, most)
    x = np.linspace(drawn[:, column].min(), drawn[:, column].max(), n_places)
    rows = np.tile(drawn.mean(axis=0), (n_places, 1))
    rows[:, column] = x
    return rows, x


def _asked(fitted: Any, places: Floats, problem: Any) -> Any:
    if not is_classifier(fitted):
        return fitted.predict(places)
    last = problem.classes[-1]
    shares = fitted.predict_proba(places)
    seen = list(fitted.classes_)
    return shares[:, seen.index(last)] if last in seen else np.zeros(len(places))
