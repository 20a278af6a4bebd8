"""Edits of a tree: what they change, what they cost, and that they can be replayed."""

import json

import numpy as np
import pandas as pd
import pytest

from branchline import load, load_dataset
from branchline.errors import DataError, ModelFileError, NotFittedError, ParameterError
from branchline.tree import (
    C45,
    CART,
    ID3,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    OptimalTreeClassifier,
)
from command_line import run_here


def credit():
    return load_dataset("german-credit").split_target("class")


def editor(**parameters):
    X, y = credit()
    return DecisionTreeClassifier(**parameters).fit(X, y).edit(n_folds=5, n_repeats=1)


def iris_editor(**parameters):
    X, y = load_dataset("iris").split_target("species")
    return DecisionTreeClassifier(**parameters).fit(X, y).edit(n_folds=5, n_repeats=1)


def test_a_tree_that_is_not_edited_is_the_same():
    X, y = credit()
    model = DecisionTreeClassifier().fit(X, y)
    assert model.edit().finish().to_text() == model.to_text()
    start = model.edit(n_repeats=1)
    assert start.price().change == 0


def test_prune_makes_a_leaf_with_the_rows_of_the_node():
    edit = iris_editor()
    weight = edit._model.tree_.weight[2]
    result = edit.prune(2)
    model = edit.finish()
    assert model.tree_.n_leaves == 2
    assert model.tree_.weight[2] == weight
    assert result.price.after > result.price.before
    assert not result.price.is_tied
    assert "costs" in str(result)
    assert result.price.training_after == pytest.approx(50 / 150)
    assert "its tests were pruned by an edit" in model.why(2).verdict


def test_replace_asks_another_question():
    edit = iris_editor()
    edit.replace(0, "petal_length", threshold=2.5)
    model = edit.finish()
    assert model.to_text().startswith("petal_length ≤ 2.5")
    assert model.tree_.n_leaves == 3  # the test below is kept
    assert model.tree_.weight.tolist()[:3] == [150, 50, 100]
    grown = iris_editor()
    grown.replace(0, threshold=1.7, below="leaf")
    assert grown.finish().tree_.n_leaves == 2


def test_replace_by_categories():
    edit = editor()
    edit.replace(0, "housing", categories=["own"])
    model = edit.finish()
    assert model.to_text().startswith("housing\n  own")
    three = editor()
    three.replace(0, "housing", categories=[["own"], ["rent"], ["for free"]], below="leaf")
    assert three.finish().tree_.n_leaves == 3
    merged = three.merge(0, [0, 2])
    assert three.finish().tree_.n_leaves == 2
    assert merged.edit["branches"] == [0, 2]


def test_graft_grows_at_a_leaf():
    edit = editor()
    before = edit.finish().tree_.n_leaves
    leaf = int(np.flatnonzero(edit._model.tree_.is_leaf)[0])
    edit.graft(leaf, max_leaf_nodes=3)
    assert edit.finish().tree_.n_leaves == before + 2


def test_relabel_changes_the_decision_alone(tmp_path):
    X, y = credit()
    edit = editor()
    model = edit._model
    leaf = int(np.flatnonzero(model.tree_.is_leaf & (model.decision_ == 1))[0])
    edit.relabel(leaf, "bad")
    new = edit.finish()
    changed = model.apply(X) == leaf
    assert (new.predict(X)[changed] == "bad").all()
    assert (new.predict(X)[~changed] == model.predict(X)[~changed]).all()
    assert (new.predict_proba(X) == model.predict_proba(X)).all()
    new.save(tmp_path / "a.branchline")
    again = load(tmp_path / "a.branchline")
    assert (again.predict(X) == new.predict(X)).all()
    assert again.edits_ == new.edits_
    assert (again.edit(X, y, n_repeats=1).finish().predict(X) == new.predict(X)).all()
    read = DecisionTreeClassifier.from_dict(json.loads(json.dumps(new.to_dict())))
    assert (read.predict(X) == new.predict(X)).all()


def test_relabel_a_number():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = DecisionTreeRegressor(max_leaf_nodes=4).fit(X, y)
    leaf = int(np.flatnonzero(model.tree_.is_leaf)[0])
    edit = model.edit(n_folds=3, n_repeats=1)
    edit.relabel(leaf, 20.25)
    new = edit.finish()
    assert np.unique(new.predict(X)[model.apply(X) == leaf]) == pytest.approx([20.25], abs=1e-6)
    assert new.fit(X, y).to_text() == model.to_text()  # a new fit forgets edits


def test_forbid_and_require():
    edit = editor()
    column = edit._model.used_columns_[0]
    edit.forbid(column)
    assert column not in edit.finish().used_columns_
    edit.undo()
    edit.require("age")
    assert edit.finish().to_text().startswith("age ≤")


def test_frozen_nodes_stay_and_the_rest_grows_again():
    edit = editor()
    edit.replace(0, "duration", threshold=24, below="leaf")
    edit.regrow(0, freeze=[0])
    model = edit.finish()
    assert model.to_text().startswith("duration ≤ 24")
    assert model.tree_.n_leaves > 2


def test_growing_again_gives_the_same_tree():
    ways = ({}, {"prune": "pessimistic"}, {"prune": "mdl"}, {"prune": None, "max_depth": 3})
    for parameters in ways:
        edit = iris_editor(**parameters)
        before = edit.to_text()
        result = edit.regrow(0)
        assert edit.to_text() == before
        assert result.price.change == 0


def test_undo_and_redo():
    edit = iris_editor()
    texts = [edit.to_text()]
    edit.prune(2)
    texts.append(edit.to_text())
    edit.undo()
    assert edit.to_text() == texts[0]
    edit.redo()
    assert edit.to_text() == texts[1]
    assert len(edit.edits) == 1
    edit.undo()
    with pytest.raises(ParameterError):
        edit.undo()


def test_edits_are_data_and_are_replayed(tmp_path):
    first = editor()
    first.replace(0, "duration", threshold=24, below="grow")
    first.graft(1, max_depth=1)
    first.save_edits(tmp_path / "edits.json")
    json.loads((tmp_path / "edits.json").read_text())
    second = editor()
    prices = second.replay(tmp_path / "edits.json")
    assert second.to_text() == first.to_text()
    assert [each.price for each in prices] == [stage.price for stage in first._stages[1:]]
    X, y = credit()
    half = np.arange(0, 1000, 2)
    other = DecisionTreeClassifier().fit(X.rows(half), np.asarray(y)[half]).edit(n_repeats=1)
    other.replay(first.edits)
    assert other.finish().to_text().startswith("duration ≤ 24")


def test_an_edit_finds_its_place_in_another_tree():
    """The path of an edit is put in where the other tree asks something else."""
    first = iris_editor()
    first.replace(0, "petal_length", threshold=2.5)
    first.prune(2)
    second = iris_editor()
    second.replay(first.edits[1:])  # the root is still petal_width there
    assert second.to_text() == first.to_text()


@pytest.mark.parametrize(
    "make",
    [
        lambda: C45(),
        lambda: ID3(),
        lambda: CART(),
        lambda: DecisionTreeClassifier(prune="reduced_error"),
        lambda: DecisionTreeClassifier(missing="own"),
        lambda: DecisionTreeClassifier(missing="surrogate"),
        lambda: DecisionTreeClassifier(costs={("good", "bad"): 1, ("bad", "good"): 5}),
        lambda: DecisionTreeClassifier(class_weight="balanced", max_leaf_nodes=5),
        lambda: DecisionTreeClassifier(stop_by="entropy"),
    ],
)
def test_every_kind_of_tree_can_be_edited(make, tmp_path):
    X, y = credit()
    gaps = X.to_pandas()
    gaps = gaps.mask(np.random.default_rng(0).random(gaps.shape) < 0.1)
    model = make().fit(gaps, y)
    edit = model.edit(n_folds=3, n_repeats=1)
    results = [edit.forbid(model.used_columns_[0] if model.used_columns_ else "age")]
    results.append(edit.replace(0, "duration", threshold=20, below="grow"))
    results.append(edit.prune(1))
    new = edit.finish()
    assert all(np.isfinite([r.price.low, r.price.high]).all() for r in results)
    new.save(tmp_path / "a.branchline")
    assert (load(tmp_path / "a.branchline").predict(gaps) == new.predict(gaps)).all()
    assert "duration ≤ 20" in new.to_text()


def test_row_order_and_threads_do_not_change_a_price():
    X, y = credit()
    frame, names = X.to_pandas(), np.asarray(y)
    order = np.random.default_rng(3).permutation(1000)
    one = DecisionTreeClassifier(n_jobs=1).fit(frame, names).edit(n_folds=4, n_repeats=1)
    shuffled = frame.iloc[order].reset_index(drop=True)
    two = DecisionTreeClassifier(n_jobs=2).fit(shuffled, names[order]).edit(n_folds=4, n_repeats=1)
    prices = [each.prune(1).price for each in (one, two)]
    assert prices[0].change == pytest.approx(prices[1].change, abs=1e-12)
    assert prices[0].high == pytest.approx(prices[1].high, abs=1e-12)


def test_a_weight_counts_like_copies():
    X, y = load_dataset("iris").split_target("species")
    frame, names = X.to_pandas(), np.asarray(y)
    twice = pd.concat([frame, frame], ignore_index=True)
    copies = DecisionTreeClassifier().fit(twice, np.concatenate([names, names]))
    weighted = DecisionTreeClassifier().fit(frame, names, sample_weight=np.full(150, 2))
    for edit in (copies.edit(n_folds=4), weighted.edit(n_folds=4)):
        edit.replace(0, "petal_length", threshold=2.5)
        assert edit.finish().tree_.weight[0] == 300


def test_a_price_tells_the_truth_on_average():
    """An edit that does nothing is free; one that destroys the tree costs what it costs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] > 0).astype(int) ^ (rng.random(400) < 0.1)
    edit = DecisionTreeClassifier().fit(X, y).edit(n_repeats=2)
    price = edit.prune(0).price
    share = min(y.mean(), 1 - y.mean())  # the error of the root alone
    assert price.after == pytest.approx(share)
    assert price.low < share - 0.1 < price.high


def test_what_cannot_be_edited_is_said():
    edit = editor()
    cases = [
        ({"edit": "paint"}, "is not an edit"),
        ({"edit": "prune", "color": 1}, "no option"),
        ({"edit": "forbid", "column": "agee"}, "age"),
        ({"edit": "replace", "column": "age"}, "threshold"),
        ({"edit": "replace", "column": "housing", "threshold": 2}, "categories"),
        ({"edit": "replace", "column": "housing", "categories": ["castle"]}, "castle"),
        ({"edit": "replace", "column": "age", "categories": ["a"]}, "numeric"),
        ({"edit": "relabel", "node": 0, "prediction": "good"}, "leaf"),
        ({"edit": "merge", "node": 2}, "leaf"),
        ({"edit": "prune", "path": [{"branch": 0}]}, "no test"),
        ("prune", "is not an edit"),
    ]
    for given, words in cases:
        with pytest.raises(ParameterError, match=words) as caught:
            edit.apply(given)
        assert caught.value.code == "P561"
    with pytest.raises(ParameterError):
        edit.prune(99)
    with pytest.raises(DataError) as empty:
        edit.replace(0, "age", threshold=5)
    assert empty.value.code == "D560"
    assert len(edit.edits) == 0
    leaf = int(np.flatnonzero(edit._model.tree_.is_leaf)[0])
    with pytest.raises(ParameterError, match="not a class"):
        edit.relabel(leaf, "fine")


def test_an_optimal_tree_is_not_grown_again():
    X, y = load_dataset("iris").split_target("species")
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    for call in (model.edit, model.stability, model.growing_curve, model.pruning_sequence):
        with pytest.raises(ParameterError, match="not grown test by test") as caught:
            call()
        assert caught.value.code == "P540"
    assert model.ask().question is not None
    assert model.mean_depth_ > 0


def test_edits_on_the_command_line(tmp_path):
    X, y = load_dataset("iris").split_target("species")
    frame = X.to_pandas().assign(species=np.asarray(y))
    frame.to_csv(tmp_path / "iris.csv", index=False)
    (tmp_path / "edits.json").write_text('[{"edit": "prune", "node": 2}]')
    arguments = ["tree", str(tmp_path / "iris.csv"), "-t", "species"]
    done = run_here(*arguments, "--edit", str(tmp_path / "edits.json"))
    assert done.returncode == 0
    assert "prune at node 2: costs +" in done.stdout
    (tmp_path / "bad.json").write_text("{}")
    refused = run_here(*arguments, "--edit", str(tmp_path / "bad.json"))
    assert refused.returncode == 2
    assert "P561" in refused.stderr


def test_damaged_edits_are_refused():
    edit = iris_editor()
    edit.prune(2)
    edit.relabel(1, "virginica")
    model = edit.finish()
    good = model._pack()
    for name, value in (
        ("edits", "[1]"),
        ("edits", "no json"),
        ("edits", 3),
        ("relabeled", np.array([0, 1], dtype=np.int32)),
        ("relabeled", np.array([1, 9], dtype=np.int32)),
        ("relabeled", np.array([1], dtype=np.int32)),
    ):
        with pytest.raises(ModelFileError):
            model._unpack({**good, name: value}, model.schema_)


def test_tiny_and_wide_tables():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 3)), np.array([0, 1] * 6)
    X[:, 0] += 3 * y
    edit = DecisionTreeClassifier(prune=None).fit(X, y).edit(n_folds=3, n_repeats=1)
    edit.prune(0)
    wide, z = rng.normal(size=(60, 500)), np.array([0, 1] * 30)
    wide[:, 7] += 3 * z
    model = DecisionTreeClassifier().fit(wide, z)
    assert str(model.edit(n_folds=3, n_repeats=1).prune(0))


@pytest.mark.parametrize("call", ["edit", "stability"])
def test_a_loaded_tree_asks_for_its_rows_and_keeps_its_edits(call, tmp_path):
    X, y = load_dataset("iris").split_target("species")
    editor = DecisionTreeClassifier(max_depth=2).fit(X, y).edit()
    editor.prune(2)
    editor.finish().save(tmp_path / "tree.branchline")
    model = load(tmp_path / "tree.branchline")
    with pytest.raises(NotFittedError) as caught:
        getattr(model, call)()
    assert caught.value.repair.python == f"model.{call}(X, y)"
    exec(caught.value.repair.python, {"model": model, "X": X, "y": y})
    assert len(model.edits_) == 1


@pytest.mark.parametrize(
    ("columns", "costs", "most"),
    [(["color", "size"], None, 1.0), (["color"], {("yes", "no"): 5, ("no", "yes"): 2}, 5.0)],
)
def test_an_interval_ends_at_the_most_that_a_row_can_lose(columns, costs, most):
    X = pd.DataFrame({"color": ["red", "blue", "red", "blue", "green"], "size": range(1, 6)})
    y = ["yes", "no", "yes", "no", "yes"]
    settings = {"prune": None, "correct_for_chance": False, "costs": costs}
    price = DecisionTreeClassifier(**settings).fit(X[columns], y).edit().prune(0).price
    assert max(-price.low, price.high) == most
