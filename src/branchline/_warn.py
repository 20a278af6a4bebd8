"""Warnings that name the user's line, not a line of ours.

``warnings.warn`` counts calls between itself and the line to blame (``stacklevel``). How many there
are depends on the way a warning was reached, so the calls are looked at instead: the first line
that is neither in this package nor in one that calls it for the user (scikit-learn, joblib).
"""

import os
import sys
import warnings
from pathlib import Path
from types import FrameType

__all__ = ["warn"]

_OURS = str(Path(__file__).parent) + os.sep
_BETWEEN = ("sklearn", "joblib", "threadpoolctl", "concurrent", "threading")


def warn(message: str | Warning, category: type[Warning] | None = None) -> None:
    """Give a warning that names the line of the user's code.

    Parameters
    ----------
    message
        The warning, or its text.
    category
        The class of a warning that is given as text; default ``UserWarning``.
    """
    warnings.warn(message, category, stacklevel=_levels_to_user())


def _levels_to_user() -> int:
    """Return how many calls lie between ``warn`` and the user's line; 2 where there is none."""
    level, frame = 2, sys._getframe(2)  # this function, then ``warn``
    caller: FrameType | None = frame
    while caller is not None:
        if not _is_between(caller):
            return level
        caller, level = caller.f_back, level + 1
    return 2


def _is_between(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return frame.f_code.co_filename.startswith(_OURS) or module.partition(".")[0] in _BETWEEN
