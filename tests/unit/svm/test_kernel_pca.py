"""KernelPCA: scikit-learn's components on our kernels, for any table and for new rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn import decomposition

import branchline
from branchline.errors import ParameterError
from branchline.kernels import RBF, Constant, FunctionKernel
from branchline.svm import _kernel_product
from branchline.svm._kernel_pca import KernelPCA

PLAIN = {"gamma": 0.5, "standardize": False}


def rows(n_rows=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)) * [3.0, 2.0, 1.0]
    return np.vstack([X, X[:5]])  # with copies


def same_up_to_signs(found, expected, **tolerance):
    np.testing.assert_allclose(np.abs(found), np.abs(expected), **tolerance)


def test_components_are_those_of_scikit_learn():
    X, Z = rows(), rows(9, seed=1)
    ours = KernelPCA(4, **PLAIN).fit(X)
    peer = decomposition.KernelPCA(4, kernel="rbf", gamma=0.5).fit(X)
    same_up_to_signs(ours.transform(X), peer.transform(X), atol=1e-9)
    same_up_to_signs(ours.transform(Z), peer.transform(Z), atol=1e-9)
    np.testing.assert_allclose(ours.explained_variance_, peer.eigenvalues_ / len(X))


def test_linear_kernel_gives_principal_components():
    X = rows()
    ours = KernelPCA(2, kernel="linear", standardize=False).fit(X)
    peer = decomposition.PCA(2).fit(X)
    same_up_to_signs(ours.transform(X), peer.transform(X), atol=1e-9)
    np.testing.assert_allclose(ours.explained_variance_ratio_, peer.explained_variance_ratio_)
    every = KernelPCA(None, kernel="linear").fit(X)
    assert every.transform(X).shape == (45, 3)
    assert every.explained_variance_ratio_.sum() == pytest.approx(1.0)


def test_components_have_mean_0_and_the_variance_they_say():
    X = rows()
    model = KernelPCA(5).fit(X)
    components = model.transform(X)
    np.testing.assert_allclose(components.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(components.var(axis=0), model.explained_variance_)
    covariance = np.cov(components.T)
    np.testing.assert_allclose(covariance - np.diag(np.diag(covariance)), 0.0, atol=1e-10)


def test_order_does_not_matter():
    X = rows()
    order = np.random.default_rng(0).permutation(len(X))
    expected = KernelPCA(3).fit(X).transform(X)
    np.testing.assert_array_equal(KernelPCA(3).fit(X[order]).transform(X), expected)
    np.testing.assert_allclose(KernelPCA(3).fit_transform(X), expected)


def test_mixed_tables_with_holes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=50), "town": rng.choice(["Ath", "Mons"], 50)})
    frame.loc[::11, "x"] = np.nan
    frame.loc[::13, "town"] = None
    model = KernelPCA(2).fit(frame)
    assert np.isfinite(model.transform(frame)).all()
    assert list(model.get_feature_names_out()) == ["component0", "component1"]


@pytest.mark.parametrize("fewest", [1, 10**9])
def test_kernels_that_tell_nothing_have_no_variance(fewest, monkeypatch):
    monkeypatch.setattr(_kernel_product, "_FEWEST_ROWS", fewest)
    X = rows()
    model = KernelPCA(2, kernel=Constant(1.0)).fit(X)
    assert model.transform(X).shape == (45, 2)
    np.testing.assert_allclose(model.transform(X), 0.0, atol=1e-6)
    np.testing.assert_allclose(model.explained_variance_ratio_, 0.0, atol=1e-12)
    assert KernelPCA(None).fit(np.ones((6, 2))).transform(np.ones((3, 2))).shape == (3, 0)
    assert KernelPCA(2).fit([[1.0]]).transform([[2.0]]).tolist() == [[0.0]]


@pytest.mark.parametrize("n_components", [3, 30, None])
def test_thin_and_whole_kernels_agree(n_components, monkeypatch):
    X, Z = rows(150), rows(9, seed=1)
    whole = KernelPCA(n_components, kernel="poly", degree=2, coef0=1.0).fit(X)
    monkeypatch.setattr(_kernel_product, "_FEWEST_ROWS", 1)
    thin = KernelPCA(n_components, kernel="poly", degree=2, coef0=1.0).fit(X)
    same_up_to_signs(thin.transform(Z), whole.transform(Z), atol=1e-6)
    np.testing.assert_allclose(thin.explained_variance_, whole.explained_variance_, atol=1e-9)


def test_a_given_matrix_is_the_kernel():
    X = rows()
    gram = RBF(gamma=0.5).gram(X)
    given = KernelPCA(3, kernel="precomputed").fit(gram)
    same_up_to_signs(given.transform(gram), KernelPCA(3, **PLAIN).fit(X).transform(X), atol=1e-9)


@pytest.mark.parametrize(
    ("kernel", "n_components"),
    [
        (FunctionKernel(lambda A, B: -(A @ B.T)), 2),
        (FunctionKernel(lambda A, B: np.outer(A[:, 0], B[:, 0]) - A[:, 1:] @ B[:, 1:].T), None),
    ],
)
def test_a_kernel_of_negative_variance_is_refused(kernel, n_components):
    with pytest.raises(ParameterError, match="eigenvalues below 0") as caught:
        KernelPCA(n_components, kernel=kernel).fit(rows())
    assert caught.value.code == "P177"


def test_a_model_file_holds_the_model(tmp_path):
    X = rows()
    for n_components in (2, None):
        model = KernelPCA(n_components).fit(X)
        model.save(tmp_path / "model")
        loaded = branchline.load(tmp_path / "model")
        np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
        np.testing.assert_array_equal(
            loaded.explained_variance_ratio_, model.explained_variance_ratio_
        )


def test_a_few_components_of_many_rows_are_those_of_all():
    """They are found by products, which takes a tenth of the time and can be interrupted."""
    X = np.random.default_rng(0).normal(size=(600, 4))
    few, all_of_them = KernelPCA(3).fit(X), KernelPCA(None).fit(X)
    expected = all_of_them.explained_variance_[:3]
    np.testing.assert_allclose(few.explained_variance_, expected, rtol=1e-10)
    np.testing.assert_allclose(few.transform(X), all_of_them.transform(X)[:, :3], atol=1e-9)


def test_many_equal_rows_have_no_components_that_vary():
    model = KernelPCA(2).fit(np.ones((600, 2)))
    assert model.explained_variance_ == pytest.approx(0.0, abs=1e-12)
