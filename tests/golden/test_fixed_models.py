"""Models of every class load from files kept here and predict as when they were saved.

What decides on integers (``_tolerance`` 0) gives the same bits, also when it is fitted again, and
also with the sums of another processor. Sums of floats may differ in the last digits between
processors: they agree to 1e-9.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import branchline as bl
from branchline._saving._classes import CLASSES
from common.estimators import ESTIMATORS, TRANSITIONS
from golden.fixed_models import FOLDER, NAMES, expected, fitted, new_rows, outputs

EXPECTED = expected()
LAPACK = {"voting-stacked"}  # row order does not change its weights; eigenvectors make them
# NumPy's exponentials and logarithms have other last digits on processors without AVX-512.
EXPONENTIALS = {"adaboost", "naive_bayes", "naive-bayes-gaussian"}
EXACT = [
    name for name in NAMES if ESTIMATORS[name]._tolerance == 0 and name not in LAPACK | EXPONENTIALS
]


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


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="names x86 processors")
def test_the_bits_do_not_depend_on_the_processor() -> None:
    path = Path(__file__)
    chosen = [f"{path}::test_a_model_fitted_again_predicts_the_same_bits"]
    # A processor of 2004: its products of matrices are summed in another order than today's, and
    # NumPy takes exponentials and sums from other code.
    environment = {**os.environ, "OPENBLAS_CORETYPE": "Prescott"}
    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    environment["NPY_DISABLE_CPU_FEATURES"] = " ".join(features)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *chosen]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=800, check=False, env=environment
    )
    assert ended.returncode == 0, ended.stdout[-3000:]
    assert f"{len(EXACT)} passed" in ended.stdout
