"""Agreement of clusterings: parity, ends, interval."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from branchline.cluster import adjusted_rand
from branchline.errors import ParameterError


def test_as_in_scikit_learn():
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, other = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
        other = np.where(rng.random(60) < 0.5, one, other)
        found = adjusted_rand(one, other)
        assert found.value == pytest.approx(adjusted_rand_score(one, other))
        assert found.low <= found.value <= found.high


def test_equal_clusterings_and_refusals():
    assert adjusted_rand(list("aabb"), [1, 1, 0, 0]).value == 1.0
    assert str(adjusted_rand([0, 0, 1, 1] * 9, [1, 1, 0, 0] * 9)) == "1.00 [1.00, 1.00]"
    with pytest.raises(ParameterError, match="same rows"):
        adjusted_rand([0, 1], [0, 1, 1])
