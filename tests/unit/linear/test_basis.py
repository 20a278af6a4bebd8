"""Basis expansion: the terms, coefficients in raw units, explanations, saved values."""

import numpy as np
import pandas as pd
import pytest
from sklearn import linear_model
from sklearn.preprocessing import PolynomialFeatures

from branchline.encoding import TableEncoder
from branchline.errors import ModelFileError, ParameterError
from branchline.linear import BasisExpansion, ElasticNet, LinearRegression, Ridge
from branchline.linear._basis import unpack_encoding
from unit.linear.regression_cases import messy, refuse, rows


def test_products_are_named_and_made_of_scaled_columns():
    frame = pd.DataFrame({"age": [1.0, 2, 3, 6], "fare": [2.0, 0, 1, 5]})
    model = BasisExpansion(degree=2).fit(frame)
    assert model.get_feature_names_out().tolist() == ["age", "fare", "age²", "age × fare", "fare²"]
    made = model.transform(frame)
    product = made[:, 0] * made[:, 1]
    np.testing.assert_allclose(made[:, 3], product / product.std())


def test_products_that_say_nothing_new_are_left_out():
    frame = pd.DataFrame({"x": [1.0, None, None, 4, 5, 7], "town": ["Ath", "Mons", "Namur"] * 2})
    names = BasisExpansion().fit(frame).get_feature_names_out().tolist()
    assert "x²" in names
    assert "town=Ath × x" in names or "x × town=Ath" in names
    assert "x missing × town=Mons" in names
    assert not [name for name in names if name.count("town=") == 2 or name == "x × x missing"]
    assert "town=Ath²" not in names
    alone = BasisExpansion(interactions_only=True).fit(frame).get_feature_names_out()
    assert not [name for name in alone if "²" in name]


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("interactions_only", [False, True])
def test_coefficients_are_those_of_scikit_learn_on_raw_powers(degree, interactions_only):
    random = np.random.default_rng(0)
    X = random.uniform(1, 3, (200, 3))
    y = X[:, 0] ** 2 - X[:, 1] * X[:, 2] + 0.1 * random.normal(size=200)
    powers = PolynomialFeatures(degree, interaction_only=interactions_only, include_bias=False)
    theirs = linear_model.LinearRegression().fit(powers.fit_transform(X), y)
    basis = BasisExpansion(degree=degree, interactions_only=interactions_only)
    ours = LinearRegression(basis=basis).fit(X, y)
    # Raw powers lose about five digits; ours are multiplied out from scaled ones.
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-6)
    design = np.column_stack([np.ones(200), powers.transform(X)])
    left = y - ours.predict(X)
    covariance = np.linalg.inv(design.T @ design) * (left @ left) / ours.df_residual_
    errors = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(ours.standard_errors_[0], errors[1:], rtol=1e-5)
    assert ours.intercept_errors_[0] == pytest.approx(errors[0], rel=1e-5)


def test_share_of_a_product_is_divided_among_its_columns():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(300, 2)), columns=["a", "b"])
    model = LinearRegression(basis="polynomial").fit(X, X["a"] * X["b"])
    explained = model.explain({"a": 2.0, "b": 3.0})
    assert explained.is_sum
    assert explained.total == pytest.approx(6.0)
    first, second = (part.amount for part in explained.parts)
    assert first == pytest.approx(second, rel=0.2)


def test_bells_bend_a_line_and_are_explained_by_leaving_out():
    x = np.linspace(0, 6, 120)[:, None]
    y = np.sin(2 * x[:, 0])
    assert Ridge().fit(x, y).score(x, y) < 0.2
    for centers in ("k_means", "rows"):
        basis = BasisExpansion(kind="rbf", n_centers=15, centers=centers, width=0.5)
        model = Ridge(basis=basis).fit(x, y)
        assert model.score(x, y) > 0.99
        explained = model.explain({"x0": 1.0})
        assert not explained.is_sum
        assert explained.total == pytest.approx(model.predict([[1.0]])[0])
    names = [row.term for row in model.coefficients()]
    assert names[:3] == ["x0", "rbf 1", "rbf 2"]


def test_a_bell_has_its_formula():
    X, _ = rows(20, 2)
    model = BasisExpansion(kind="rbf", n_centers=3, width=1.5, linear=False).fit(X)
    z = TableEncoder().fit(X).transform(X)
    centers = model.encoding_.basis.centers
    distance = ((z[:, None, :] - centers) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.transform(X), np.exp(-distance / (2 * 1.5**2)))
    again = BasisExpansion(kind="rbf", n_centers=3, width=1.5, linear=False).fit(X[::-1])
    np.testing.assert_array_equal(model.transform(X), again.transform(X))


def test_every_learner_takes_a_basis():
    frame, y = messy()
    for basis in ("polynomial", "rbf", BasisExpansion(kind="rbf", n_centers=5, linear=False)):
        for model in (Ridge(basis=basis), ElasticNet(basis=basis, alpha=0.05)):
            assert model.fit(frame, y).score(frame, y) > 0.1


def test_too_many_products_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 80))
    with pytest.raises(ParameterError, match="more than 20,000 terms") as caught:
        BasisExpansion(degree=4).fit(X)
    assert caught.value.code == "P050"


def test_a_learners_basis_has_no_encoder_of_its_own():
    X, y = rows()
    model = Ridge(basis=BasisExpansion(encoder=TableEncoder(scale="range")))
    with pytest.raises(ParameterError, match="give it to the learner") as caught:
        model.fit(X, y)
    assert caught.value.code == "P015"
    exec(caught.value.repair.python, {"model": model})
    assert model.fit(X, y).score(X, y) > 0


def test_bad_parameters_of_a_basis_are_refused_by_the_learner():
    X, y = rows()
    with pytest.raises(ParameterError, match="'degree' parameter"):
        Ridge(basis=BasisExpansion(degree=9)).fit(X, y)


def test_forged_bases_are_refused():
    X, _ = rows()
    for basis in ("polynomial", "rbf"):
        model = BasisExpansion(kind=basis, n_centers=4).fit(X)
        packed = model._pack()["encoding"]
        plain = TableEncoder().fit(X)._pack()["encoding"]
        refuse(model, encoding=plain)
        inside = dict(packed["basis"])
        forged = {
            "polynomial": {"degree": 6, "interactions_only": 1, "spread": -inside.get("spread", 0)},
            "rbf": {"width": 0.0, "centres": np.zeros((4, 2)), "keeps_linear": 1},
        }[basis]
        for name, value in {**forged, "kind": "spline", "more": 1}.items():
            changed = {**packed, "basis": {**inside, name: value}}
            with pytest.raises(ModelFileError, match="M005"):
                unpack_encoding(changed, model.schema_)
        with pytest.raises(ModelFileError, match="M005"):
            unpack_encoding({**packed, "mean": np.zeros(1)}, model.schema_)
