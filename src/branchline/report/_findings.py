"""Everything a report tells, found out once and then written in any format.

1. The recommended learner is fitted on all rows, unless a fitted model is given.
2. Predictions of rows that it had not seen show where it errs: confusion, worst rows, groups.
3. The table is looked at, and searched for columns that tell too much.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import catalog
from branchline._base import Estimator
from branchline._explanation import Explanation
from branchline.assess import Comparison, Outcome, Standing
from branchline.assess.comparing import Suspicion, find_leaks
from branchline.assess.curves import (
    Calibration,
    CalibrationLine,
    Confusion,
    DecisionCurve,
    GainCurve,
    RankingCurve,
    calibration_curve,
    calibration_line,
    confusion,
    decision_curve,
    gain_curve,
    precision_recall_curve,
    roc_curve,
)
from branchline.errors import BranchlineError, ParameterError, Repair
from branchline.report._importance import Measured, measure_importances
from branchline.report._slices import Slice, worst_slices
from branchline.report._words import title_of
from branchline.table import Look, look

__all__ = ["Findings", "gather"]

_MANY_ROWS = 20_000
_EXPLAINED_ROW = 0
_MOST_EXPLAINED = 300  # more columns take too long to leave out one by one


@dataclass(frozen=True, eq=False)
class Findings:
    """What is known about a comparison and its recommended model.

    Parameters
    ----------
    comparison
        What was compared.
    model
        The recommended learner fitted on all rows; None when that failed.
    why_no_model
        Why it failed.
    measured
        How much each column matters.
    title
        The title of the report.
    command
        The command that made it; None when it was not made by one.
    reading
        The lines of Python that read its table; None when that is not known.
    options
        The options of the command; None when it was not made by one.
    """

    comparison: Comparison
    model: Any
    why_no_model: str
    measured: Measured
    title: str
    command: str | None
    reading: str | None = None
    options: dict[str, Any] | None = None

    @property
    def label(self) -> str:
        """The recommended learner."""
        return self.comparison.recommendation.learner

    @property
    def is_baseline(self) -> bool:
        """Whether nothing better than the baseline was found."""
        return self.label == self.comparison.plan.baseline

    @property
    def family(self) -> str:
        """The family of the recommended learner in the catalog."""
        name = self.comparison.learner(self.label).name
        return "" if name is None else catalog.entry(name).family

    @cached_property
    def learner_title(self) -> str:
        """The name by which people know the recommended learner."""
        return "the baseline" if self.is_baseline else title_of(self.comparison, self.label)

    @cached_property
    def standing(self) -> Standing:
        """How the recommended learner did."""
        return next(one for one in self.comparison.standings if one.learner == self.label)

    @cached_property
    def baseline(self) -> Standing | None:
        """How the baseline did; None if it failed."""
        name = self.comparison.plan.baseline
        return next((one for one in self.comparison.standings if one.learner == name), None)

    @cached_property
    def look(self) -> Look:
        """The inputs, described."""
        return look(self.comparison.problem.table)

    @cached_property
    def leaks(self) -> tuple[Suspicion, ...]:
        """Columns that tell too much."""
        return find_leaks(self.comparison.problem)

    @cached_property
    def outcome(self) -> Outcome:
        """The recommended learner's predictions of rows that it had not seen."""
        return self.comparison.outcome(self.label)

    @cached_property
    def tested(self) -> npt.NDArray[np.intp]:
        """Which rows of the table these are."""
        return self.comparison.tested_rows(self.label)

    @cached_property
    def confusion(self) -> Confusion | None:
        """How often each class was taken for each other."""
        return None if self.outcome.classes is None else confusion(self.outcome)

    @cached_property
    def calibration(self) -> Calibration | None:
        """Whether probabilities can be believed."""
        return calibration_curve(self.outcome)

    @cached_property
    def roc(self) -> RankingCurve | None:
        """Recall against false alarms."""
        return roc_curve(self.outcome, n_draws=self._n_draws)

    @cached_property
    def precision_recall(self) -> RankingCurve | None:
        """Precision against recall."""
        return precision_recall_curve(self.outcome, n_draws=self._n_draws)

    @cached_property
    def calibration_line(self) -> CalibrationLine | None:
        """Whether predictions are too extreme, or off altogether."""
        return calibration_line(self.outcome, origin=self.comparison.origin_of(self.tested))

    @cached_property
    def gain(self) -> GainCurve | None:
        """How many positives are among the rows ranked first; of two classes only."""
        if len(self.outcome.classes or ()) != 2:
            return None
        return gain_curve(self.outcome, origin=self.comparison.origin_of(self.tested))

    @cached_property
    def decision_curve(self) -> DecisionCurve | None:
        """What acting on the probabilities is worth; of two classes only."""
        if len(self.outcome.classes or ()) != 2:
            return None
        return decision_curve(self.outcome, origin=self.comparison.origin_of(self.tested))

    @property
    def _n_draws(self) -> int:
        """Fewer draws where each takes long and the band is narrow anyway."""
        return 200 if len(self.outcome) <= _MANY_ROWS else 40

    @cached_property
    def slices(self) -> tuple[Slice, ...]:
        """Groups of rows in which it errs more than elsewhere."""
        rows = self.comparison.problem.table.rows(self.tested)
        return worst_slices(rows, self.outcome)

    @cached_property
    def explanation(self) -> Explanation | None:
        """Why the model predicts one row as it does."""
        if self.is_explained_unseen:
            return self._explained(self.measured.model, self.measured.row)
        return self._explained(self.model, _EXPLAINED_ROW)

    @property
    def explained_row(self) -> int:
        """The row that is explained."""
        return self.measured.row if self.is_explained_unseen else _EXPLAINED_ROW

    @cached_property
    def is_explained_unseen(self) -> bool:
        """Whether the row is explained by the model that has not seen it.

        A model whose parts do not add up, such as nearest neighbors, may hold the row itself; the
        leaves of a forest hold it.
        """
        found = self._explained(self.model, _EXPLAINED_ROW)
        if found is None or self.measured.model is None:
            return False
        return not found.is_sum or hasattr(self.model, "forest_")

    def _explained(self, model: Any, row: int) -> Explanation | None:
        if not isinstance(model, Estimator) or not hasattr(model, "explain"):
            return None
        try:
            found = model.explain(self.comparison.problem.table.rows([row]))
        except (BranchlineError, ArithmeticError):
            return None
        return found if isinstance(found, Explanation) else None

    def columns_behind(self, rows: list[int]) -> tuple[str, ...]:
        """Return the columns, those first that weigh most in the predictions of these rows.

        Without explanations of the rows, those that matter most to the model come first.
        """
        names = self.comparison.problem.table.names
        weight = dict.fromkeys(names, 0.0)
        for row in rows if len(names) <= _MOST_EXPLAINED else ():
            found = self._explained(self.model, row)
            largest = max((abs(part.amount) for part in found.parts), default=0.0) if found else 0.0
            for part in found.parts if found and largest > 0 else ():
                weight[part.column] += abs(part.amount) / largest  # every row counts alike
        if not any(weight.values()) and self.measured.found is not None:
            return tuple(one.column for one in self.measured.found.columns)
        return tuple(sorted(names, key=lambda name: -weight[name]))


def gather(
    comparison: Comparison,
    *,
    title: str | None,
    command: str | None,
    model: Any,
    reading: str | None = None,
    options: dict[str, Any] | None = None,
) -> Findings:
    """Find out what a report tells."""
    advice = comparison.recommendation
    why = ""
    if model is None:
        model, why = _fitted(comparison)
    else:
        _check_model(comparison, model)
    measured = Measured(None, "the baseline looks at no column")
    if model is not None and advice.learner != comparison.plan.baseline:
        standing = next(one for one in comparison.standings if one.learner == advice.learner)
        # Of a tuned learner's time most went into the search, which is not done again.
        seconds = standing.fit_seconds / (1 if comparison.plan.tuning is None else 10)
        seconds += 0.0 if comparison.selection is None else comparison.selection.seconds
        measured = measure_importances(comparison, model, seconds)
    name = title or f"Predicting {comparison.problem.target_name}"
    return Findings(comparison, model, why, measured, name, command, reading, options)


def _fitted(comparison: Comparison) -> tuple[Any, str]:
    """Return the recommended learner fitted on all rows, or why it cannot be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of the folds are told
            return comparison.fit(), ""
    except (BranchlineError, ValueError, TypeError, ArithmeticError, MemoryError) as error:
        return None, getattr(error, "message", None) or f"{type(error).__name__}: {error}"


def _check_model(comparison: Comparison, model: Any) -> None:
    """Refuse a model that was not fitted on columns like these."""
    problem = comparison.problem
    names = tuple(str(name) for name in getattr(model, "feature_names_in_", ()))
    given = problem.table.names
    n_inputs = getattr(model, "n_features_in_", None)
    classes = getattr(model, "classes_", None)
    same_task = (classes is None) == (problem.classes is None)
    same_names = set(names) == set(given) if names and problem.table.schema.named else True
    if hasattr(model, "predict") and n_inputs == len(given) and same_task and same_names:
        return
    raise ParameterError(
        "The model of a report must be fitted on the columns and the target of the comparison. Got "
        f"{type(model).__name__}, {f'fitted on {n_inputs} columns' if n_inputs else 'not fitted'}.",
        code="P112",
        repair=Repair("model = comparison.fit()"),
    )
