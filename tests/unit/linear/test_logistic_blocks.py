"""Logistic regression of large tables: the optimum of the matrix, the same bits however rows come.

Against Newton's method on the matrix the tolerance is 1e-9. saga, which solves L1 problems there,
stops at a gradient of 1e-6, so that its probabilities are good to 1e-4. Here the gradient of every
problem ends below 1e-9 per row.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchline
from branchline._exact_products import ROWS_AT_ONCE
from branchline.errors import BranchlineWarning
from branchline.linear import LogisticRegression, _logistic_blocks, _logistic_solver
from large_tables import WEIGHTS, classes_of, mapped, mixed_table, taken_for_large

PENALTIES = [
    {"C": 1.0},
    {"C": 30.0, "class_weight": "balanced"},
    {"penalty": None},
    {"penalty": "l1", "C": 0.1},
    {"penalty": "elastic_net", "C": 0.5},
]


def rows(n_rows, n_classes=2, seed=0):
    X, y = mixed_table(n_rows, seed)
    return X, np.array(list("abcde"))[classes_of(y, n_classes, seed)]


@pytest.mark.parametrize("options", PENALTIES)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_the_optimum_is_that_of_the_matrix(options, n_classes, kind, monkeypatch):
    X, y = rows(1500, n_classes)
    weights = WEIGHTS[kind](1500)
    monkeypatch.setattr(_logistic_solver, "_CLOSE", 1e-12)  # blocks are as exact as this
    whole = LogisticRegression(**options).fit(X, y, sample_weight=weights)
    with taken_for_large():
        blocks = LogisticRegression(**options).fit(X, y, sample_weight=weights)
    digits = 1e-9 if options.get("penalty", "l2") in ("l2", None) else 1e-4
    np.testing.assert_allclose(blocks.predict_proba(X), whole.predict_proba(X), atol=digits)
    assert blocks.gradient_norm_ <= 1e-9
    if digits == 1e-9:
        np.testing.assert_allclose(blocks.weights_, whole.weights_, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(
            blocks.standard_errors_, whole.standard_errors_, rtol=1e-6, atol=1e-9
        )


@pytest.mark.parametrize("n_rows", [2, 3, 50, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1])
def test_awkward_numbers_of_rows(n_rows):
    X, _ = rows(n_rows)
    y = np.arange(n_rows) % 2
    whole = LogisticRegression().fit(X, y)
    with taken_for_large():
        blocks = LogisticRegression().fit(X, y)
    assert blocks.C_ == whole.C_
    np.testing.assert_allclose(blocks.predict_proba(X), whole.predict_proba(X), atol=1e-8)


def test_one_row_and_one_class():
    X, _ = rows(1)
    with taken_for_large(), pytest.warns(BranchlineWarning, match="one class"):
        model = LogisticRegression().fit(X, ["a"])
    assert model.predict_proba(X).tolist() == [[1.0]]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(60, 300), st.sampled_from(sorted(WEIGHTS)))
def test_the_order_of_rows_and_files_change_no_bit(tmp_path_factory, seed, n_rows, kind):
    X, y = rows(n_rows, 2 + seed % 2, seed)
    weights = WEIGHTS[kind](n_rows)
    order = np.random.default_rng(seed).permutation(n_rows)
    files = mapped(X.rows(order), tmp_path_factory.mktemp("files"))
    mixed = None if weights is None else weights[order]
    with taken_for_large(), warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        one = LogisticRegression().fit(X, y, sample_weight=weights)
        other = LogisticRegression().fit(files, y[order], sample_weight=mixed)
    assert one.C_ == other.C_
    np.testing.assert_array_equal(one.weights_, other.weights_)
    np.testing.assert_array_equal(one.bias_, other.bias_)


def test_few_rows_drawn_give_the_same_optimum(monkeypatch):
    monkeypatch.setattr(_logistic_blocks, "_MOST_DRAWN", 100)
    for n_classes in (2, 4):
        X, y = rows(3000, n_classes)
        for options in PENALTIES:
            whole = LogisticRegression(**options).fit(X, y)
            with taken_for_large():
                blocks = LogisticRegression(**options).fit(X, y)
            assert blocks.gradient_norm_ <= 1e-8
            np.testing.assert_allclose(blocks.predict_proba(X), whole.predict_proba(X), atol=1e-5)


def test_groups_are_kept_together_where_C_is_chosen():
    X, y = rows(900)
    groups = np.repeat(np.arange(9), 100)
    with taken_for_large():
        alone = LogisticRegression().fit(X, y)
        together = LogisticRegression().fit(X.with_groups(groups), y)
    assert not np.array_equal(alone.strength_path_.losses, together.strength_path_.losses)
    whole = LogisticRegression().fit(X.with_groups(groups), y)
    np.testing.assert_allclose(
        together.strength_path_.losses, whole.strength_path_.losses, rtol=1e-6
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_separated_classes_are_said_to_be_so(n_classes):
    X, _ = rows(600)
    y = classes_of(np.asarray(X["x0"].values), n_classes, 0)
    y = np.searchsorted(np.quantile(X["x0"].values, np.arange(1, n_classes) / n_classes),
                        X["x0"].values)  # fmt: skip
    with taken_for_large(), pytest.warns(BranchlineWarning, match="without error"):
        model = LogisticRegression(penalty=None).fit(X, y)
    assert model.is_separated_
    assert model.C_ == 1e4
    assert model.standard_errors_ is None


def test_many_unknowns_are_found_by_gradients(monkeypatch):
    X, y = rows(500, 3)
    whole = LogisticRegression(C=1.0).fit(X, y)
    monkeypatch.setattr(_logistic_solver, "_MOST_NEWTON", 5)
    with taken_for_large():
        blocks = LogisticRegression(C=1.0).fit(X, y)
    assert blocks.solver_ == "lbfgs"
    assert blocks.standard_errors_ is None
    np.testing.assert_allclose(blocks.predict_proba(X), whole.predict_proba(X), atol=1e-6)


def test_a_saved_model_predicts_the_same(tmp_path):
    X, y = rows(300)
    with taken_for_large():
        model = LogisticRegression().fit(X, y)
        in_pieces = model.predict_proba(X)
    model.save(tmp_path / "model")
    loaded = branchline.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_allclose(in_pieces, model.predict_proba(X), rtol=1e-12)
