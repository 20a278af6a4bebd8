"""Five estimates of the error against the number of inputs kept, on a table of yours.

1. A quarter of the rows (or of the groups, or the last in time) is set aside for the test error.
2. On the others, inputs are ranked by how little chance explains their relation with the classes:
   the p of a one-way analysis of variance for numbers (of t, for two classes), of χ² for
   categories; or by a selector. The first m are kept.
3. Training error, internal cross-validation (inputs chosen once, on all rows), external 10-fold
   (chosen anew in every training set), .632+ (chosen anew in every bootstrap sample), and the error
   on the rows set aside. Internal is leave-one-out up to 200 rows, 10-fold beyond.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import clone

from branchline._arrays import Floats, Places
from branchline._folds import seed_of_repeat
from branchline._validation import Constraint, Given, Whole, check_parameters, check_seed
from branchline.assess import Problem, bootstrap_error, make_problem, no_information_error
from branchline.bayes import NaiveBayes
from branchline.errors import DataError, KindError, Repair
from branchline.features import (
    MinimumRedundancy,
    ModelSelector,
    RankSelector,
    RecursiveElimination,
)
from branchline.reproduce._selection_curve import SIZES, SelectionCurve, check_sizes
from branchline.table import Column, Table

__all__ = ["table_selection_curve"]

_TESTED = 0.25
_N_FOLDS = 10
_MOST_LEFT_OUT = 200
_FEWEST = 20
_SELECTOR = Given(
    (MinimumRedundancy, ModelSelector, RankSelector, RecursiveElimination),
    "a selector that orders columns",
)


def table_selection_curve(
    X: Any,
    y: Any,
    *,
    sizes: Sequence[int] | None = None,
    model: Any = None,
    selector: Any = None,
    n_samples: int = 20,
    random_state: Any = 0,
) -> SelectionCurve:
    """Return five estimates of the error on a table, against the number of inputs kept.

    Where the second column is far below the others, choosing inputs on all rows deceives.

    Parameters
    ----------
    X, y
        The table and its classes; or, with ``y`` the name of a column, the table that holds it.
    sizes
        The numbers of inputs that are kept; None (default): 1, 2, 5, 10, 20, 50, 100, as far as
        there are inputs.
    model
        A classifier; None (default): naive Bayes.
    selector
        A selector that puts columns in an order (``RankSelector``, ``RecursiveElimination``,
        ``ModelSelector``, ``MinimumRedundancy``); None (default): by p-values.
    n_samples
        Bootstrap samples of .632+. Default 20.
    random_state
        The seed. Default 0.

    See Also
    --------
    SelectionCurve : estimates of the error, for each number of inputs kept.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.reproduce import table_selection_curve
    >>> curve = table_selection_curve(load_dataset("iris"), "species", sizes=[1, 4], n_samples=5)
    >>> curve.n_kept
    (1, 4)
    """
    rules: dict[str, Constraint] = {"n_samples": Whole(2), "selector": _SELECTOR}
    given = {"n_samples": n_samples, "selector": selector}
    check_parameters("table_selection_curve", given, rules)
    problem = make_problem(X, y)
    _check(problem)
    n_inputs = problem.table.n_columns
    kept = [size for size in SIZES if size <= n_inputs] if sizes is None else list(sizes)
    check_sizes(kept, n_inputs)
    seed = check_seed(random_state)
    aside = problem.folds.hold_out(_TESTED, seed_of_repeat(seed))
    if aside is None:
        raise _too_few(problem)
    chosen = NaiveBayes() if model is None else model
    order = _Order(selector, max(kept))
    parts = problem.rows(aside.learn_rows), problem.rows(aside.test_rows)
    work = _Work(chosen, *parts, seed, order)
    samples = work.samples(n_samples)
    columns = zip(*(work.estimates(size, samples) for size in kept), strict=True)
    return SelectionCurve(tuple(kept), dict(zip(work.kinds, columns, strict=True)))


def _check(problem: Problem) -> None:
    if problem.classes is None:
        raise KindError(
            f"The target {problem.target_name!r} holds numbers; errors of selection are counted "
            "for classes.",
            code="D472",
            column=problem.target_name,
            repair=Repair("table_selection_curve(X, y.astype(str))", "--kind TARGET=category"),
        )
    if problem.n_rows < _FEWEST or len(problem.classes) < 2:
        raise _too_few(problem)


def _too_few(problem: Problem) -> DataError:
    return DataError(
        f"A selection curve needs at least {_FEWEST} rows of two classes or more, some of which "
        f"can be set aside; there are {problem.n_rows} rows.",
        code="D473",
    )


@dataclass(frozen=True, eq=False)
class _Work:
    """A model, the rows to choose and learn from, and the rows set aside."""

    model: Any
    rows: Problem
    aside: Problem
    seed: int
    order: "_Order"

    @property
    def is_small(self) -> bool:
        return self.rows.n_rows <= _MOST_LEFT_OUT

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the five estimates."""
        inside = "leave-one-out" if self.is_small else "10-fold"
        return ("training", f"internal {inside}", "external 10-fold", ".632+", "test")

    def samples(self, n_samples: int) -> list[tuple[Places, Places]]:
        """Return bootstrap samples: rows drawn, rows left out."""
        draws = np.random.default_rng([self.seed, 1])
        found = (self.rows.folds.bootstrap(draws, self.seed) for _ in range(n_samples))
        return [(drawn, rest) for drawn, rest in found if len(rest)]

    def estimates(self, size: int, samples: Iterable[tuple[Places, Places]]) -> tuple[float, ...]:
        """Return the five estimates for ``size`` inputs."""
        rows = self.rows
        every = np.arange(rows.n_rows)
        names = self.order.first(rows, every, size)
        fitted = self._fitted(every, names)
        predicted = fitted.predict(_only(rows.table, names))
        training = float((predicted != rows.target).mean())
        folds = rows.folds.split(_N_FOLDS, seed_of_repeat(self.seed))
        inner = rows.folds.leave_one_out() if self.is_small else folds
        internal = self._error(((f.learn_rows, f.test_rows) for f in inner), names)
        external = self._error(((f.learn_rows, f.test_rows) for f in folds), size)
        left_out = self._error(samples, size)
        classes = np.asarray(rows.classes)
        places = np.searchsorted(classes, predicted)
        chance = no_information_error(rows.places, places, len(classes))
        plus = bootstrap_error(left_out, training, chance).error_632_plus
        unseen = fitted.predict(_only(self.aside.table, names)) != self.aside.target
        return training, internal, external, plus, float(unseen.mean())

    def _error(self, parts: Iterable[tuple[Places, Places]], choice: int | Sequence[str]) -> float:
        """Return the error on rows left out, averaged for each row, then over rows.

        A number chooses that many inputs on the rows to learn from.
        """
        wrong, count = np.zeros(self.rows.n_rows), np.zeros(self.rows.n_rows)
        for learn, test in parts:
            names: Sequence[str]
            if isinstance(choice, int):
                names = self.order.first(self.rows, learn, choice)
            else:
                names = choice
            asked = _only(self.rows.table.rows(test), names)
            wrong[test] += self._fitted(learn, names).predict(asked) != self.rows.target[test]
            count[test] += 1
        tested = count > 0
        return float((wrong[tested] / count[tested]).mean())

    def _fitted(self, learn: Places, names: Sequence[str]) -> Any:
        table = _only(self.rows.table.rows(learn), names)
        return clone(self.model).fit(table, self.rows.target[learn])


class _Order:
    """The columns from best to worst, worked out once for each training set.

    Parameters
    ----------
    selector
        What orders them; None: p-values.
    most
        How many of them are asked for, at most.
    """

    def __init__(self, selector: Any, most: int) -> None:
        self._selector, self._most = selector, most
        self._known: dict[bytes, list[str]] = {}

    def first(self, problem: Problem, learn: Places, count: int) -> list[str]:
        """Return the first columns, by the rows to learn from."""
        key = learn.tobytes()
        if key not in self._known:
            self._known[key] = self._ordered(problem.rows(learn))
        return self._known[key][:count]

    def _ordered(self, problem: Problem) -> list[str]:
        if self._selector is None:
            return best_columns(problem, self._most)
        chosen = clone(self._selector).set_params(n_columns=self._most)
        places = np.argsort(chosen.fit(problem.table, problem.target).ranking_, kind="stable")
        return [problem.table.names[place] for place in places]


def _only(table: Table, names: Sequence[str]) -> Table:
    kept = set(names)
    return table.drop([name for name in table.names if name not in kept])


def best_columns(problem: Problem, count: int) -> list[str]:
    """Return the columns whose relation with the classes chance explains least."""
    table, places = problem.table, problem.places
    n_classes = int(places.max()) + 1
    numbers = [name for name in table.names if table.column(name).kind != "category"]
    strength = dict(zip(numbers, _of_numbers(table, numbers, places, n_classes), strict=True))
    for name in table.names:
        if name not in strength:
            strength[name] = _of_category(table.column(name), places, n_classes)
    order = np.argsort([-strength[name] for name in table.names], kind="stable")
    return [table.names[place] for place in order[:count]]


def _of_numbers(table: Table, names: Sequence[str], places: Places, n_classes: int) -> Floats:
    """Return −log p of a one-way analysis of variance for each column, without missing cells."""
    if not names:
        return np.zeros(0)
    cells = np.column_stack([table.column(name).numbers().astype(np.float64) for name in names])
    known = ~np.isnan(cells)
    cells = np.where(known, cells, 0.0)
    is_class = np.equal.outer(np.arange(n_classes), places).astype(np.float64)
    size = is_class @ known
    mean = is_class @ cells / np.maximum(size, 1)
    n_rows = size.sum(axis=0)
    overall = (size * mean).sum(axis=0) / np.maximum(n_rows, 1)
    between = (size * (mean - overall) ** 2).sum(axis=0)
    within = (np.where(known, cells - mean[places], 0.0) ** 2).sum(axis=0)
    groups = (size > 0).sum(axis=0)
    free = np.maximum(n_rows - groups, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (between / np.maximum(groups - 1, 1)) / (within / free)
    ratio = np.where(between > 0, ratio, 0.0)
    found: Floats = -stats.f.logsf(ratio, np.maximum(groups - 1, 1), free)
    return found


def _of_category(column: Column, places: Places, n_classes: int) -> float:
    """Return −log p of χ² between the levels (missing is one more) and the classes."""
    _, level = np.unique(np.asarray(column.values), return_inverse=True)
    level = np.where(column.is_missing, level.max() + 1, level)
    _, level = np.unique(level, return_inverse=True)
    n_levels = int(level.max()) + 1
    seen = np.bincount(level * n_classes + places, minlength=n_levels * n_classes)
    seen = seen.reshape(n_levels, n_classes)
    seen = seen[:, seen.sum(axis=0) > 0]
    if min(seen.shape) < 2:
        return 0.0
    expected = seen.sum(axis=1, keepdims=True) * seen.sum(axis=0) / seen.sum()
    chi2 = float(((seen - expected) ** 2 / expected).sum())
    return float(-stats.chi2.logsf(chi2, (seen.shape[0] - 1) * (seen.shape[1] - 1)))
