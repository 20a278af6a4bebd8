"""What the colors and marks of a drawing mean, in lines above it."""

from dataclasses import dataclass

from branchline._drawing import missing_mark, rect, shorten, text, text_width
from branchline._plain_numbers import count, number
from branchline.tree.drawing._colors import MEAN_COLORS
from branchline.tree.drawing._node_charts import ClassBars, MeanCharts
from branchline.tree.drawing._node_words import NodeWords

__all__ = ["Legend", "Note", "make_legend"]

_LINE, _SIZE, _SWATCH, _GAP = 18.0, 10.5, 10.0, 14.0
_LONGEST_NAME = 150.0


@dataclass(frozen=True, slots=True)
class Legend:
    """The marks of a legend and the room they take."""

    body: str
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Note:
    """An entry of a legend: words before it, colors or the mark of missing values, words."""

    after: str
    colors: tuple[str, ...] = ()
    before: str = ""
    look: str = "w s"

    @property
    def width(self) -> float:
        """How many pixels it takes at most."""
        return self._before_width + _SWATCH * len(self.colors) + self._after_width

    @property
    def _before_width(self) -> float:
        return text_width(self.before, _SIZE) + 5 if self.before and self.colors else 0.0

    @property
    def _after_width(self) -> float:
        return text_width(self.after, _SIZE) + (5 if self.colors else 0)

    def marks(self, x: float, y: float) -> str:
        """Return its words and colors on the line at ``y``."""
        parts = [text(x, y, self.before, self.look)] if self.before else []
        x += self._before_width
        for color in self.colors:
            swatch = rect(x, y - 9, _SWATCH, _SWATCH, color)
            parts.append(missing_mark(x + 6, y - 4) if color == "mark" else swatch)
            x += _SWATCH
        gap = 5 if self.colors else 0
        return "".join([*parts, text(x + gap, y, self.after, self.look)])


def make_legend(
    charts: ClassBars | MeanCharts, words: NodeWords, notes: list[Note], width: float
) -> Legend:
    """Return a legend in lines of at most ``width`` pixels where single words allow it."""
    entries = _class_entries(charts, words) if isinstance(charts, ClassBars) else _scale(charts)
    lines = _flow(entries, width) + _flow(notes, width)
    parts, widest = [], 0.0
    for place, line in enumerate(lines):
        x = 0.0
        for entry in line:
            parts.append(entry.marks(x, _LINE * (place + 1) - 6))
            x += entry.width + _GAP
        widest = max(widest, x - _GAP)
    return Legend("".join(parts), widest, _LINE * len(lines))


def _flow(entries: list[Note], width: float) -> list[list[Note]]:
    """Break entries into lines."""
    lines: list[list[Note]] = []
    room = 0.0
    for entry in entries:
        if not lines or entry.width > room:
            lines.append([])
            room = width
        lines[-1].append(entry)
        room -= entry.width + _GAP
    return lines


def _class_entries(charts: ClassBars, words: NodeWords) -> list[Note]:
    names = words.classes or []
    entries = [
        Note(shorten(names[place], _LONGEST_NAME, _SIZE), (f"c{color}",), look="s")
        for place, color in charts.colors.items()
    ]
    n_others = len(names) - len(entries)
    others = Note(count(n_others, "other class", "other classes"), ("cx",), look="s")
    return [*entries, others] if n_others else entries


def _scale(charts: MeanCharts) -> list[Note]:
    colors = tuple(f"c{place}" for place in range(len(MEAN_COLORS)))
    low, high = number(charts.least), number(charts.most)
    what = charts.word if charts.n_outputs == 1 else f"first {charts.word}"
    return [
        Note(high, colors, f"{what} {low}", look="s"),
        Note(f"bar: ± standard deviation; thin tick: {charts.word} of all rows"),
    ]
