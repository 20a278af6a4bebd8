"""The coefficients of a linear model as a list that a person reads."""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from branchline._drawable import Drawable
from branchline._plain_numbers import number

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["Coefficient", "Coefficients"]


@dataclass(frozen=True)
class Coefficient:
    """One term of a linear model, in the units of the table.

    Parameters
    ----------
    output
        The class or output that the sum belongs to.
    term
        What is multiplied: "age", "town=Mons", "age missing".
    column
        The column of the table that it comes from.
    value
        By how much the sum changes for one unit of the term.
    low, high
        The 95 % interval, where one is known.
    """

    output: str
    term: str
    column: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Coefficients(Drawable):
    """All coefficients of a model; ``str`` gives a table, ``to_dicts`` plain data."""

    rows: tuple[Coefficient, ...]
    intercepts: dict[str, float]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Any:
        return iter(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary a coefficient."""
        return [asdict(row) for row in self.rows]

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_coefficients

        return draw_coefficients(self)

    def by_column(self) -> dict[str, tuple[Coefficient, ...]]:
        """Return the coefficients of each column of the table."""
        columns = dict.fromkeys(row.column for row in self.rows)
        return {name: tuple(r for r in self.rows if r.column == name) for name in columns}

    def by_size(self) -> "Coefficients":
        """Return them with the largest first, whatever their sign."""
        return Coefficients(tuple(sorted(self.rows, key=_largest_first)), self.intercepts)

    def __str__(self) -> str:
        width = max((len(row.term) for row in self.rows), default=0)
        width = max(width, len("intercept"))
        lines = []
        for output, constant in self.intercepts.items():
            if len(self.intercepts) > 1:
                lines.append(f"{output}:")
            lines.append(f"  {'intercept':<{width}}  {number(constant, 5):>11}")
            lines += [_line(row, width) for row in self.rows if row.output == output]
        return "\n".join(lines)

    __repr__ = __str__


def _largest_first(row: Coefficient) -> float:
    return 0.0 if math.isnan(row.value) else -abs(row.value)


def _line(row: Coefficient, width: int) -> str:
    interval = "" if row.low is None else f"  [{number(row.low)}, {number(row.high)}]"
    return f"  {row.term:<{width}}  {number(row.value, 5):>11}{interval}"
