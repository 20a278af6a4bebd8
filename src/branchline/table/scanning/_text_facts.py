"""What all rows of a column of texts show, gathered part by part in bounded memory.

Reading a whole column decides its kind by questions such as "is every text a number". Here each
part is asked, and what is kept is enough to give the same answers later:

1. the first rows, and the first different texts;
2. which plain readings (whole number, number, decimal comma, true and false, ISO date) every text
   so far fits, and a text that ruled a reading out;
3. a text for each trait that readings of numbers ask about (a decimal point, a number that a float
   would round);
4. the well-known marks for a missing value that stand beside plain numbers, with their counts;
5. where no plain reading is left: all different texts, with their counts, by first appearance.
"""

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from branchline.table._kinds import LONGEST_WHOLE, SAMPLE, THOUSANDS, WHOLE, as_comma_float
from branchline.table.converting._missing_marks import are_marks
from branchline.table.files._moments import iso_column
from branchline.table.frames._whole_numbers import EXACT

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DistinctTexts", "TextFacts"]

_FIRST_VALUES = 64
_MOST_MARKS = 64
_NUMBERS = frozenset({"integer", "float", "comma"})
_PLAIN = (*_NUMBERS, "boolean", "iso")


class DistinctTexts:
    """The different texts of a column, by first appearance, with the number of their cells."""

    def __init__(self) -> None:
        self._parts: list[pl.DataFrame] = []
        self._n_compact = self._n_new = 0

    def add(self, texts: "pl.Series") -> None:
        """Take down the texts of a part."""
        import polars as pl

        counted = (
            texts.alias("text").drop_nulls().to_frame().group_by("text", maintain_order=True)
        ).agg(pl.len().cast(pl.Int64).alias("n"))
        self._parts.append(counted)
        self._n_new += counted.height
        if self._n_new > max(self._n_compact, 1 << 16):
            self.frame()

    def frame(self) -> "pl.DataFrame":
        """Return columns "text" and "n"."""
        import polars as pl

        if not self._parts:
            return pl.DataFrame(schema={"text": pl.String, "n": pl.Int64})
        whole = pl.concat(self._parts).group_by("text", maintain_order=True)
        self._parts = [whole.agg(pl.col("n").sum())]
        self._n_compact, self._n_new = self._parts[0].height, 0
        return self._parts[0]


@dataclass
class TextFacts:
    """What the rows so far show of one column.

    Parameters
    ----------
    name
        Its name.
    distinct
        All different texts; None while plain readings may do without them.
    """

    name: str
    distinct: DistinctTexts | None = None
    is_complete: bool = True
    readings: set[str] = field(default_factory=lambda: set(_PLAIN))
    head: "pl.Series | None" = None
    first: dict[str, None] = field(default_factory=dict)
    witnesses: dict[str, str] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    soft_marks: dict[str, int] = field(default_factory=dict)
    iso_kind: tuple[str, str | None] | None = None
    n_rows: int = 0
    n_known: int = 0

    def add(self, texts: "pl.Series") -> None:
        """Take down what the texts of a part show."""
        if self.head is None or len(self.head) < SAMPLE:
            more = texts.head(SAMPLE - (0 if self.head is None else len(self.head)))
            self.head = more.rechunk() if self.head is None else self.head.append(more)
        if len(self.first) < _FIRST_VALUES:
            found = texts.drop_nulls().unique(maintain_order=True).head(2 * _FIRST_VALUES)
            self.first.update(dict.fromkeys(found.to_list()))
        self.n_rows += len(texts)
        n_known = len(texts) - texts.null_count()
        if self.readings and n_known:
            self._test(texts)
            if not self.readings and self.distinct is None:
                self.distinct = DistinctTexts()
                self.is_complete = self.n_known == 0
        if self.distinct is not None:
            self.distinct.add(texts)
        self.n_known += n_known

    # -- readings -------------------------------------------------------------------------------

    def _test(self, texts: "pl.Series") -> None:
        self._test_iso(texts)
        if "boolean" in self.readings:
            self._rule_out("boolean", texts, ~texts.str.contains("(?i)^(?:true|false)$"))
        numbers = self._tested(texts)
        if not numbers or self.readings & _NUMBERS or not self._add_marks(texts):
            return
        self.readings |= numbers  # they may fit all texts but the marks
        for reading in numbers:
            self.witnesses.pop(reading, None)
        self._tested(texts.set(are_marks(texts), None))

    def _tested(self, texts: "pl.Series") -> set[str]:
        """Rule out readings of numbers; return those that were left before."""
        import polars as pl

        before = self.readings & _NUMBERS
        if "integer" in before:
            whole = texts.cast(pl.Int64, strict=False)
            if whole.null_count() == texts.null_count():
                self._look_at_large(whole, texts)
                return before
            self._rule_out("integer", texts, whole.is_null())
        if "float" in before:
            floats = texts.cast(pl.Float64, strict=False)
            if floats.null_count() == texts.null_count():
                self._look_at_floats(floats, texts)
            else:
                self._rule_out("float", texts, floats.is_null())
        if "comma" in before:
            commas = texts.to_frame("x").select(as_comma_float(pl.col("x"))).to_series()
            self._rule_out("comma", texts, commas.is_null())
            if "comma" in self.readings:
                self._look_at_mark(",", texts)
        return before

    def _rule_out(self, reading: str, texts: "pl.Series", fails: "pl.Series") -> None:
        """Give a reading up where a text fails it, and keep the first such text."""
        odd = texts.filter(fails & texts.is_not_null())
        if len(odd):
            self.readings.discard(reading)
            self.witnesses.setdefault(reading, str(odd[0]))

    def _test_iso(self, texts: "pl.Series") -> None:
        if "iso" not in self.readings:
            return
        column = iso_column("", texts)
        kind = None if column is None else (column.type.source, column.type.timezone)
        if kind is None or self.iso_kind not in (None, kind):
            self.readings.discard("iso")
        self.iso_kind = kind

    def _add_marks(self, texts: "pl.Series") -> bool:
        """Count the well-known marks for a missing value of a part; say whether there are any."""
        for text, n_cells in DistinctCounts.of(texts.filter(are_marks(texts))):
            self.marks[text] = self.marks.get(text, 0) + n_cells
        return 0 < len(self.marks) <= _MOST_MARKS

    # -- traits of numbers ------------------------------------------------------------------------

    def _look_at_large(self, numbers: "pl.Series", texts: "pl.Series") -> None:
        """Keep a large whole number, and one that a float would round."""
        low, high = numbers.min(), numbers.max()
        if "rounded" in self.witnesses or low is None:
            return
        if high <= EXACT and low >= -EXACT:  # type: ignore[operator]
            return
        large = texts.filter((numbers > EXACT) | (numbers < -EXACT)).unique(maintain_order=True)
        self._keep("large", large)
        rounded = (text for text in large if _is_whole(text) and _is_rounded(text))
        self._keep("rounded", list(islice(rounded, 1)))

    def _look_at_floats(self, floats: "pl.Series", texts: "pl.Series") -> None:
        if "not whole" not in self.witnesses:
            self._keep("not whole", texts.filter(~texts.str.contains(WHOLE)))
        if "not whole" not in self.witnesses:
            self._look_at_large(floats, texts)
        self._look_at_mark(".", texts)
        if floats.is_nan().any():
            for text, n_cells in DistinctCounts.of(texts.filter(are_marks(texts))):
                self.soft_marks[text] = self.soft_marks.get(text, 0) + n_cells

    def _look_at_mark(self, mark: str, texts: "pl.Series") -> None:
        """Keep a text with a decimal mark, and one in which the mark cannot group thousands."""
        if f"{mark} decimal" in self.witnesses:
            return
        marked = texts.filter(texts.str.contains(mark, literal=True))
        self._keep(f"{mark} marked", marked)
        pattern = THOUSANDS.replace("MARK", f"[{mark}]")
        self._keep(f"{mark} decimal", marked.filter(~marked.str.contains(pattern)))

    def _keep(self, trait: str, texts: "pl.Series | list[str]") -> None:
        if len(texts) and trait not in self.witnesses:
            self.witnesses[trait] = str(texts[0])

    # -- what is decided by ---------------------------------------------------------------------

    def all_marks(self) -> dict[str, int]:
        """Return the marks beside plain numbers, those that are also numbers (nan) included."""
        if not self.marks:
            return {}
        found = dict(self.soft_marks)
        for text, n_cells in self.marks.items():
            found[text] = found.get(text, 0) + n_cells
        return found

    def reduced(self) -> "list[str | None]":
        """Return texts that show what the whole column shows."""
        head = [] if self.head is None else self.head.to_list()
        if self.distinct is not None and self.is_complete:
            return [*head, *self.distinct.frame()["text"].to_list()]
        return [*head, *self.first, *self.witnesses.values(), *self.all_marks()]

    def counts(self) -> "pl.DataFrame | None":
        """Return how many cells hold each text, where the texts that count are known."""
        import polars as pl

        if self.distinct is not None and self.is_complete:
            return self.distinct.frame()
        marks = self.all_marks()
        if not marks:
            return None
        return pl.DataFrame(
            {"text": list(marks), "n": list(marks.values())},
            schema={"text": pl.String, "n": pl.Int64},
        )

    def gather(self) -> "TextFacts":
        """Return facts that hold all different texts, to be filled by another pass."""
        return TextFacts(self.name, DistinctTexts(), readings=set())


class DistinctCounts:
    """Texts with the number of their cells."""

    @staticmethod
    def of(texts: "pl.Series") -> "list[tuple[str, int]]":
        """Return them in the order of their first appearance."""
        found = DistinctTexts()
        found.add(texts)
        return [(str(text), int(n)) for text, n in found.frame().rows()]


def _is_whole(text: str) -> bool:
    return re.match(WHOLE, text) is not None


def _is_rounded(text: str) -> bool:
    return len(text) > LONGEST_WHOLE or int(float(text)) != int(text)
