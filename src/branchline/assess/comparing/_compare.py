"""The main job: a table in, a trustworthy answer out."""

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from branchline._validation import Task
from branchline._warn import warn
from branchline.assess._keywords import checked_keywords
from branchline.assess.comparing._cautions import data_warnings, result_warnings, untold
from branchline.assess.comparing._chosen_inputs import refuse_too_many
from branchline.assess.comparing._cluster_workers import workers_of
from branchline.assess.comparing._comparison import Comparison
from branchline.assess.comparing._make_problem import make_problem
from branchline.assess.comparing._options import CompareOptions
from branchline.assess.comparing._plan import Plan, plan_of
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._resampling import Split
from branchline.assess.comparing._results import FoldResult, RunFile
from branchline.assess.comparing._spending import AnyWorkers, Time, run_plan
from branchline.assess.comparing._tuned_threshold import settle_threshold
from branchline.assess.comparing._unlabeled import with_twins
from branchline.errors import BranchlineWarning

__all__ = ["carry_out", "compare", "problem_for", "settled", "stored_comparison"]

# Told after each result: it, and how many there are of how many.
OnResult = Callable[[FoldResult, int, int], None]
Warnings = tuple[BranchlineWarning, ...]


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
    select: Any = None,
    positive: Any = None,
    costs: Any = None,
    threshold: str | None = None,
    group: str | None = None,
    time_column: str | None = None,
    random_state: int = 0,
    time_budget: float | None = None,
    prefer: str = "balance",
    keep: Sequence[str] = (),
    by: str | Sequence[str] = (),
    n_jobs: int = 1,
    engine: Any = None,
    run_file: str | Path | None = None,
    resume: bool = False,
) -> Comparison:
    """Compare learners on a table and recommend one.

    Every learner is fitted on the same training sets and predicts the same test sets. Whatever
    looks at the target (tuning, choosing columns, encoding) happens inside a training set. The
    result has a score with a 95 % interval for each learner, says which are statistically tied with
    the best, and recommends one.

    Parameters
    ----------
    X, y
        The table and its target; or, with ``y`` the name of a column, the table that holds it.
        Rows whose target is missing are never tested on; learners of ``branchline.semi`` learn
        from them, too (``found.unlabeled`` says whether that helped).
    task
        "classification" or "regression". Default None: a target of names or of two values is
        classification, other numbers are regression.
    learners
        "fast" (default; one of each family), "all", "few_labels" (for rows without a target),
        names of the catalog ("tree,logistic" or a list), estimators, or a mapping from labels to
        either. The baseline is always added.
    n_folds
        The number of folds of the cross-validation. Default 10.
    n_repeats
        How often rows are shuffled and split into folds anew. Default 1; for the bootstrap the
        number of samples, default 25.
    resampling
        Another way of testing: a kind of ``Resampling`` or one itself. Default: "folds"; with
        ``group`` "group_folds", with ``time_column`` "time_folds".
    metric
        The metric that decides, a name of ``METRICS``; of a list the first decides and the others
        are shown. Default: accuracy, or rmse for numbers.
    tuning
        None (default): learners as they are. "small", "medium" or "large": each learner's tuning
        space is searched inside every training set.
    n_inner_folds
        Number of folds of that search. Default 3.
    select
        What chooses inputs, inside every training set: a name with an optional number ("relief",
        "mutual_information:10", "forward:5", "shadow") or a selector of ``branchline.features``.
        Learners are then compared on the chosen inputs, and the recommended one is tested on all
        inputs, too (``found.selection``). Tuning and thresholds follow the choice. Default None:
        all inputs.
    positive
        The class that precision, recall and the like describe.
        Default None: the rarer of two classes.
    costs
        What errors cost: {(truth, predicted): cost}. The mean cost then decides.
        Default None: all errors cost the same.
    threshold
        "tuned", for two classes: each learner that gives probabilities gets the decision threshold
        that is best for the deciding metric, chosen inside every training set by ``n_inner_folds``
        folds. Where that metric is not accuracy, error, balanced_accuracy, f1 or cost, it is chosen
        for the cost, if there are costs, or else for balanced accuracy
        (``ensemble.ThresholdClassifier``). "half": the learner's own decision, mostly for the more
        probable class. Default None: "tuned" where costs decide between two classes, else "half".
    group
        Keep all rows with the same value in this column in one fold. It is not an input.
        Default None: rows are independent.
    time_column
        A column of dates or times: the past always predicts the future. It is not an input.
        Default None: rows have no order in time.
    random_state
        The seed of the folds and of every learner. Default 0.
    time_budget
        Maximum time in seconds. It is spent fold by fold over all learners; a fit that runs at its
        end is stopped. Learners are compared on the folds that all have finished; one with fewer
        than half as many as the others is shown apart (``unfinished``). Default None: no limit.
    prefer
        Which learner is recommended of those that are not shown to be worse than the best by more
        than what matters: "accuracy" (the best score), "simplicity" (the simplest), or "balance"
        (default; the simplest that is probably not worse than the best by more than what matters).
    keep
        Columns to use although they look like identifiers. Names, codes, free texts and time
        stamps that differ in (almost) every row are set aside otherwise (``problem.set_aside``).
        Default: none.
    by
        Columns by whose groups results are shown, such as "sex": the score in each group and
        whether it differs from the rest (``subgroups``). Categories are groups; numbers are put
        into four of about equal size. The columns stay inputs. Default: none.
    n_jobs
        Number of processes; the numbers do not depend on it. Default 1.
    engine
        Where fits run: a ``distributed.Client``, "tcp://HOST:PORT" (a Dask scheduler), or "local:4"
        (four processes here). The numbers do not depend on it. Default None: ``n_jobs`` processes.
    run_file, resume
        A file that keeps every result, and whether to continue with the results it holds.
        Default None: nothing is kept.

    See Also
    --------
    cross_validate : one learner.
    write_report : the result as a file to send.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> found = compare(load_dataset("iris"), "species", learners="tree,naive_bayes", n_folds=5)
    >>> found.recommendation.learner
    'naive_bayes'
    """
    options = CompareOptions(
        task=task,
        learners=learners,
        n_folds=n_folds,
        n_repeats=n_repeats,
        resampling=resampling,
        metric=metric,
        tuning=tuning,
        n_inner_folds=n_inner_folds,
        select=select,
        positive=positive,
        costs=costs,
        threshold=threshold,
        group=group,
        time_column=time_column,
        random_state=random_state,
        time_budget=time_budget,
        prefer=prefer,
        keep=keep,
        by=by,
        n_jobs=n_jobs,
        engine=engine,
    )
    problem, plan, noticed = settled(options, X, y)
    kept: dict[str, Any] = {"run_file": run_file, "resume": resume, "noticed": noticed}
    with workers_of(engine) as workers:
        found = carry_out(plan, problem, n_jobs=n_jobs, workers=workers, **kept)
    for warning in found.warnings[len(noticed) :]:
        warn(warning)
    return found


def settled(
    options: CompareOptions, X: Any, y: Any
) -> tuple[Problem, Plan, tuple[BranchlineWarning, ...]]:
    """Return the problem and the plan, all choices checked, and what was warned of."""
    problem = problem_for(options, X, y)
    if options.resampling is None and options.group is None and options.time_column is None:
        options = replace(options, resampling=problem.usual_resampling)
    plan = plan_of(options, problem.task)
    plan.resampling.check(problem)
    refuse_too_many(plan, problem)
    return problem, plan, _tell_of_data(problem, plan)


def carry_out(  # noqa: PLR0913 (by name, all but the first two)
    plan: Plan,
    problem: Problem,
    *,
    n_jobs: int = 1,
    run_file: str | Path | RunFile | None = None,
    resume: bool = False,
    on_result: OnResult | None = None,
    about: dict[str, Any] | None = None,
    time_left: Time | None = None,
    workers: AnyWorkers | None = None,
    noticed: Warnings | None = None,
) -> Comparison:
    """Carry out a plan: fit and test every learner on every split, and warn of what looks wrong.

    Parameters
    ----------
    plan
        What is done, by ``make_plan``.
    problem
        The table and its target, by ``make_problem``.
    n_jobs
        Number of processes; the numbers do not depend on it. Default 1.
    run_file, resume
        A file that keeps every result, and whether to continue with the results it holds.
        Default None: nothing is kept.
    on_result
        Called after each fit with its result, the number of fits that are done, and of all fits.
        Default None: nothing is called.
    about
        What a new run file holds besides the plan. Default None: nothing.
    time_left
        Time for all fits. Default None: the plan's budget, from now on.
    workers
        Processes that were started before. Default None: new ones are started.
    noticed
        Warnings about the data (``data_warnings``) that the caller has shown, and then shows those
        of the results, too. Default None: all are given as Python warnings.

    See Also
    --------
    Comparison : the results of a plan.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import carry_out, make_plan, make_problem
    >>> plan = make_plan("classification", learners="tree", n_folds=3)
    >>> found = carry_out(plan, make_problem(load_dataset("iris"), "species"))
    >>> len(found.results)
    6
    """
    begin = clock.monotonic()
    about_data = _tell_of_data(problem, plan) if noticed is None else noticed
    if time_left is None and plan.time_budget is not None:
        time_left = Time(begin + plan.time_budget)
    if time_left is not None and time_left.begin is not None:
        begin = time_left.begin
    plan, splits = _prepared(plan, problem)
    file = run_file if run_file is None or isinstance(run_file, RunFile) else RunFile(run_file)
    results: list[FoldResult] = []

    def recommended() -> str | None:
        found = _compared(plan, problem, splits, results, 0.0)
        return found.recommendation.learner if found.labels else None

    if file is not None:
        results = file.begin(plan.to_dict(), problem.fingerprint, resume=resume, about=about)
    total = len(splits) * (len(plan.learners) + (plan.select is not None))
    given: dict[str, Any] = {"n_jobs": n_jobs, "time_left": time_left, "workers": workers}
    given["recommended"] = recommended
    for result in run_plan(plan, problem, splits, done=tuple(results), **given):
        results.append(result)
        if file is not None:
            file.add(result)
        if on_result is not None:
            on_result(result, len(results), total)
    found = _compared(plan, problem, splits, results, clock.monotonic() - begin)
    is_over = plan.time_budget is not None and not found.is_complete
    found = replace(found, is_time_over=is_over, noticed=about_data)
    for warning in result_warnings(found) if noticed is None else ():
        warn(warning)
    return found


def _tell_of_data(problem: Problem, plan: Plan) -> Warnings:
    """Warn of what looks wrong with the data, and return all such warnings."""
    found = data_warnings(problem, plan)
    for warning in untold(problem, found):
        warn(warning)
    return found


def stored_comparison(run_file: str | Path, plan: Plan, problem: Problem) -> Comparison:
    """Return the comparison that a run file holds, as far as it got."""
    plan, splits = _prepared(plan, problem)
    results = RunFile(run_file).begin(plan.to_dict(), problem.fingerprint, resume=True)
    seconds = sum(result.fit_seconds + result.predict_seconds for result in results)
    return _compared(plan, problem, splits, results, seconds)


def _prepared(plan: Plan, problem: Problem) -> tuple[Plan, list[Split]]:
    """Return the plan with its positive class named, and the training and test sets."""
    plan = with_twins(plan, problem)
    return settle_threshold(plan, problem), plan.resampling.splits(problem, plan.seed)


def _compared(
    plan: Plan, problem: Problem, splits: list[Split], results: list[FoldResult], seconds: float
) -> Comparison:
    labels = {learner.label for learner in plan.learners}
    ordered = sorted(results, key=lambda result: (result.split, result.learner))
    main = tuple(result for result in ordered if result.learner in labels)
    others = tuple(result for result in ordered if result.learner not in labels)
    is_complete = len(main) == len(splits) * len(plan.learners)
    return Comparison(plan, problem, splits, main, seconds, is_complete, all_inputs=others)


def problem_for(options: CompareOptions, X: Any, y: Any) -> Problem:
    """Return the table and its target, without columns that only name rows."""
    return make_problem(
        X,
        y,
        task=options.task,
        group=options.group,
        time_column=options.time_column,
        keep=options.keep,
        by=options.columns_by(),
    )
