"""The kernels of streams against their slow twins."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from branchline.stream import ADWIN, HoeffdingTreeClassifier
from twins.stream import SlowAdwin, SlowTree


@given(
    st.integers(0, 2**32),
    st.integers(1, 600),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([0.5, 0.05, 0.002]),
)
def test_adwin_equals_its_twin(seed, n_before, before, after, delta):
    rng = np.random.default_rng(seed)
    bits = np.r_[rng.random(n_before) < before, rng.random(300) < after].astype(float)
    twin = SlowAdwin(delta)
    expected = [place for place, bit in enumerate(bits) if twin.update(float(bit))]
    detector = ADWIN(delta)
    assert detector.update(bits).tolist() == expected
    window = twin.window()
    assert detector.width == len(window)
    assert np.isclose(detector.mean, np.mean(window))


@given(
    st.integers(0, 2**32),
    st.integers(2, 3),
    st.sampled_from([(20, 1e-7, 0.2), (30, 0.3, 0.05), (15, 0.9, 1.0)]),
    st.sampled_from([0.0, 0.2]),
)
def test_the_tree_equals_its_twin(seed, n_classes, rule, missing):
    rng = np.random.default_rng(seed)
    grace, delta, tie = rule
    X = rng.integers(0, 7, (500, 3)).astype(float)
    y = (X[:, 0] + 0.3 * X[:, 1] > rng.uniform(1, 6)).astype(int) + (X[:, 2] > 4) * (n_classes > 2)
    y = np.where(rng.random(500) < 0.1, rng.integers(0, n_classes, 500), y)
    X[rng.random(X.shape) < missing] = np.nan
    model = HoeffdingTreeClassifier(
        grace_period=grace,
        delta=delta,
        tie_threshold=tie,
        leaf_prediction="majority",
        max_bins=5,
    )
    found = model.predict_then_learn(X, y, classes=range(n_classes)).argmax(axis=1)
    rules = {"n_classes": n_classes, "grace_period": grace, "delta": delta, "max_bins": 5}
    twin = SlowTree(3, {**rules, "tie_threshold": tie})
    expected = [twin.learn(row, int(truth)) for row, truth in zip(X, y, strict=True)]
    np.testing.assert_array_equal(found, expected)
