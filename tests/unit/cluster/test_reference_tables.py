"""Distributions with one peak: found along all peaks at once, as each alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from branchline.cluster._reference_tables import _rising_and_falling


def pooled(masses: list[float], widths: list[float]) -> list[float]:
    """Return densities that never fall, found anew for these pieces."""
    pools: list[list[float]] = []
    for mass, width in zip(masses, widths, strict=True):
        pools.append([mass, width, 1])
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] > pools[-1][0] * pools[-2][1]:
            one = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], one, strict=True)]
    return [mass / width for mass, width, n in pools for _ in range(int(n))]


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0.01, 9)), min_size=1, max_size=20))
def test_densities_with_one_peak_are_those_of_each_peak_tried_anew(
    pieces: list[tuple[int, float]],
) -> None:
    masses, widths = np.add(np.array(pieces, dtype=np.float64).T, [[0.5], [0.0]])
    best, highest = None, -np.inf
    for peak in range(1, len(masses) + 1):
        up = pooled(masses[:peak].tolist(), widths[:peak].tolist())
        down = pooled(masses[peak:][::-1].tolist(), widths[peak:][::-1].tolist())[::-1]
        likelihood = float(masses @ np.log(up + down))
        if not (down and down[0] > up[-1]) and likelihood > highest:
            best, highest = up + down, likelihood
    assert _rising_and_falling(masses, widths).tolist() == best
