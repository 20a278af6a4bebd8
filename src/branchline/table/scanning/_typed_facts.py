"""What all rows of a Parquet column show, and what the columns of Parquet files are.

Columns of numbers, booleans, dates and declared names show it by their type. Of texts, of whole
numbers that floats would round, and of columns for which another kind is asked, all different cells
are gathered.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from branchline.table._kinds import SAMPLE
from branchline.table.converting._written import Written, parse_kind
from branchline.table.files._options import ReadOptions
from branchline.table.frames._from_polars import from_polars
from branchline.table.frames._whole_numbers import EXACT, are_exact
from branchline.table.scanning._decide import Decision, looked_up, messages_of
from branchline.table.scanning._plans import Plain, Plan
from branchline.table.scanning._text_facts import DistinctTexts

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TypedFacts", "decide_types"]

_TEXTS = frozenset({"String", "Categorical"})
_LONG = frozenset({"Int128", "UInt128", "Decimal"})
_WHOLE = frozenset({"Int64", "UInt64"})


@dataclass
class TypedFacts:
    """What the rows so far show of one column.

    Parameters
    ----------
    name, dtype
        The column, and its type.
    needs_cells
        Whether all its different cells are gathered.
    """

    name: str
    dtype: Any
    needs_cells: bool
    is_complete: bool = True
    head: "pl.Series | None" = None
    cells: DistinctTexts = field(default_factory=DistinctTexts)
    n_rows: int = 0

    @classmethod
    def of(cls, name: str, dtype: Any, options: ReadOptions) -> "TypedFacts":
        """Return facts without rows."""
        what = type(dtype).__name__
        asked = options.kinds.get(name)
        is_asked = asked is not None and not (
            parse_kind(name, asked) == Written("number") and dtype.is_numeric()
        )
        return cls(name, dtype, what in _TEXTS or what in _LONG or is_asked)

    @property
    def is_plain(self) -> bool:
        """Whether the type alone tells what the column is, and only its first rows are needed."""
        return not self.needs_cells and type(self.dtype).__name__ not in _WHOLE

    def add(self, cells: "pl.Series") -> None:
        """Take down what the cells of a part show."""
        if self.head is None or len(self.head) < SAMPLE:
            more = cells.head(SAMPLE - (0 if self.head is None else len(self.head)))
            self.head = more.rechunk() if self.head is None else self.head.append(more)
        if type(self.dtype).__name__ in _WHOLE and not self.needs_cells and _rounds(cells):
            self.needs_cells, self.is_complete = True, self.n_rows == 0
        if self.needs_cells:
            import polars as pl

            self.cells.add(cells.cast(pl.String))
        self.n_rows += len(cells)

    def gather(self) -> "TypedFacts":
        """Return facts that hold all different cells, to be filled by another pass."""
        return TypedFacts(self.name, self.dtype, needs_cells=True)

    def reduced(self) -> "pl.Series":
        """Return cells that show what the whole column shows."""
        import polars as pl

        head = pl.Series([], dtype=self.dtype) if self.head is None else self.head
        if not self.needs_cells:
            return head
        return head.clone().append(self.cells.frame()["text"].cast(self.dtype))

    def counts(self) -> "pl.DataFrame | None":
        """Return how many cells hold each text, without outer blanks."""
        import polars as pl

        if type(self.dtype).__name__ not in _TEXTS:
            return None
        stripped = self.cells.frame().with_columns(pl.col("text").str.strip_chars())
        return stripped.group_by("text", maintain_order=True).agg(pl.col("n").sum())


def _rounds(cells: "pl.Series") -> bool:
    """Whether floats would round some of the whole numbers."""
    low, high = cells.min(), cells.max()
    if low is None or (high <= EXACT and low >= -EXACT):  # type: ignore[operator]
        return False
    return not are_exact(cells.drop_nulls().to_numpy())


def decide_types(facts: Sequence[TypedFacts], options: ReadOptions) -> "Decision | set[str]":
    """Return what the columns of Parquet files are, or those whose cells are needed for it."""
    import polars as pl

    waiting = {one.name for one in facts if not one.is_complete}
    if waiting:
        return waiting
    known = {one.name: counts for one in facts if (counts := one.counts()) is not None}
    columns = [one.reduced() for one in facts]
    n_rows = max(map(len, columns), default=0)
    frame = pl.DataFrame(
        [
            column.extend_constant(None, n_rows - len(column)).alias(one.name)
            for one, column in zip(facts, columns, strict=True)
        ]
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        table = replace(options, counted=known, drop=()).apply_to_frame(from_polars(frame))
    plans: list[Plan] = []
    for one, column in zip(facts, table.columns, strict=True):
        if one.needs_cells:
            begin = 0 if one.head is None else len(one.head)
            plans.append(looked_up(column, one.cells.frame()["text"], begin))
        else:
            plans.append(Plain(column.name, column.type, "typed", column.values.dtype))
    return Decision(table.schema, tuple(plans), messages_of(told))
