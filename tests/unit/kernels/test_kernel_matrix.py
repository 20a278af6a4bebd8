"""Native kernel matrices against NumPy: values, sums, batches, threads, scales, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import _core

LINEAR, POLYNOMIAL, RBF, LAPLACIAN, SIGMOID = range(5)
FORMS = {
    "linear": (LINEAR, 1.0, 0.0, 1),
    "polynomial": (POLYNOMIAL, 0.3, 0.5, 3),
    "rbf": (RBF, 0.07, 0.0, 1),
    "laplacian": (LAPLACIAN, 0.07, 0.0, 1),
    "sigmoid": (SIGMOID, 0.02, -0.1, 1),
}
PRECISIONS = {
    "single": (np.dtype(np.float32), _core.kernel_matrix_single, _core.kernel_sums_single),
    "double": (np.dtype(np.float64), _core.kernel_matrix_double, _core.kernel_sums_double),
}
by_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
by_precision = pytest.mark.parametrize("precision", PRECISIONS.values(), ids=PRECISIONS)


def twin(form, a, b):
    """Return the kernel of each row of a with each row of b, straight from its definition."""
    kind, gamma, coef0, degree = form
    a, b = a.astype(np.float64), b.astype(np.float64)
    products = a @ b.T
    difference = a[:, None, :] - b[None, :, :]
    values = {
        LINEAR: lambda: products,
        POLYNOMIAL: lambda: (gamma * products + coef0) ** degree,
        RBF: lambda: np.exp(-gamma * (difference**2).sum(axis=2)),
        LAPLACIAN: lambda: np.exp(-gamma * np.abs(difference).sum(axis=2)),
        SIGMOID: lambda: np.tanh(gamma * products + coef0),
    }
    return values[kind]()


def points(n_rows, n_columns, dtype, seed=0):
    """Return rows of standard normal numbers."""
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns)).astype(dtype)


def bits(n_rows, n_columns, dtype, seed=0):
    """Return rows of zeros and ones."""
    return (np.random.default_rng(seed).random((n_rows, n_columns)) < 0.2).astype(dtype)


@by_precision
@by_form
@pytest.mark.parametrize("make", [points, bits])
@pytest.mark.parametrize("n_columns", [1, 7, 16, 123, 500])
def test_values_are_those_of_the_definition(precision, form, make, n_columns):
    dtype, matrix, _ = precision
    a, b = make(45, n_columns, dtype), make(70, n_columns, dtype, seed=1)
    seen = matrix(_core.KernelForm(*form), a, b, 1)
    assert seen.dtype == dtype
    wanted = twin(form, a, b)
    # Sums of d products, each rounded: the largest kernels are those of the largest sums.
    tolerance = 8 * n_columns**0.5 * np.finfo(dtype).eps
    scale = max(1.0, float(np.abs(wanted).max()))
    np.testing.assert_allclose(seen, wanted, rtol=tolerance, atol=tolerance * scale)


@given(
    n_a=st.integers(0, 40),
    n_b=st.integers(0, 70),
    n_columns=st.integers(0, 20),
    n_outputs=st.integers(0, 20),
    seed=st.integers(0, 99),
    form=st.sampled_from(list(FORMS.values())),
)
def test_sums_are_those_of_the_matrix(n_a, n_b, n_columns, n_outputs, seed, form):
    a, b = points(n_a, n_columns, np.float64, seed), points(n_b, n_columns, np.float64, seed + 1)
    coefficients = points(n_b, n_outputs, np.float64, seed + 2)
    known = _core.KernelForm(*form)
    matrix = _core.kernel_matrix_double(known, a, b, 1)
    sums = _core.kernel_sums_double(known, a, b, coefficients, 1)
    assert matrix.shape == (n_a, n_b)
    assert sums.shape == (n_a, n_outputs)
    tolerance = 1e-13 * (1 + np.abs(matrix).sum())
    np.testing.assert_allclose(sums, matrix @ coefficients, rtol=0, atol=tolerance)


@by_precision
@by_form
@pytest.mark.parametrize("n_outputs", [1, 3, 40])
def test_batches_and_threads_do_not_change_a_bit(precision, form, n_outputs):
    dtype, matrix, sums = precision
    a, b = points(130, 29, dtype), points(301, 29, dtype, seed=1)
    coefficients = points(301, n_outputs, np.float64, seed=2)
    known = _core.KernelForm(*form)
    whole, summed = matrix(known, a, b, 1), sums(known, a, b, coefficients, 1)
    np.testing.assert_array_equal(matrix(known, a, b, 2), whole)
    np.testing.assert_array_equal(sums(known, a, b, coefficients, 2), summed)
    for first, last in [(0, 1), (1, 14), (14, 130)]:
        some = np.ascontiguousarray(a[first:last])
        np.testing.assert_array_equal(matrix(known, some, b, 1), whole[first:last])
        np.testing.assert_array_equal(sums(known, some, b, coefficients, 1), summed[first:last])


@by_precision
@pytest.mark.parametrize("kind", [RBF, LAPLACIAN])
@pytest.mark.parametrize("make", [points, bits])
def test_equal_rows_have_kernel_one(precision, kind, make):
    dtype, matrix, _ = precision
    a = make(50, 300, dtype) + dtype.type(0 if make is bits else 1000)
    twice = np.concatenate([a, a])
    seen = matrix(_core.KernelForm(kind, 3.0, 0.0, 1), twice, twice, 1)
    np.testing.assert_array_equal(np.diag(seen), 1)
    np.testing.assert_array_equal(np.diag(seen, 50), 1)
    np.testing.assert_array_equal(seen, seen.T)


def test_large_offsets_do_not_cancel_in_single_precision():
    spread = points(60, 40, np.float64).round(2) * 0.25
    shifted = (spread + 4096).astype(np.float32)
    seen = _core.kernel_matrix_single(_core.KernelForm(RBF, 0.5, 0.0, 1), shifted, shifted, 1)
    np.testing.assert_allclose(seen, twin((RBF, 0.5, 0.0, 1), shifted, shifted), atol=3e-6)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_any_scale_is_undone_by_its_gamma(scale):
    a, b = points(20, 5, np.float64), points(30, 5, np.float64, seed=1)
    with np.errstate(over="ignore", under="ignore"):
        gamma = 0.1 / scale
    seen = _core.kernel_matrix_double(
        _core.KernelForm(LAPLACIAN, gamma, 0.0, 1), scale * a, scale * b, 1
    )
    np.testing.assert_allclose(seen, twin((LAPLACIAN, 0.1, 0.0, 1), a, b), rtol=1e-13)


@by_precision
@by_form
def test_huge_and_tiny_numbers_give_finite_kernels(precision, form):
    dtype, matrix, _ = precision
    limits = np.finfo(dtype)
    values = np.array([limits.max, -limits.max, limits.tiny, 0, 1, -1], dtype)
    rows = np.array([[x, z] for x in values for z in values], dtype)
    for b in (rows, rows[-4:], np.ascontiguousarray(rows[14:16])):
        assert np.isfinite(matrix(_core.KernelForm(*form), rows, b, 1)).all()


@pytest.mark.parametrize(
    ("dtype", "distances"),
    [(np.float32, _core.squared_distances_single), (np.float64, _core.squared_distances_double)],
)
def test_squared_distances_of_integers_are_exact(dtype, distances):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 17, (40, 300)).astype(dtype)
    b = rng.integers(0, 17, (55, 300)).astype(dtype)
    exact = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distances(a, b, 1), exact)


def test_refused():
    form = _core.KernelForm(*FORMS["rbf"])
    a, b = np.zeros((2, 3)), np.zeros((2, 4))
    with pytest.raises(ValueError, match="as many columns"):
        _core.kernel_matrix_double(form, a, b, 1)
    with pytest.raises(ValueError, match="as many columns"):
        _core.squared_distances_double(a, b, 1)
    with pytest.raises(ValueError, match="coefficients for each row of b"):
        _core.kernel_sums_double(form, a, a, np.zeros((3, 1)), 1)
    with pytest.raises(ValueError, match="n_threads"):
        _core.kernel_matrix_double(form, a, a, 0)


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ((5, 1.0, 0.0, 1), "kind"),
        ((-1, 1.0, 0.0, 1), "kind"),
        ((RBF, -1.0, 0.0, 1), "gamma"),
        ((POLYNOMIAL, float("nan"), 0.0, 1), "gamma"),
        ((POLYNOMIAL, 1.0, float("inf"), 1), "coef0"),
        ((POLYNOMIAL, 1.0, 0.0, -1), "degree"),
    ],
)
def test_forms_that_are_refused(form, name):
    with pytest.raises(ValueError, match=name):
        _core.KernelForm(*form)
