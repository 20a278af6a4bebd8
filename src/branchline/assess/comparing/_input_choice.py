"""Which inputs of a table are needed: ranked, chosen, how stable, and what may go.

1. Columns that only name rows are set aside; all others are ranked.
2. The selector chooses inputs from all rows: that is the choice which is kept.
3. What it costs is tested honestly: one learner, by folds, with inputs chosen anew in every
   training set and with all inputs (``_selection``).
4. How stable it is: a ranking with the number chosen is repeated on random halves of the rows;
   searches, which take long, are looked at over the training sets of step 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from branchline._result_frame import Library
from branchline._validation import AnyOf, Constraint, OneOf, Task, Whole, check_parameters
from branchline.assess._keywords import checked_keywords
from branchline.assess.comparing._compare import OnResult, carry_out, settled
from branchline.assess.comparing._options import CompareOptions
from branchline.assess.comparing._problem import Problem
from branchline.assess.comparing._selection import Selection
from branchline.assess.comparing._selection_words import choice_html, choice_text
from branchline.errors import BranchlineWarning
from branchline.features import (
    ColumnRanking,
    SelectionStability,
    Selector,
    make_selector,
    rank_columns,
    selection_stability,
)
from branchline.table import Table

__all__ = ["InputChoice", "select_inputs"]

_USUAL_LEARNER = "random_forest"
# Criteria that rank columns; other selectors are shown beside the usual ranking.
_USUAL_RANKING = "mutual_information"
_RESAMPLES, _RESAMPLES_OF_MANY, _MANY_COLUMNS = 20, 10, 2000


@dataclass(frozen=True, eq=False)
class InputChoice:
    """The inputs that are chosen, and what is known of all; print it to read it.

    Parameters
    ----------
    target
        The column to predict.
    ranking
        All inputs, from the most to the least telling.
    selection
        What was chosen in the training sets of a test, and what that costs.
    stability
        How often each input was chosen over resamples; None where that is not known.
    selector
        The selector, fitted on all rows: ``transform`` keeps the chosen columns, ``save`` writes
        it.
    warnings
        What should be known of the table first.

    See Also
    --------
    select_inputs : rank and choose the inputs of a table, and say what may go.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import select_inputs
    >>> found = select_inputs(load_dataset("heart"), "disease", select="mutual_information:3")
    >>> len(found.kept)
    3
    """

    target: str
    ranking: ColumnRanking
    selection: Selection
    stability: SelectionStability | None
    selector: Selector
    warnings: tuple[BranchlineWarning, ...] = ()

    @property
    def kept(self) -> tuple[str, ...]:
        """The inputs that are chosen from all rows."""
        return tuple(str(name) for name in self.selector.get_feature_names_out())

    @property
    def can_go(self) -> tuple[str, ...]:
        """The inputs that can go at no cost that matters; empty where that is not shown."""
        return self.selection.can_go

    def reduced(self, table: Table, *others: str) -> Table:
        """Return a table with the chosen inputs, the target and ``others``, in its own order."""
        wanted = {*self.kept, self.target, *others}
        return table.select([name for name in table.names if name in wanted])

    def save(self, path: Any) -> None:
        """Write the fitted selector to a file; ``branchline.load`` reads it back."""
        self.selector.save(path)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return the ranking as a frame of pandas or polars."""
        return self.ranking.to_frame(library)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "target": self.target,
            "kept": list(self.kept),
            "can_go": list(self.can_go),
            "ranking": self.ranking.to_dict(),
            "selection": self.selection.to_dict(),
            "stability": None if self.stability is None else self.stability.to_dict(),
            "warnings": [one.to_dict() for one in self.warnings],
        }

    def draw(self, ax: Any = None, *, kind: str = "ranking") -> Any:
        """Return a chart.

        Parameters
        ----------
        ax
            Axes of matplotlib. When they are given, the chart is drawn on them.
        kind
            "ranking": what each column tells. "shares": how often each was chosen. "path": the
            error against the number of inputs.
        """
        from branchline.charts import drawn

        check_parameters("draw", {"kind": kind}, {"kind": OneOf(("ranking", "shares", "path"))})
        if kind == "ranking":
            return drawn(self.ranking.draw(), ax)
        if kind == "shares" and self.stability is not None:
            return drawn(self.stability.draw(), ax)
        return self.selection.draw(ax, kind=kind)

    def __str__(self) -> str:
        return choice_text(self)

    def __repr__(self) -> str:
        return f"InputChoice({len(self.kept)} of {self.selection.n_inputs} inputs)"

    def _repr_html_(self) -> str:
        return choice_html(self)


@checked_keywords
def select_inputs(  # noqa: PLR0913 (every choice a user may make, by name)
    X: Any,
    y: Any,
    *,
    select: Any = _USUAL_RANKING,
    estimator: Any = None,
    task: Task | None = None,
    n_folds: int = 5,
    n_resamples: int | None = None,
    group: str | None = None,
    time_column: str | None = None,
    keep: Sequence[str] = (),
    random_state: int = 0,
    n_jobs: int = 1,
    on_result: OnResult | None = None,
) -> InputChoice:
    """Rank and choose the inputs of a table, and say what may go.

    The choice is made from all rows. What it costs is measured on rows that took no part in it:
    one learner is tested by folds, with inputs chosen anew in every training set and with all
    inputs. To compare several learners on chosen inputs, use ``compare(..., select=...)``.

    Parameters
    ----------
    X, y
        The table and its target; or, with ``y`` the name of a column, the table that holds it.
    select
        What chooses: a name with an optional number ("relief", "mutual_information:10",
        "forward:5", "shadow") or a selector of ``branchline.features``.
        Default "mutual_information".
    estimator
        The learner by whose error inputs are chosen (where a selector by name uses one), and with
        which the choice is tested. Default None: random forests.
    task
        "classification" or "regression". Default None: by the kind of the target.
    n_folds
        Number of folds of the test. Default 5.
    n_resamples
        Number of random halves of the rows on which a ranking is repeated. Default None: 20, or 10
        for tables of more than 2,000 columns.
    group, time_column
        Columns of groups that stay together, or of times; neither is an input.
        Default None: neither.
    keep
        Columns to use although they look like identifiers. Default: none.
    random_state
        The seed of folds, halves and learners. Default 0.
    n_jobs
        Number of processes; the numbers do not depend on it. Default 1.
    on_result
        Called after each fit of the test, with the result and how many there are of how many.
        Default None: nothing is called.

    See Also
    --------
    InputChoice : the inputs that are chosen, and what is known of all.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import select_inputs
    >>> found = select_inputs(load_dataset("heart"), "disease", select="mutual_information:3")
    >>> found.kept
    ('chest_pain', 'vessels', 'thallium_scan')
    """
    limits: dict[str, Constraint] = {"n_resamples": AnyOf((OneOf((None,)), Whole(2)))}
    check_parameters("select_inputs", {"n_resamples": n_resamples}, limits)
    options = CompareOptions(
        task=task,
        learners=[_USUAL_LEARNER if estimator is None else estimator],
        n_folds=n_folds,
        group=group,
        time_column=time_column,
        keep=keep,
        random_state=random_state,
        select=_with_learner(select, estimator),
        n_jobs=n_jobs,
    )
    problem, plan, noticed = settled(options, X, y)
    found = carry_out(plan, problem, n_jobs=n_jobs, on_result=on_result, noticed=noticed)
    selection = found.selection
    if selection is None:  # no training set could be chosen from: say why
        raise found.nothing_to_compare()
    selector = found.final_selector
    return InputChoice(
        problem.target_name,
        _ranking(problem, selector),
        selection,
        _stability(problem, selector, n_resamples, random_state) or selection.stability,
        selector,
        noticed,
    )


def _with_learner(select: Any, estimator: Any) -> Any:
    """Return the selector with a learner of its own, where it uses one."""
    if estimator is None or not isinstance(select, str):
        return select
    takes_one = "estimator" in make_selector(select).get_params(deep=False)
    return make_selector(select, estimator=estimator) if takes_one else select


def _ranking(problem: Problem, selector: Selector) -> ColumnRanking:
    by = getattr(selector, "by", _USUAL_RANKING)
    return rank_columns(problem.table, problem.target, by=by, task=problem.task)


def _stability(
    problem: Problem, selector: Selector, n_resamples: int | None, seed: int
) -> SelectionStability | None:
    """Return how stable a ranking is with the number chosen; None for searches."""
    if "by" not in selector.get_params(deep=False):
        return None
    if n_resamples is None:
        is_wide = problem.table.n_columns > _MANY_COLUMNS
        n_resamples = _RESAMPLES_OF_MANY if is_wide else _RESAMPLES
    fixed = clone(selector).set_params(n_columns=int(selector.n_selected_))
    return selection_stability(
        fixed, problem.table, problem.target, n_resamples=n_resamples, random_state=seed
    )
