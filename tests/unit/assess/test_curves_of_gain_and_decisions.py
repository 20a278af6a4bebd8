"""Gain, lift and decision curves."""

import numpy as np
import pytest

from branchline.assess import METRICS, Outcome
from branchline.assess.curves import decision_curve, gain_curve
from branchline.errors import ParameterError


def draw(n_rows, seed, shift=1.2):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n_rows) < 0.25).astype(int)
    logits = rng.normal(size=n_rows) + shift * truth - 1.5
    chance = 1 / (1 + np.exp(-logits))
    return Outcome(truth, (chance > 0.5).astype(int), np.c_[1 - chance, chance], ("n", "p"), 1)


def test_the_curve_is_the_metric_at_each_share():
    outcome = draw(400, 0)
    curve = gain_curve(outcome)
    for share in (0.05, 0.1, 0.5):
        assert curve.gain_at(share).estimate == pytest.approx(
            METRICS[f"gain@{share}"].score(outcome)
        )
        assert curve.lift_at(share).estimate == pytest.approx(
            METRICS[f"lift@{share}"].score(outcome)
        )
    assert curve.gain[0] == 0
    assert curve.gain[-1] == 1
    assert (np.diff(curve.gain) >= -1e-12).all()
    assert (curve.low <= curve.gain + 1e-12).all()
    assert (curve.gain <= curve.high + 1e-12).all()
    assert (curve.high <= curve.perfect + 1e-12).all()


def test_the_decision_curve_is_the_metric_at_each_threshold():
    outcome = draw(400, 1)
    curve = decision_curve(outcome)
    for threshold in (0.1, 0.2, 0.5):
        own = METRICS[f"net_benefit@{threshold}"].score(outcome)
        assert curve.at(threshold).estimate == pytest.approx(own)
    rate = outcome.is_positive.mean()
    assert curve.treat_all[19] == pytest.approx(rate - (1 - rate) * 0.2 / 0.8)
    best = np.maximum(curve.treat_all, 0)
    np.testing.assert_allclose(curve.gained, curve.net_benefit - best, atol=1e-12)


def test_a_model_of_noise_is_of_no_use_and_a_good_one_is():
    useful = [decision_curve(draw(300, seed, 0.0)).useful_ranges() for seed in range(8)]
    assert sum(map(bool, useful)) <= 1
    ((low, high),) = decision_curve(draw(3000, 5, 2.0)).useful_ranges()
    assert low < 0.2 < high


@pytest.mark.parametrize("curve_of", [gain_curve, decision_curve])
def test_the_order_of_rows_does_not_matter(curve_of):
    outcome = draw(200, 2)
    mixed = outcome.rows(np.random.default_rng(0).permutation(200))
    one, other = curve_of(outcome).to_dict(), curve_of(mixed).to_dict()
    for name in ("low", "high"):
        np.testing.assert_allclose(one[name], other[name], atol=1e-12)


def test_frames_words_and_what_there_is_none_of():
    outcome = draw(100, 3)
    gain, decision = gain_curve(outcome), decision_curve(outcome)
    assert len(gain.to_frame()) == 101
    assert list(decision.to_frame()["threshold"][:2]) == [0.01, 0.02]
    assert "10 %" in str(gain)
    assert "treat all" in str(decision)
    without = Outcome(outcome.truth, outcome.predicted, None, ("n", "p"), 1)
    assert gain_curve(without) is None
    assert decision_curve(outcome.rows(outcome.truth == 1)) is None
    with pytest.raises(ParameterError) as caught:
        gain.lift_at(0)
    assert caught.value.code == "P351"
    with pytest.raises(ParameterError) as caught:
        decision.at(1.5)
    assert caught.value.code == "P352"
