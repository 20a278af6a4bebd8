"""Drift detectors: delays, false alarms where nothing changes, what they refuse."""

import numpy as np
import pytest

from branchline.errors import DataError, ParameterError
from branchline.stream import ADWIN, DDM, PageHinkley


def bits(*shares, n=50_000, seed=1):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.random(n) < share for share in shares])


@pytest.mark.parametrize("seed", range(5))
def test_adwin_finds_a_change_soon(seed):
    detector = ADWIN()
    found = detector.update(bits(0.2, 0.4, seed=seed))
    assert 50_000 <= found[found >= 50_000][0] <= 50_307
    assert abs(detector.mean - 0.4) < 0.02
    assert 45_000 < detector.width <= 50_500


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("delta", [0.002, 0.05])
def test_adwin_alarms_at_most_at_delta_of_a_million_stationary_rows(share, delta):
    detector = ADWIN(delta)
    assert len(detector.update(bits(share, n=1_000_000))) <= delta * 1_000_000 / 1000


def test_false_alarms_of_the_others():
    rng = np.random.default_rng(2)
    numbers = rng.normal(size=1_000_000)
    assert len(PageHinkley().update(numbers)) <= 40
    assert len(DDM(threshold=4).update(bits(0.2, n=1_000_000))) <= 200


def test_page_hinkley_finds_both_directions():
    rng = np.random.default_rng(3)
    for step in (-1, 1):
        values = np.r_[rng.normal(0, 1, 2000), rng.normal(step, 1, 2000)]
        found = PageHinkley().update(1e6 * values)
        assert len(found) >= 1
        assert 2000 <= found[0] < 2200


def test_ddm_warns_before_it_alarms():
    detector = DDM()
    errors = np.r_[np.tile([0, 0, 0, 0, 1], 400), np.tile([0, 1], 500)]
    found = detector.update(errors)
    assert 2000 <= found[0] < 2300
    assert any(2000 <= row < found[0] for row in detector.warnings)


@pytest.mark.parametrize("kind", [ADWIN, PageHinkley, DDM])
def test_one_by_one_equals_all_at_once(kind):
    values = bits(0.1, 0.6, n=1000).astype(float)
    whole, single = kind(), kind()
    whole.update(values)
    for value in values:
        single.update(value)
    assert whole.changes == single.changes
    assert whole.n_seen == single.n_seen == 2000


def test_bad_numbers_are_refused_and_the_repair_works():
    values, detector = np.array([0.0, np.nan, 1.0]), ADWIN()
    with pytest.raises(DataError) as caught:
        detector.update(values)
    assert caught.value.code == "D636"
    exec(caught.value.repair.python, {"numpy": np, "values": values, "detector": detector})
    assert detector.n_seen == 2
    for bad in (["a"], [[1.0]], [np.inf]):
        with pytest.raises(DataError):
            detector.update(bad)
    with pytest.raises(DataError, match="0 and 1"):
        DDM().update([0.5])
    with pytest.raises(ParameterError, match="delta"):
        ADWIN(delta=0)
