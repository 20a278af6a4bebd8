"""All relevant columns: more important than shuffled copies (Kursa and Rudnicki 2010).

1. Every column gets a shuffled copy, which can only be important by chance. Copies are shuffled
   by a hash of the rows, so that their order changes nothing.
2. A forest is fitted on both. A column scores a hit when it is more important than the best copy.
3. After r rounds, hits are binomial(r, ½) for a column that tells nothing. Columns with
   significantly more are accepted, with significantly fewer rejected; levels are corrected for the
   number of columns (Benjamini and Hochberg) and of rounds (Bonferroni). Rejected ones leave.
4. It ends when all columns are decided or after ``max_rounds``; undecided ones are not accepted.
"""

from typing import Any, ClassVar

import numpy as np
from scipy import stats

from branchline._arrays import AnyArray, Floats, Places
from branchline._canonical_rows import canonical_rows
from branchline._false_discovery import false_discovery
from branchline._named_learners import Learner
from branchline._validation import (
    Constraint,
    Real,
    TrainingData,
    Whole,
    check_seed,
    count_threads,
)
from branchline.features._inner_folds import fit_learner, learner_for, task_of_data
from branchline.features._model_importance import model_importance
from branchline.features._selector import TASK, Choice, Selector
from branchline.forest import ExtraTreesClassifier, ExtraTreesRegressor
from branchline.table import Table

__all__ = ["ShadowSelector"]

_UNDECIDED, _ACCEPTED, _REJECTED = 0, 1, -1
# Leaves of the forest have at least one row in this many, up to a number that is enough for noise.
_LEAVES, _LARGEST_LEAF = 250, 10


class ShadowSelector(Selector):
    """Keep all columns that are more important than shuffled copies of columns.

    Other selectors look for a small set that predicts well; this one looks for every column that
    tells anything, also copies of each other. Use it to understand, less to save columns.

    Parameters
    ----------
    estimator
        The learner whose importances are compared: a name of the catalog, an estimator, or None
        (default): 100 extra-trees of full depth, which see columns that tell something only
        together; leaves have at least a 250th of the rows, 1 to 10.
    max_rounds
        Maximum number of forests. Default 100.
    significance
        The level of the test, after correction. Default 0.05.
    task
        "classification", "regression", or "auto" (default): by the kind of the target.
    random_state
        The seed of shuffles and of forests. Default 0.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    Attributes
    ----------
    support_
        Whether each column was chosen: all that were accepted. When none was, the column with the
        highest hit rate is kept, so that a model can be fitted.
    accepted_
        1 for columns that are more important than shuffled copies, else 0.
    hit_rates_
        The share of rounds in which each column was more important than every copy.
    undecided_
        1 for columns on which ``max_rounds`` was too few to decide, else 0.
    n_rounds_
        How many forests were grown.

    See Also
    --------
    ModelSelector : keep the columns that a fitted model uses most.
    RankSelector : keep the columns that score best.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import ShadowSelector
    >>> X, y = load_dataset("iris").split_target("species")
    >>> ShadowSelector().fit(X, y).n_selected_
    4
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "estimator": Learner((None,)),
        "max_rounds": Whole(5),
        "significance": Real(0.0, 0.5, low_open=True),
        "task": TASK,
    }
    _of_columns = ("hit_rates_", "undecided_", "accepted_")
    _left_out_of_files = frozenset({"n_rounds_"})
    hit_rates_: Floats
    undecided_: Floats
    accepted_: Floats
    n_rounds_: int

    def __init__(
        self,
        *,
        estimator: Any = None,
        max_rounds: int = 100,
        significance: float = 0.05,
        task: str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.max_rounds = max_rounds
        self.significance = significance
        self.task = task
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _n_steps(self) -> int | None:
        return None

    def _choose(self, data: TrainingData) -> Choice:
        rows = canonical_rows(data, merge=True)
        seed = check_seed(self.random_state)
        count_threads(self.n_jobs, 1)  # refused before the first forest
        draws = np.random.default_rng(seed)
        n_columns = data.table.n_columns
        # Columns that do not vary tell nothing, and get no copies that would change the draws.
        moving = np.array([column.varies for column in rows.table.columns])
        state = np.where(moving, _UNDECIDED, _REJECTED).astype(np.int64)
        hits, played = np.zeros(n_columns), np.zeros(n_columns)
        n_rounds = 0
        while n_rounds < self.max_rounds and (state == _UNDECIDED).any():
            n_rounds += 1
            alive = np.flatnonzero(state != _REJECTED)
            hits[alive] += self._round(rows, alive, draws, seed + n_rounds)
            played[alive] += 1
            state = _decide(state, hits, played, n_rounds, self.significance)
        rates = hits / np.maximum(played, 1)
        undecided = (state == _UNDECIDED).astype(np.float64)
        accepted = state == _ACCEPTED
        about = {
            "hit_rates_": rates,
            "undecided_": undecided,
            "accepted_": accepted.astype(np.float64),
            "n_rounds_": n_rounds,
        }
        if not accepted.any():
            best = np.lexsort((np.array(data.table.names), ~moving, -rates))[0]
            accepted = np.arange(n_columns) == best
        return Choice(accepted, about)

    def _round(
        self, rows: TrainingData, alive: Places, draws: np.random.Generator, seed: int
    ) -> AnyArray:
        """Return which of the living columns are more important than every shuffled copy."""
        names = [rows.table.names[place] for place in alive]
        kept = rows.table.select(names)
        by_name = np.argsort(np.array(names))  # draws do not depend on the order of columns
        # At least five copies, so that few columns still have a rival.
        sources = np.resize(by_name, max(len(names), 5))
        shadows = []
        for number, source in enumerate(sources):
            order = draws.permutation(rows.table.n_rows)
            column = kept.column(names[source]).take(order)
            shadows.append(column.renamed(_shadow_name(number)))
        both = Table.from_columns([*kept.columns, *shadows])
        data = TrainingData(both, rows.target, rows.weights)
        model = fit_learner(self._learner(rows, seed), data, both.names)
        found = model_importance(model, both.schema)
        return np.asarray(found[: len(names)] > found[len(names) :].max())

    def _learner(self, rows: TrainingData, seed: int) -> Any:
        if self.estimator is not None:
            return learner_for(self.estimator, rows, seed)
        is_class = task_of_data(rows) == "classification"
        made = ExtraTreesClassifier if is_class else ExtraTreesRegressor
        n_rows = rows.weights.of_rows(rows.table.n_rows).sum()
        leaf = int(np.clip(n_rows / _LEAVES, 1, _LARGEST_LEAF))
        return made(n_estimators=100, min_samples_leaf=leaf, random_state=seed, n_jobs=self.n_jobs)


def _shadow_name(number: int) -> str:
    return f"shuffled copy {number}"


def _decide(
    state: AnyArray, hits: Floats, played: Floats, n_rounds: int, significance: float
) -> AnyArray:
    """Return the state of each column after a round."""
    decided = state.copy()
    level = significance / n_rounds
    more = stats.binom.sf(hits - 1, played, 0.5)
    fewer = stats.binom.cdf(hits, played, 0.5)
    living = state != _REJECTED
    is_open = state == _UNDECIDED
    for p_value, verdict in ((more, _ACCEPTED), (fewer, _REJECTED)):
        q_value = false_discovery(np.where(living, p_value, np.nan))
        passed = is_open & (q_value <= significance) & (p_value <= level)
        decided[passed] = verdict
    return decided
