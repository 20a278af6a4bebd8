"""What choosing inputs did in a comparison: how often each was chosen, and what it cost or gained.

1. Every training set has its own choice. The share of training sets in which an input was chosen
   has an interval, and the choices as a whole have Nogueira's index. Training sets share most of
   their rows, so choices on new data vary more (``selection_stability`` draws halves).
2. The recommended learner was tested on the same test sets with the chosen inputs and with all of
   them (``_against_all``): only so can be said what may go.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._result_frame import Library
from branchline.assess.comparing._against_all import VERDICTS, AgainstAll, against_all
from branchline.assess.comparing._chosen_inputs import chosen_mask, known_choices
from branchline.assess.comparing._plan import Plan
from branchline.errors import BranchlineError, ParameterError
from branchline.features import (
    SelectionStability,
    SizePath,
    make_selector,
    rank_columns,
    selector_words,
    stability_of_choices,
)

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["Selection", "selection_of"]

# Inputs alike are looked for among this many of those that were chosen most often.
_MOST_COMPARED = 60


@dataclass(frozen=True, eq=False)
class Selection:
    """Which inputs were chosen, how stable that is, and what it cost; print it to read it.

    Parameters
    ----------
    selector
        What chose the inputs.
    names
        All inputs.
    kept
        The inputs that are chosen from all rows, as in the final model; None while the comparison
        is not finished.
    sizes
        The number of inputs chosen in each training set.
    stability
        How often each input was chosen; None with fewer than two training sets.
    alike
        Groups of chosen inputs that stand in for each other: they tell nearly the same.
    path
        The error of inner folds against the number of inputs, the mean over training sets; None
        where the selector has no such path.
    against_all
        The recommended learner with the chosen inputs beside all inputs; None where it was not
        tested so.
    seconds
        How long a choice took, on average.
    is_learned
        Whether a learner is shown to beat the baseline.
    path_learner
        The learner of inner folds, whose error decides how many inputs are chosen.
    """

    selector: str
    names: tuple[str, ...]
    kept: tuple[str, ...] | None
    sizes: tuple[int, ...]
    stability: SelectionStability | None
    alike: tuple[tuple[str, ...], ...]
    path: SizePath | None
    against_all: AgainstAll | None
    seconds: float
    is_learned: bool = True
    path_learner: str = ""

    @property
    def n_inputs(self) -> int:
        """The number of all inputs."""
        return len(self.names)

    @property
    def can_go(self) -> tuple[str, ...]:
        """The inputs that can go at no cost that matters; empty where that is not shown."""
        against = self.against_all
        is_free = self.is_learned and against is not None and against.verdict in VERDICTS[:2]
        kept = set(self.names if self.kept is None or not is_free else self.kept)
        return tuple(name for name in self.names if name not in kept)

    @property
    def sentence(self) -> str:
        """What the choice did, in a sentence."""
        from branchline.assess.comparing._selection_words import verdict_sentence

        return verdict_sentence(self)

    def __str__(self) -> str:
        from branchline.assess.comparing._selection_words import selection_text

        return selection_text(self)

    def __repr__(self) -> str:
        return f"Selection({self.selector!r}, {self.sentence!r})"

    def _repr_html_(self) -> str:
        from branchline.assess.comparing._selection_words import selection_html

        return selection_html(self)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return how often each input was chosen, as a frame of pandas or polars."""
        if self.stability is None:
            raise ParameterError(
                "There is one training set only, so there is no share of training sets.",
                code="P623",
            )
        return self.stability.to_frame(library)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        parts = {
            name: None if part is None else part.to_dict()
            for name, part in (
                ("stability", self.stability),
                ("path", self.path),
                ("against_all", self.against_all),
            )
        }
        return {
            "selector": self.selector,
            "n_inputs": self.n_inputs,
            "kept": None if self.kept is None else list(self.kept),
            "can_go": list(self.can_go),
            "sizes": list(self.sizes),
            "alike": [list(group) for group in self.alike],
            "seconds": self.seconds,
            "text": self.sentence,
            **parts,
        }

    def draw(self, ax: Any = None, *, kind: str = "shares") -> Any:
        """Return a chart.

        Parameters
        ----------
        ax
            Axes of matplotlib. When they are given, the chart is drawn on them.
        kind
            "shares": how often each input was chosen. "path": the error against the number of
            inputs.
        """
        from branchline.assess.comparing._selection_charts import selection_chart
        from branchline.charts import drawn

        return drawn(selection_chart(self, kind), ax)


def selection_of(comparison: "Comparison") -> Selection | None:
    """Return what choosing inputs did; None where none were chosen."""
    plan, problem = comparison.plan, comparison.problem
    choices = known_choices(comparison.results)
    if plan.select is None or not choices:
        return None
    names = problem.table.names
    masks = np.array([chosen_mask(choices[at], len(names)) for at in sorted(choices)])
    taken = [one.choice_seconds for one in comparison.results if one.choice_seconds]
    is_over = comparison.is_complete or comparison.is_time_over
    selector = comparison.final_selector if is_over else None
    return Selection(
        selector_words(plan.select),
        names,
        None if selector is None else tuple(map(str, selector.get_feature_names_out())),
        tuple(int(size) for size in masks.sum(axis=1)),
        None if len(masks) < 2 else stability_of_choices(masks, names, "training sets"),
        _alike(comparison, masks),
        _mean_path([one.path for one in comparison.results if one.path is not None]),
        against_all(comparison),
        float(np.mean(taken)) if taken else 0.0,
        bool(comparison.labels) and comparison.recommendation.beats_baseline,
        _path_learner(plan),
    )


def _alike(comparison: "Comparison", masks: Any) -> tuple[tuple[str, ...], ...]:
    """Return groups of interchangeable inputs among those that were chosen at all."""
    table, shares = comparison.problem.table, masks.mean(axis=0)
    order = np.argsort(-shares, kind="stable")[:_MOST_COMPARED]
    names = [table.names[at] for at in order if shares[at] > 0]
    try:
        found = rank_columns(
            table.select(names), comparison.problem.target, task=comparison.plan.task
        )
    except BranchlineError:  # a target that cannot be ranked by
        return ()
    return found.groups


def _path_learner(plan: Plan) -> str:
    """Return the learner of a selector's inner folds in words."""
    selector = make_selector(plan.select, task=plan.task)
    given = getattr(selector, "estimator", None)
    if given is not None:
        return given if isinstance(given, str) else type(given).__name__
    if hasattr(selector, "rule") and not hasattr(selector, "direction"):
        return "a small random forest"
    return "logistic regression" if plan.task == "classification" else "least squares"


def _mean_path(paths: Sequence[dict[str, Any]]) -> SizePath | None:
    """Return the mean of paths over training sets, at the sizes that all of them have."""
    if not paths:
        return None
    common = sorted(set.intersection(*(set(path["sizes"]) for path in paths)))
    if not common:
        return None
    columns = []
    for name in ("errors", "standard_errors"):
        values = [dict(zip(path["sizes"], path[name], strict=True)) for path in paths]
        columns.append(np.array([np.mean([one[size] for one in values]) for size in common]))
    chosen = round(float(np.median([path["chosen"] for path in paths])))
    return SizePath(tuple(common), columns[0], columns[1], chosen, paths[0]["of_what"])
