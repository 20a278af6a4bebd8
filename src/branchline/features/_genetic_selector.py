"""A genetic search for columns: sets of columns are mated, mutated and selected.

1. A population of sets is drawn: each holds a random number of columns.
2. Fitness is the error by inner folds plus ``column_penalty`` for each column.
3. The best quarter survives. Children take each column from one of two parents, who win
   tournaments of three; then each column changes sides with probability 1 / columns.
4. It ends after ``n_generations``, or when ``patience`` generations brought nothing better.
"""

from typing import Any, ClassVar

import numpy as np

from branchline._arrays import Bools
from branchline._named_learners import Learner
from branchline._validation import Constraint, Real, TrainingData, Whole, check_seed
from branchline.features._inner_folds import InnerFolds, learner_for
from branchline.features._selector import TASK, Choice, Selector

__all__ = ["GeneticSelector"]


class GeneticSelector(Selector):
    """Search for a set of columns with a genetic algorithm.

    It can leave a local best where forward and backward searches stop, at the price of many more
    fits. The error that it reports is the best of many and so too good: assess the selector as a
    step of a pipeline, or by ``select=`` of ``compare``.

    Parameters
    ----------
    estimator
        The learner: a name of the catalog or an estimator. None (default): logistic regression
        with a fixed, weak penalty for classes, least squares for numbers.
    population
        The number of sets in a generation. Default 30.
    n_generations
        Maximum number of generations. Default 30.
    column_penalty
        Penalty per column, as a share of the error without any column. Default 0.001.
    n_folds
        The number of inner folds. Default 5.
    patience
        Generations without anything better after which the search ends. Default 8.
    task
        "classification", "regression", or "auto" (default): by the kind of the target.
    random_state
        The seed of the search, of folds and of the learner. Default 0.

    Attributes
    ----------
    support_
        Whether each column was chosen.
    best_errors_
        The error of the best set of each generation.

    See Also
    --------
    SequentialSelector : add, drop or exchange columns while a learner's error falls.
    ModelSelector : keep the columns that a fitted model uses most.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import GeneticSelector
    >>> X, y = load_dataset("iris").split_target("species")
    >>> GeneticSelector(population=8, n_generations=3).fit(X, y).n_selected_ >= 1
    True
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "estimator": Learner((None,)),
        "population": Whole(4),
        "n_generations": Whole(1),
        "column_penalty": Real(0.0),
        "n_folds": Whole(2),
        "patience": Whole(1),
        "task": TASK,
    }
    _left_out_of_files = frozenset({"best_errors_"})
    best_errors_: list[float]

    def __init__(
        self,
        *,
        estimator: Any = None,
        population: int = 30,
        n_generations: int = 30,
        column_penalty: float = 0.001,
        n_folds: int = 5,
        patience: int = 8,
        task: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.population = population
        self.n_generations = n_generations
        self.column_penalty = column_penalty
        self.n_folds = n_folds
        self.patience = patience
        self.task = task
        self.random_state = random_state

    def _choose(self, data: TrainingData) -> Choice:
        seed = check_seed(self.random_state)
        learner = learner_for(self.estimator, data, seed)
        folds = InnerFolds(data, learner, self.n_folds, seed)
        if not folds.parts:  # nothing can be compared: all columns are kept
            return Choice(np.ones(data.table.n_columns, dtype=bool), {"best_errors_": []})
        # Draws depend neither on the order of columns nor on columns that do not vary.
        order = np.argsort(np.array(data.table.names))
        order = np.array([at for at in order if data.table.columns[at].varies], dtype=np.intp)
        if len(order) == 0:
            return Choice(np.ones(data.table.n_columns, dtype=bool), {"best_errors_": []})
        search = _Evolution(folds, [data.table.names[place] for place in order], seed, self)
        best, errors = search.run()
        mask = np.zeros(data.table.n_columns, dtype=bool)
        mask[order] = best
        return Choice(mask, {"best_errors_": errors})


class _Evolution:
    """Generations of sets of columns."""

    def __init__(self, folds: InnerFolds, names: list[str], seed: int, owner: Any) -> None:
        self._folds, self._names, self._owner = folds, names, owner
        self._draws = np.random.default_rng(seed)
        self._price = owner.column_penalty * folds.errors(()).mean

    def run(self) -> tuple[Bools, list[float]]:
        """Return the best set, and the best error of each generation."""
        sets = [self._random_set() for _ in range(self._owner.population)]
        errors: list[float] = []
        best, since = sets[0], 0
        for _ in range(self._owner.n_generations):
            self._folds.announce([self._chosen_names(one) for one in sets])
            sets.sort(key=lambda one: (self._fitness(one), one.tolist()))
            since = since + 1 if errors and self._fitness(sets[0]) >= self._fitness(best) else 0
            best = sets[0] if since == 0 else best
            errors.append(self._error(best))
            if since >= self._owner.patience:
                break
            sets = self._next(sets)
        return best, errors

    def _random_set(self) -> Bools:
        share = self._draws.uniform(0.1, 0.6)
        return self._not_empty(self._draws.random(len(self._names)) < share)

    def _not_empty(self, chosen: Bools) -> Bools:
        if not chosen.any():
            chosen[self._draws.integers(len(chosen))] = True
        return chosen

    def _chosen_names(self, chosen: Bools) -> list[str]:
        return [name for name, taken in zip(self._names, chosen, strict=True) if taken]

    def _error(self, chosen: Bools) -> float:
        return self._folds.errors(self._chosen_names(chosen)).mean

    def _fitness(self, chosen: Bools) -> float:
        return float(self._error(chosen) + self._price * int(chosen.sum()))

    def _next(self, sets: list[Bools]) -> list[Bools]:
        """Return the next generation; ``sets`` are sorted, best first."""
        survivors = sets[: max(2, len(sets) // 4)]
        children: list[Bools] = []
        while len(survivors) + len(children) < len(sets):
            one, other = sets[self._winner(len(sets))], sets[self._winner(len(sets))]
            child = np.where(self._draws.random(len(one)) < 0.5, one, other)
            child ^= self._draws.random(len(one)) < 1 / len(one)
            children.append(self._not_empty(child))
        return [*survivors, *children]

    def _winner(self, n_sets: int) -> int:
        return int(self._draws.integers(0, n_sets, 3).min())
