"""A diary of drift: when errors rose, which columns had changed, which branches were rebuilt.

1. ADWIN watches the errors of the model. A cut says that they rose, and since when.
2. A few hundred rows later, rows before and after that moment are compared column by column.
3. What the model did to its branches from then on stands beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import count, fine_percent
from branchline.stream._branch_words import Branch
from branchline.stream._column_changes import ColumnChange, RecentRows
from branchline.stream._drift_detectors import ADWIN

__all__ = ["DiaryEntry", "DiaryWriter"]

_KEPT = 4_000  # rows
_WAIT = 500  # rows after the alarm, until columns are compared
_MOST_SHOWN = 5


@dataclass(frozen=True)
class DiaryEntry:
    """A change of the stream that made errors rise.

    Parameters
    ----------
    found
        The row at which the rise was certain.
    since
        The row at which it began, about.
    error_before, error_after
        The share of wrong predictions before and after.
    columns
        The columns that changed; None: too few rows to tell.
    branches
        What the model did to its branches from then to the next entry.

    See Also
    --------
    AdaptiveHoeffdingTreeClassifier : a tree for streams that change with time.
    evaluate_stream : predict each row of a stream before the model learns from it.

    Examples
    --------
    >>> from branchline.stream import DiaryEntry
    >>> DiaryEntry(5119, 5003, 0.2, 0.5, (), ()).since
    5003
    """

    found: int
    since: int
    error_before: float
    error_after: float
    columns: tuple[ColumnChange, ...] | None
    branches: tuple[Branch, ...]

    def __str__(self) -> str:
        before, after = fine_percent(self.error_before), fine_percent(self.error_after)
        lines = [
            f"row {self.found:,}: errors rose from {before} to {after}, about since row "
            f"{self.since:,}"
        ]
        if self.columns is None:
            lines.append("  columns: too few rows to tell")
        elif not self.columns:
            lines.append("  no column changed: the classes depend on them in another way")
        lines += [f"  changed: {change}" for change in (self.columns or ())[:_MOST_SHOWN]]
        n_more = len(self.columns or ()) - _MOST_SHOWN
        if n_more > 0:
            lines.append(f"  … and {count(n_more, 'more column')}")
        return "\n".join(lines + self._rebuilt())

    def _rebuilt(self) -> list[str]:
        trees = [one for one in self.branches if one.what == "tree replaced"]
        rebuilt = [one for one in self.branches if one.what == "replaced"]
        lines = [f"  {branch}" for branch in rebuilt[:_MOST_SHOWN]]
        if len(rebuilt) > _MOST_SHOWN:
            n_more = count(len(rebuilt) - _MOST_SHOWN, "more branch", "more branches")
            lines.append(f"  … and {n_more}")
        if trees:
            replaced = count(len(trees), "tree")
            verb = "was" if len(trees) == 1 else "were"
            last = trees[-1].row
            lines.append(f"  {replaced} {verb} replaced, from row {trees[0].row:,} to row {last:,}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain values."""
        columns = None
        if self.columns is not None:
            columns = [
                {"column": c.column, "before": c.before, "after": c.after, "q_value": c.q_value}
                for c in self.columns
            ]
        return {
            "found": self.found,
            "since": self.since,
            "error_before": self.error_before,
            "error_after": self.error_after,
            "columns": columns,
            "branches": [str(branch) for branch in self.branches],
        }


@dataclass
class _Alarm:
    found: int
    since: int
    before: float
    after: float
    columns: tuple[ColumnChange, ...] | None = None
    is_open: bool = True


class DiaryWriter:
    """Watches the errors of a model and the rows of its stream.

    Parameters
    ----------
    delta
        The delta of ADWIN.
    model
        The model, whose ``branches_`` are noted if it has some.
    """

    def __init__(self, delta: float, model: Any) -> None:
        self._detector = ADWIN(delta)
        self._rows = RecentRows(_KEPT)
        self._alarms: list[_Alarm] = []
        self._model = model
        self._first = int(getattr(model, "n_rows_seen_", 0)) if hasattr(model, "schema_") else 0
        self._n_rows = 0

    def add(self, table: Any, wrong: npt.NDArray[np.bool_], n_skipped: int) -> None:
        """Note rows and whether the model was wrong about them; the first were not predicted."""
        at = 0
        while at < table.n_rows:  # in parts that are not longer than what is kept
            part = slice(at, min(at + _WAIT, table.n_rows))
            self._rows.add(table.rows(part), self._n_rows)
            self._watch(wrong[max(0, part.start - n_skipped) : max(0, part.stop - n_skipped)])
            self._n_rows += part.stop - part.start
            self._compare(at_end=False)
            at = part.stop

    def _watch(self, wrong: npt.NDArray[np.bool_]) -> None:
        if not len(wrong):
            return
        offset = self._n_rows - self._detector.n_seen  # of rows that were not predicted
        found = self._detector.update(wrong)
        for row, window in zip(found.tolist(), self._detector.last_windows.tolist(), strict=True):
            width, before, after = window
            if after <= before:
                continue
            found_at, since = row + offset, max(0, row + 1 - int(width)) + offset
            last = self._alarms[-1] if self._alarms else None
            if last is not None and found_at < last.found + _WAIT:  # the same rise, seen better
                last.after = after
            else:
                self._alarms.append(_Alarm(found_at, since, before, after))

    def _compare(self, *, at_end: bool) -> None:
        for alarm in self._alarms:
            if alarm.is_open and (at_end or self._n_rows >= alarm.found + _WAIT):
                begin = max(0, alarm.since - _KEPT // 2)
                alarm.columns = self._rows.changes(begin, alarm.since, self._n_rows)
                alarm.is_open = False

    def finish(self) -> tuple[DiaryEntry, ...]:
        """Return all entries."""
        self._compare(at_end=True)
        ends = [*(alarm.since for alarm in self._alarms), self._n_rows][1:]
        branches = self._branches()
        return tuple(
            DiaryEntry(
                alarm.found,
                alarm.since,
                alarm.before,
                alarm.after,
                alarm.columns,
                tuple(one for one in branches if alarm.since <= one.row - self._first < end),
            )
            for alarm, end in zip(self._alarms, ends, strict=True)
        )

    def _branches(self) -> Sequence[Branch]:
        found: Sequence[Branch] = getattr(self._model, "branches_", ())
        return found
