"""Trees of a forest on a worker that keeps the codes of all rows.

1. Get the codes, targets and keys of all rows.
2. Grow trees when told their numbers, and tell their arrays.
3. Stop within a tree when the process of the fit is gone.
"""

import threading
from typing import Any

from branchline._tree_work import TreeGrower, TreeWork
from branchline.scale._fail_points import may_fail
from branchline.scale._messages import Kind, Line, Message, pack, unpack

__all__ = ["TreeSession"]


class TreeSession:
    """What a session does with the messages that it gets.

    Parameters
    ----------
    line
        The connection to the process of the fit.
    about, arrays
        The rows, and how trees are grown.
    n_threads
        Threads to use.
    ended
        Whether the other side is gone.
    """

    def __init__(
        self,
        line: Line,
        about: dict[str, Any],
        arrays: dict[str, Any],
        n_threads: int,
        ended: threading.Event,
    ) -> None:
        self._line, self._ended = line, ended
        work = TreeWork.from_named(about["settings"], arrays)
        self._grower = TreeGrower(work, n_threads)

    def do(self, told: Message) -> None:
        """Grow some trees, and tell them."""
        if told.kind != Kind.grow:
            return
        about, _ = unpack(told.payload)
        may_fail(f"tree {told.number}", self._line)
        grown = self._grower.grow(told.number, about["n_trees"], self._look)
        may_fail("grown", self._line)
        self._line.send(Kind.made, told.number, *pack({}, grown))

    def _look(self, n_done: int) -> None:
        if self._ended.is_set():
            raise ConnectionError("the other side is gone")
