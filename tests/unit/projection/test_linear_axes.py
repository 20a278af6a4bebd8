"""What all linear axes share: correlations with terms, their circle."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.charts import Points
from branchline.errors import ParameterError
from branchline.projection import PCA


def test_correlations_are_those_of_places_and_columns():
    X, _ = load_dataset("iris").split_target("species")
    model = PCA(2).fit(X)
    columns = np.column_stack([X.column(name).to_list() for name in model.terms_])
    expected = np.corrcoef(model.transform(X).T, columns.T)[:2, 2:]
    np.testing.assert_allclose(model.correlations(X), expected, atol=1e-12)
    # The squares of a standardized column with all its axes add up to 1.
    np.testing.assert_allclose((PCA(4).fit(X).correlations(X) ** 2).sum(axis=0), 1.0)


def test_missing_cells_are_left_out_of_correlations():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    X = np.column_stack([x, x, x + 0.1 * rng.normal(size=200)])
    X[:50, 1] = np.nan
    found = PCA(1).fit(X).correlations(X)
    assert (np.abs(found) > 0.98).all()


def test_the_circle_names_terms():
    table = load_dataset("titanic").select(["age", "sex", "pclass", "fare"])
    drawn = PCA(2).fit(table).correlation_circle(table).to_svg()
    assert "pclass=1st" in drawn
    assert "Correlation of terms with the axes" in drawn


def test_errors_of_old_and_new_rows_are_in_the_units_of_the_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1)) @ rng.normal(size=(1, 5)) * 100 + rng.normal(size=(300, 5))
    model = PCA(1, standardize=False).fit(X[:200])
    errors = (X - model.inverse_transform(model.transform(X))) ** 2
    np.testing.assert_allclose(model.reconstruction_error(X), errors.mean(axis=1))
    share = model.reconstructed_share(X[:200])
    assert share == pytest.approx(model.explained_variance_ratio_.sum())
    moved = (X[200:] - X[:200].mean(axis=0)) ** 2
    expected = 1 - errors[200:].sum() / moved.sum()
    assert model.reconstructed_share(X[200:]) == pytest.approx(expected)
    assert np.isnan(PCA(1).fit(np.ones((4, 2))).reconstructed_share(np.ones((2, 2))))


def test_inputs_are_the_heaviest_of_each_axis():
    X, _ = load_dataset("iris").split_target("species")
    model = PCA(2).fit(X)
    assert model.inputs() == ["petal_length", "sepal_width"]
    assert len(model.inputs(10)) == 4
    table = load_dataset("titanic").select(["age", "sex", "pclass", "fare"])
    assert set(PCA(2).fit(table).inputs(4)) == {"age", "sex", "pclass", "fare"}
    with pytest.raises(ParameterError, match="n_inputs"):
        model.inputs(0)


@pytest.mark.parametrize("places", [[[1.0]], [1.0, 2.0], [[1.0, np.nan]]])
def test_places_on_other_axes_are_refused(places):
    X, _ = load_dataset("iris").split_target("species")
    with pytest.raises(ParameterError, match="P741"):
        PCA(2).fit(X).inverse_transform(places)


def test_colors():
    X, y = load_dataset("iris").split_target("species")
    model = PCA(2).fit(X)
    by_number = model.biplot(X, X.column("petal_length").to_list())
    names = [mark.name for mark in by_number.marks if isinstance(mark, Points)]
    assert names == ["1 to below 1.6", "1.6 to below 4.35", "4.35 to below 5.1", "5.1 to 6.9"]
    gaps = [None, *list(y)[1:]]
    names = [mark.name for mark in model.biplot(X, gaps).marks if isinstance(mark, Points)]
    assert names == ["setosa", "versicolor", "virginica", "missing"]
    with pytest.raises(ParameterError, match="P740"):
        model.biplot(X, ["red"])


@pytest.mark.parametrize("X", [np.ones((4, 2)), np.full((3, 2), np.nan), np.ones((1, 2))])
def test_tables_in_which_nothing_varies_are_drawn(X):
    model = PCA().fit(X)
    for picture in (model.biplot(X), model.correlation_circle(X), model.counts_.draw()):
        assert "<svg" in picture.to_svg()
    assert model.inputs() == []


def test_one_column_is_not_called_independent():
    assert PCA().fit([[1.0], [2.0], [4.0]]).counts_.verdict().startswith("One column varies")


def test_rounding_is_not_part_of_a_formula():
    model = PCA(1).fit(np.eye(3))
    model.components_ = np.array([[0.8, -0.6, 1e-17]])
    assert model.formula() == "0.8·x0 − 0.6·x1"
