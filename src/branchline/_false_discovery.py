"""q-values: how many false discoveries there are among many tests."""

import numpy as np

from branchline._arrays import Floats

__all__ = ["false_discovery"]


def false_discovery(p_values: Floats, n_tests: float | None = None) -> Floats:
    """Return q-values (Benjamini and Hochberg 1995).

    The q-value of a test is the expected share of false ones among all tests that are at least as
    significant: q(i) = min over j ≥ i of p(j) · m / j, with p sorted and m tests. Tests without a
    p-value (NaN) are not counted.

    Parameters
    ----------
    p_values
        The p-value of each test.
    n_tests
        m, when more tests were possible than these: the others count as p = 1. None: m is the
        number of p-values.
    """
    q_values = np.full(len(p_values), np.nan)
    known = np.flatnonzero(np.isfinite(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    m = len(known) if n_tests is None else n_tests
    steps = p_values[order] * m / np.arange(1, len(known) + 1)
    q_values[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return q_values
