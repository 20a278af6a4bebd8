"""What a worker has at hand: the workspace, and the tables and models it has used last."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from branchline.studio._workspace import Workspace

__all__ = ["Desk"]


class Desk:
    """The workspace, and a short memory.

    Parameters
    ----------
    workspace
        The folder.
    most
        How many things are remembered; the one that was used longest ago is forgotten.
    say
        Is called with a sentence when a step of a long call begins.
    """

    def __init__(
        self, workspace: Workspace, most: int = 12, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self.workspace, self.say = workspace, say
        self._most = most
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def remembered(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what was made for a key, or make it."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        made = make()
        self._kept[key] = made
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return made

    def forget(self, key: Hashable) -> None:
        """Forget what was made for a key."""
        self._kept.pop(key, None)
