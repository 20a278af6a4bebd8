"""The main job: a table in, a trustworthy answer out."""

import time as clock
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from branchline._validation import Task
from branchline.assess._keywords import checked_keywords
from branchline.assess.comparing._cautions import data_warnings, untold
from branchline.assess.comparing._comparison import Comparison
from branchline.assess.comparing._identifiers import without_identifiers
from branchline.assess.comparing._plan import Plan, make_plan
from branchline.assess.comparing._problem import Problem, make_problem
from branchline.assess.comparing._results import FoldResult, RunFile
from branchline.assess.comparing._spending import Time, run_plan
from branchline.assess.comparing._tuned_threshold import settle_threshold
from branchline.assess.comparing._unlearnable import refuse_unlearnable
from branchline.assess.comparing._workers import Workers

__all__ = ["carry_out", "compare"]

# Told after each result: it, and how many there are of how many.
OnResult = Callable[[FoldResult, int, int], None]


@checked_keywords
def compare(  # noqa: PLR0913 (every choice a user may make, by name)
    X: Any,
    y: Any,
    *,
    task: Task | None = None,
    learners: Any = "fast",
    n_folds: int = 10,
    n_repeats: int | None = None,
    resampling: Any = None,
    metric: Any = None,
    tuning: str | None = None,
    n_inner_folds: int = 3,
    positive: Any = None,
    costs: Any = None,
    threshold: str | None = None,
    group: str | None = None,
    time: str | None = None,
    random_state: int = 0,
    time_budget: float | None = None,
    prefer: str = "balance",
    keep: Sequence[str] = (),
    n_jobs: int = 1,
    run_file: str | Path | None = None,
    resume: bool = False,
) -> Comparison:
    """Compare learners on a table, honestly.

    Every learner is fitted on the same training sets and predicts the same test sets; whatever
    looks at the target happens inside a training set. The result says which learners are
    statistically tied with the best, and recommends one of them.

    Parameters
    ----------
    X, y
        The table and its target; or, with ``y`` the name of a column, the table that holds it.
    task
        "classification" or "regression"; None: names are classes, numbers are predicted.
    learners
        "fast" (one of each family), "all", names of the catalog ("tree,logistic" or a list),
        estimators, or a mapping from labels to either. The baseline is always added.
    n_folds
        The number of folds of the cross-validation.
    n_repeats
        How often rows are shuffled and split into folds anew. Default 1; for the bootstrap the
        number of samples, default 25.
    resampling
        Another way of testing: a kind of ``Resampling`` or one itself. With ``group`` it is
        "group_folds", with ``time`` "time_folds", unless said otherwise.
    metric
        What decides; a list: the first decides, the others are shown as well.
    tuning
        None: learners as they are. "small", "medium" or "large": each learner's tuning space is
        searched inside every training set.
    n_inner_folds
        Folds of that search.
    positive
        The class that precision, recall and the like describe.
    costs
        What errors cost: {(truth, said): cost}. The mean cost then decides.
    threshold
        None: the learner's own decision, mostly for the more probable class. "tuned", for two
        classes: inside every training set, by ``n_inner_folds`` folds, each learner that gives
        probabilities is given the threshold that is best for the deciding metric, where that is
        accuracy, error, balanced-accuracy, f1 or cost; else for the cost if there are costs, else
        for balanced accuracy (``branchline.ensemble.ThresholdClassifier``).
    group
        Keep all rows with the same value in this column in one fold. It is not an input.
    time
        A column of moments: the past always predicts the future. It is not an input.
    random_state
        The seed of the folds and of every learner.
    time_budget
        Seconds for everything. They are spent fold by fold over all learners; a fit that runs when
        they are over is stopped. Learners are compared on the folds that all have finished; one
        with fewer than half as many as the others is shown apart (``unfinished``).
    prefer
        What is recommended of the learners that are statistically tied with the best: "accuracy"
        (the best score), "simplicity" (the simplest), or "balance" (the simplest that is not more
        likely than not worse than the best by more than what matters).
    keep
        Columns that are used although they look like identifiers. Names, codes, free texts and
        stamps of which (almost) no two rows have the same are set aside (``problem.set_aside``).
    n_jobs
        Processes; the numbers do not depend on it.
    run_file, resume
        A file that keeps every result, and whether to go on with what it holds.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> found = compare(load_dataset("iris"), "species", learners="tree,naive_bayes", n_folds=5)
    >>> found.recommendation.learner
    'naive_bayes'
    """
    problem = without_identifiers(make_problem(X, y, task=task, group=group, time=time), keep)
    refuse_unlearnable(problem)
    if resampling is None and (group is not None or time is not None):
        resampling = "group_folds" if group is not None else "time_folds"
    plan = make_plan(
        problem.task,
        learners=learners,
        resampling=resampling,
        n_folds=n_folds,
        n_repeats=n_repeats,
        metric=metric,
        tuning=tuning,
        n_inner_folds=n_inner_folds,
        positive=positive,
        costs=costs,
        threshold=threshold,
        seed=random_state,
        time_budget=time_budget,
        prefer=prefer,
    )
    plan.resampling.check(problem)
    noticed = data_warnings(problem, plan)
    for warning in untold(problem, noticed):
        warnings.warn(warning, stacklevel=2)
    found = carry_out(plan, problem, n_jobs=n_jobs, run_file=run_file, resume=resume)
    found = replace(found, noticed=noticed)
    for warning in found.warnings[len(noticed) :]:
        warnings.warn(warning, stacklevel=2)
    return found


def carry_out(  # noqa: PLR0913 (by name, all but the first two)
    plan: Plan,
    problem: Problem,
    *,
    n_jobs: int = 1,
    run_file: str | Path | RunFile | None = None,
    resume: bool = False,
    on_result: OnResult | None = None,
    keep_partial: bool = False,
    about: dict[str, Any] | None = None,
    time_left: Time | None = None,
    workers: Workers | None = None,
) -> Comparison:
    """Carry out a plan.

    With ``keep_partial``, Ctrl-C ends the plan early and what is there is returned. ``about`` is
    written into a new run file beside the plan. ``time_left`` is by default the plan's budget, from
    now on; ``workers`` are processes that were started before.
    """
    begin = clock.monotonic()
    if time_left is None and plan.time_budget is not None:
        time_left = Time(begin + plan.time_budget)
    if time_left is not None and time_left.begin is not None:
        begin = time_left.begin
    plan = settle_threshold(plan, problem)
    splits = plan.resampling.splits(problem, plan.seed)
    file = run_file if run_file is None or isinstance(run_file, RunFile) else RunFile(run_file)
    results: list[FoldResult] = []
    if file is not None:
        head = plan.to_dict(), problem.fingerprint
        results = file.begin(*head, resume=resume, about=about)
    total = len(splits) * len(plan.learners)
    is_stopped = False
    try:
        options: dict[str, Any] = {"n_jobs": n_jobs, "time_left": time_left, "workers": workers}
        for result in run_plan(plan, problem, splits, done=tuple(results), **options):
            results.append(result)
            if file is not None:
                file.add(result)
            if on_result is not None:
                on_result(result, len(results), total)
    except KeyboardInterrupt:
        if not keep_partial:
            raise
        is_stopped = True
    is_complete = len(results) == total
    is_over = plan.time_budget is not None and not is_complete and not is_stopped
    ordered = sorted(results, key=lambda result: (result.split, result.learner))
    seconds = clock.monotonic() - begin
    found = Comparison(plan, problem, splits, tuple(ordered), seconds, is_complete)
    return replace(found, is_time_over=is_over)
