"""Subset selection: criteria by hand, whole columns, honest cross-validation, its limits."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn import linear_model

from branchline.errors import ParameterError
from branchline.linear import SubsetSelection
from unit.linear.regression_cases import messy, refuse

METHODS = ["forward", "backward", "best"]


def two_of_eight(seed=0, n_rows=120):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 8))
    return X, 3 * X[:, 2] - 2 * X[:, 5] + random.normal(size=n_rows)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("criterion", ["bic", "cv"])
def test_the_columns_that_matter_are_found(method, criterion):
    X, y = two_of_eight()
    model = SubsetSelection(method=method, criterion=criterion).fit(X, y)
    assert {"x2", "x5"} <= set(model.selected_)
    assert len(model.selected_) < 8
    kept = [int(name[1]) for name in model.selected_]
    theirs = linear_model.LinearRegression().fit(X[:, kept], y)
    np.testing.assert_allclose(model.coef_[kept], theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.predict(X), theirs.predict(X[:, kept]))
    assert (np.delete(model.coef_, kept) == 0).all()


def test_criteria_are_those_of_their_formulas():
    X, y = two_of_eight()
    sizes = SubsetSelection().fit(X, y).sizes_
    two = sizes[2]
    assert two.columns == ("x2", "x5")
    theirs = linear_model.LinearRegression().fit(X[:, [2, 5]], y)
    rss = ((y - theirs.predict(X[:, [2, 5]])) ** 2).sum()
    assert two.aic == pytest.approx(120 * np.log(rss / 120) + 2 * 3)
    assert two.bic == pytest.approx(120 * np.log(rss / 120) + np.log(120) * 3)
    r2 = theirs.score(X[:, [2, 5]], y)
    assert (two.r2, two.adjusted_r2) == pytest.approx((r2, 1 - (1 - r2) * 119 / 117))
    assert len(sizes) == 9


def test_criteria_order_subsets_from_small_to_large():
    counts = np.zeros(3)
    for seed in range(5):
        X, y = two_of_eight(seed)
        names = ("bic", "aic", "adjusted_r2")
        found = [len(SubsetSelection(criterion=name).fit(X, y).selected_) for name in names]
        assert found == sorted(found)
        counts += found
    assert counts[0] < counts[1] < counts[2]


def test_best_has_the_least_criterion_of_all_subsets():
    X, y = two_of_eight(3, n_rows=40)
    scores = {}
    for size in range(9):
        for kept in combinations(range(8), size):
            design = np.column_stack([np.ones(40), X[:, list(kept)]])
            left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
            scores[kept] = 40 * np.log(left @ left / 40) + 2 * (size + 1)
    model = SubsetSelection(method="best", criterion="aic").fit(X, y)
    assert model.selected_ == tuple(f"x{at}" for at in min(scores, key=scores.__getitem__))
    assert min(one.aic for one in model.sizes_) == pytest.approx(min(scores.values()))


def test_forward_misses_what_best_finds():
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 200))
    X = np.column_stack([a, b, a - b + 0.2 * random.normal(size=200)])
    y = a - b  # the third column alone looks best, and is not needed
    forward, best = (SubsetSelection(method=m, n_columns=2).fit(X, y) for m in ("forward", "best"))
    assert "x2" in forward.selected_
    assert best.selected_ == ("x0", "x1")
    assert best.sizes_[2].r2 > forward.sizes_[2].r2


def test_all_terms_of_a_column_enter_together():
    frame, y = messy()
    model = SubsetSelection().fit(frame, y)
    for size in model.sizes_:
        assert set(size.columns) <= set(frame.columns)
    used = {row.column for row in model.coefficients() if row.value != 0}
    assert used == set(model.selected_)
    towns = [row.value for row in model.coefficients() if row.column == "town"]
    assert "town" in model.selected_
    assert all(value != 0 for value in towns)


def test_intervals_are_those_of_least_squares_and_said_to_be_too_narrow():
    X, y = two_of_eight()
    model = SubsetSelection(n_columns=2).fit(X, y)
    rows = {row.term: row for row in model.coefficients()}
    assert rows["x2"].low < rows["x2"].value < rows["x2"].high
    assert rows["x0"].low is None
    assert "after a search they are too narrow" in model.to_text()


def test_number_of_columns_can_be_given_and_is_bounded_by_rows():
    X, y = two_of_eight(n_rows=120)
    assert len(SubsetSelection(n_columns=5).fit(X, y).selected_) == 5
    few = SubsetSelection(method="backward", n_columns=8).fit(X[:6], y[:6])
    assert len(few.selected_) == 4


def test_too_many_columns_for_all_subsets_are_refused():
    X = np.random.default_rng(0).normal(size=(50, 26))
    with pytest.raises(ParameterError, match="at most 25 columns") as caught:
        SubsetSelection(method="best").fit(X, X[:, 0])
    assert caught.value.code == "P051"


def test_constant_targets_and_columns():
    frame = pd.DataFrame({"one": [1.0] * 9, "x": np.arange(9.0)})
    model = SubsetSelection().fit(frame, [4.0] * 9)
    assert model.predict(frame) == pytest.approx(4.0)
    assert SubsetSelection().fit(frame[["one"]], np.arange(9.0)).selected_ == ()


def test_forged_values_are_refused():
    X, y = two_of_eight()
    model = SubsetSelection(criterion="cv").fit(X, y)
    packed = model._pack()
    refuse(
        model,
        selected=["x9"],
        size_columns=[["x1", "x0"]] * 9,
        size_numbers=np.full((9, 6), np.inf),
        standard_errors=np.full((1, 8), -1.0),
        df_residual=-1.0,
    )
    refuse(model, selected=["x5", "x2"], size_numbers=packed["size_numbers"][:-1])
