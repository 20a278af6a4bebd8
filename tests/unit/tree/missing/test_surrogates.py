"""Surrogate tests: rpart's definitions, a slow twin, and what rows do with them."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import load, load_dataset
from branchline.errors import ModelFileError, ParameterError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree._nested import NodeTest
from branchline.tree.missing._find_surrogates import find_surrogates


def test_agreement_is_that_of_rpart():
    """Rows as in rpart's stagec: grade ≤ 2.5 sends 61 of 146 left; gleason is missing in three.

    126 rows agree with gleason ≤ 5.5, and 85 are in the heavier branch: rpart prints 0.863, 0.672.
    """
    grade, gleason = [], []
    for low_grade, low, high in ((True, 52, 9), (False, 8, 74)):
        grade += [1.0 if low_grade else 3.0] * (low + high)
        gleason += [4.0] * low + [7.0] * high
    grade += [3.0] * 3
    gleason += [np.nan] * 3
    X = pd.DataFrame({"grade": grade, "gleason": gleason})
    y = np.where(X.grade < 2.5, "no", "yes")
    model = DecisionTreeClassifier(missing="surrogate", prune=None, max_depth=1).fit(X, y)
    (test,) = model.surrogates_.at(0)
    assert test.words(model.schema_) == "gleason ≤ 5.5"
    assert round(test.agree, 3) == 0.863
    assert round(test.adj, 3) == 0.672


def slow_surrogate(primary, column, weight):
    """Return the best agreement of any threshold of a column, in either direction."""
    known = ~np.isnan(column)
    best = -1.0
    values = np.unique(column[known])
    for cut in (values[:-1] + values[1:]) / 2:
        left = known & (column <= cut)
        right = known & (column > cut)
        if weight[left].sum() < 2 or weight[right].sum() < 2:
            continue
        for goes in (0, 1):
            agree = weight[left & (primary == goes)].sum()
            agree += weight[right & (primary == 1 - goes)].sum()
            best = max(best, agree)
    return best / weight.sum()


@given(st.integers(0, 10_000), st.booleans())
def test_a_slow_twin_finds_the_same_agreement(seed, weighted):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(8, 40))
    a = rng.integers(0, 6, n_rows).astype(float)
    b = a + rng.integers(-2, 3, n_rows)
    b[rng.random(n_rows) < 0.2] = np.nan
    if len(np.unique(a)) < 2:
        return
    weight = rng.integers(1, 4, n_rows).astype(float) if weighted else np.ones(n_rows)
    X = np.column_stack([a, b])
    if np.isnan(b).all():
        return
    y = rng.integers(0, 2, n_rows)
    memory = DecisionTreeClassifier(prune=None).fit(X, y, sample_weight=weight)._remembered
    cut = float(np.median(np.unique(a))) if len(np.unique(a)) % 2 == 0 else np.unique(a)[0] + 0.5
    test = NodeTest(0, cut, None, 2, 0)
    primary = (a > cut).astype(int)
    share = max(weight[primary == 0].sum(), weight[primary == 1].sum()) / weight.sum()
    found = find_surrogates(memory.growth, memory.sample, test, 5)
    expected = slow_surrogate(primary, b, weight)
    if expected > share * (1 + 1e-9):
        assert found[0].agree == pytest.approx(expected)
        assert found[0].adj == pytest.approx((expected - share) / (1 - share))
    else:
        assert found == ()


def holes(X, share=0.2, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(X).mask(rng.random(np.shape(X)) < share)


def iris():
    X, y = load_dataset("iris").split_target("species")
    return X.to_pandas(), np.asarray(y)


def test_rows_follow_the_surrogates_wherever_the_tree_is_read():
    X, y = iris()
    gaps = holes(X)
    model = DecisionTreeClassifier(missing="surrogate", prune="pessimistic").fit(gaps, y)
    assert len(model.surrogates_) > 0
    leaves = model.apply(gaps)
    for row in range(0, 150, 7):
        path = model.path(gaps.iloc[[row]])
        assert path.ends[0].node == leaves[row]
        assert path.outcome == model.predict(gaps.iloc[[row]])[0]
    counted = np.bincount(leaves, minlength=model.tree_.n_nodes)
    inside = model.tree_.is_leaf
    assert (counted[inside] == model.tree_.weight[inside]).all()
    steps = [step for row in range(150) for step in model.path(gaps.iloc[[row]]).steps]
    assert {"surrogate", "value"} <= {step.why for step in steps}
    assert "decided by" in "\n".join(str(model.path(gaps.iloc[[row]])) for row in range(40))


def test_they_are_shown_and_kept(tmp_path):
    X, y = iris()
    model = DecisionTreeClassifier(missing="surrogate").fit(X, y)
    assert "petal_length ≤ 2.45 agrees for 100.0 % of the rows" in str(model.why(0))
    assert "a test of another column decides" in model.to_text()
    gaps = holes(X, 0.4)
    model.save(tmp_path / "tree.branchline")
    back = DecisionTreeClassifier.from_dict(json.loads(json.dumps(model.to_dict())))
    for other in (load(tmp_path / "tree.branchline"), back):
        assert (other.predict(gaps) == model.predict(gaps)).all()
        assert len(other.surrogates_) == len(model.surrogates_)


@pytest.mark.parametrize("n_surrogates", [0, 1, 3])
def test_how_many_are_kept(n_surrogates):
    X, y = iris()
    model = DecisionTreeClassifier(missing="surrogate", n_surrogates=n_surrogates).fit(X, y)
    assert max((len(model.surrogates_.at(n)) for n in range(5)), default=0) == n_surrogates


def test_damaged_surrogates_are_refused():
    X, y = iris()
    model = DecisionTreeClassifier(missing="surrogate").fit(X, y)
    for name, value in (("node", 99), ("column", "no"), ("branches", [0, 7]), ("agree", 2.0)):
        data = model.to_dict()
        data["surrogates"][0][name] = value
        with pytest.raises(ModelFileError):
            DecisionTreeClassifier.from_dict(data)


@pytest.mark.parametrize("policy", ["learned", "majority", "fractional", "surrogate"])
def test_a_policy_at_prediction(policy):
    X, y = iris()
    model = DecisionTreeClassifier().fit(X, y)
    assert (model.predict(X, missing=policy) == model.predict(X)).all()
    gaps = holes(X)
    p = model.predict_proba(gaps, missing=policy)
    assert p.sum(axis=1) == pytest.approx(1.0)
    number = DecisionTreeRegressor().fit(X.drop(columns="petal_width"), X.petal_width)
    assert np.isfinite(number.predict(gaps.drop(columns="petal_width"), missing=policy)).all()


def test_what_each_policy_does_with_one_row():
    X, y = iris()
    model = DecisionTreeClassifier().fit(X, y)
    row = X.iloc[[0]].assign(petal_width=np.nan)
    weight = model.tree_.weight
    heavy = model.predict_proba(row, missing="majority")[0]
    assert heavy.tolist() == pytest.approx(model.tree_.value[3].tolist())  # 100, then 54 rows
    shared = model.predict_proba(row, missing="fractional")[0]
    leaves = np.flatnonzero(model.tree_.is_leaf)
    mean = weight[leaves] @ model.tree_.value[leaves] / weight[leaves].sum()
    assert shared.tolist() == pytest.approx(mean.tolist())
    assert model.predict(row, missing="surrogate")[0] == "setosa"  # petal_length knows


def test_without_rows_there_are_no_surrogates_to_find(tmp_path):
    X, y = iris()
    DecisionTreeClassifier().fit(X, y).save(tmp_path / "tree.branchline")
    model = load(tmp_path / "tree.branchline")
    with pytest.raises(ParameterError) as caught:
        model.predict(X, missing="surrogate")
    assert caught.value.code == "P560"
    with pytest.raises(ParameterError, match="missing"):
        model.predict(X, missing="nonsense")


def test_a_missing_value_that_was_never_seen_at_fit_still_finds_its_way():
    X, y = load_dataset("german-credit").split_target("class")
    model = DecisionTreeClassifier(missing="surrogate").fit(X, y)
    gaps = holes(X.to_pandas(), 0.3)
    assert set(model.predict(gaps)) <= {"good", "bad"}
