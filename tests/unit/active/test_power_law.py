"""The posterior of a learning curve."""

import numpy as np

from branchline.active._power_law import fit_power_law


def test_a_known_curve_is_found():
    sizes = np.array([20.0, 30, 40, 50, 60, 70, 80])
    gains = 2.0 * (sizes**-0.9 - 100**-0.9)
    law = fit_power_law(sizes, gains, 100, 100_000)
    true = 2.0 * (100**-0.9 - 200**-0.9)
    found = law.gain(100, 200)
    assert found.low < true < found.high
    assert 0.5 < found.estimate / true < 2
    assert law.gain(100, 100).estimate == 0
    assert law.gain(100, 400).estimate > found.estimate
    np.testing.assert_allclose(law.weights.sum(), 1)


def test_no_gain_seen_is_nothing_to_come():
    sizes = np.array([20.0, 40, 60, 80])
    law = fit_power_law(sizes, np.zeros(4), 100, 1000)
    assert law.gain(100, 10_000).estimate < 0.005
