"""Progress on stderr: a line that moves on a terminal, lines at doubling intervals elsewhere."""

import math
import shutil
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from branchline.assess.comparing import FoldResult

__all__ = ["Progress"]

_BAR = 24


class Progress:
    """Tells how far a comparison is and when it will be done.

    The end is estimated from the second result on: until the first, processes were started. A
    budget's end (``end``, in ``time.monotonic``) comes first when it is earlier.
    """

    def __init__(self, *, quiet: bool = False, end: float = math.inf) -> None:
        self._first: tuple[float, int] | None = None
        self._next = 1
        self._is_terminal = sys.stderr.isatty()
        self._quiet = quiet
        self._end = end

    def __call__(self, result: "FoldResult", n_done: int, total: int) -> None:
        """Show one more result."""
        if self._first is None:
            self._first = time.monotonic(), n_done
        if self._quiet:
            return
        if self._is_terminal:
            filled = round(_BAR * n_done / total)
            bar = "█" * filled + "░" * (_BAR - filled)
            line = f"{bar} {n_done}/{total}  {result.learner}{self._left(n_done, total)}"
            width = shutil.get_terminal_size((80, 24)).columns - 1
            print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)
            if n_done == total:
                self.end()
        elif n_done >= self._next or n_done == total:
            print(f"{n_done}/{total} done{self._left(n_done, total)}", file=sys.stderr, flush=True)
            self._next = 2 * n_done

    def end(self) -> None:
        """Leave the line."""
        if self._is_terminal and not self._quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _left(self, n_done: int, total: int) -> str:
        assert self._first is not None
        now = time.monotonic()
        begin, n_before = self._first
        if n_done in {n_before, total}:
            return ""
        seconds = (now - begin) / (n_done - n_before) * (total - n_done)
        to_end = max(0.0, self._end - now)
        if seconds > to_end:
            return f", at most {_amount(to_end)} left of the time"
        return f", about {_amount(seconds)} left"


def _amount(seconds: float) -> str:
    return f"{max(1, seconds):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
