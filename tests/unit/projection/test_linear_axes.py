"""What all linear axes share: correlations with terms, their circle."""

import numpy as np

from branchline import load_dataset
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
