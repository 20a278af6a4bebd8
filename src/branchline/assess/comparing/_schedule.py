"""Which fit comes next, and until when: how a comparison spends its time.

1. Folds go round: all learners on the first fold, the quickest first, then all on the second. So
   whatever is there when time is up compares learners on the same folds.
2. With a budget, nothing is begun that will not be ready in time, by the speed measured so far;
   quicker learners go on to their next folds instead. Time that one learner does not need is there
   for the others.
3. A learner's first fit, of which nothing is measured, may take what the others do not need, or
   half of the time that is left if that is more. A learner that takes longer drops out.
4. At the end of the budget every fit that runs is stopped.
5. Where inputs are chosen, the first fit of a fold makes the choice and takes longer. Meanwhile
   other workers begin other folds, so that no choice is made twice.
"""

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from branchline import catalog
from branchline.assess.comparing._chosen_inputs import selects
from branchline.assess.comparing._plan import Plan
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._results import FoldResult

__all__ = ["Schedule", "compared_folds"]

Job = tuple[int, int]

# A fit that should take a little longer than is left is tried all the same: speeds vary.
_WORTH_TRYING = 1.25
# A learner with fewer than this share of the folds that most have finished is shown apart.
_ENOUGH = 0.5


@dataclass
class _Learner:
    """What is known of one learner: its open folds, and how long its fits take."""

    place: int
    open: list[int]
    guess: float
    taken: list[float] = field(default_factory=list)
    is_out: bool = False
    selects: bool = False

    @property
    def seconds(self) -> float:
        """The time that a fit takes: measured, or guessed from the catalog."""
        return sum(self.taken) / len(self.taken) if self.taken else self.guess

    @property
    def need(self) -> float:
        """The time that its open folds take; unknown until one is measured."""
        if not self.open or self.is_out:
            return 0.0
        return len(self.open) * self.seconds if self.taken else math.inf


class Schedule:
    """The jobs of a plan in their order, as time allows."""

    def __init__(
        self,
        plan: Plan,
        problem: Problem,
        n_splits: int,
        done: Sequence[FoldResult] = (),
        end_of_fits: Callable[[float], float] = lambda slowest: math.inf,
        places: Collection[int] | None = None,
    ) -> None:
        self._plan, self._end_of_fits = plan, end_of_fits
        self._choosing: set[int] = set()
        self._chosen: set[int] = set()
        self._choice_seconds: list[float] = []
        wanted = range(len(plan.learners)) if places is None else places
        over = {(result.learner, result.split) for result in done}
        self._learners = [
            _Learner(
                place,
                [split for split in range(n_splits) if (learner.label, split) not in over]
                if place in wanted
                else [],
                _guess(plan, problem, place),
                selects=selects(plan, learner),
            )
            for place, learner in enumerate(plan.learners)
        ]
        for result in done:
            if any(learner.label == result.learner for learner in plan.learners):
                self.note(result)

    @property
    def end(self) -> float:
        """When fits must be over: what follows them may take as long as the slowest does."""
        measured = [one.seconds for one in self._learners if one.taken and not one.is_out]
        return self._end_of_fits(max(measured, default=0.0) + self._choice)

    @property
    def _choice(self) -> float:
        """The time that a choice of inputs takes, as far as it is known."""
        taken = self._choice_seconds
        return sum(taken) / len(taken) if taken else 0.0

    @property
    def left(self) -> float:
        """The seconds that are left for fits."""
        return self.end - time.monotonic()

    def next(self, most: float = math.inf) -> Job | None:
        """Return the next job, a learner and a fold; None when nothing can be ready in time.

        ``most`` leaves out fits that should take more seconds.
        """
        left = self.left
        able = [one for one in self._learners if self._is_able(one, left) and one.seconds <= most]
        if not able:
            return None
        chosen = min(able, key=self._turn)
        split = chosen.open.pop(0)
        if chosen.selects:
            self._choosing.add(split)
        return chosen.place, split

    def _turn(self, one: _Learner) -> tuple[bool, int, float, int]:
        """Return a learner's place in the queue; one that must wait for a choice comes last."""
        split = one.open[0]
        waits = one.selects and split in self._choosing and split not in self._chosen
        return waits, split, one.seconds, one.place

    def until(self, job: Job, n_workers: int) -> float:
        """Return when a job is stopped (``time.monotonic``)."""
        learner, end = self._learners[job[0]], self.end
        if learner.taken or math.isinf(end):
            return end
        left = end - time.monotonic()
        others = sum(one.need for one in self._learners if one is not learner) / n_workers
        return end - min(left / 2, others)

    def note(self, result: FoldResult) -> None:
        """Learn a learner's speed from a result."""
        learner = self._learners[self._place(result.learner)]
        learner.taken.append(result.fit_seconds + result.predict_seconds)
        if result.chosen is not None:
            self._chosen.add(result.split)
        if result.choice_seconds:
            self._choice_seconds.append(result.choice_seconds)

    def drop(self, job: Job) -> None:
        """Give a learner no more folds: it took longer than there is time."""
        self._learners[job[0]].is_out = True

    def _is_able(self, learner: _Learner, left: float) -> bool:
        if learner.is_out or not learner.open or left <= 0:
            return False
        needs_choice = learner.selects and learner.open[0] not in self._chosen
        seconds = learner.seconds + (self._choice if needs_choice else 0.0)
        return not learner.taken or seconds <= _WORTH_TRYING * left

    def _place(self, label: str) -> int:
        labels = [learner.label for learner in self._plan.learners]
        return labels.index(label)


def _guess(plan: Plan, problem: Problem, place: int) -> float:
    """Return roughly how long a fit takes; of estimators from elsewhere nothing is known."""
    name = plan.learners[place].name
    if name is None:
        return math.inf
    n_classes = 1 if problem.classes is None else len(problem.classes)
    cost = catalog.entry(name).costs[plan.task]
    return cost.estimate(problem.n_rows, problem.table.n_columns, n_classes)


def compared_folds(
    done: Mapping[str, Collection[int]], baseline: str
) -> tuple[tuple[str, ...], frozenset[int]]:
    """Return the learners that are compared, and the folds that all of them have finished.

    ``done`` holds each learner's finished folds. A learner with fewer than half as many as most of
    the others (the lower median, the baseline and those without any not counted) is left out.
    """
    counts = sorted(len(folds) for label, folds in done.items() if label != baseline and folds)
    usual = counts[(len(counts) - 1) // 2] if counts else len(done.get(baseline, ()))
    least = max(1, math.ceil(_ENOUGH * usual))
    ranked = sorted(done, key=lambda label: -len(done[label]))
    chosen: list[str] = []
    common: frozenset[int] = frozenset()
    for label in ranked:
        folds = frozenset(done[label])
        shared = folds & common if chosen else folds
        if len(folds) >= least and shared:
            chosen.append(label)
            common = shared
    return tuple(label for label in done if label in chosen), common
