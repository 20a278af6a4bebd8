"""Rankings: closed forms, parity with scikit-learn, chance, invariance, refusals."""

import numpy as np
import pytest
from scipy import stats
from sklearn.feature_selection import f_classif, f_regression
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import expected_mutual_information

from branchline import Table, load_dataset
from branchline._false_discovery import false_discovery
from branchline.errors import ParameterError
from branchline.features import rank_columns
from branchline.features._chance import ChanceInformation
from branchline.features._criteria import CRITERIA


def scores(found):
    return dict(zip(found.names, found.scores.tolist(), strict=True))


def test_information_of_discrete_columns_is_the_closed_form_less_chance():
    draws = np.random.default_rng(0)
    y = draws.integers(0, 3, 300)
    x = {"a": (y + draws.integers(0, 2, 300)) % 3, "b": draws.integers(0, 5, 300)}
    found = scores(rank_columns(x, y.astype(str)))
    for name, values in x.items():
        table = np.zeros((5, 3), dtype=np.int64)
        np.add.at(table, (values, y), 1)
        chance = expected_mutual_information(table[table.sum(axis=1) > 0], 300)
        assert found[name] == pytest.approx(mutual_info_score(values, y) - chance, abs=1e-9)


def test_chance_of_large_values_is_millers():
    parts = ChanceInformation(np.array([600.0, 400.0]))
    exact = parts._exact(150)
    assert parts._limit(150) == pytest.approx(exact, rel=0.02)


def test_identifiers_and_names_tell_nothing():
    draws = np.random.default_rng(1)
    y = draws.choice(["p", "q"], 200)
    table = {
        "id": [f"row {number}" for number in range(200)],
        "pairs": [f"name {number // 2}" for number in range(200)],
        "real": np.where(y == "p", 1.0, 0.0) + draws.normal(size=200),
    }
    found = rank_columns(table, y)
    assert found.names[0] == "real"
    assert abs(scores(found)["id"]) < 1e-9
    assert abs(scores(found)["pairs"]) < 0.1


def test_f_is_scikit_learns():
    draws = np.random.default_rng(2)
    X = draws.normal(size=(80, 6))
    y = draws.integers(0, 3, 80).astype(str)
    f, p = f_classif(X, y)
    found = rank_columns(X, y, by="f")
    np.testing.assert_allclose([scores(found)[f"x{at}"] for at in range(6)], f, rtol=1e-10)
    np.testing.assert_allclose(np.sort(found.p_values), np.sort(p), rtol=1e-9)
    target = draws.normal(size=80)
    f, _ = f_regression(X, target)
    found = rank_columns(X, target, by="f")
    np.testing.assert_allclose([scores(found)[f"x{at}"] for at in range(6)], f, rtol=1e-9)


def test_correlations_t_and_chi_square_are_scipys():
    draws = np.random.default_rng(3)
    x, target = draws.normal(size=50), draws.normal(size=50)
    y = np.where(target > 0, "p", "q")
    assert scores(rank_columns({"x": x}, target, by="correlation"))["x"] == pytest.approx(
        abs(stats.pearsonr(x, target)[0])
    )
    assert scores(rank_columns({"x": x}, target, by="rank_correlation"))["x"] == pytest.approx(
        abs(stats.spearmanr(x, target)[0])
    )
    expected = stats.ttest_ind(x[y == "p"], x[y == "q"], equal_var=False)
    found = rank_columns({"x": x}, y, by="t")
    assert found.scores[0] == pytest.approx(abs(expected.statistic))
    assert found.p_values[0] == pytest.approx(expected.pvalue)
    name = draws.choice(["a", "b", "c"], 50)
    table = [[np.sum((name == one) & (y == two)) for two in "pq"] for one in "abc"]
    expected = stats.chi2_contingency(table, correction=False)
    found = rank_columns({"name": name}, y, by="chi_square")
    assert found.scores[0] == pytest.approx(expected.statistic)
    assert found.p_values[0] == pytest.approx(expected.pvalue)


def test_gains_of_the_weather_table():
    found = scores(rank_columns(load_dataset("tennis"), "play", by="gain"))
    assert found["humidity"] == pytest.approx(0.152, abs=5e-4)
    assert found["wind"] == pytest.approx(0.048, abs=5e-4)


@pytest.mark.parametrize("by", list(CRITERIA))
def test_no_criterion_depends_on_the_order_of_rows_or_on_copies_for_weights(by):
    table, y = load_dataset("heart").split_target("disease")
    draws = np.random.default_rng(4)
    weight = draws.integers(1, 3, table.n_rows)
    order = draws.permutation(table.n_rows)
    copies = np.repeat(np.arange(table.n_rows), weight)
    plain = rank_columns(table, y, by=by, sample_weight=weight)
    moved = rank_columns(table.rows(order), y[order], by=by, sample_weight=weight[order])
    copied = rank_columns(table.rows(copies), y[copies], by=by)
    # As text: NaN is not equal to itself.
    assert str(plain.to_dict()) == str(moved.to_dict()) == str(copied.to_dict())


def test_copies_of_a_column_share_their_relevance_and_are_named():
    table, y = load_dataset("iris").split_target("species")
    columns = {name: table.column(name).numbers() for name in table.names}
    copies = {f"copy {number}": 3 * columns["petal_width"] + 1 for number in range(10)}
    found = rank_columns({**columns, **copies}, y)
    group = next(group for group in found.groups if "copy 0" in group)
    assert set(copies) <= set(group)
    assert len({round(scores(found)[name], 9) for name in copies}) == 1


def test_numbers_to_predict_and_missing_values():
    table = load_dataset("auto-mpg")
    found = rank_columns(table, "mpg")
    assert "weight" in found.top(3)
    assert np.isfinite(found.scores).all()


def test_criteria_that_do_not_suit_the_target_are_refused():
    with pytest.raises(ParameterError) as seen:
        rank_columns(load_dataset("auto-mpg"), "mpg", by="gini")
    assert seen.value.code == "P570"
    with pytest.raises(ParameterError, match="two classes"):
        rank_columns(load_dataset("iris"), "species", by="t")


def test_false_discovery_is_the_known_example():
    p = np.array([0.01, 0.04, 0.03, 0.005, np.nan])
    np.testing.assert_allclose(false_discovery(p)[:4], stats.false_discovery_control(p[:4]))
    assert np.isnan(false_discovery(p)[4])


def test_words_frames_and_pictures():
    found = rank_columns(load_dataset("titanic").drop(["name"]), "survived")
    assert "best first" in str(found)
    assert list(found.to_frame().columns)[:2] == ["column", "score"]
    assert found.draw().to_svg().startswith("<svg")


def test_variance_needs_no_target():
    table = Table({"a": [1.0, 1.0, 1.0], "b": [0.0, 5.0, 10.0]})
    assert rank_columns(table, by="variance").names == ("b", "a")
