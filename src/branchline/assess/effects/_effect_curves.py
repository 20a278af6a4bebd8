"""Effect curves of any fitted model on raw tables.

Let f(x) be what the model predicts, x_j the column, x_o the other columns of a row, z_0 < … < z_K
places along x_j (quantiles of the rows, or categories).

*Partial dependence* (Friedman, 2001): the mean over rows of f(z_k, x_o). Every row is moved to
every place, whether such rows exist or not.

*Accumulated local effects* (Apley and Zhu, 2020): g_k = Σ_{l ≤ k} mean of f(z_l, x_o) − f(z_{l−1},
x_o) over the rows with z_{l−1} < x_j ≤ z_l, less the mean of g over rows. Rows move only within
their own stretch, so correlated columns do no harm. Categories are put in an order first
(``_level_order``), and a step between two neighbors is the mean over the rows of both.

Bands (95 %):

- "rows": the model stays as it is; rows are drawn anew with replacement. The band says how far the
  average depends on which rows there are, and nothing about how well the model knows the effect.
- "refits" (with ``y``): the learner is fitted anew on rows drawn with replacement. The band is the
  curve ± t times the standard deviation of the refitted curves: also what the model would have
  learned from other rows.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline._column_places import ColumnPlaces, category_places, known_numbers, number_places
from branchline._row_keys import input_hashes
from branchline._validation import OneOf, Whole, check_parameters, check_seed
from branchline.assess._keywords import checked_keywords
from branchline.assess.effects._asked import Asked, asked_outputs
from branchline.assess.effects._curve_with_band import RowDraws, curves_of_column
from branchline.assess.effects._effect_curve import EffectCurve, EffectCurves
from branchline.errors import BranchlineWarning, DataError, ParameterError, Repair
from branchline.table import Column, Table, as_table

__all__ = ["effect_curves"]

METHODS = ("partial_dependence", "accumulated")


@checked_keywords
def effect_curves(  # noqa: PLR0913 (model and table, what is shown, how it is computed)
    model: Any,
    X: Any,
    y: Any = None,
    *,
    columns: Sequence[str] | str | None = None,
    method: str = "partial_dependence",
    positive: Any = None,
    n_steps: int = 20,
    n_draws: int | None = None,
    max_rows: int = 1000,
    random_state: Any = 0,
) -> EffectCurves:
    """Return how the predictions of a fitted model change with each column.

    Parameters
    ----------
    model
        Any fitted classifier or regressor, also of other libraries.
    X
        Rows like those that will be predicted, with all columns that the model needs.
    y
        Their target. None (default): the band shows what depends on which rows are averaged, the
        model staying as it is. With y the learner is fitted anew ``n_draws`` times, and the band
        also shows how well the effect is known.
    columns
        The names of columns; None (default): all of them.
    method
        "partial_dependence" (default): the mean prediction with the column set to each place in all
        rows. "accumulated": the sum of local changes, for columns that are correlated with others.
    positive
        The class whose probability is shown. None (default): the second of two classes, all of
        more.
    n_steps
        The number of steps along a numeric column, at quantiles of its rows. Default 20.
    n_draws
        The number of draws of the band. None (default): 200 without y, 20 with it. 0: no band.
    max_rows
        The number of rows to average over; of more, some are chosen at random. Default 1000.
    random_state
        The seed of the draws. Default 0.

    Returns
    -------
    EffectCurves
        A curve for each column (and class): ``at``, ``effect``, ``low``, ``high``; ``draw()``,
        ``to_frame()``.

    See Also
    --------
    EffectCurves : effect curves of some columns.

    Examples
    --------
    >>> import branchline as bl
    >>> from branchline.assess import effect_curves
    >>> X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    >>> model = bl.make("ridge", task="regression").fit(X, y)
    >>> curve = effect_curves(model, X, columns="weight")["weight"]
    >>> bool(curve.effect[0] > curve.effect[-1])
    True
    """
    _check(method, n_steps, n_draws, max_rows)
    seed = check_seed(random_state)
    table = as_table(X, texts="raw")
    names = _checked_columns(table, columns)
    target = _target(y, table.n_rows)
    if hasattr(model, "_check_fitted"):
        model._check_fitted()
    rows, notes = _rows(table, target, max_rows, seed)
    asked = asked_outputs(model, positive)
    n_asked = (200 if target is None else 20) if n_draws is None else int(n_draws)
    refitted = [] if target is None else _refits(asked, table, target, n_asked, seed)
    draws = RowDraws.of(rows.n_rows, 0 if refitted or target is not None else n_asked, seed)
    curves: list[EffectCurve] = []
    for name in names:
        places = _places(rows.column(name), table.column(name), int(n_steps))
        notes += [places.note] if places.note else []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchlineWarning)  # cells that the model has warned of
            curves += curves_of_column(asked, rows, places, method, draws, refitted)
    return EffectCurves(tuple(curves), tuple(notes))


def _check(method: str, n_steps: int, n_draws: int | None, max_rows: int) -> None:
    known: dict[str, Any] = {
        "method": OneOf(METHODS),
        "n_steps": Whole(1, 1000),
        "max_rows": Whole(2),
    }
    given: dict[str, Any] = {"method": method, "n_steps": n_steps, "max_rows": max_rows}
    check_parameters("effect_curves", given, known)
    if n_draws is not None:
        check_parameters("effect_curves", {"n_draws": n_draws}, {"n_draws": Whole(0)})
    if n_draws == 1:
        raise ParameterError(
            "A band needs at least 2 draws, or 0 for none. Got n_draws=1 instead.",
            code="P530",
            values=[n_draws],
            repair=Repair("effect_curves(model, X, n_draws=200)"),
        )


def _checked_columns(table: Table, columns: Sequence[str] | str | None) -> list[str]:
    given = (
        [columns] if isinstance(columns, str) else list(table.names if columns is None else columns)
    )
    for name in given:
        table.column(name)  # an unknown one is an error
    return list(dict.fromkeys(given))


def _target(y: Any, n_rows: int) -> npt.NDArray[Any] | None:
    if y is None:
        return None
    target = np.asarray(y)
    if len(target) != n_rows:
        raise DataError(
            f"y has {len(target):,} entries, X has {n_rows:,} rows.",
            code="D484",
            repair=Repair("effect_curves(model, X, y)  # of the same rows"),
        )
    return target


def _rows(
    table: Table, target: npt.NDArray[Any] | None, most: int, seed: int
) -> tuple[Table, list[str]]:
    """Return the rows to average over, in an order of their own, so that theirs does not matter."""
    if table.n_rows == 0:
        raise DataError(
            "The table has no rows.", code="D530", repair=Repair("give rows to average over")
        )
    ordered = table.rows(np.argsort(input_hashes(table), kind="stable"))
    if table.n_rows <= most:
        return ordered, []
    chosen = np.sort(np.random.default_rng([seed, 1]).choice(table.n_rows, most, replace=False))
    return ordered.rows(chosen), [
        f"{most:,} of {table.n_rows:,} rows, chosen at random, are averaged."
    ]


def _places(column: Column, whole: Column, n_steps: int) -> ColumnPlaces:
    """Return categories, or quantiles of a numeric column: at most ``n_steps`` + 1 of them."""
    if column.kind == "category":
        return category_places(column)
    known = known_numbers(column if not column.is_missing.all() else whole)
    return number_places(
        column, np.unique(np.quantile(known, np.linspace(0, 1, n_steps + 1), method="nearest"))
    )


def _refits(
    asked: Asked, table: Table, target: npt.NDArray[Any], n_draws: int, seed: int
) -> list[Asked]:
    """Return the learner fitted on rows drawn with replacement, again and again."""
    order = np.lexsort((np.unique(target, return_inverse=True)[1], input_hashes(table)))
    rng = np.random.default_rng([seed, 2])
    fitted = []
    for _ in range(n_draws):
        rows = order[np.sort(rng.integers(0, table.n_rows, table.n_rows))]
        model = clone(asked.model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchlineWarning)
            model.fit(asked.rows(table.rows(rows)), target[rows])
        fitted.append(asked.of(model))
    return fitted
