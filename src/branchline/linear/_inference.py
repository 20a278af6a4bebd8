"""How sure least squares is of its coefficients: standard errors, t tests, intervals.

With W the total weight, r the rank and s² = RSS / (W − r − 1), a coefficient aᵀw has

1. standard error s ‖Vᵀa / d‖, for a in the span of V; else the rows do not determine it,
2. t = aᵀw / error, with W − r − 1 degrees of freedom,
3. the interval aᵀw ± t(0.975) · error.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.stats import t as student

from branchline._arrays import Floats
from branchline._drawable import Drawable
from branchline._encoding._encoding import Encoding
from branchline._plain_numbers import fixed, number
from branchline.linear._decomposition import Decomposition
from branchline.linear._linear_sums import table_units

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["RegressionSummary", "SummaryRow", "aliased_terms", "intervals", "standard_errors"]

_SMALL = 1e-7
_AT_ONCE = 32  # terms whose links are looked for together


@dataclass(frozen=True)
class SummaryRow:
    """One line of a summary; None where the rows do not determine a number."""

    term: str
    coefficient: float
    error: float | None
    t: float | None
    p: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class RegressionSummary(Drawable):
    """What a person reads about a fitted regression; ``str`` gives a table.

    Parameters
    ----------
    rows
        The intercept, then the terms.
    residual_std
        The standard deviation of what the model leaves unexplained.
    df_residual
        The rows less the numbers that were learned from them.
    r2, adjusted_r2
        The share of the target's variance that is explained; adjusted for the number of terms.
    notes
        What else must be known to read the table.
    """

    rows: tuple[SummaryRow, ...]
    residual_std: float | None
    df_residual: float
    r2: float | None
    adjusted_r2: float | None
    notes: tuple[str, ...] = ()

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_summary

        return draw_summary(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per row."""
        return [asdict(row) for row in self.rows]

    def __str__(self) -> str:
        width = max(len(row.term) for row in self.rows)
        head = f"{'':<{width}}  coefficient      error        t         p  95 % interval"
        lines = [head, *(_line(row, width) for row in self.rows)]
        lines.append(
            f"residual standard deviation {number(self.residual_std)} on "
            f"{number(self.df_residual)} degrees of freedom; R² {number(self.r2)}, "
            f"adjusted {number(self.adjusted_r2)}"
        )
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__


def _line(row: SummaryRow, width: int) -> str:
    start = f"{row.term:<{width}}  {number(row.coefficient, 5):>11}"
    if row.error is None:
        return f"{start}          –        –         –  –"
    p = "    –    " if row.p is None else ("  < 0.0001" if row.p < 1e-4 else f"{row.p:>10.4f}")
    t = "–" if row.t is None else fixed(row.t, 2)
    error, interval = number(row.error, 3), f"[{number(row.low)}, {number(row.high)}]"
    return f"{start}  {error:>9}  {t:>7}{p}  {interval}"


def standard_errors(
    parts: Decomposition, encoding: Encoding, total_weight: float
) -> tuple[Floats, float]:
    """Return the errors of the coefficients and of the constant, in units of s.

    They are those of the table's units; NaN where the rows do not determine a coefficient.
    """
    to_table, offset = table_units(encoding)
    errors = _errors_of(parts, sparse.csc_array(to_table))
    with np.errstate(invalid="ignore", over="ignore"):
        asked = sparse.csc_array((offset - parts.x_mean)[:, None])
        constant = _errors_of(parts, asked)[0]
        return errors, float(np.hypot(constant, 1.0 / np.sqrt(total_weight)))


def _errors_of(parts: Decomposition, asked: sparse.csc_array) -> Floats:
    """Return ‖Vᵀa / d‖ for each column a, NaN where a is not in the span of V."""
    if asked.shape[0] == 0:
        return np.zeros(asked.shape[1])
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        asked = sparse.csc_array(sparse.diags_array(1.0 / parts.norms) @ asked)
        size = np.asarray(abs(asked).max(axis=0).todense()).ravel()
        # Squares of large units would overflow.
        unit = sparse.csc_array(asked @ sparse.diags_array(1.0 / np.where(size > 0, size, 1.0)))
        along = np.asarray(unit.T @ parts.directions)
        square = np.asarray(unit.multiply(unit).sum(axis=0)).ravel()
        outside = square - (along**2).sum(axis=1)
        errors = size * np.sqrt(((along / parts.values) ** 2).sum(axis=1))
    is_known = (outside <= _SMALL * square) & np.isfinite(errors)
    return np.where(is_known, errors, np.nan)


def aliased_terms(parts: Decomposition, encoding: Encoding) -> tuple[tuple[str, ...], ...]:
    """Return the groups of terms that are linearly dependent; a term alone never varies."""
    unknown = np.flatnonzero(~parts.is_known())
    if len(unknown) == 0:
        return ()
    names = encoding.term_names
    group = _linked(parts.directions[unknown])
    return tuple(
        tuple(names[term] for term in unknown[group == one]) for one in range(group.max() + 1)
    )


def _linked(directions: Floats) -> npt.NDArray[np.intp]:
    """Return the group of each term: terms are linked where a cell of I − V Vᵀ is not 0.

    Groups are walked through from term to term, since a matrix of all pairs may be too large.
    They are numbered by their first terms.
    """
    group = np.full(len(directions), -1, dtype=np.intp)
    for first in range(len(directions)):
        if group[first] >= 0:
            continue
        number = int(group.max()) + 1
        group[first] = number
        waiting = np.array([first])
        while len(waiting):
            some, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            others = np.flatnonzero(group < 0)
            products = np.abs(directions[others] @ directions[some].T).max(axis=1, initial=0.0)
            found = others[products > np.sqrt(_SMALL)]
            group[found] = number
            waiting = np.append(waiting, found)
    return group


def intervals(values: Floats, errors: Floats, df: float) -> Floats:
    """Return low and high of each value along a new last axis."""
    reach = student.ppf(0.975, df) if df > 0 else np.nan
    with np.errstate(over="ignore", invalid="ignore"):
        return np.stack([values - reach * errors, values + reach * errors], axis=-1)


def summary_row(term: str, value: float, error: float, df: float) -> SummaryRow:
    """Return one line of a summary."""
    if not np.isfinite(error) or df <= 0:
        return SummaryRow(term, value, None, None, None, None, None)
    low, high = intervals(np.array([value]), np.array([error]), df)[0].tolist()
    if error == 0:  # an exact fit: there is nothing to test
        return SummaryRow(term, value, 0.0, None, None, low, high)
    t = value / error
    return SummaryRow(term, value, error, t, float(2 * student.sf(abs(t), df)), low, high)
