"""Principal components: parity, missing cells, mixed tables, how many there are."""

import numpy as np
import pytest
from sklearn import decomposition
from sklearn.preprocessing import StandardScaler

import branchline
from branchline import Table, load_dataset
from branchline.errors import ModelFileError
from branchline.projection import PCA
from branchline.projection._components import axes_of


def low_rank(n_rows=200, n_terms=8, n_axes=2, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=(n_rows, n_axes)) @ rng.normal(size=(n_axes, n_terms))
    return signal + noise * rng.normal(size=(n_rows, n_terms))


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("shape", [(150, 6), (20, 60)])
def test_numbers_as_in_scikit_learn(standardize, shape):
    X = low_rank(*shape, noise=1.0)
    ours = PCA(3, standardize=standardize).fit(X)
    given = StandardScaler().fit_transform(X) if standardize else X
    theirs = decomposition.PCA(3, svd_solver="full").fit(given)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)
    factor = (len(X) - 1) / len(X)  # ours divides by n
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_ * factor)
    np.testing.assert_allclose(np.abs(ours.components_), np.abs(theirs.components_), atol=1e-8)
    np.testing.assert_allclose(
        np.abs(ours.transform(X)), np.abs(theirs.transform(given)), atol=1e-8
    )


def test_all_axes_rebuild_the_table():
    X = low_rank(noise=1.0)
    model = PCA(8).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-8)
    np.testing.assert_allclose(model.reconstruction_error(X), 0, atol=1e-12)
    assert PCA(2).fit(X).reconstruction_error(X).mean() > 0.01


def test_missing_cells_are_neither_means_nor_dropped():
    X = low_rank()
    holed = X.copy()
    holed[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    whole, model = PCA(2).fit(X), PCA(2).fit(holed)
    with_means = np.where(np.isnan(holed), np.nanmean(holed, axis=0), holed)
    by_means = PCA(2).fit(with_means)
    assert _angle(whole, model) < 0.05
    assert _angle(whole, by_means) > 1.5 * _angle(whole, model)
    signs = np.sign((model.components_ * whole.components_).sum(axis=1))
    error = np.abs(model.transform(holed) * signs - whole.transform(X)).mean()
    assert error < 0.25 * np.abs(whole.transform(X)).mean()


def _angle(one, other):
    """The largest angle between the planes of two models."""
    overlap = np.linalg.svd(one.components_ @ other.components_.T)[1]
    return float(np.arccos(np.clip(overlap.min(), 0, 1)))


def test_categories_count_as_in_mixed_factor_analysis():
    rng = np.random.default_rng(0)
    levels = rng.choice(["a", "b", "c"], 300)
    table = Table({"x": rng.normal(size=300), "y": rng.normal(size=300), "level": levels})
    model = PCA(4).fit(table)
    # Two standardized numbers have variance 2, a column of three categories 3 − 1.
    assert model.explained_variance_.sum() == pytest.approx(4.0)


def test_multiple_correspondence_of_two_columns_is_the_contingency_table():
    rng = np.random.default_rng(2)
    first = rng.integers(0, 3, 500)
    second = np.where(rng.random(500) < 0.5, first, rng.integers(0, 3, 500))
    table = Table({"a": [f"a{v}" for v in first], "b": [f"b{v}" for v in second]})
    counts = np.zeros((3, 3))
    np.add.at(counts, (first, second), 1)
    share = counts / counts.sum()
    expected = share.sum(axis=1, keepdims=True) * share.sum(axis=0)
    roots = np.linalg.svd((share - expected) / np.sqrt(expected))[1][:2]
    np.testing.assert_allclose(PCA(2).fit(table).explained_variance_, 1 + roots, atol=1e-9)


def test_multiple_correspondence_of_four_columns_is_that_of_the_indicator_matrix():
    # Variances are J times those of the indicator matrix of J columns, and add up to K − J.
    rng = np.random.default_rng(3)
    base = rng.integers(0, 2, 400)
    codes = [np.where(rng.random(400) < 0.6, base, rng.integers(0, k, 400)) for k in (2, 3, 4, 2)]
    table = Table({f"c{j}": [f"v{v}" for v in code] for j, code in enumerate(codes)})
    indicators = np.hstack([np.eye(code.max() + 1)[code] for code in codes])
    share = indicators / indicators.sum()
    rows, columns = share.sum(axis=1, keepdims=True), share.sum(axis=0)
    residual = (share - rows * columns) / np.sqrt(rows * columns)
    inertia = np.linalg.svd(residual, compute_uv=False)[:7] ** 2
    model = PCA(7).fit(table)
    np.testing.assert_allclose(model.explained_variance_, 4 * inertia, atol=1e-9)
    assert model.explained_variance_.sum() == pytest.approx(11 - 4)


def test_rules_side_by_side_as_a_frame_and_in_the_picture():
    X, _ = load_dataset("iris").split_target("species")
    counts = PCA().fit(X).counts_
    frame = counts.to_frame()
    assert frame["n_axes"].tolist() == [1, 1, 1, 2]
    assert frame["share"].round(2).tolist() == [0.73, 0.73, 0.73, 0.96]
    assert [counts.at_share(share) for share in (0.5, 0.73, 0.96, 1.0)] == [1, 2, 3, 4]
    assert "average (Kaiser)" in counts.draw().to_svg()
    assert "knee of the curve 1;" in counts.draw().note


def test_first_axes_of_a_large_table_have_all_digits():
    X = low_rank(700, 640, 5, noise=1.0)
    X -= X.mean(axis=0)
    every = np.linalg.eigvalsh(X.T @ X / len(X))
    some = axes_of(X, np.ones(len(X)), 20).variances
    np.testing.assert_allclose(some, every[::-1][:20], rtol=1e-10)


def test_how_many_axes_there_are():
    found = [PCA().fit(low_rank(noise=0.5, seed=seed)) for seed in range(10)]
    assert sum(model.counts_.beyond_chance == 2 for model in found) >= 9
    assert found[0].components_.shape == (2, 8)
    assert "2 axes are beyond chance" in str(found[0].counts_)
    assert PCA("above_average").fit(low_rank(n_axes=3)).components_.shape[0] <= 3
    assert PCA(0.99).fit(low_rank(n_axes=3)).explained_variance_ratio_.sum() >= 0.99


def test_noise_has_no_axis():
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        columns = {"x": rng.normal(size=80), "y": rng.normal(size=80)}
        columns |= {"c": rng.choice(list("abcd"), 80), "d": rng.choice(list("uvw"), 80)}
        table = Table(columns)
        found.append(PCA().fit(table).counts_.beyond_chance > 0)
    assert sum(found) <= 6  # 1 in 21 expected
    assert (
        "do not show that columns vary together"
        in PCA().fit(np.random.default_rng(0).normal(size=(90, 4))).counts_.verdict()
    )


def test_missing_cells_make_no_axis_of_noise():
    found = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 6))
        X[rng.random(X.shape) < 0.15] = np.nan
        found += PCA().fit(X).counts_.beyond_chance > 0
    assert found <= 5  # 1 in 21 expected


def test_tables_that_do_not_vary_and_tiny_ones():
    model = PCA().fit(np.ones((5, 3)))
    assert model.transform(np.ones((2, 3))).tolist() == [[0.0], [0.0]]
    assert model.counts_.verdict() == "No column varies, so there is no axis."
    assert PCA(5).fit(np.eye(3)).components_.shape[0] == 2
    row = PCA(1).fit(low_rank()).transform(np.full((1, 8), np.nan))
    assert row.tolist() == [[0.0]]


def test_huge_and_small_numbers_keep_their_units():
    X = low_rank()
    model, huge = (PCA(2, standardize=False).fit(X * factor) for factor in (1.0, 2.0**200))
    np.testing.assert_array_equal(huge.components_, model.components_)
    np.testing.assert_array_equal(huge.transform(X * 2.0**200) / 2.0**200, model.transform(X))


def test_words_frame_and_pictures(tmp_path):
    table = load_dataset("titanic").select(["age", "sex", "pclass", "fare"])
    model = PCA(2).fit(table)
    assert "·" in model.formula(0)
    assert model.formula(1, most=1).endswith("…")
    assert model.loadings()["term"].tolist() == model.terms_
    chart = model.biplot(table, color=table.column("sex").to_list())
    assert "female" in chart.to_svg()
    assert "largest of 20 shuffled tables" in model.counts_.draw().to_svg()
    path = tmp_path / "axes.branchline"
    model.save(path)
    again = branchline.load(path)
    np.testing.assert_array_equal(again.transform(table), model.transform(table))


def test_forged_files_are_refused():
    model = PCA(2).fit(low_rank())
    for key, value in (("variance", -np.ones(2)), ("noise", -1.0), ("directions", np.ones(3))):
        state = {**model._pack(), key: value}
        with pytest.raises(ModelFileError):
            model._unpack(state, model.schema_)
