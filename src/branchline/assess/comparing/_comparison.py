"""A comparison: every learner's predictions of rows it had not seen, and what follows from them.

1. A score of rows that were predicted without being seen, with a 95 % interval (``_scoring``).
2. Learners form a group unless it is 95 % probable that the first of them is better by more than
   what matters (``_paired_tests``, ``_standing``). They are statistically tied where the interval
   of their difference holds 0.
3. Which of those in the first group is recommended (``_recommend``).
Everything is derived from the predictions, so any metric can be asked for afterwards.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._intervals import Interval
from branchline._plain_numbers import duration
from branchline._row_scores import RowValues
from branchline.assess._bootstrap_error import BootstrapError
from branchline.assess._metrics import Metric
from branchline.assess._paired_tests import (
    Difference,
    difference_over_rows,
    paired_difference,
)
from branchline.assess._row_values import row_values
from branchline.assess._scoring import score_interval
from branchline.assess.comparing._chosen_inputs import fitted_selector
from branchline.assess.comparing._display import comparison_html, comparison_repr
from branchline.assess.comparing._error_of_samples import error_of_samples
from branchline.assess.comparing._figures import Figures
from branchline.assess.comparing._fit_memory import memory_of
from branchline.assess.comparing._learners import both_choose_one_column
from branchline.assess.comparing._recommend import SURE, Recommendation, recommend
from branchline.assess.comparing._standing import Standing, margin
from branchline.assess.comparing._unlabeled import HelpOfUnlabeled, help_of_unlabeled
from branchline.assess.comparing._words import comparison_text
from branchline.errors import BranchlineError, BranchlineWarning, DataError, ParameterError, Repair

__all__ = ["Comparison", "Standing"]


@dataclass(frozen=True, eq=False)
class Comparison(Figures):
    """The results of a plan; print it to read it.

    Parameters
    ----------
    plan, problem
        What was done, on what.
    splits
        The training and test sets.
    results
        What each learner did on each split it was tried on.
    seconds
        How long everything took.
    is_complete
        Whether the plan was carried out to its end.
    seal
        The sealed test set, if there is one.
    noticed
        What looked wrong in the data before anything was fitted.
    is_time_over
        Whether it was the time budget that ended the plan early.
    all_inputs
        Where inputs are chosen: what the recommended learner did with all of them.

    See Also
    --------
    compare : compare learners on a table and recommend one.
    carry_out : carry out a plan.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> found = compare(load_dataset("iris"), "species", learners="tree", n_folds=3)
    >>> len(found.standings)
    2
    """

    def fold_scores(self, learner: str, metric: str | None = None) -> npt.NDArray[np.float64]:
        """Return a learner's score on each split it was tried on, NaN where there is none."""
        wanted = self._metric(metric)
        numbers = sorted(self._by_split(learner))
        parts, _ = self._parts(learner, wanted, numbers)
        found = [
            math.nan
            if wanted.needs_probabilities and part.probabilities is None
            else wanted.score(part)
            for part in parts
        ]
        if self._tests_single_rows:  # one row has no rank and no spread: scores of blocks of rows
            return np.array(found)
        scores = np.full(len(self.splits), math.nan)
        scores[numbers] = found
        return scores

    def score(self, learner: str, metric: str | None = None) -> Interval:
        """Return a learner's score with its 95 % interval."""
        wanted = self._metric(metric)
        if (learner, wanted.name) not in self._scores:
            self._scores[learner, wanted.name] = self._score(learner, wanted)
        return self._scores[learner, wanted.name]

    @cached_property
    def _scores(self) -> dict[tuple[str, str], Interval]:
        """Scores that were asked for before."""
        return {}

    def _score(self, learner: str, metric: Metric) -> Interval:
        numbers = sorted(self._by_split(learner))
        if not numbers:
            return Interval(math.nan, math.nan, math.nan)
        parts, rows = self._parts(learner, metric, numbers)
        return score_interval(metric, parts, self._origin(rows))

    def difference(self, first: str, second: str, metric: str | None = None) -> Difference:
        """Compare two learners on the test sets that both were tried on; higher is better."""
        wanted = self._metric(metric)
        common = sorted(set(self._by_split(first)) & set(self._by_split(second)))
        one, other = (self._row_values(label, wanted, common) for label in (first, second))
        if one is None or other is None:
            return self._difference_of_test_sets(first, second, wanted)
        _, rows = self._parts(first, wanted, common)
        if wanted.less_is_better:
            one, other = other, one
        pair = [self.learner(label) for label in (first, second)]
        chosen = both_choose_one_column(pair, self.plan.task, of_ranks=wanted.of_ranks)
        return difference_over_rows(
            one, other, self._origin(rows), self.negligible(metric), chooses_one_column=chosen
        )

    def bootstrap_error(self, learner: str) -> BootstrapError:
        """Return the .632 and .632+ estimates of a learner's error (resampling "bootstrap").

        The error is the share of wrong classes, or the mean squared error of numbers.
        """
        return error_of_samples(self, learner)

    def negligible(self, metric: str | None = None) -> float:
        """Return the difference of scores that is too small to matter."""
        wanted = self._metric(metric)
        if wanted.negligible is not None:
            return wanted.negligible
        scores = {label: self.score(label, metric).estimate for label in self.labels}
        known = [score for score in scores.values() if math.isfinite(score)]
        best = (min if wanted.less_is_better else max)(known, default=math.nan)
        return margin(wanted, scores.get(self.plan.baseline, math.nan), best)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """All learners, the best first, in groups without a difference that matters."""
        scores = {label: self.score(label) for label in self.labels}
        scored = [label for label in self.labels if math.isfinite(scores[label].estimate)]
        if not scored:
            raise self.nothing_to_compare()
        sign = 1.0 if self.metric.less_is_better else -1.0
        ranked = sorted(scored, key=lambda label: sign * scores[label].estimate)
        groups = self._groups(ranked)
        return tuple(
            self._standing(label, scores[label], groups[label], ranked[0]) for label in ranked
        )

    @cached_property
    def unlabeled(self) -> tuple[HelpOfUnlabeled, ...]:
        """Whether rows without a target helped each learner that learns from them, too."""
        return help_of_unlabeled(self)

    @cached_property
    def warnings(self) -> tuple[BranchlineWarning, ...]:
        """What should be known before the result is relied on, each with its code and repair."""
        from branchline.assess.comparing._cautions import result_warnings

        return (*self.noticed, *result_warnings(self))

    @property
    def best(self) -> str:
        """The learner with the best score."""
        return self.standings[0].learner

    @cached_property
    def recommendation(self) -> Recommendation:
        """Which learner to take and why (``learner``, ``sentence``, …), by ``prefer``."""
        return recommend(self)

    @cached_property
    def final_selector(self) -> Any:
        """The selector of the plan, fitted on all rows; None where all inputs are used."""
        return None if self.plan.select is None else fitted_selector(self.plan, self.problem)

    def fit(self, learner: str | None = None, *, n_jobs: int = 1, all_inputs: bool = False) -> Any:
        """Return a learner (the recommended one) fitted on all rows, tuned as the plan says.

        The model keeps its errors on the test rows, so ``predict_interval`` works with it. Where
        inputs are chosen, they are chosen from all rows, and the model is a
        ``SelectedClassifier`` or ``SelectedRegressor``, unless ``all_inputs`` is True.
        """
        from branchline.assess.comparing._final_model import final_model

        label = self.recommendation.learner if learner is None else learner
        return final_model(self, label, n_jobs=n_jobs, all_inputs=all_inputs)

    def __str__(self) -> str:
        return str(comparison_text(self))

    def __repr__(self) -> str:
        return comparison_repr(self)

    def _repr_html_(self) -> str:
        return comparison_html(self)

    def draw(self, ax: Any = None, *, metric: str | None = None) -> Any:
        """Return the scores of all learners with their intervals as a chart.

        Parameters
        ----------
        ax
            Axes of matplotlib. When they are given, the chart is drawn on them.
        metric
            The metric to show; None: the one that decides.
        """
        from branchline.assess.comparing._comparison_chart import comparison_chart
        from branchline.charts import drawn

        return drawn(comparison_chart(self, metric), ax)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data: the plan, the standings, the recommendation."""
        from branchline.assess.comparing._document import comparison_document

        return comparison_document(self)

    def _row_values(self, learner: str, metric: Metric, numbers: Sequence[int]) -> RowValues | None:
        parts, _ = self._parts(learner, metric, numbers)
        lacking = metric.needs_probabilities and any(part.probabilities is None for part in parts)
        return None if lacking or not parts else row_values(metric, parts)

    def _difference_of_test_sets(self, first: str, second: str, metric: Metric) -> Difference:
        sign = -1.0 if metric.less_is_better else 1.0
        one, other = (sign * self.fold_scores(label, metric.name) for label in (first, second))
        origin = self._origin(np.concatenate([split.test for split in self.splits]))
        ratio = origin.test_to_train(len(one))
        return paired_difference(one, other, ratio, self.negligible(metric.name))

    def _groups(self, ranked: list[str]) -> dict[str, tuple[int, bool]]:
        """Return the group of each learner, and whether it is tied with the group's first."""
        groups: dict[str, tuple[int, bool]] = {}
        number, leader = 0, ""
        for label in ranked:
            is_close, is_tied = self._closeness(leader, label) if leader else (False, True)
            if not is_close:
                number, leader, is_tied = number + 1, label, True
            groups[label] = number, is_tied
        return groups

    def _closeness(self, better: str, worse: str) -> tuple[bool, bool]:
        """Whether no difference is shown that matters; whether two learners are tied."""
        try:
            found = self.difference(better, worse)
        except ParameterError:  # too few common test sets to say anything
            return True, True
        return found.p_higher < SURE, found.p_value > 1 - SURE

    def _standing(
        self, label: str, score: Interval, place: tuple[int, bool], best: str
    ) -> Standing:
        results = list(self._by_split(label).values())
        against = None
        if label != best:
            try:
                against = self.difference(label, best)
            except ParameterError:
                against = None
        return Standing(
            label,
            score,
            float(np.mean([result.fit_seconds for result in results])),
            float(np.mean([result.predict_seconds for result in results])),
            round(float(np.mean([result.size for result in results]))),
            results[0].unit,
            len(results),
            *place,
            against,
            *memory_of(results),
        )

    def nothing_to_compare(self) -> BranchlineError:
        """Return why no learner has a score."""
        if self.plan.time_budget is not None and not self.is_complete and not self.failures:
            more = f"{10 * self.plan.time_budget:g}"
            return ParameterError(
                f"The time ({duration(self.plan.time_budget)}) was over before any learner had "
                "finished one fold.",
                code="P160",
                values=[self.plan.time_budget],
                repair=Repair(f"compare(X, y, time_budget={more})", f"--time-budget {more}s"),
            )
        reasons = "; ".join(f"{label}: {why}" for label, why in list(self.failures.items())[:3])
        return DataError(
            f"No learner could be scored ({self.plan.metric}) on any test set. {reasons}",
            code="D132",
            repair=Repair(None, "--learners fast --metric accuracy"),
        )
