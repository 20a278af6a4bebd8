"""What a reproduction is: lines of printed numbers with ours beside them."""

import math
from dataclasses import dataclass
from typing import Any

__all__ = ["Figure", "Line", "Reproduction"]

Value = float | str


@dataclass(frozen=True)
class Figure:
    """A printed number, or word, and ours.

    Parameters
    ----------
    name
        What it is.
    printed, ours
        The two.
    agrees
        Whether they agree, by the rule of the table.
    digits
        The digits after the point that are shown.
    low, high
        Our smallest and largest value, where it is drawn several times.
    why
        Where they differ for a known reason, the reason: the figure then counts as accounted for.

    See Also
    --------
    Line : the figures of one thing.
    Reproduction : a published table beside ours.

    Examples
    --------
    >>> from branchline.reproduce import Figure
    >>> Figure("error", 0.12, 0.13, True).ours
    0.13
    """

    name: str
    printed: Value
    ours: Value
    agrees: bool
    digits: int = 3
    low: float | None = None
    high: float | None = None
    why: str = ""

    @property
    def is_accounted_for(self) -> bool:
        """Whether it agrees, or differs for a reason that is given."""
        return self.agrees or bool(self.why)

    def shown(self, which: str) -> str:
        """Return "printed" or "ours" as text; ours with its range."""
        value = self.printed if which == "printed" else self.ours
        text = _text(value, self.digits)
        if which == "ours" and self.low is not None and self.high is not None:
            text += f" ({_text(self.low, self.digits)} to {_text(self.high, self.digits)})"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as data; a number that does not exist is None."""
        kept = {name: _plain(value) for name, value in vars(self).items()}
        return {name: value for name, value in kept.items() if name not in {"low", "high"}} | (
            {} if self.low is None else {"low": kept["low"], "high": kept["high"]}
        )


def _text(value: Value, digits: int) -> str:
    return value if isinstance(value, str) else f"{value:.{digits}f}"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Line:
    """The figures of one thing: a learner, an example.

    See Also
    --------
    Figure : a printed number, or word, and ours.
    Reproduction : a published table beside ours.

    Examples
    --------
    >>> from branchline.reproduce import Figure, Line
    >>> len(Line("tree", (Figure("error", 0.12, 0.13, True),)).figures)
    1
    """

    name: str
    figures: tuple[Figure, ...]
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether every figure agrees, or differs for a reason that is given."""
        return all(figure.is_accounted_for for figure in self.figures)

    @property
    def mark(self) -> str:
        """A word for the margin."""
        if not self.agrees:
            return "differs"
        return "" if all(figure.agrees for figure in self.figures) else "explained"

    def to_dict(self) -> dict[str, Any]:
        """Return the line as data."""
        return {
            "name": self.name,
            "agrees": self.agrees,
            "note": self.note,
            "figures": [figure.to_dict() for figure in self.figures],
        }


@dataclass(frozen=True)
class Reproduction:
    """A published table beside ours; print it to read it.

    Parameters
    ----------
    title
        What is reproduced, and how.
    lines
        The lines of the table.
    rule
        When two numbers count as equal.
    notes
        What else should be known.
    is_wide
        Whether a line of text holds all figures of a line, as in a table.

    See Also
    --------
    friedman
    golub
    labels_in_noise

    Examples
    --------
    >>> from branchline.reproduce import Figure, Line, Reproduction
    >>> line = Line("tree", (Figure("error", 0.12, 0.13, True),))
    >>> found = Reproduction("A table", (line,), "within 0.01")
    >>> len(found.lines)
    1
    """

    title: str
    lines: tuple[Line, ...]
    rule: str
    notes: tuple[str, ...] = ()
    is_wide: bool = False

    @property
    def agrees(self) -> bool:
        """Whether every line agrees, or differs for a reason that is given."""
        return all(line.agrees for line in self.lines)

    @property
    def n_figures(self) -> int:
        """The number of figures."""
        return sum(len(line.figures) for line in self.lines)

    def to_text(self) -> str:
        """Return the table, reasons below it, and the verdict."""
        body = _wide(self.lines) if self.is_wide else _long(self.lines)
        reasons = [
            f"{line.name}, {figure.name}: {figure.why}"
            for line in self.lines
            for figure in line.figures
            if figure.why and not figure.agrees
        ]
        return "\n".join([self.title, "", *body, "", *reasons, *self.notes, self.verdict])

    def __str__(self) -> str:
        return self.to_text()

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        wrong = [line.name for line in self.lines if not line.agrees]
        if wrong:
            return (
                f"{len(wrong)} of {len(self.lines)} lines differ ({self.rule}): {', '.join(wrong)}."
            )
        explained = sum(line.mark == "explained" for line in self.lines)
        but = f", {explained} of them but for the reasons given" if explained else ""
        return f"All {len(self.lines)} lines ({self.n_figures} figures) agree ({self.rule}){but}."

    def to_dict(self) -> dict[str, Any]:
        """Return the table as data."""
        return {
            "title": self.title,
            "rule": self.rule,
            "agrees": self.agrees,
            "lines": [line.to_dict() for line in self.lines],
            "notes": list(self.notes),
        }


def _wide(lines: tuple[Line, ...]) -> list[str]:
    """Return a text line for each line: printed numbers, then ours."""
    width = max(len(line.name) for line in lines)
    names = " / ".join(figure.name for figure in lines[0].figures)
    cells = {
        which: [" / ".join(figure.shown(which) for figure in line.figures) for line in lines]
        for which in ("printed", "ours")
    }
    first = max(len("printed"), *map(len, cells["printed"]))
    second = max(len("ours"), *map(len, cells["ours"]))
    shown = [f"{names}", f"{'':{width}}  {'printed':{first}}  {'ours':{second}}"]
    for line, printed, ours in zip(lines, cells["printed"], cells["ours"], strict=True):
        margin = "  ".join(part for part in (line.mark, line.note) if part)
        text = f"{line.name:{width}}  {printed:{first}}  {ours:{second}}  {margin}"
        shown.append(text.rstrip())
    return shown


def _long(lines: tuple[Line, ...]) -> list[str]:
    """Return a text line for each figure, under the name of its line."""
    figures = [figure for line in lines for figure in line.figures]
    width = max(len(figure.name) for figure in figures)
    first = max(len("printed"), *(len(figure.shown("printed")) for figure in figures))
    shown = [f"  {'':{width}}  {'printed':>{first}}  ours"]
    for line in lines:
        shown.append(line.name + (f" ({line.note})" if line.note else ""))
        for figure in line.figures:
            printed, ours = figure.shown("printed"), figure.shown("ours")
            mark = "" if figure.agrees else "  explained" if figure.why else "  differs"
            shown.append(f"  {figure.name:{width}}  {printed:>{first}}  {ours}{mark}")
    return shown
