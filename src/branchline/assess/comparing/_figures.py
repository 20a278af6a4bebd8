"""More figures of a comparison: as a frame, group by group, and which hyper-parameters mattered."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from branchline._result_frame import Library, result_frame
from branchline._row_scores import Origin
from branchline.assess._metric import Metric
from branchline.assess._outcome import Outcome
from branchline.assess.comparing._ease import Ease, Tuned, ease_of
from branchline.assess.comparing._predictions import Predictions
from branchline.assess.comparing._selection import Selection, selection_of
from branchline.assess.comparing._subgroups import Subgroups, subgroups_of
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["Figures"]


class Figures(Predictions):
    """What follows from predictions beyond scores and ties."""

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each learner, the best first, as a frame of pandas or polars.

        Scores with the ends of their intervals, seconds to fit and to predict, the peak of memory
        while fitting and the size of the saved model in bytes, the size to read, and the group.
        """
        own = cast("Comparison", self)
        columns: dict[str, list[Any]] = {"learner": [one.learner for one in own.standings]}
        for name in own.plan.metrics:
            for side in ("estimate", "low", "high"):
                head = name if side == "estimate" else f"{name}_{side}"
                scores = [own.score(one.learner, name) for one in own.standings]
                columns[head] = [getattr(score, side) for score in scores]
        for head in ("fit_seconds", "predict_seconds", "fit_bytes", "model_bytes", "size", "unit"):
            columns[head] = [getattr(one, head) for one in own.standings]
        columns["group"] = [one.group for one in own.standings]
        advised = own.recommendation.learner
        columns["is_recommended"] = [one.learner == advised for one in own.standings]
        return result_frame(columns, library)

    def subgroups(
        self, by: str, learner: str | None = None, metric: str | None = None
    ) -> Subgroups:
        """Return how well a learner (the recommended one) does in each group of a column.

        Parameters
        ----------
        by
            An input, or a column that was named by ``compare(..., by=...)``: categories are
            groups, numbers are put into four groups of about equal size.
        learner
            A label; by default the recommended learner.
        metric
            What is measured; by default the metric that decides.
        """
        own = cast("Comparison", self)
        label = own.recommendation.learner if learner is None else own.learner(learner).label
        return subgroups_of(own, label, by, self._metric(metric))

    @cached_property
    def subgroup_tables(self) -> tuple[Subgroups, ...]:
        """The groups that were asked for (``by``), of the recommended learner."""
        return tuple(self.subgroups(name) for name in self.plan.by)

    @cached_property
    def selection(self) -> Selection | None:
        """Which inputs were chosen and what that cost; None where all inputs are used."""
        return selection_of(cast("Comparison", self))

    def ease(self, learner: str | None = None) -> Ease:
        """Return which hyper-parameters of a learner (the recommended one) mattered.

        Only of a comparison with ``tuning``, and of a learner that has something to tune.
        """
        own = cast("Comparison", self)
        label = own.recommendation.learner if learner is None else own.learner(learner).label
        found = self._ease_of(label)
        if found is None:
            tuned = [one.learner for one in self.eases]
            raise ParameterError(
                f"Nothing of {label} was tuned, so there is nothing to say about its parameters. "
                + (f"Tuned were: {', '.join(tuned)}." if tuned else "No learner was tuned."),
                code="P353",
                values=[label],
                repair=Repair("compare(X, y, tuning='small')", "--tune small"),
            )
        return found

    @cached_property
    def eases(self) -> tuple[Ease, ...]:
        """Which hyper-parameters mattered, for each learner that was tuned."""
        found = (self._ease_of(label) for label in self.labels)
        return tuple(one for one in found if one is not None)

    def _ease_of(self, label: str) -> Ease | None:
        own = cast("Comparison", self)
        trials = [result.trials for result in self._by_split(label).values() if result.trials]
        if not trials:
            return None
        metric = self.metric
        if metric.needs_probabilities and not self.learner(label).gives_probabilities(
            self.plan.task
        ):
            metric = self._metric("accuracy")  # what such a learner is tuned for
        ratio = self.plan.resampling.test_to_train(self.problem.n_rows)
        matters = own.negligible(metric.name)
        return ease_of(label, Tuned(metric.name, matters, metric.less_is_better, ratio), trials)

    def parts_of(self, learner: str, metric: Metric) -> tuple[list[Outcome], npt.NDArray[np.intp]]:
        """Return a learner's predictions, test set by test set, and the rows they are of."""
        return self._parts(learner, metric, sorted(self._by_split(learner)))

    def origin_of(self, rows: npt.NDArray[np.intp]) -> Origin:
        """Return where predictions of these rows come from, for their intervals."""
        return self._origin(rows)

    def row_differences(
        self, first: str, second: str
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]] | None:
        """Return what each prediction adds to the difference of two scores, and its row.

        None: the deciding metric has no such values.
        """
        own = cast("Comparison", self)
        common = sorted(set(self._by_split(first)) & set(self._by_split(second)))
        one, other = (own._row_values(label, self.metric, common) for label in (first, second))
        if one is None or other is None:
            return None
        _, rows = self._parts(first, self.metric, common)
        return one.minus(other).deviations, rows
