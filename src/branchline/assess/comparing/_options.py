"""The options of a comparison: each has its default, its flag and its help in one place.

1. ``compare`` in Python has these parameters, with these defaults (a test holds them together).
2. The command line makes its flags and its help of them, the run file remembers them, and the
   command that repeats a comparison lists those that differ from their defaults.
3. ``make_plan`` takes those that a plan depends on; the table of docs/comparing.md is made of them.

Nothing heavy is imported here: the command line reads this file for its help.
"""

# ruff: noqa: RUF009 (``option`` is a form of ``dataclasses.field``)

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

__all__ = ["CompareOptions", "Option", "option", "option_of"]

_METADATA = "option"


@dataclass(frozen=True)
class Option:
    """How an option is given on the command line, and what it is for.

    Parameters
    ----------
    help
        What it does, in a line.
    flags
        Its names on the command line, the usual one first.
    kind
        The type of its text there.
    least
        The smallest number allowed.
    names
        What a shell may complete: "learners", "metrics" or "selectors".
    makes_results
        Whether results depend on it, so that a command that repeats them must have it.
    is_remembered
        Whether ``--resume`` takes it from the run file.
    """

    help: str
    flags: tuple[str, ...]
    kind: Any = str | None
    least: int | None = None
    names: str | None = None
    makes_results: bool = True
    is_remembered: bool = True

    @property
    def flag(self) -> str:
        """The usual name on the command line."""
        return self.flags[0]


def option(default: Any, help: str, *flags: str, **more: Any) -> Any:
    """Return a field of a dataclass that is an option."""
    return field(default=default, metadata={_METADATA: Option(help, flags, **more)})


def option_of(given: Any) -> Option | None:
    """Return what a field says of its option; None for a field that is not one."""
    found: Option | None = given.metadata.get(_METADATA)
    return found


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """What may be chosen in a comparison; see ``compare`` for what each option means."""

    task: Any = option(
        None, "classification or regression. Default: names are classes, numbers are not.", "--task"
    )
    learners: Any = option(
        "fast",
        "fast, all, few_labels (for rows without a target), or names: tree,logistic.",
        "--learners",
        kind=str,
        names="learners",
    )
    n_folds: int = option(
        10, "Number of folds of the cross-validation.", "--folds", kind=int, least=2
    )
    n_repeats: int | None = option(
        None,
        "Number of repeats with a new shuffle. Default: 1, or 25 bootstrap samples.",
        "--repeats",
        kind=int | None,
        least=1,
    )
    resampling: Any = option(
        None,
        "Test otherwise: hold_out, three_way, leave_one_out, bootstrap, resubstitution.",
        "--resampling",
    )
    metric: Any = option(
        None,
        "What decides: accuracy, auc, log_loss, f1, cost, rmse, mae, r2 …",
        "--metric",
        names="metrics",
    )
    tuning: str | None = option(
        None, "Search each learner's tuning space: small, medium, large.", "--tune", "--tuning"
    )
    n_inner_folds: int = option(
        3,
        "Number of folds inside a training set, for tuning and thresholds.",
        "--inner-folds",
        kind=int,
        least=2,
    )
    select: Any = option(
        None,
        "What chooses inputs: relief:auto, mutual_information:10, forward:5, shadow …",
        "--select",
        names="selectors",
    )
    positive: Any = option(
        None, "The class that precision, recall and the like describe.", "--positive"
    )
    costs: Any = option(
        None, 'What errors cost, TRUTH>PREDICTED=COST: "bad>good=5,good>bad=1".', "--costs"
    )
    threshold: str | None = option(
        None,
        "tuned: choose each decision threshold inside the training sets. half: do not. Default: "
        "tuned where costs decide between two classes.",
        "--threshold",
    )
    group: str | None = option(None, "Keep rows with the same value here in one fold.", "--group")
    time_column: str | None = option(
        None, "The past predicts the future, by the times in this column.", "--time-column"
    )
    random_state: int = option(
        0, "The seed of the folds and of each learner's randomness.", "--seed", kind=int, least=0
    )
    time_budget: Any = option(
        None, "Time for everything: 60s, 5m. Fits that still run are stopped.", "--time-budget"
    )
    prefer: str = option(
        "balance", "What is recommended: accuracy, balance or simplicity.", "--prefer", kind=str
    )
    keep: Sequence[str] = option(
        (),
        "Use this column although it looks like an identifier; may be repeated.",
        "--keep",
        kind=list[str] | None,
    )
    by: str | Sequence[str] = option(
        (),
        "Show scores in each group of this column, such as sex; may be repeated.",
        "--by",
        kind=list[str] | None,
    )
    n_jobs: int = option(
        1,
        "Number of processes; the numbers do not depend on it. 0: all cores.",
        "--jobs",
        kind=int,
        least=0,
        makes_results=False,
        is_remembered=False,
    )
    engine: Any = option(
        None,
        "Fit on a Dask cluster: tcp://HOST:PORT, or local:4 for four processes here.",
        "--engine",
        makes_results=False,
        is_remembered=False,
    )

    def chosen_resampling(self) -> Any:
        """Return how rows are split: as asked for, or as groups and times need it."""
        if self.resampling is not None:
            return self.resampling
        if self.group is not None:
            return "group_folds"
        return "folds" if self.time_column is None else "time_folds"

    def columns_by(self) -> tuple[str, ...]:
        """Return the columns by whose groups results are shown."""
        return tuple(dict.fromkeys([self.by] if isinstance(self.by, str) else self.by))

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        return {
            one.name: value
            for one in fields(self)
            if (value := getattr(self, one.name)) != one.default
        }
