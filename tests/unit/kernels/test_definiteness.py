"""Verdicts on Gram matrices: the worked example, and witnesses that can be checked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline.errors import DataError
from branchline.kernels import RBF, FunctionKernel, Precomputed, Sigmoid
from branchline.kernels._definiteness import definiteness

# kernel-6 of the small tables: upper rows; the lower triangle has 0.7 where the upper has 0.17.
UPPER = (
    (0.14, 0.96, 0.17, 0.01, 0.24),
    (0.02, 0.17, 0.22, 0.67),
    (0.15, 0.27, 0.07),
    (0.37, 0.55),
    (-0.25,),
)


def _kernel_six(entry):
    gram = np.eye(6)
    for row, values in enumerate(UPPER):
        gram[row, row + 1 :] = values
    gram[1, 3] = entry
    return np.triu(gram) + np.triu(gram, 1).T


@pytest.mark.parametrize(("entry", "least"), [(0.17, -0.046), (0.70, -0.011)])
def test_kernel_six_is_refuted_with_a_witness(entry, least):
    gram = _kernel_six(entry)
    verdict = Precomputed().is_psd(gram)
    assert not verdict
    assert verdict.reason == "refuted"
    assert verdict.least_eigenvalue == pytest.approx(least, abs=5e-4)
    _check_witness(gram, verdict)
    assert "energy" in str(verdict)


def test_kernel_six_as_printed_is_asymmetric():
    gram = _kernel_six(0.17)
    gram[3, 1] = 0.7
    with pytest.raises(DataError, match="not symmetric") as caught:
        Precomputed().is_psd(gram)
    assert caught.value.code == "D162"
    assert set(caught.value.rows) == {1, 3}


def _check_witness(gram, verdict):
    witness = verdict.witness
    part = gram[np.ix_(witness.rows, witness.rows)]
    energy = witness.coefficients @ part @ witness.coefficients
    assert energy == pytest.approx(witness.energy)
    assert energy < -verdict.tolerance
    assert np.linalg.norm(witness.coefficients) == pytest.approx(1)
    for left_out in range(len(witness.rows)):  # no row is spare
        fewer = np.delete(np.delete(part, left_out, 0), left_out, 1)
        assert len(fewer) == 0 or np.linalg.eigvalsh(fewer)[0] >= -verdict.tolerance


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_verdicts_on_random_matrices(size, seed):
    generator = np.random.default_rng(seed)
    square = generator.normal(size=(size, size))
    verdict = definiteness(square + square.T)
    least = np.linalg.eigvalsh(square + square.T)[0]
    assert verdict.is_psd == (least >= -verdict.tolerance)
    if not verdict:
        _check_witness(square + square.T, verdict)
    sound = definiteness(square @ square.T)
    assert sound.is_psd
    assert sound.reason == "on this sample"
    assert sound.witness is None


def test_a_witness_among_many_rows_is_small():
    gram = np.eye(300)
    gram[17, 201] = gram[201, 17] = 1.5
    verdict = definiteness(gram)
    assert verdict.witness.rows.tolist() == [17, 201]
    assert verdict.witness.energy == pytest.approx(-0.5)


def test_sigmoid_is_refuted_on_a_sample_and_rbf_is_proved():
    X = np.array([[1.0], [2.0], [3.0]])
    assert Sigmoid(gamma=1.0, coef0=-2.0).is_psd(X).reason == "refuted"
    verdict = RBF().is_psd(X)
    assert verdict.is_psd
    assert str(verdict) == "positive semidefinite (proved)"


def test_an_asymmetric_function_is_refused():
    with pytest.raises(DataError) as caught:
        FunctionKernel(lambda a, b: a[0] - b[0], vectorized=False).is_psd([[1.0], [2.0]])
    assert caught.value.code == "D162"
