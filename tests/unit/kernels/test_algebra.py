"""The algebra of kernels against the same operations on Gram matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline.errors import ParameterError
from branchline.kernels import (
    RBF,
    Constant,
    FunctionKernel,
    Hamming,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Scaled,
    Sigmoid,
    Sum,
)
from branchline.table import as_table

TABLE = as_table(
    {
        "height": [1.0, 2.0, None, 4.0, 2.5, 1.0, 0.5],
        "color": ["red", "blue", "red", None, "green", "blue", "red"],
        "weight": [1.0, 2.0, 3.0, 1.0, 2.0, 1.5, -1.0],
    }
)
LEAVES = st.sampled_from(
    [
        Constant(0.5),
        Linear("weight"),
        RBF(gamma=0.3),
        RBF("height", "color", gamma=2),
        Laplacian("weight", gamma=0.1),
        Polynomial(2, "weight"),
        Hamming("color"),
        Hamming(decay=0.5),
    ]
)


def _grown(kernels):
    """Formulas made of formulas, each with the same done to Gram matrices."""

    def both(pair):
        (k1, g1), (k2, g2) = pair
        return st.sampled_from([(k1 + k2, g1 + g2), (k1 * k2, g1 * g2)])

    def one(known):
        kernel, gram = known
        length = np.sqrt(np.diag(gram))
        safe = np.where(length > 0, length, 1)
        return st.sampled_from(
            [
                (2 * kernel, 2 * gram),
                (kernel * 0.0, 0 * gram),
                (kernel**2, gram**2),
                (kernel + 1, gram + 1),
                (kernel.normalized(), gram / np.outer(safe, safe)),
            ]
        )

    return st.tuples(kernels, kernels).flatmap(both) | kernels.flatmap(one)


FORMULAS = st.recursive(
    LEAVES.map(lambda kernel: (kernel, kernel.gram(TABLE))), _grown, max_leaves=5
)


@given(FORMULAS)
def test_formulas_are_what_they_say(known):
    kernel, expected = known
    gram = kernel.gram(TABLE)
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(gram, expected, rtol=1e-9, atol=1e-9 * scale)
    np.testing.assert_allclose(kernel.diag(TABLE), np.diag(gram), rtol=1e-9, atol=1e-9 * scale)
    other = kernel.gram(TABLE, TABLE.rows([2, 0]))
    np.testing.assert_allclose(other, gram[:, [2, 0]], rtol=1e-9, atol=1e-9 * scale)


@given(FORMULAS)
def test_mercer_kernels_stay_positive_semidefinite(known):
    kernel, _ = known
    verdict = kernel.is_psd(TABLE)
    assert verdict.is_psd
    assert verdict.reason == "proved"
    assert verdict.least_eigenvalue >= -max(verdict.tolerance, 1e-9)
    assert (kernel.distance(TABLE) >= 0).all()


@given(FORMULAS)
def test_a_formula_reads_as_it_is_written(known):
    kernel, _ = known
    names = {one.__name__: one for one in (Constant, Linear, RBF, Laplacian, Polynomial, Hamming)}
    again = eval(repr(kernel), names)  # what the user would type
    assert isinstance(again, Kernel)
    np.testing.assert_allclose(again.gram(TABLE), kernel.gram(TABLE))


def test_formulas():
    kernel = RBF("height", gamma=0.5) * Hamming("color") + 2 * Linear()
    assert repr(kernel) == "RBF('height', gamma=0.5) * Hamming('color') + 2.0 * Linear()"
    assert repr((Linear() + 1) ** 2) == "(Linear() + Constant(1.0)) ** 2"
    assert repr(3 * (2 * Linear())) == "6.0 * Linear()"


def test_equal_formulas_are_equal():
    assert RBF("a", gamma=1) + Linear() == RBF("a", gamma=1.0) + Linear()
    assert hash(2 * RBF()) == hash(2.0 * RBF())
    assert RBF("a") != RBF("b")
    assert Linear() + (RBF() + Hamming()) == Linear() + RBF() + Hamming()
    assert isinstance(RBF() + RBF(), Sum)
    assert isinstance(2 * RBF(), Scaled)
    with pytest.raises(AttributeError):
        RBF().gamma = 3


def test_mercer_is_known_by_construction():
    assert (RBF() * Hamming() + 2 * Linear() ** 3).is_mercer
    assert not (RBF() + Sigmoid()).is_mercer
    assert not Polynomial(2, coef0=-1).is_mercer
    assert not FunctionKernel(np.dot).normalized().is_mercer


def test_reweighted():
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    kernel = Linear().reweighted(lambda row: row[0])
    assert kernel.gram(X).tolist() == [[5.0, 33.0], [33.0, 225.0]]
    assert kernel.diag(X).tolist() == [5.0, 225.0]
    texts = Constant(1).reweighted(len)
    assert texts.gram(["ab", "abc"]).tolist() == [[4.0, 6.0], [6.0, 9.0]]
    both = Hamming("color").reweighted(lambda row: 1.0 if row[1] == "red" else 2.0)
    assert both.diag(TABLE).tolist() == [1.0, 4.0, 1.0, 0.0, 4.0, 4.0, 1.0]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: -1 * RBF(), "P161"),
        (lambda: -RBF(), "P161"),
        (lambda: RBF() - Linear(), "P161"),
        (lambda: RBF() - 1, "P161"),
        (lambda: RBF() * float("inf"), "P161"),
        (lambda: RBF() + "rbf", "P161"),
        (lambda: True * RBF(), "P161"),
        (lambda: Constant(-1), "P161"),
        (lambda: RBF() ** 0, "P163"),
        (lambda: RBF() ** 0.5, "P163"),
        (lambda: Sum((RBF(),)), "P162"),
        (lambda: Sum((RBF(), 1.0)), "P162"),
        (lambda: RBF().reweighted(3), "P166"),
        (lambda: RBF().reweighted(lambda row: "x").gram([[1.0]]), "P166"),
        (lambda: RBF().reweighted(lambda row: np.nan).gram([[1.0]]), "P166"),
    ],
)
def test_what_is_no_kernel_is_refused(make, code):
    with pytest.raises(ParameterError) as caught:
        make()
    assert caught.value.code == code


def test_a_row_without_length_is_normalized_to_nothing():
    gram = Linear().normalized().gram([[0.0], [2.0], [-3.0]])
    assert gram.tolist() == [[0.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0]]
