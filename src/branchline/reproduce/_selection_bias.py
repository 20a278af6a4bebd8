"""Selection bias: choosing inputs on all rows, then cross-validating, sees structure in noise.

1. 50 rows × 1 000 inputs of noise: the best tree on a single input, by 10-fold cross-validation;
   and a tree on the ten inputs that are correlated best with the class.
2. 250 rows × 1 000 inputs: bagged trees on all inputs, and on the 20 with the largest t.
3. Each draw gives an apparent error by 10-fold cross-validation (the choice has seen all rows) and
   a true one, on 5,000 new rows. Printed are 16 and 48 % for a single input, 20 and 51 % for ten.
   The published trees are not described. A single input has a tree grown to the end: stumps gave
   0.18 to 0.30 in 30 draws, which leaves the printed 0.16 out. Ten inputs have a tree too: naive
   Bayes gave 0.08 to 0.18 in 6 draws.
4. The published apparent errors are single draws: they must lie between our smallest and our
   largest. True and honest errors must be within 0.05 of the published ones, on average.
5. ``compare`` on one such table of 50 rows must report about one half (within 0.15: two standard
   errors of so few rows), and recommend the baseline.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import Floats
from branchline._validation import AnyOf, Flag, OneOf, Whole, check_parameters, check_seed
from branchline.assess import compare
from branchline.ensemble import BaggingClassifier
from branchline.reproduce._noise_tables import (
    Wholes,
    best_correlated,
    best_t,
    draw_noise,
    errors_of_single_inputs,
    fold_of_rows,
)
from branchline.reproduce._reproduction import Figure, Line, Reproduction
from branchline.tree import DecisionTreeClassifier

__all__ = ["selection_bias"]

_USUAL_DRAWS, _QUICK_DRAWS = 100, 50
_DRAWS_PER_BAG = 10
_N_TREES = 25
_N_INPUTS, _N_FOLDS = 1000, 10
_N_NEW_ROWS = 5000
_NEAR = 0.05
Pairs = list[tuple[float, float]]


def selection_bias(
    n_draws: int | None = None,
    *,
    quick: bool = False,
    random_state: Any = 0,
    tell: Callable[[str], None] | None = None,
) -> Reproduction:
    """Show how far errors look better than they are when inputs were chosen on all rows.

    Parameters
    ----------
    n_draws
        How many tables of noise are drawn; None (default): 100, or 50 with ``quick``. Bagged trees,
        which take longer, have a tenth of them, at least 3.
    quick
        Fewer draws, and without bagged trees. Default False.
    random_state
        The seed of all draws. Default 0.
    tell
        Called with a sentence whenever a part is done. Default None: nothing is called.

    See Also
    --------
    Reproduction : a published table beside ours.

    Examples
    --------
    >>> from branchline.reproduce import selection_bias
    >>> found = selection_bias(2, quick=True)
    >>> [figure.name for figure in found.lines[0].figures]
    ['apparent', 'true']
    """
    rules: dict[str, Any] = {"n_draws": AnyOf((OneOf((None,)), Whole(2))), "quick": Flag()}
    check_parameters("selection_bias", {"n_draws": n_draws, "quick": quick}, rules)
    count = n_draws or (_QUICK_DRAWS if quick else _USUAL_DRAWS)
    seed = check_seed(random_state)
    parts = [_single_input, _ten_inputs, *(() if quick else (_bagged,)), _compared]
    lines: list[Line] = []
    for part in parts:
        lines += part(seed, count)
        if tell is not None:
            tell(f"{lines[-1].name}: {lines[-1].figures[0].shown('ours')}")
    notes = ("Bagged trees are left out.",) if quick else ()
    return Reproduction(
        f"Selection bias on pure noise, {count} draws: mean error (least to most)",
        tuple(lines),
        "apparent: printed within the spread; true: within 0.05; compare, one table: within 0.15",
        notes,
    )


# -- what is repeated ----------------------------------------------------------------------------


def _tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(prune=None, correct_for_chance=False, n_jobs=1)


def cross_validated(model: Any, X: Floats, y: Wholes, fold: Wholes) -> float:
    """Return the share of rows predicted wrongly by models that have not seen them."""
    wrong = 0
    for part in np.unique(fold):
        fitted = clone(model).fit(X[fold != part], y[fold != part])
        wrong += int((fitted.predict(X[fold == part]) != y[fold == part]).sum())
    return wrong / len(y)


def _errors(
    model: Any, X: Floats, y: Wholes, chosen: Wholes, fold: Wholes, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the apparent error of a model on chosen inputs, and the error on 5,000 new rows."""
    apparent = cross_validated(model, X[:, chosen], y, fold)
    fresh, labels = draw_noise(_N_NEW_ROWS, len(chosen), rng)
    predicted = clone(model).fit(X[:, chosen], y).predict(fresh)
    return apparent, float((predicted != labels).mean())


def _single_input(seed: int, n_draws: int) -> list[Line]:
    pairs: Pairs = []
    for draw in range(n_draws):
        rng = np.random.default_rng([seed, 1, draw])
        X, y = draw_noise(50, _N_INPUTS, rng)
        fold = fold_of_rows(y, _N_FOLDS, rng)
        best = errors_of_single_inputs(X, y, fold).argmin()
        pairs.append(_errors(_tree(), X, y, np.array([best]), fold, rng))
    return [_line("best tree on one of 1,000 inputs, 50 rows", pairs, 0.16, 0.48)]


def _ten_inputs(seed: int, n_draws: int) -> list[Line]:
    pairs: Pairs = []
    for draw in range(n_draws):
        rng = np.random.default_rng([seed, 2, draw])
        X, y = draw_noise(50, _N_INPUTS, rng)
        chosen = best_correlated(X, y, 10)
        pairs.append(_errors(_tree(), X, y, chosen, fold_of_rows(y, _N_FOLDS, rng), rng))
    return [_line("tree on the 10 best correlated of 1,000, 50 rows", pairs, 0.20, 0.51)]


def _bagged(seed: int, n_draws: int) -> list[Line]:
    pairs: Pairs = []
    honest: list[float] = []
    model = BaggingClassifier(estimator=_tree(), n_estimators=_N_TREES)
    for draw in range(max(3, n_draws // _DRAWS_PER_BAG)):
        rng = np.random.default_rng([seed, 3, draw])
        X, y = draw_noise(250, _N_INPUTS, rng)
        honest.append(cross_validated(model, X, y, fold_of_rows(y, _N_FOLDS, rng)))
        chosen = best_t(X, y, 20)
        pairs.append(_errors(model, X, y, chosen, fold_of_rows(y, _N_FOLDS, rng), rng))
    return [
        Line("bagged trees on all 1,000 inputs, 250 rows", (_near("honest", 0.52, honest),)),
        _line("bagged trees on the 20 with the largest t, 250 rows", pairs, 0.35, 0.52),
    ]


def _compared(seed: int, n_draws: int) -> list[Line]:
    """Ask ``compare`` for its opinion of one such table."""
    rng = np.random.default_rng([seed, 4])
    X, _ = draw_noise(50, _N_INPUTS, rng)
    # Coins, not balanced classes: where both classes have 25 rows, the majority class of nine folds
    # is the minority class of the tenth, and the baseline errs in 60 % of rows.
    y = rng.integers(2, size=50)
    found = compare(X, y, learners="tree,one_rule", random_state=seed % 2**31)
    errors = [1 - standing.score.estimate for standing in found.standings]
    advised = found.recommendation.learner
    return [
        Line(
            "compare on 50 rows × 1,000 inputs",
            (
                _near("error of the learners", 0.5, errors, within=0.15),
                Figure("recommended", "baseline", advised, advised == "baseline"),
            ),
        )
    ]


# -- what is printed -----------------------------------------------------------------------------


def _line(name: str, pairs: Pairs, apparent: float, true: float) -> Line:
    seen, real = zip(*pairs, strict=True)
    low, high = min(seen), max(seen)
    inside = low - 1e-9 <= apparent <= high + 1e-9
    first = Figure("apparent", apparent, float(np.mean(seen)), inside, 2, low, high)
    return Line(name, (first, _near("true", true, real)))


def _near(name: str, printed: float, found: Sequence[float], within: float = _NEAR) -> Figure:
    mean = float(np.mean(found))
    agrees = abs(mean - printed) <= within
    return Figure(name, printed, mean, agrees, 2, min(found), max(found))
