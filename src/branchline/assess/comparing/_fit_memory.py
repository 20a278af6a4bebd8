"""How much memory a fit takes, and how large the saved model is.

1. Linux: memory that was freed earlier is given back to the system (``malloc_trim``), the process's
   high-water mark is set to its present size (``/proc/self/clear_refs``), and after the fit the new
   mark less the size before is the peak. It counts all pages in use (resident size): those of
   NumPy, of native code and of other libraries.
2. Elsewhere the mark cannot be reset (``getrusage``): what is known is by how much a fit raised the
   highest mark of the whole process. A fit that stays below it is unknown.
3. A comparison takes the median over test sets: the first fit also loads libraries. Fits in worker
   processes run one at a time, so nothing else is counted; in a program with other threads their
   memory is.
4. The saved model is measured on the first test set of a learner: the bytes of its file (``save``),
   for estimators of other libraries those of their pickle.
"""

import ctypes
import pickle
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from branchline._base import Estimator
from branchline.assess.comparing._results import FoldResult

__all__ = ["PeakMemory", "memory_of", "saved_bytes"]

_RESET, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
_LINE = re.compile(rb"^(VmHWM|VmRSS):\s*(\d+) kB", re.MULTILINE)


class PeakMemory:
    """The peak of memory from when it was made until it is asked for."""

    def __init__(self) -> None:
        _give_back()
        self._can_reset = _reset_mark()
        self._before: int | None = _status()["VmRSS"] if self._can_reset else _highest()

    def bytes(self) -> int | None:
        """Return how many bytes were in use at most, beyond those at the beginning; None: unknown.

        Examples
        --------
        >>> import numpy as np
        >>> from branchline.assess.comparing._fit_memory import PeakMemory
        >>> peak = PeakMemory()
        >>> x = np.ones(10_000_000)
        >>> del x
        >>> (peak.bytes() or 80_000_000) >= 70_000_000
        True
        """
        if self._before is None:
            return None
        if self._can_reset:
            return max(0, _status()["VmHWM"] - self._before)
        risen = (_highest() or 0) - self._before
        return risen if risen > 0 else None


def _give_back() -> None:
    """Give freed memory back to the system, where the C library can."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError, TypeError):
        return


def _reset_mark() -> bool:
    try:
        _RESET.write_text("5", encoding="ascii")
        return {"VmHWM", "VmRSS"} <= set(_status())
    except OSError:
        return False


def _status() -> dict[str, int]:
    found = _LINE.findall(_STATUS.read_bytes())
    return {name.decode(): 1024 * int(size) for name, size in found}


def _highest() -> int | None:
    """Return the highest mark of this process since it began; None where there is none."""
    try:
        import resource
    except ImportError:
        return None
    mark = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(mark) if sys.platform == "darwin" else 1024 * int(mark)


def saved_bytes(model: Any) -> int | None:
    """Return the size of a fitted model's file; None where it cannot be saved."""
    from branchline._saving._write import to_bytes

    best = getattr(model, "best_estimator_", model)
    try:
        return len(to_bytes(best) if isinstance(best, Estimator) else pickle.dumps(best))
    except Exception:  # whatever a foreign estimator raises; its size is then not known
        return None


def memory_of(results: Sequence[FoldResult]) -> tuple[int | None, int | None]:
    """Return a learner's peak of memory (the median) and the size of its saved model."""
    peaks = [result.fit_bytes for result in results if result.fit_bytes is not None]
    sizes = [result.model_bytes for result in results if result.model_bytes is not None]
    return round(median(peaks)) if peaks else None, sizes[0] if sizes else None
