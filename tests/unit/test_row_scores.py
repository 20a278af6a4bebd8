"""Standard errors of scores whose rows follow each other in time."""

import numpy as np
import pytest
from scipy import stats

from branchline._row_scores import Origin, RowValues, corrected_error


def _error(values, *, in_time):
    found = RowValues(float(values.mean()), values - values.mean(), len(values))
    times = np.arange(len(values)) if in_time else None
    return corrected_error(found, Origin(np.arange(len(values)), 1e9, times=times), 0.0)


def _waves_by_definition(values, degrees):
    n = len(values)
    deviations, at = values - values.mean(), np.arange(1, n + 1)
    waves = [
        np.sqrt(2 / n) * np.sum(np.cos(np.pi * j * (at - 0.5) / n) * deviations)
        for j in range(1, degrees + 1)
    ]
    return np.sqrt(np.mean(np.square(waves)) / n)


def test_errors_that_last_are_measured_by_slow_waves():
    values = np.repeat(np.random.default_rng(0).normal(size=10), 12)
    error, degrees = _error(values, in_time=True)
    assert degrees == int(0.4 * 120 ** (2 / 3)) == 9
    assert error == pytest.approx(_waves_by_definition(values, degrees), rel=1e-12)
    assert error > 2 * _error(values, in_time=False)[0]


def test_the_usual_error_stands_where_its_interval_is_wider():
    values = np.tile([0.0, 1.0], 50)  # no slow wave at all
    assert _error(values, in_time=True) == _error(values, in_time=False)


@pytest.mark.parametrize("n_rows", [3, 6, 12, 40])
def test_few_rows_have_few_degrees_of_freedom(n_rows):
    values = np.linspace(0.0, 1.0, n_rows)
    _, degrees = _error(values, in_time=True)
    assert degrees == max(2, min(n_rows // 3, 8))


def test_intervals_in_time_hold_what_they_promise():
    rng, held = np.random.default_rng(1), 0
    for _ in range(300):
        noise = rng.normal(size=250)
        for at in range(1, 250):
            noise[at] += 0.5 * noise[at - 1]
        values = noise[50:]
        error, degrees = _error(values, in_time=True)
        held += abs(values.mean()) <= error * stats.t.ppf(0.975, degrees)
    assert 0.91 <= held / 300 <= 0.98
