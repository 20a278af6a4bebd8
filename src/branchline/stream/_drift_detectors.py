"""Drift detectors: numbers come one after the other, and a detector says when their mean changed.

1. ADWIN keeps a window as long as its mean is constant, and cuts it where two parts differ.
2. Page–Hinkley sums deviations from the mean so far.
3. DDM compares the share of errors with its lowest value so far.

How often each one alarms where nothing changes is in docs/streams.md.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats, Ints
from branchline._validation import Constraint, Real, Whole, check_parameters
from branchline.errors import DataError, Repair

__all__ = ["ADWIN", "DDM", "PageHinkley"]


class _Detector:
    """What detectors share: rows are counted over all updates."""

    _constraints: dict[str, Constraint]

    def __init__(self, **parameters: Any) -> None:
        check_parameters(type(self).__name__, parameters, self._constraints)
        self.n_seen = 0
        self.changes: tuple[int, ...] = ()

    def update(self, values: Any) -> Ints:
        """Add one number or several; return the rows at which a change was found.

        Parameters
        ----------
        values
            A number, or an array of them in the order of time.

        Returns
        -------
        array of int
            Rows are counted from 0 over all updates. ``changes`` lists those of all updates.
        """
        numbers = self._numbers(values)
        found = self._update(numbers) + self.n_seen
        self.n_seen += len(numbers)
        self.changes = (*self.changes, *found.tolist())
        return found

    def _update(self, numbers: Floats) -> Ints:
        raise NotImplementedError

    def _numbers(self, values: Any) -> Floats:
        try:
            numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise self._bad("other things than numbers") from error
        if numbers.ndim != 1:
            raise self._bad(f"{numbers.ndim} dimensions")
        if not np.isfinite(numbers).all():
            raise self._bad("a missing or infinite number")
        return np.ascontiguousarray(numbers)

    def _bad(self, what: str) -> DataError:
        return DataError(
            f"{type(self).__name__} takes numbers in one row; it was given {what}.",
            code="D636",
            repair=Repair("values = values[numpy.isfinite(values)]\ndetector.update(values)"),
        )


class ADWIN(_Detector):
    """Adaptive windowing: how long a window of the last numbers has had one mean.

    Works for numbers of any distribution. It needs no thresholds: ``delta`` bounds how often it
    alarms where nothing changes. It remembers O(log n) sums, not the numbers.

    Parameters
    ----------
    delta
        The share of rows at which it may alarm although nothing changed. Default 0.002; in practice
        it alarms far more rarely.

    Attributes
    ----------
    changes
        The rows at which changes were found.
    mean, width
        The mean and the length of the window now.

    See Also
    --------
    DDM : the drift detection method.
    PageHinkley : the Page–Hinkley test.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.stream import ADWIN
    >>> rng = np.random.default_rng(0)
    >>> errors = np.r_[rng.random(5000) < 0.2, rng.random(5000) < 0.5]
    >>> detector = ADWIN()
    >>> detector.update(errors).tolist()[:1]
    [5119]
    """

    _constraints = {"delta": Real(0, 1, low_open=True)}  # noqa: RUF012

    def __init__(self, delta: float = 0.002) -> None:
        super().__init__(delta=delta)
        self.delta = delta
        self._native = _core.Adwin(float(delta))
        self.last_windows: Floats = np.zeros((0, 3))

    def _update(self, numbers: Floats) -> Ints:
        places, windows = self._native.update(numbers)
        self.last_windows = windows.reshape(-1, 3)
        found: Ints = places
        return found

    @property
    def mean(self) -> float:
        """The mean of the window."""
        return float(self._native.mean)

    @property
    def width(self) -> int:
        """The length of the window."""
        return int(self._native.width)


class PageHinkley(_Detector):
    """The Page–Hinkley test: sums of deviations from the mean so far.

    After a change it begins anew. Deviations are counted in standard deviations of the numbers so
    far, so the parameters mean the same for any numbers.

    Parameters
    ----------
    tolerance
        Deviations up to this many standard deviations do not count as a change. Default 0.1.
    threshold
        The sum of deviations that is a change. Larger values alarm later and more rarely. Default
        50.
    min_rows
        How many numbers must have come before it may alarm. Default 30.

    Attributes
    ----------
    changes
        The rows at which changes were found.

    See Also
    --------
    ADWIN : adaptive windowing.
    DDM : the drift detection method.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.stream import PageHinkley
    >>> rng = np.random.default_rng(0)
    >>> values = np.r_[rng.normal(0, 1, 1000), rng.normal(1, 1, 1000)]
    >>> len(PageHinkley().update(values))
    1
    """

    _constraints = {  # noqa: RUF012
        "tolerance": Real(0, 100),
        "threshold": Real(0, 1e9, low_open=True),
        "min_rows": Whole(1, 10**9),
    }

    def __init__(self, tolerance: float = 0.1, threshold: float = 50.0, min_rows: int = 30) -> None:
        super().__init__(tolerance=tolerance, threshold=threshold, min_rows=min_rows)
        self.tolerance, self.threshold, self.min_rows = tolerance, threshold, min_rows
        self._native = _core.PageHinkley(float(tolerance), float(threshold), int(min_rows))

    def _update(self, numbers: Floats) -> Ints:
        found: Ints = self._native.update(numbers)
        return found


class DDM(_Detector):
    """The drift detection method: the share of errors against its lowest value so far.

    Only for zeros and ones, and only for errors that rise. It is quick to see that a learner fails,
    and alarms more often than the others where nothing changes, because it looks at every row:
    prefer ``ADWIN`` where false alarms cost something.

    Parameters
    ----------
    warning
        How many standard deviations above its lowest value the share of errors is worth a warning.
        Default 2.
    threshold
        How many are a change. Default 3.
    min_rows
        How many errors or hits must have come before it may alarm. Default 30.

    Attributes
    ----------
    changes, warnings
        The rows at which changes were found, and warnings given.

    See Also
    --------
    ADWIN : adaptive windowing.
    PageHinkley : the Page–Hinkley test.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.stream import DDM
    >>> rng = np.random.default_rng(0)
    >>> errors = np.r_[rng.random(1000) < 0.2, rng.random(1000) < 0.5]
    >>> DDM().update(errors).tolist()[-1] > 1000
    True
    """

    _constraints = {  # noqa: RUF012
        "warning": Real(0, 1e6, low_open=True),
        "threshold": Real(0, 1e6, low_open=True),
        "min_rows": Whole(1, 10**9),
    }

    def __init__(self, warning: float = 2.0, threshold: float = 3.0, min_rows: int = 30) -> None:
        super().__init__(warning=warning, threshold=threshold, min_rows=min_rows)
        self.warning, self.threshold, self.min_rows = warning, threshold, min_rows
        self.warnings: tuple[int, ...] = ()
        self._native = _core.Ddm(float(warning), float(threshold), int(min_rows))

    def _update(self, numbers: Floats) -> Ints:
        if not ((numbers == 0) | (numbers == 1)).all():
            raise self._bad("other numbers than 0 and 1")
        changes, warnings = self._native.update(numbers)
        self.warnings = (*self.warnings, *(warnings + self.n_seen).tolist())
        found: npt.NDArray[np.int64] = changes
        return found
