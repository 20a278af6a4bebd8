"""Induction graphs: joined nodes, merged leaves, reading, saving."""

import json
import pickle
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import branchline as bl
from branchline.errors import ModelFileError, NotFittedError, ParameterError
from branchline.tree import (
    DecisionTreeClassifier,
    InductionGraphClassifier,
    InductionGraphRegressor,
)
from branchline.tree.graph._graph_state import pack_alone, pack_graph, unpack_alone, unpack_graph


def concept(n_rows=400, seed=0, noise=0.0):
    """Return (a and b) or (c and d), beside columns that tell nothing."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (n_rows, 7))
    holds = (bits[:, 0] & bits[:, 1]) | (bits[:, 2] & bits[:, 3])
    holds = np.where(rng.random(n_rows) < noise, 1 - holds, holds)
    return pd.DataFrame(bits.astype(float), columns=list("abcdefg")), np.array(["no", "yes"])[holds]


@pytest.fixture(scope="module")
def fitted():
    X, y = concept()
    return InductionGraphClassifier().fit(X, y), X, y


def parity(n_bits):
    bits = np.array(np.meshgrid(*[[0.0, 1.0]] * n_bits)).reshape(n_bits, -1).T
    return np.repeat(bits, 4, axis=0), np.repeat(bits.sum(axis=1) % 2, 4).astype(int)


def test_a_disjunction_needs_a_test_for_each_cause(fitted):
    model, X, y = fitted
    tree = DecisionTreeClassifier().fit(X, y)
    assert model.graph_.n_leaves == 2
    assert model.graph_.n_tests == 4
    assert (tree.get_n_leaves(), tree.tree_.n_nodes - tree.get_n_leaves()) == (7, 6)
    assert model.score(X, y) == 1


@pytest.mark.parametrize("n_bits", [2, 3, 4, 5])
def test_parity_needs_two_nodes_a_level(n_bits):
    X, y = parity(n_bits)
    model = InductionGraphClassifier(zero_gain="split", test_penalty=0.001).fit(X, y)
    assert model.score(X, y) == 1
    assert model.graph_.n_tests == 2 * n_bits - 1
    assert model.graph_.n_leaves == 2


def test_xor_of_numbers_among_others_by_look_ahead():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    X += 0.3 * np.sign(X)  # no row is so near 0 that its side cannot be learned
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    model = InductionGraphClassifier(lookahead=2).fit(X[:200], y[:200])
    assert model.get_n_leaves() == 2
    assert model.score(X[200:], y[200:]) > 0.95


def test_columns_that_tell_nothing_leave_the_root():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(150, 4)), rng.integers(0, 2, 150)
    model = InductionGraphClassifier().fit(X, y)
    assert model.graph_.n_nodes == 1
    assert model.test_penalty_ == 1
    assert model.to_text().startswith("always: ")
    assert str(model.rules()[0]).startswith("ALWAYS ")
    assert "<svg" in model.draw().svg


def test_leaves_that_do_not_differ_become_one():
    X = np.repeat([[0.0], [1.0], [2.0]], 50, axis=0)
    y = np.concatenate([[1] * 5 + [0] * 45, [1] * 45 + [0] * 5, [1] * 7 + [0] * 43])
    merged = InductionGraphClassifier(test_penalty=0.0).fit(X, y)
    assert merged.get_n_leaves() == 2
    assert sorted(merged.graph_.nodes.weight[merged.graph_.nodes.is_leaf]) == [50, 100]
    apart = InductionGraphClassifier(test_penalty=0.0, level=1.0).fit(X, y)
    assert apart.get_n_leaves() == 3


def test_means_that_do_not_differ_become_one():
    rng = np.random.default_rng(3)
    X = np.repeat([[0.0], [1.0], [2.0]], 40, axis=0)
    y = np.array([0.0, 5.0, 0.1])[X[:, 0].astype(int)] + rng.normal(size=120)
    model = InductionGraphRegressor(test_penalty=0.0).fit(X, y)
    assert model.get_n_leaves() == 2
    assert model.predict([[0.0]])[0] == model.predict([[2.0]])[0]


def test_every_row_is_held_by_exactly_one_rule(fitted):
    model, X, _ = fitted
    table = model._check_rows(X).table
    held = np.array([rule.holds(table) for rule in model.rules()])
    assert (held.sum(axis=0) == 1).all()
    leaves = np.array([rule.then.node for rule in model.rules()])
    assert (leaves[held.argmax(axis=0)] == model.apply(X)).all()


def test_the_rules_of_a_disjunction_are_its_causes(fitted):
    yes = next(rule for rule in fitted[0].rules() if rule.then.outcome == "yes")
    # One cause as it is; the other where the first does not hold, in one or two ways.
    assert len(yes.ways[0]) == 2
    assert 2 <= len(yes.ways) <= 3
    assert len(fitted[0].rules().to_frame()) == sum(len(rule.ways) for rule in fitted[0].rules())
    assert json.loads(json.dumps(fitted[0].rules().to_dicts()))[0]["n_left_out"] == 0


def test_words_of_a_graph(fitted):
    model, X, _ = fitted
    assert "→ [" in model.to_text()
    frame = model.to_frame()
    assert len(frame) == model.graph_.n_nodes
    assert frame["parents"].str.contains(",").sum() == model.graph_.n_merged
    data = json.loads(json.dumps(model.to_dict()))
    assert [node["id"] for node in data["nodes"]] == list(range(model.graph_.n_nodes))
    path = model.path(X.iloc[:1])
    assert path.outcome == model.predict(X.iloc[:1])[0]
    assert path.ends[0].node == model.apply(X.iloc[:1])[0]
    total = model.explain(X.iloc[:1]).total
    assert total == pytest.approx(model.predict_proba(X.iloc[:1]).max())


def test_reasons_name_what_was_joined(fitted):
    model = fitted[0]
    merged = next(
        node
        for node, parents in enumerate(model.graph_.parents)
        if len(parents) > 1 and not model.graph_.nodes.is_leaf[node]
    )
    reasons = model.why(merged)
    assert "one subtree serves them all" in reasons.verdict
    assert sum(reason.chosen for reason in reasons) == 1
    with pytest.raises(ParameterError, match="no node 99"):
        model.why(99)
    with pytest.raises(NotFittedError):
        bl.load(_saved(model)).why(0)


def _saved(model):
    path = Path(tempfile.mkdtemp()) / "graph.branchline"
    model.save(path)
    return path


def test_missing_values_and_categories_go_one_way():
    X, y = bl.load_dataset("votes84").split_target("party")
    model = InductionGraphClassifier(test_penalty=0.005).fit(X, y)
    assert model.score(X, y) > 0.95
    again = bl.load(_saved(model))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.to_text() == model.to_text()


def test_numbers_are_loaded_bit_by_bit():
    X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    model = InductionGraphRegressor(test_penalty=0.01).fit(X, y)
    again = bl.load(_saved(model))
    assert (again.predict(X) == model.predict(X)).all()
    assert (again.graph_.nodes.variance == model.graph_.nodes.variance).all()


def test_what_branches_bring_is_what_nodes_hold(fitted):
    graph = fitted[0].graph_
    for node in range(1, graph.n_nodes):
        brought = sum(graph.branch_content(*parent) for parent in graph.parents[node])
        assert (brought == graph.nodes.content[node]).all()
    leaves = graph.nodes.is_leaf
    assert (graph.nodes.content[leaves].sum(axis=0) == graph.nodes.content[0]).all()


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("children", lambda a: np.concatenate([[0], a[1:]]), "cycle"),
        ("children", lambda a: np.concatenate([a[:-1], [99]]), "cycle"),
        ("children", lambda a: np.concatenate([a[:1], a[:1], a[2:]]), "one node"),
        ("children", lambda a: a[:-1], "children"),
        ("first_branch", lambda a: -a, "more rows than its node"),
        ("first_branch", lambda a: a * 0, "no rows"),
        ("first_branch", lambda a: a[:-1], "first_branch"),
        ("root", lambda a: a * 0, "no rows"),
        ("missing_branch", lambda a: a * 0 - 2, "two branches"),
        ("feature", lambda a: a + 100, "column"),
    ],
)
def test_forged_graphs_are_refused(fitted, name, change, words):
    model = fitted[0]
    state = pack_graph(model.graph_)
    unpack_graph(state, model.schema_, n_classes=2)
    changed = change(state[name]).astype(state[name].dtype)
    with pytest.raises(ModelFileError, match=words):
        unpack_graph({**state, name: changed}, model.schema_, n_classes=2)


def test_nodes_that_no_branch_leads_to_are_refused(fitted):
    model = fitted[0]
    state = pack_graph(model.graph_)
    last = model.graph_.n_nodes - 1
    children = np.where(state["children"] == last - 1, last, state["children"])
    with pytest.raises(ModelFileError):
        unpack_graph({**state, "children": children}, model.schema_, n_classes=2)


def test_importances_are_of_the_columns_that_matter(fitted):
    model = fitted[0]
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.used_columns_ == list("abcd")
    assert (model.feature_importances_[4:] == 0).all()


def test_drawings_show_every_node_once(fitted):
    model, X, _ = fitted
    svg = model.draw().svg
    for node in range(model.graph_.n_nodes):
        assert len(re.findall(rf"node {node}\b", svg)) == 1
    assert svg.count("merged box") == model.graph_.n_merged
    lit = model.draw(X.iloc[:1]).svg
    assert 'class="on"' in lit
    assert 'class="off"' in lit


def test_settings_are_checked():
    with pytest.raises(ParameterError):
        InductionGraphClassifier(level=2).fit([[1.0], [2.0]], [0, 1])


def test_five_rows():
    X = pd.DataFrame({"a": ["x", "y", None, "x", "y"], "b": [1.0, np.nan, 3.0, 4.0, 5.0]})
    model = InductionGraphClassifier().fit(X, ["u", "v", "u", "v", "v"])
    assert model.predict(X).shape == (5,)


def test_pickled_graphs_are_checked(fitted):
    graph = fitted[0].graph_
    again = pickle.loads(pickle.dumps(graph))
    assert (again.nodes.content == graph.nodes.content).all()
    with pytest.raises(ModelFileError):
        unpack_alone({**pack_alone(graph), "root": np.zeros(2, dtype=np.int64)})
    with pytest.raises(ModelFileError):
        unpack_alone(None)
