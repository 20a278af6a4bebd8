"""Tests beyond single columns: sums, centers, named intervals, questions, look-ahead."""

import itertools
import json

import numpy as np
import pytest

import branchline
from branchline import Table, load_dataset
from branchline.errors import ModelFileError, ParameterError
from branchline.forest import ObliqueForestClassifier
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor, ObliqueTree

TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
PLAY = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]
NAMED = {"temperature": {"cold": "< 70", "mild": 75, "hot": None}}


def _diagonal(n_rows: int = 400) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(n_rows, 4))
    return X, (X[:, 0] - 0.5 * X[:, 2] > 0.2).astype(int)


@pytest.mark.parametrize(
    ("n_bits", "lookahead", "is_solved"), [(2, 1, False), (2, 2, True), (3, 2, False), (3, 3, True)]
)
def test_parity_needs_as_much_look_ahead_as_it_has_bits(n_bits, lookahead, is_solved):
    X = np.array(list(itertools.product([0, 1], repeat=n_bits)))
    y = X.sum(axis=1) % 2
    model = DecisionTreeClassifier(lookahead=lookahead, prune=None).fit(X, y)
    assert (model.score(X, y) == 1) == is_solved
    if is_solved:
        assert model.get_depth() == n_bits


def test_the_multiplexer_is_a_tree_of_eight_leaves():
    X = np.array(list(itertools.product([0, 1], repeat=6)))
    y = np.array([row[2 + 2 * row[0] + row[1]] for row in X])
    for lookahead in (2, 3):
        settings = {"prune": None, "correct_for_chance": False}
        model = DecisionTreeClassifier(lookahead=lookahead, **settings).fit(X, y)
        assert model.score(X, y) == 1
        assert model.get_n_leaves() == 8


def test_xor_is_found_among_noise_columns():
    X = np.random.default_rng(0).integers(0, 2, (1000, 22))
    y = X[:, 3] ^ X[:, 7]
    model = DecisionTreeClassifier(lookahead=2, prune=None).fit(X, y)
    assert (model.get_depth(), model.score(X, y)) == (2, 1.0)


def test_a_long_look_ahead_is_refused():
    X = np.random.default_rng(0).normal(size=(2000, 60))
    with pytest.raises(ParameterError, match="P550"):
        DecisionTreeClassifier(lookahead=4).fit(X, X[:, 0] > 0)


def test_trees_of_pruning_count_in_the_steps_of_a_look_ahead():
    X = np.random.default_rng(0).normal(size=(120, 2))
    with pytest.raises(ParameterError, match="the roots of 11 trees") as refusal:
        DecisionTreeClassifier(lookahead=5).fit(X, X[:, 0] > 0)
    assert refusal.value.repair.python == "model.set_params(lookahead=4)"


def test_named_intervals_are_one_test_with_a_branch_for_each():
    X = Table({"temperature": TEMPERATURE})
    settings = {"prune": None, "correct_for_chance": False, "max_depth": 1}
    model = DecisionTreeClassifier(intervals=NAMED, **settings).fit(X, PLAY)
    assert model.tree_.n_children[0] == 3
    assert model.to_text().splitlines()[:4] == [
        "temperature interval",
        "  cold (< 70): yes 75 % of 4",
        "  mild (70 to 75): yes 67 % of 6",
        "  hot (> 75): no 50 % of 4",
    ]
    assert model.used_columns_ == ["temperature"]


@pytest.mark.parametrize(
    "named", [{"a": 5}, {"a": 5, "b": 4, "c": None}, {"a": "x", "b": None}, {"a": 1, "b": 2}]
)
def test_intervals_out_of_order_are_refused(named):
    with pytest.raises(ParameterError, match="P552"):
        DecisionTreeClassifier(intervals={"t": named}).fit(Table({"t": [1, 2, 3, 4]}), list("abab"))


def test_questions_are_asked_of_every_letter_of_a_window():
    before, after = list("bacdefaoiu" * 6), list("aeioubcdfg" * 6)
    X = Table({"before": before, "after": after})
    y = ["v" if letter in "aeiou" else "c" for letter in before]
    model = DecisionTreeClassifier(questions={"vowel": "aeiouy"}).fit(X, y)
    assert model.to_text().splitlines()[0] == "vowel(before)"
    assert {"vowel(before)", "vowel(after)"} <= {reason.column for reason in model.why()}
    with pytest.raises(ParameterError, match="P553"):
        DecisionTreeClassifier(questions={"digit": "0123"}).fit(X, y)


def test_a_sum_is_computed_as_it_is_written():
    X, y = _diagonal()
    model = ObliqueTree(n_test_columns=2).fit(X, y)
    (column, *_) = model.tree_.derived.columns
    names = ("x0", "x2")
    assert set(column.inputs) == set(names)
    a, b = (X[:, int(name[1])] for name in column.inputs)
    goes_left = a + column.weights[1] * b <= model.tree_.threshold[0]
    assert ((model.apply(X) == model.tree_.first_child[0]) == goes_left).all() or (
        model.get_n_leaves() > 2
    )
    assert model.score(X, y) > 0.98
    assert model.get_n_leaves() < DecisionTreeClassifier().fit(X, y).get_n_leaves()


def test_a_single_column_wins_ties():
    X, y = load_dataset("iris").split_target("species")
    for tests in ("oblique", "learned"):
        model = DecisionTreeClassifier(tests=tests).fit(X, y)
        assert model.tree_.feature[0] < 4


@pytest.mark.parametrize("tests", ["oblique", "learned"])
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_every_way_of_keeping_a_tree_keeps_its_tests(tests, kind, tmp_path):
    X, y = _diagonal()
    X[::7, 1] = np.nan
    y = y if kind is DecisionTreeClassifier else X[:, 0] - X[:, 2]
    model = kind(tests=tests, max_depth=4, prune=None).fit(X, y)
    assert model.tree_.derived is not None
    data = json.loads(json.dumps(model.to_dict()))
    model.save(tmp_path / "m.branchline")
    for other in (kind.from_dict(data), branchline.load(tmp_path / "m.branchline")):
        assert (other.predict(X) == model.predict(X)).all()
        assert other.to_text() == model.to_text()
    assert (model.rules().predict(X) == model.predict(X)).all()
    assert str(model.path(X[:1]))
    assert model.draw().svg.startswith("<svg")
    assert np.isclose(model.feature_importances_.sum(), 1)


@pytest.mark.parametrize(
    "damage",
    [
        {"kind": "sum"},
        {"columns": ["x0", "x9"]},
        {"weights": [1.0]},
        {"weights": [1.0, float("nan")]},
        {"weights": [2.0, 1.0]},
    ],
)
def test_damaged_sums_are_refused(damage):
    X, y = _diagonal()
    model = ObliqueTree(n_test_columns=2, max_depth=1, prune=None).fit(X, y)
    data = model.to_dict()
    data["derived"][0] |= damage
    with pytest.raises(ModelFileError):
        DecisionTreeClassifier.from_dict(data)


@pytest.mark.parametrize("settings", [{"tests": "oblique"}, {"tests": "learned"}, {"lookahead": 2}])
def test_order_of_rows_and_copies_do_not_matter(settings):
    X, y = _diagonal(150)
    order = np.random.default_rng(1).permutation(150)
    weight = np.random.default_rng(2).integers(1, 4, 150)
    model = DecisionTreeClassifier(**settings, max_depth=4, prune=None).fit(X, y, weight)
    moved = DecisionTreeClassifier(**settings, max_depth=4, prune=None).fit(
        X[order], y[order], weight[order]
    )
    copied = DecisionTreeClassifier(**settings, max_depth=4, prune=None).fit(
        np.repeat(X, weight, axis=0), np.repeat(y, weight)
    )
    assert model.to_text() == moved.to_text() == copied.to_text()


def test_calls_that_need_single_columns_refuse_others():
    X, y = _diagonal()
    model = ObliqueTree().fit(X, y)
    for call in (model.edit, model.stability, model.ask, model.growing_curve):
        with pytest.raises(ParameterError, match="P554"):
            call()


def test_an_oblique_forest_sees_the_diagonal(tmp_path):
    X, y = _diagonal(600)
    forest = ObliqueForestClassifier(n_estimators=20, n_jobs=1).fit(X[:300], y[:300])
    again = ObliqueForestClassifier(n_estimators=20, n_jobs=2).fit(X[:300][::-1], y[:300][::-1])
    assert (forest.predict_proba(X) == again.predict_proba(X)).all()
    assert forest.score(X[300:], y[300:]) > 0.93
    assert np.isclose(forest.feature_importances_.sum(), 1)
    forest.save(tmp_path / "f.branchline")
    loaded = branchline.load(tmp_path / "f.branchline")
    assert (loaded.predict_proba(X) == forest.predict_proba(X)).all()
    tree = loaded.tree(0)
    assert (tree.apply(X) == forest.apply(X)[:, 0]).all()
