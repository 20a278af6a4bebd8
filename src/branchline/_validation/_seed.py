"""Random states become one 64-bit seed."""

import numbers
from typing import Any

import numpy as np

from branchline.errors import ParameterError, Repair

__all__ = ["check_seed"]

_SEED_LIMIT = 2**63


def check_seed(random_state: Any) -> int:
    """Return the seed that ``random_state`` stands for.

    Parameters
    ----------
    random_state
        A whole number (the same result every time), None (drawn from NumPy's global generator, as
        scikit-learn does), a ``numpy.random.RandomState`` or a ``numpy.random.Generator``.
    """
    if random_state is None:
        return int(np.random.randint(_SEED_LIMIT - 1, dtype=np.int64))  # noqa: NPY002
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(_SEED_LIMIT - 1, dtype=np.int64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_SEED_LIMIT))
    is_whole = isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool)
    if is_whole and 0 <= int(random_state) < _SEED_LIMIT:
        return int(random_state)
    raise ParameterError(
        "The 'random_state' parameter must be a whole number from 0 to 2**63 - 1, None, a "
        f"numpy.random.RandomState or a numpy.random.Generator. Got {random_state!r} instead.",
        code="P003",
        values=[random_state],
        repair=Repair("random_state = 0"),
    )
