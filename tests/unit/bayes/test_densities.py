"""Densities of numeric columns and frequencies of categories, against their slow twins."""

import math
import pickle

import numpy as np
import pytest

from branchline import Table
from branchline.bayes import NaiveBayes
from branchline.bayes._cells import MOST_CELLS, count_cells
from branchline.bayes._class_rows import ClassRows
from branchline.bayes._frequencies import _CHOICES, category_term
from branchline.bayes._joint import joint_scores
from twins import naive_bayes as twin


def test_smooth_curves_equal_sums_of_gaussian_curves():
    rng = np.random.default_rng(0)
    values, y = rng.gamma(2.0, size=200), rng.integers(0, 2, 200)
    model = NaiveBayes().fit(values[:, None], y)
    term = model.terms_[0]
    share = 2 / 202
    spread = 2 * values.std()
    for x in np.linspace(-1, values.max() + 1, 60):
        found = model.predict_joint_log_proba([[x]])[0] - np.log(model.class_prior_)
        wide = math.exp(-0.5 * ((x - values.mean()) / spread) ** 2)
        wide /= spread * math.sqrt(2 * math.pi)
        for kind in range(2):
            own = values[y == kind].tolist()
            curve = twin.kernel_density(own, term.bandwidth[kind], x)
            # Values are shared by two of eight points a width, and lines drawn between points.
            assert found[kind] == pytest.approx(
                math.log((1 - share) * curve + share * wide), abs=0.02
            )


@pytest.mark.parametrize("seed", range(12))
def test_the_kernel_adds_curves_with_the_bits_of_one_column_after_the_other(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(20, 200), 6)) * 10.0 ** rng.integers(-300, 300, 6)
    X[:, 4] = np.sign(X[:, 4])  # a silent or Gaussian column among the others
    X[rng.random(X.shape) < 0.1 * (seed % 2)] = np.nan
    if seed % 3 == 0:
        X = np.clip(X, -1e30, 1e30).astype(np.float32)
    model = NaiveBayes().fit(X, rng.integers(0, 3, len(X)))
    evidence = model._evidence
    assert evidence.densities is not None
    with np.errstate(over="ignore"):
        far = X * rng.choice([1, 1e3, -1, 0], X.shape).astype(X.dtype)
    table = Table(np.where(np.isinf(far), 0, far))
    expected = np.zeros((3, len(X)))
    evidence.gaussians.add_scores(expected, table)
    for place, term in evidence.others.items():
        expected += term.scores(table.column(table.names[place]))
    expected *= evidence.column_weight
    expected += evidence.log_prior[:, None]
    assert joint_scores(evidence, table).tobytes() == expected.tobytes()
    copy = pickle.loads(pickle.dumps(model))  # also after the kernel has its own form of the curves
    np.testing.assert_array_equal(copy.predict_proba(table), model.predict_proba(table))


def test_widths_follow_the_rule():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [400, 100])
    values = rng.normal(size=500) + 5 * y
    term = NaiveBayes().fit(values[:, None], y).terms_[0]
    within = sum(((values[y == k] - values[y == k].mean()) ** 2).sum() for k in (0, 1))
    deviation = math.sqrt((within + values.var()) / 501)
    expected = [1.06 * deviation * n**-0.2 for n in (400, 100)]
    np.testing.assert_allclose(term.bandwidth, expected, rtol=1e-9)


def test_curves_are_densities():
    rng = np.random.default_rng(2)
    values, y = rng.standard_t(2, size=300) * 1e6, rng.integers(0, 3, 300)
    model = NaiveBayes().fit(values[:, None], y)
    ends = 6 * np.ptp(values)
    x = np.linspace(values.mean() - ends, values.mean() + ends, 200_001)
    joint = model.predict_joint_log_proba(x[:, None]) - np.log(model.class_prior_)
    inside = (x > values.min() - 8 * values.std()) & (x < values.max() + 8 * values.std())
    total = np.exp(joint[inside]).sum(axis=0) * (x[1] - x[0])
    np.testing.assert_allclose(total, 1.0, atol=0.06)  # the wide curve goes on for ever


@pytest.mark.parametrize("n_bins", [2, 5, 10])
def test_intervals_have_about_equal_weight(n_bins):
    values = np.random.default_rng(3).lognormal(size=1_000)
    y = (values > 1).astype(int)
    term = NaiveBayes(numeric="binned", n_bins=n_bins).fit(values[:, None], y).terms_[0]
    counts = np.bincount(np.searchsorted(term.edges, values, side="right"))
    assert len(counts) == n_bins
    assert abs(counts - 1_000 / n_bins).max() <= 2
    shares = np.exp(term.log_frequency[:-1])
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)


def test_few_values_have_an_interval_each():
    values = np.array([1.0, 1.0, 2.0, 5.0, 5.0, 5.0])
    y = [0, 0, 0, 1, 1, 1]
    term = NaiveBayes(numeric="binned").fit(values[:, None], y).terms_[0]
    assert term.edges.tolist() == [1.5, 3.5]
    expected = np.array([[2.5, 0.5], [1.5, 0.5], [0.5, 3.5]]) / 4.5
    np.testing.assert_allclose(np.exp(term.log_frequency[:-1]), expected)


def test_neighboring_floats_are_kept_apart():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    model = NaiveBayes(numeric="binned").fit([[low], [low], [high], [high]], [0, 0, 1, 1])
    assert model.predict([[low], [high]]).tolist() == [0, 1]


def test_auto_takes_the_description_that_predicts_best():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 600)
    normal = rng.normal(3.0 * y, 1.0)
    parity = rng.integers(0, 50, 600) * 2 + y  # even numbers are class 0, odd ones class 1
    model = NaiveBayes(numeric="auto").fit(np.column_stack([normal, parity]), y)
    assert model.terms_[0].kind == "gaussian"
    assert model.terms_[1].kind == "kernel"


def test_smoothing_is_the_best_of_leaving_rows_out():
    rng = np.random.default_rng(5)
    for _ in range(20):
        counts = rng.poisson(rng.uniform(0.2, 9), (rng.integers(2, 9), 3)).astype(float)
        counts[0] += 1
        counts[1] += 1
        term = category_term(counts, np.arange(len(counts)), "auto")
        seen = [row for row in counts.tolist() if sum(row)]
        found = {m: twin.left_out_log_loss(seen, m) for m in _CHOICES}
        assert found[term.smoothing] == pytest.approx(min(found.values()), rel=1e-9)
        np.testing.assert_allclose(term.frequency.sum(axis=0), 1.0)


def test_the_numbering_of_categories_does_not_matter():
    rng = np.random.default_rng(6)
    counts = rng.uniform(0, 3, (50, 3))
    term = category_term(counts, np.arange(50), "auto")
    order = rng.permutation(50)
    other = category_term(counts[order], np.argsort(order), "auto")
    np.testing.assert_array_equal(other.frequency, term.frequency[order])


def test_cells_keep_values_apart_until_there_are_too_many():
    values = np.random.default_rng(7).normal(size=3 * MOST_CELLS)
    for n_rows in (MOST_CELLS, 3 * MOST_CELLS):
        rows = ClassRows.of(np.zeros(n_rows, dtype=np.uint32), 1, None)
        cells = count_cells(values[:n_rows], rows)
        low, high = cells.ends()
        found = cells.values()
        assert (cells.dropped == 0) == (n_rows == MOST_CELLS)
        assert MOST_CELLS / 2 < len(found) <= MOST_CELLS
        assert (low <= found).all()
        assert (found <= high).all()
        assert (high[:-1] < low[1:]).all()
        inside = np.searchsorted(low, values[:n_rows], side="right") - 1
        np.testing.assert_array_equal(np.bincount(inside), cells.units[:, 0])


def test_cells_of_the_largest_and_smallest_floats():
    extremes = np.array(
        [1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5e-324, 0.0, -0.0]
    )
    cells = count_cells(extremes, ClassRows.of(np.zeros(6, dtype=np.uint32), 1, None))
    assert cells.values().tolist() == sorted({*extremes.tolist()})
    assert cells.units[:, 0].tolist() == [1, 1, 2, 1, 1]
    every = np.ldexp(1.5, np.arange(-1074, 1024))
    every = np.concatenate([every, -every, np.nextafter(every, 0), np.nextafter(-every, 0)])
    rows = ClassRows.of(np.zeros(len(every), dtype=np.uint32), 1, None)
    cells = count_cells(every, rows)
    assert len(cells.keys) <= MOST_CELLS
    assert np.isfinite(cells.values()).all()


@pytest.mark.parametrize("decimals", [None, 2])
def test_many_values_are_counted_alike_with_and_without_sorting(decimals, monkeypatch):
    values = np.random.default_rng(8).normal(size=30_000) * 3
    values = values if decimals is None else np.round(values, decimals)
    kinds = np.arange(30_000) % 3
    for units in (None, np.arange(1, 30_001)):
        found = count_cells(values, ClassRows.of(kinds, 3, units))
        with monkeypatch.context() as patch:
            patch.setattr("branchline.bayes._cells._MANY_KEYS", 10**9)
            expected = count_cells(values, ClassRows.of(kinds, 3, units))
        assert found.dropped == expected.dropped
        np.testing.assert_array_equal(found.keys, expected.keys)
        np.testing.assert_array_equal(found.units, expected.units)


def test_cells_of_very_many_classes_are_entries():
    random = np.random.default_rng(9)
    values, kinds = random.normal(size=3_000), random.integers(0, 900, 3_000)
    cells = count_cells(values, ClassRows.of(kinds, 900, None))
    assert len(cells.weight) == 3_000
    expected = np.zeros((3_000, 900), dtype=np.int64)
    expected[np.argsort(np.argsort(values)), kinds] = 1
    np.testing.assert_array_equal(cells.units, expected)
    half = np.arange(3_000) < 1_500
    both = [
        count_cells(values[some], ClassRows.of(kinds[some], 900, None)) for some in (half, ~half)
    ]
    np.testing.assert_array_equal(both[0].add(both[1]).units, expected)
