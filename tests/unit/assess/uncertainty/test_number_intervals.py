import numpy as np
import pytest

import branchline as bl
from branchline.assess import NumberIntervals
from branchline.errors import BranchlineWarning


def drawn(n_rows, seed=0, spread=None):
    draws = np.random.default_rng(seed)
    X = draws.uniform(0, 10, size=(n_rows, 2))
    noise = draws.normal(size=n_rows) * (1.0 if spread is None else spread(X[:, 0]))
    return X, 3 * X[:, 0] + noise


def fitted(X, y, **options):
    return bl.fit_intervals(bl.make("ridge", task="regression").fit(X, y), X, y, **options)


def held_by(found, truth):
    return (found.lower <= truth) & (truth <= found.upper)


def test_equal_noise_gives_intervals_of_one_width_that_hold_nine_of_ten():
    held = []
    for seed in range(10):
        new, truth = drawn(1000, 100 + seed)
        found = bl.predict_interval(fitted(*drawn(300, seed)), new, level=0.9)
        held.append(held_by(found, truth).mean())
    assert isinstance(found, NumberIntervals)
    assert not found.is_scaled
    assert np.ptp(found.upper - found.lower) < 1e-9
    assert np.mean(held) == pytest.approx(0.9, abs=0.015)
    assert np.median(found.upper - found.lower) == pytest.approx(2 * 1.645, rel=0.2)


def test_noise_that_grows_gives_intervals_that_grow():
    def spread(x):
        return 0.1 + x

    held, held_high, growth = [], [], []
    for seed in range(10):
        new, truth = drawn(1000, 100 + seed, spread)
        found = bl.predict_interval(fitted(*drawn(300, seed, spread)), new, level=0.9)
        assert found.is_scaled
        width, is_held = found.upper - found.lower, held_by(found, truth)
        low, high = new[:, 0] < 2, new[:, 0] > 8
        growth.append(width[high].mean() / width[low].mean())
        held.append(is_held.mean())
        held_high.append(is_held[high].mean())
    assert np.mean(growth) > 3
    assert np.mean(held) == pytest.approx(0.9, abs=0.02)
    assert np.mean(held_high) > 0.8  # intervals of one width hold about 0.75 there


def test_skewed_errors_give_intervals_that_are_not_symmetric():
    draws = np.random.default_rng(0)
    X = draws.uniform(size=(300, 1))
    y = X[:, 0] + draws.exponential(size=300)
    found = bl.predict_interval(fitted(X, y), X[:5], level=0.9)
    assert ((found.upper - found.prediction) > 1.5 * (found.prediction - found.lower)).all()


def test_a_higher_level_gives_wider_intervals():
    X, y = drawn(200)
    model = fitted(X, y)
    widths = [
        np.mean(np.subtract(*(getattr(found, end) for end in ("upper", "lower"))))
        for level in (0.5, 0.8, 0.95)
        for found in [bl.predict_interval(model, X, level=level)]
    ]
    assert widths == sorted(widths)


def test_few_rows_give_infinite_intervals_and_say_so():
    X, y = drawn(12)
    model = fitted(X, y)
    with pytest.warns(BranchlineWarning, match="12 independent errors are known") as caught:
        found = bl.predict_interval(model, X, level=0.9)
    assert caught[0].message.code == "W025"
    assert np.isinf(found.upper).all()
    assert np.isinf(found.lower).all()
    assert "infinite, because at least 19 independent errors are needed" in str(found)
    assert found.to_dict()["median_width"] is None
    assert np.isfinite(bl.predict_interval(model, X, level=0.5).upper).all()


def test_rows_of_a_group_err_together_so_intervals_are_wider():
    draws = np.random.default_rng(3)
    group = np.repeat(np.arange(40), 10)
    X = draws.uniform(size=(400, 1))
    y = X[:, 0] + draws.normal(size=40)[group] + 0.1 * draws.normal(size=400)
    grouped = bl.Table({"x": X[:, 0]}).with_groups(group.astype(str))
    errors = fitted(grouped, y).prediction_errors_
    assert errors.n_effective == pytest.approx(40)
    assert fitted(bl.Table({"x": X[:, 0]}), y).prediction_errors_.n_effective == pytest.approx(400)


def test_with_times_the_past_predicts_the_future():
    X, y = drawn(100)
    table = bl.Table({"a": X[:, 0], "b": X[:, 1]}).with_times(np.arange(100.0))
    errors = fitted(table, y).prediction_errors_
    assert len(errors.truth) == 90  # the first stretch has no past
    assert "in time" in errors.origin


def test_row_order_does_not_change_an_interval():
    X, y = drawn(150)
    order = np.random.default_rng(5).permutation(150)
    one, other = fitted(X, y), fitted(X[order], y[order])
    ends = [bl.predict_interval(model, X[:7]).upper for model in (one, other)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)


def test_a_row_of_weight_two_counts_twice_in_the_quantile():
    X, y = drawn(60)
    weight = np.where(np.arange(60) < 30, 2.0, 1.0)
    model = bl.make("ridge", task="regression").fit(X, y, sample_weight=weight)
    errors = bl.fit_intervals(model, X, y, weight).prediction_errors_
    assert errors.weight.sum() == pytest.approx(90)
    assert errors.n_effective == pytest.approx(90**2 / (30 * 4 + 30))


def test_a_new_fit_forgets_the_errors():
    X, y = drawn(50)
    model = fitted(X, y)
    model.fit(X, y)
    assert not hasattr(model, "prediction_errors_")


def test_no_interval_reaches_below_nothing_where_the_target_never_does():
    draws = np.random.default_rng(1)
    X = draws.uniform(0, 1, size=(400, 2))
    counts = draws.poisson(np.exp(2 * X[:, 0] - 1)).astype(float)
    model = fitted(X, counts)
    found = bl.predict_interval(model, X, level=0.9)
    assert (found.lower == 0).any()
    assert (found.lower >= 0).all()
    assert (found.lowest, found.highest) == (0.0, None)
    assert "No end is below 0, because the target is never negative" in str(found)
    assert held_by(found, counts).mean() >= 0.88
    mirrored = bl.predict_interval(fitted(X, -counts), X, level=0.9)
    assert (mirrored.upper <= 0).all()
    assert (mirrored.upper == 0).any()
    assert (mirrored.lowest, mirrored.highest) == (None, 0.0)


def test_intervals_of_a_target_of_both_signs_are_not_cut():
    X, y = drawn(200)
    found = bl.predict_interval(fitted(X, y - y.mean()), X, level=0.9)
    assert (found.lowest, found.highest) == (None, None)
    assert (found.lower < 0).any()
    assert "No end" not in str(found)
