"""The learning curve of chosen rows beside that of random rows, simulated on a labeled table.

1. A draw sets a random part of the rows aside as test rows. The others are the pool.
2. Both ways begin with the same random rows. Then labels are revealed as they are asked for, by the
   strategy or in a random order.
3. After every few labels the learner is fitted and measured on the test rows.
4. The band is the mean over draws ± the 95 % quantile of Student's t times its standard error; the
   difference of the two ways is taken within each draw first.

The draws divide one table anew, so that the band says how much the choice of rows and test rows
matters, not how other tables would do.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from branchline._arrays import Floats, Ints
from branchline._drawable import Drawable
from branchline._intervals import Interval
from branchline._named_learners import Learner
from branchline._plain_numbers import alike, count
from branchline._result_frame import Library, result_frame
from branchline._validation import Constraint, OneOf, Real, Whole, check_parameters, check_seed
from branchline.active._simulated_draw import Draw, make_world
from branchline.active._strategies import OF_CLASSES

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["LabelingCurve", "simulate_labeling"]

_WHOLE: dict[str, Constraint] = {
    "n_start": Whole(2),
    "n_labels": Whole(3),
    "batch_size": Whole(1),
    "n_draws": Whole(2),
}
_CONSTRAINTS: dict[str, Constraint] = {
    "estimator": Learner(),
    "strategy": OneOf(("auto", *OF_CLASSES)),
    "test_fraction": Real(0.05, 0.95),
    "n_start": Whole(2),
    "n_labels": Whole(3),
    "batch_size": Whole(1),
    "n_draws": Whole(2),
}


@dataclass(frozen=True)
class LabelingCurve(Drawable):
    """Scores on test rows against the number of labels, chosen and random; print it to read it.

    Parameters
    ----------
    metric
        "accuracy" or "rmse".
    strategy
        How rows were chosen.
    sizes
        The numbers of labels.
    chosen, random
        The scores: a row for each draw, a column for each size.
    all_labels
        The score of each draw with labels for the whole pool.

    See Also
    --------
    simulate_labeling : return how fast a learner improves with chosen rows and with random rows.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.active import simulate_labeling
    >>> X, y = load_dataset("iris").split_target("species")
    >>> curve = simulate_labeling(X, y, estimator="naive_bayes", n_start=5, n_labels=8, n_draws=2)
    >>> curve.sizes.tolist()
    [5, 6, 7, 8]
    """

    metric: str
    strategy: str
    sizes: Ints
    chosen: Floats
    random: Floats
    all_labels: Floats

    def intervals(self, way: str = "chosen") -> list[Interval]:
        """Return the mean score at each size with its interval: "chosen" or "random"."""
        scores = self.chosen if way == "chosen" else self.random
        return [mean_interval(column) for column in scores.T]

    def differences(self) -> list[Interval]:
        """Return by how much chosen rows are better at each size (positive: better)."""
        better = self.chosen - self.random
        return [mean_interval(column) for column in (better if self._rises else -better).T]

    @property
    def _rises(self) -> bool:
        return self.metric == "accuracy"

    @property
    def n_random_labels(self) -> int | None:
        """The number of random labels that do as well as the last of the chosen; None: more."""
        goal, random = self.chosen.mean(axis=0)[-1], self.random.mean(axis=0)
        reached = random >= goal if self._rises else random <= goal
        return int(self.sizes[reached.argmax()]) if reached.any() else None

    def __str__(self) -> str:
        lines = [
            f"{'labels':>6}  {'chosen (' + self.strategy + ')':<22}  {'random':<22}  better by"
        ]
        rows = zip(self.sizes, self.intervals(), self.intervals("random"), self.differences(),
                   strict=True)  # fmt: skip
        shown = np.unique(np.linspace(0, len(self.sizes) - 1, 8).round().astype(int))
        for at, (size, chosen, random, better) in enumerate(rows):
            if at in shown:
                lines.append(f"{size:>6}  {chosen!s:<22}  {random!s:<22}  {better}")
        whole = alike([float(self.all_labels.mean())])[0]
        lines.append(f"{self.metric} with all labels: {whole}. {self.verdict()}")
        return "\n".join(lines)

    __repr__ = __str__

    def verdict(self) -> str:
        """Return in a sentence whether choosing rows helped."""
        last, n_labels = self.differences()[-1], int(self.sizes[-1])
        draws = f"over {count(len(self.chosen), 'draw')}"
        if last.low > 0:
            same = self.n_random_labels
            as_many = f"more than {n_labels}" if same is None else f"about {same}"
            more = "" if same is not None and same <= n_labels else (
                f" Random rows need {as_many} labels for the same {self.metric}."
            )  # fmt: skip
            return f"Choosing rows helped at {n_labels} labels ({draws}).{more}"
        if last.high < 0:
            return f"Choosing rows hurt at {n_labels} labels ({draws}): take random rows."
        return f"At {n_labels} labels chosen and random rows are statistically tied ({draws})."

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each number of labels, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        whole = float(self.all_labels.mean())
        return {"metric": self.metric, "strategy": self.strategy, "all_labels": whole,
                "verdict": self.verdict(), **self._columns()}  # fmt: skip

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {"n_labels": self.sizes.tolist()}
        three = {"chosen": self.intervals(), "random": self.intervals("random"),
                 "difference": self.differences()}  # fmt: skip
        for name, intervals in three.items():
            columns[name] = [one.estimate for one in intervals]
            columns[f"{name}_low"] = [one.low for one in intervals]
            columns[f"{name}_high"] = [one.high for one in intervals]
        return columns

    def _chart(self) -> "Chart":
        from branchline.active._labeling_charts import draw_labeling_curve

        return draw_labeling_curve(self)


def mean_interval(scores: Floats) -> Interval:
    """Return the mean of scores with its 95 % t interval."""
    mean, n = float(scores.mean()), len(scores)
    reach = float(stats.t.ppf(0.975, n - 1)) * float(scores.std(ddof=1)) / np.sqrt(n)
    return Interval(mean, mean - reach, mean + reach)


def simulate_labeling(  # noqa: PLR0913 (an option for each part of the simulation)
    X: Any,
    y: Any,
    *,
    estimator: Any = "random_forest",
    strategy: str = "auto",
    n_start: int = 20,
    n_labels: int = 70,
    batch_size: int = 1,
    n_draws: int = 10,
    test_fraction: float = 0.5,
    random_state: Any = 0,
) -> LabelingCurve:
    """Return how fast a learner improves with chosen rows and with random rows.

    Parameters
    ----------
    X, y
        A table whose labels are all known.
    estimator
        The learner: a name of the catalog or an estimator. Default "random_forest".
    strategy
        How rows are chosen, as in ``ActiveLearner``. Default "auto".
    n_start
        Number of random rows that both ways begin with. Default 20.
    n_labels
        Number of labels at the end. Default 70.
    batch_size
        Number of rows that are asked at a time. Default 1.
    n_draws
        How often the table is divided anew. Default 10.
    test_fraction
        The share of the rows that measure. Default 0.5.
    random_state
        The seed of all draws. Default 0.

    See Also
    --------
    LabelingCurve : scores on test rows against the number of labels, chosen and random.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.active import simulate_labeling
    >>> X, y = load_dataset("iris").split_target("species")
    >>> curve = simulate_labeling(X, y, estimator="naive_bayes", n_start=5, n_labels=15, n_draws=3)
    >>> curve.sizes.tolist()
    [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    """
    given = {"estimator": estimator, "strategy": strategy, "n_start": n_start,
             "n_labels": n_labels, "batch_size": batch_size, "n_draws": n_draws,
             "test_fraction": test_fraction}  # fmt: skip
    check_parameters("simulate_labeling", given, _CONSTRAINTS)
    world = make_world(X, y, estimator, test_fraction, given)
    seeds = np.random.default_rng(check_seed(random_state)).integers(2**32, size=n_draws)
    runs = [Draw(world, int(seed)) for seed in seeds]
    asked = {"n_start": n_start, "n_labels": n_labels, "batch_size": batch_size}
    chosen = [run.scores(strategy, **asked) for run in runs]
    random = [run.scores("random", **asked) for run in runs]
    return LabelingCurve(
        "accuracy" if world.classes is not None else "rmse",
        chosen[0][0],
        np.array(chosen[0][1]),
        np.array([scores for _, _, scores in chosen]),
        np.array([scores for _, _, scores in random]),
        np.array([run.with_all_labels() for run in runs]),
    )
