"""A report read again, and what differs when its comparison is made anew.

Scores are compared as they are printed: with their intervals, to the last digit that people see.
Times and memory differ from run to run and are not compared.
"""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from branchline._plain_numbers import number
from branchline._plain_text import pad
from branchline._result_frame import Library, result_frame
from branchline.assess import Interval
from branchline.errors import DataError, Repair
from branchline.report._document import FORMAT
from branchline.report._repeat_section import versions

__all__ = ["Replay", "ReplayedFigure", "read_report", "replay_of"]

_ROUNDING = 1e-12  # a smaller difference is what adding floats leaves over
_ISLAND = re.compile(
    r'<script type="application/json" id="branchline-report">(.*?)</script>', re.DOTALL
)


@dataclass(frozen=True)
class ReplayedFigure:
    """One figure in the report and now.

    Parameters
    ----------
    figure
        What it is: a learner and a metric, or "recommended".
    then, now
        As people read it; "–" where there is none.
    difference
        Now less then; None where there is no number.

    See Also
    --------
    Replay : what a report says, and what the same comparison gives now.
    replay_of : compare the figures in a report with those of the same comparison now.

    Examples
    --------
    >>> from branchline.report import ReplayedFigure
    >>> ReplayedFigure("accuracy of tree", "0.94", "0.95", 0.01).difference
    0.01
    """

    figure: str
    then: str
    now: str
    difference: float | None = None

    @property
    def is_same(self) -> bool:
        """Whether both are the same to the last printed digit."""
        return self.then == self.now


@dataclass(frozen=True)
class Replay:
    """What a report says, and what the same comparison gives now; print it to read it.

    Parameters
    ----------
    figures
        Every score with its interval, and the recommendation.
    fingerprint_then, fingerprint_now
        Those of the rows.
    versions
        Packages whose version is another one now: name, then, now.
    notes
        What else should be known.

    See Also
    --------
    replay_of : compare the figures in a report with those of the same comparison now.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> from branchline.report import replay_of, report_document
    >>> found = compare(load_dataset("iris"), "species", learners="tree", n_folds=3)
    >>> then = report_document(found)
    >>> len(replay_of(then, then["comparison"]).figures)
    7
    """

    figures: tuple[ReplayedFigure, ...]
    fingerprint_then: str
    fingerprint_now: str
    versions: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_same_table(self) -> bool:
        """Whether the rows are those of the report."""
        return self.fingerprint_then == self.fingerprint_now

    @property
    def is_same(self) -> bool:
        """Whether rows and figures are those of the report."""
        return self.is_same_table and all(one.is_same for one in self.figures)

    def __str__(self) -> str:
        lines = []
        if not self.is_same_table:
            lines.append(
                "The table is not that of the report: its fingerprint is "
                f"{self.fingerprint_now}, in the report "
                f"{self.fingerprint_then}. Cells, rows, columns or the way it is read differ."
            )
        lines += [f"{name}: {then} in the report, {now} now" for name, then, now in self.versions]
        different = [one for one in self.figures if not one.is_same]
        n_same = len(self.figures) - len(different)
        if not different:
            lines.append(
                f"No difference: all {n_same:,} figures are the same to the last printed digit."
            )
        else:
            lines += [
                f"{len(different):,} of {len(self.figures):,} figures differ.",
                "",
                *_aligned(different),
            ]
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "is_same": self.is_same,
            "is_same_table": self.is_same_table,
            "fingerprint": {"then": self.fingerprint_then, "now": self.fingerprint_now},
            "versions": [
                {"name": name, "then": then, "now": now} for name, then, now in self.versions
            ],
            "figures": [{**asdict(one), "is_same": one.is_same} for one in self.figures],
            "notes": list(self.notes),
        }

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each figure, as a frame of pandas or polars."""
        names = ("figure", "then", "now", "difference", "is_same")
        return result_frame(
            {name: [getattr(one, name) for one in self.figures] for name in names}, library
        )


def _aligned(figures: list[ReplayedFigure]) -> list[str]:
    rows = [("figure", "in the report", "now", "difference")]
    for one in figures:
        by = one.difference
        change = "" if by is None else number(by if abs(by) > _ROUNDING else 0.0)
        rows.append((one.figure, one.then, one.now, change))
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    return [
        "  ".join(pad(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def read_report(path: str | Path) -> dict[str, Any]:
    """Return the data in a report written as HTML or JSON.

    See Also
    --------
    write_report : write a comparison as a report.
    replay_of : compare the figures in a report with those of the same comparison now.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> from branchline.report import read_report, write_report
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.html"
    >>> write_report(compare(load_dataset("iris"), "species", learners="tree", n_folds=3), path)
    >>> len(read_report(path)["comparison"]["standings"])
    2
    """
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise _not_a_report(path, f"it cannot be read ({why})") from None
    island = _ISLAND.search(text)
    try:
        found = json.loads(text if island is None else island[1])
    except ValueError:
        raise _not_a_report(path, "it holds no data of a report") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _not_a_report(path, f"its data are not of the format {FORMAT}")
    return found


def _not_a_report(path: str | Path, why: str) -> DataError:
    return DataError(
        f"{path} is not a report that can be made again: {why}. Reports in .html and .json can.",
        code="D531",
        repair=Repair(flag="branchline compare table.csv --target COLUMN --report report.html"),
    )


def replay_of(then: dict[str, Any], now: dict[str, Any]) -> Replay:
    """Compare the figures in a report with those of the same comparison now.

    Parameters
    ----------
    then
        The data of the report, as ``read_report`` returns them.
    now
        The part "comparison" of such data, as they are now.

    See Also
    --------
    Replay : what a report says, and what the same comparison gives now.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> from branchline.report import replay_of, report_document
    >>> then = report_document(compare(load_dataset("iris"), "species", learners="tree", n_folds=3))
    >>> now = report_document(compare(load_dataset("iris"), "species", learners="tree", n_folds=5))
    >>> sum(figure.then != figure.now for figure in replay_of(then, now["comparison"]).figures)
    6
    """
    before, notes = then["comparison"], []
    if not before.get("is_complete", True):
        notes.append(
            "The comparison of the report was not carried out to its end, so its figures may "
            "differ."
        )
    recipe = then.get("repeat", {}).get("recipe", {})
    if recipe.get("options", {}) and recipe["options"].get("time_budget"):
        notes.append("It had a time budget: how far it gets depends on the machine.")
    own = then.get("repeat", {}).get("versions", {})
    changed = [
        (name, str(own[name]), here)
        for name, here in versions().items()
        if name in own and own[name] != here
    ]
    figures = [*_figures(before, now), _recommended(before, now)]
    first, second = (str(one["rows"]["fingerprint"]) for one in (before, now))
    return Replay(tuple(figures), first, second, tuple(changed), tuple(notes))


def _figures(before: dict[str, Any], now: dict[str, Any]) -> list[ReplayedFigure]:
    scores = [_scores(one) for one in (before, now)]
    found = []
    for key in dict.fromkeys([*scores[0], *scores[1]]):
        pair = [one.get(key) for one in scores]
        told = ["–" if one is None else _words(one) for one in pair]
        change = None
        if (
            pair[0] is not None
            and pair[1] is not None
            and None not in (pair[0]["estimate"], pair[1]["estimate"])
        ):
            change = float(pair[1]["estimate"]) - float(pair[0]["estimate"])
        found.append(ReplayedFigure(key, told[0], told[1], change))
    return found


def _scores(comparison: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{standing['learner']}: {metric}": score
        for standing in comparison["standings"]
        for metric, score in standing["scores"].items()
    }


def _words(score: dict[str, Any]) -> str:
    ends = [
        float("nan") if score[end] is None else float(score[end])
        for end in ("estimate", "low", "high")
    ]
    return " ".join(Interval(*ends).texts())


def _recommended(before: dict[str, Any], now: dict[str, Any]) -> ReplayedFigure:
    then, here = (str(one["recommendation"]["learner"]) for one in (before, now))
    return ReplayedFigure("recommended", then, here)
