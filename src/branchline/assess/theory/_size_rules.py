"""Rules that choose a size, and what each choice is worth on rows that had no part in it.

1. Every size is fitted on all rows; each rule takes the size with the least of its criterion, the
   smallest where several are equal.
2. Cross-validation: all sizes are fitted on each training set and tested on the fold left out.
3. What a rule is worth: it chooses anew on each training set (the rule "cv" by an inner
   cross-validation), and its model is tested on the fold left out. The least cross-validated error
   of many sizes is too good to be true; this error is not.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from branchline._folds import Fold, seed_of_repeat
from branchline._intervals import Interval
from branchline._row_scores import Origin, count_different
from branchline.assess._find_metric import find_metric
from branchline.assess._metrics import Metric
from branchline.assess._outcome import Outcome
from branchline.assess._scoring import score_interval
from branchline.assess.comparing._problem import Problem
from branchline.assess.theory._hierarchies import Hierarchy
from branchline.assess.theory._size_criteria import Fitted, SizeCriteria, criteria_of

__all__ = ["RULES", "SizeWork"]

# What each rule minimizes; "cv" minimizes the cross-validated error.
RULES: dict[str, Callable[[SizeCriteria], float]] = {
    "vc": lambda found: found.bound,
    "aic": lambda found: found.aic,
    "bic": lambda found: found.bic,
    "mdl": lambda found: found.mdl,
}
Fits = Mapping[Any, Fitted]


@dataclass(frozen=True, eq=False)
class SizeWork:
    """A problem, a hierarchy and its sizes."""

    problem: Problem
    hierarchy: Hierarchy
    sizes: Sequence[Any]
    epsilon: float
    n_folds: int
    seed: int

    @property
    def metric(self) -> Metric:
        """What is measured on rows left out."""
        name = "mse" if self.problem.classes is None else "error"
        return find_metric(name, self.problem.task)

    def fits(self, problem: Problem) -> dict[Any, Fitted]:
        """Return the model of each size that these rows allow."""
        found = ((size, self.hierarchy.fit(problem, size)) for size in self.sizes)
        return {size: fitted for size, fitted in found if fitted is not None}

    def criteria(self, problem: Problem, fits: Fits) -> dict[Any, SizeCriteria]:
        """Return what the rules minimize, of each size."""
        share = self.epsilon / max(1, len(fits))
        return {size: criteria_of(fitted, problem, share) for size, fitted in fits.items()}

    def folds(self, problem: Problem) -> list[Fold]:
        """Return the folds of some rows."""
        return problem.folds.split(self.n_folds, seed_of_repeat(self.seed))

    def chosen(self, problem: Problem, fits: Fits) -> dict[str, Any]:
        """Return what each rule but "cv" chooses; rules without a criterion are not there."""
        found = self.criteria(problem, fits)
        return {
            rule: size
            for rule, of in RULES.items()
            if (size := least({size: of(one) for size, one in found.items()})) is not None
        }

    def tested(self, problem: Problem, fold: Fold, fits: Fits) -> dict[Any, Outcome]:
        """Return what the model of each size predicts for a fold."""
        table = problem.table.rows(fold.test_rows)
        return {
            size: self._outcome(problem, fold, fitted.model.predict(table))
            for size, fitted in self._filled(fits).items()
        }

    def _filled(self, fits: Fits) -> dict[Any, Fitted]:
        """Return a model for every size: one that the rows do not allow is the next smaller."""
        filled, last = {}, next(iter(fits.values()))
        for size in self.sizes:
            last = fits.get(size, last)
            filled[size] = last
        return filled

    def cross_validated(self, problem: Problem) -> dict[Any, float]:
        """Return the cross-validated error of each size on some rows."""
        tests = [
            self.tested(problem, fold, self.fits(problem.rows(fold.learn_rows)))
            for fold in self.folds(problem)
        ]
        errors: dict[Any, float] = {}
        for size in self.sizes:
            sums = [self.metric.score(test[size]) * len(test[size].truth) for test in tests]
            errors[size] = math.fsum(sums) / max(1, sum(len(test[size].truth) for test in tests))
        return errors

    @cached_property
    def parts(self) -> list[tuple[Fold, Problem, dict[Any, Fitted]]]:
        """Each fold, the rows to learn from, and the models of all sizes fitted on them."""
        rows = [(fold, self.problem.rows(fold.learn_rows)) for fold in self.folds(self.problem)]
        return [(fold, some, self.fits(some)) for fold, some in rows]

    def within_reach(self) -> "SizeWork":
        """Return the same work with the sizes that every training set allows."""
        allowed = [set(self.fits(self.problem)), *(set(fits) for _, _, fits in self.parts)]
        kept = [size for size in self.sizes if size in set.intersection(*allowed)]
        found = replace(self, sizes=kept)
        found.__dict__["parts"] = [
            (fold, rows, {size: fits[size] for size in kept}) for fold, rows, fits in self.parts
        ]
        return found

    def assess(self) -> tuple[dict[Any, Interval], dict[str, Interval], dict[str, list[Any]]]:
        """Return the error of each size, that of each rule, and what rules chose in the folds."""
        of_size: dict[Any, list[Outcome]] = {size: [] for size in self.sizes}
        of_rule: dict[str, list[Outcome]] = {}
        choices: dict[str, list[Any]] = {}
        for fold, rows, fits in self.parts:
            tests = self.tested(self.problem, fold, fits)
            chosen = self.chosen(rows, fits)
            chosen["cv"] = least(self.cross_validated(rows))
            for size, outcome in tests.items():
                of_size[size].append(outcome)
            for rule, size in chosen.items():
                size = self.sizes[0] if size is None else size
                of_rule.setdefault(rule, []).append(tests[size])
                choices.setdefault(rule, []).append(size)
        return self._intervals(of_size), self._intervals(of_rule), choices

    def _intervals(self, parts: Mapping[Any, list[Outcome]]) -> dict[Any, Any]:
        folds = [fold for fold, _, _ in self.parts]
        owners = self.problem.folds.owner_of_row
        tested = np.concatenate([fold.test_rows for fold in folds])
        n_train = float(np.mean([count_different(owners[fold.learn_rows]) for fold in folds]))
        copies = len(tested) / count_different(owners[tested])
        origin = Origin(owners[tested], n_train, copies=copies)
        return {key: score_interval(self.metric, some, origin) for key, some in parts.items()}

    def _outcome(self, problem: Problem, fold: Fold, predicted: Any) -> Outcome:
        rows = fold.test_rows
        if problem.classes is None:
            return Outcome(problem.target[rows], predicted)
        places = np.searchsorted(problem.classes, predicted)
        return Outcome(problem.places[rows], places, None, tuple(problem.classes.tolist()))


def least(values: Mapping[Any, float]) -> Any:
    """Return the key of the least value, the first of equal ones; None where none is a number."""
    known = {key: value for key, value in values.items() if not math.isnan(value)}
    if not known:
        return None
    lowest = min(known.values())
    # Floats that differ in rounding only are equal: the smaller model is taken.
    return next(key for key, value in known.items() if value <= lowest + 1e-12 * abs(lowest))
