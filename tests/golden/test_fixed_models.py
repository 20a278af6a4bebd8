"""Models of every class load from files kept here and predict as when they were saved.

What decides on integers (``_tolerance`` 0) gives the same bits, also when it is fitted again.
Sums of floats may differ in the last digits between processors: they agree to 1e-9.
"""

from typing import Any

import numpy as np
import pytest

import branchline as bl
from branchline._saving._classes import CLASSES
from common.estimators import ESTIMATORS, TRANSITIONS
from golden.fixed_models import FOLDER, NAMES, expected, fitted, new_rows, outputs

EXPECTED = expected()
EXACT = [name for name in NAMES if ESTIMATORS[name]._tolerance == 0]


def agree(found: dict[str, Any], known: dict[str, Any], *, exact: bool) -> None:
    assert found.keys() == known.keys()
    for method, values in known.items():
        if exact or np.asarray(values).dtype.kind != "f":
            assert found[method] == values, method
        else:
            np.testing.assert_allclose(found[method], values, rtol=1e-9, atol=1e-9, err_msg=method)


def test_every_class_that_a_file_may_hold_is_among_them() -> None:
    assert {type(ESTIMATORS[name]).__name__ for name in NAMES} == set(CLASSES) - TRANSITIONS
    assert set(EXPECTED) == set(NAMES)
    assert len(EXACT) >= 40


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_model_predicts_as_then(name: str) -> None:
    model = bl.load(FOLDER / f"{name}.branchline")
    agree(outputs(model, new_rows(name)), EXPECTED[name], exact=name in EXACT)


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
@pytest.mark.parametrize("name", EXACT)
def test_a_model_fitted_again_predicts_the_same_bits(name: str) -> None:
    agree(outputs(fitted(name), new_rows(name)), EXPECTED[name], exact=True)
