""".632 and .632+ against their definition, worked by hand."""

import numpy as np
import pytest

from branchline.assess import bootstrap_error
from branchline.assess._bootstrap_error import no_information_error
from branchline.errors import DataError


@pytest.mark.parametrize(
    ("out_of_bag", "own", "nothing", "overfitting", "plain", "plus"),
    [
        # A perfect fit of its own rows and 40 % outside: R = 0.8, w = 0.632 / 0.7056.
        (0.4, 0.0, 0.5, 0.8, 0.2528, 0.632 / 0.7056 * 0.4),
        # No overfitting: .632+ is .632.
        (0.2, 0.2, 0.5, 0.0, 0.2, 0.2),
        # As bad as knowing nothing: all weight on the out-of-bag error.
        (0.5, 0.0, 0.5, 1.0, 0.316, 0.5),
        # Worse than knowing nothing: R = 1, and 0.368 (e₁′ − ē) is added to .632 (equation 32).
        (0.6, 0.0, 0.5, 1.0, 0.3792, 0.3792 + 0.368 * 0.5),
        (0.6, 0.1, 0.5, 1.0, 0.416, 0.416 + 0.368 * 0.4),
        # Better outside than inside counts as no overfitting.
        (0.1, 0.2, 0.5, 0.0, 0.1368, 0.1368),
        # Half way: R = 0.5, w = 0.632 / 0.816.
        (0.3, 0.1, 0.5, 0.5, 0.2264, 0.1 + 0.632 / 0.816 * 0.2),
    ],
)
def test_hand_computed_cases(out_of_bag, own, nothing, overfitting, plain, plus):
    found = bootstrap_error(out_of_bag, own, nothing)
    assert found.overfitting == pytest.approx(overfitting)
    assert found.error_632 == pytest.approx(plain)
    assert found.error_632_plus == pytest.approx(plus)


def test_the_no_information_error_pairs_every_prediction_with_every_truth():
    truth, said = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 1])
    pairs = [(a, b) for a in truth for b in said]
    expected = np.mean([a != b for a, b in pairs])
    assert no_information_error(truth, said, 2) == pytest.approx(expected)
    with pytest.raises(DataError):
        no_information_error(truth[:0], said[:0], 2)
