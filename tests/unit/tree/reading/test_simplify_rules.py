"""Simplified rules: fewer, shorter, and no less accurate on the rows they are made from."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import Table
from branchline.tree import ID3, DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.reading._rules import tree_to_rules
from branchline.tree.reading._simplify_rules import simplify_rules
from grown_trees import dataset, grow, grow_dataset

CLASSES = ("votes84", "heart", "iris", "titanic", "german-credit")


def n_conditions(rules):
    return sum(len(rule.conditions) for rule in rules)


def simplified(grown, **options):
    rules = tree_to_rules(*grown.words)
    return rules, simplify_rules(rules, grown.table, grown.target, grown.weights, **options)


def right(rules, grown):
    return float(grown.weights @ (rules.predict(grown.table) == grown.classes[grown.target]))


def squared(rules, grown):
    errors = (rules.predict(grown.table) - grown.target) ** 2
    return float(grown.weights @ errors.reshape(len(grown.weights), -1).sum(axis=1))


@pytest.mark.parametrize("multiway", [False, True], ids=["binary", "multiway"])
@pytest.mark.parametrize("missing", ["largest", "every", "own"])
@pytest.mark.parametrize("name", CLASSES)
def test_the_accuracy_of_the_tree_is_kept(name, missing, multiway):
    grown = grow_dataset(name, missing=missing, multiway=multiway, depth=6)
    rules, simple = simplified(grown)
    assert right(simple, grown) >= right(rules, grown)
    assert n_conditions(simple) <= n_conditions(rules)
    if grown.tree.n_leaves > 10:
        assert len(simple) <= len(rules) / 2


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("preset", [ID3, DecisionTreeClassifier])
def test_the_accuracy_of_a_model_is_kept(name, preset):
    X, y = dataset(name)
    model = preset().fit(X, y)
    rules = tree_to_rules(model.tree_, model.schema_, model.classes_)
    simple = simplify_rules(rules, X, np.searchsorted(model.classes_, y))
    assert (simple.predict(X) == y).mean() >= (model.predict(X) == y).mean()
    assert len(simple) < len(rules)


@pytest.mark.parametrize("tolerance", [0.0, 0.01, 0.1])
def test_the_squared_error_of_numbers_grows_by_no_more_than_the_tolerance(tolerance):
    X, y = dataset("auto-mpg")
    model = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y)
    rules = tree_to_rules(model.tree_, model.schema_, None)
    simple = simplify_rules(rules, X, y, tolerance=tolerance)
    before, after = (((each.predict(X) - y) ** 2).mean() for each in (rules, simple))
    assert after <= before * (1 + tolerance) * (1 + 1e-6)
    assert n_conditions(simple) < n_conditions(rules)


def test_a_larger_tolerance_gives_shorter_lists():
    grown = grow_dataset("auto-mpg", depth=6)
    sizes = [len(simplified(grown, tolerance=each)[1]) for each in (0.0, 0.05, 0.5)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_what_is_simple_comes_out_simple():
    chance = np.random.default_rng(0)
    X = chance.integers(0, 2, (400, 6)).astype(float)
    is_true = (X[:, 0] == 1) & (X[:, 3] == 1)
    grown = grow(Table(X, names=list("abcdef")), np.where(is_true, "yes", "no"), depth=6)
    rule, *others = simplified(grown)[1].shown()
    assert str(rule).replace(" or missing", "") == (
        f"IF (a > 0.5) AND (d > 0.5) THEN yes  ({is_true.sum()} rows, 100 %)"
    )
    assert [str(other) for other in others] == [f"OTHERWISE no  ({(~is_true).sum()} rows, 100 %)"]


def test_what_a_rule_says_of_itself_is_about_the_rows_it_decides():
    for name in ("heart", "auto-mpg"):
        grown = grow_dataset(name, depth=4)
        simple = simplified(grown)[1]
        place = simple.find(grown.table)
        for number, rule in enumerate((*simple, simple.default)):
            decided = place == number
            if not decided.any():
                continue
            assert rule.support == decided.sum()
            if grown.classes is None:
                assert rule.outcome == pytest.approx(grown.target[decided].mean())
                assert rule.deviation == pytest.approx((grown.target[decided].std(),))
            else:
                is_outcome = grown.classes[grown.target[decided]] == rule.outcome
                assert rule.confidence == pytest.approx(is_outcome.mean())
                assert sum(rule.value) == pytest.approx(1)


def test_a_weight_is_as_many_copies():
    table, y = dataset("heart")
    copies = np.random.default_rng(1).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), copies)
    model = DecisionTreeClassifier(prune=None, max_depth=5).fit(table, y, sample_weight=copies)
    rules = tree_to_rules(model.tree_, model.schema_, model.classes_)
    truth = np.searchsorted(model.classes_, y)
    weighted = simplify_rules(rules, table, truth, copies.astype(float))
    repeated = simplify_rules(rules, table.rows(rows), truth[rows])
    assert len(weighted) > 5
    assert str(weighted) == str(repeated)


def test_the_order_of_rows_does_not_matter():
    table, y = dataset("german-credit")
    shuffled = np.random.default_rng(2).permutation(len(y))
    one = simplified(grow(table, y, depth=5))[1]
    other = simplified(grow(table.rows(shuffled), y[shuffled], depth=5))[1]
    assert str(one) == str(other)


def test_dear_errors_are_avoided():
    X, y = dataset("german-credit")
    costs = np.array([[0.0, 5.0], [1.0, 0.0]])  # bad, good: a bad risk taken for good costs 5
    model = DecisionTreeClassifier(costs=costs).fit(X, y)
    rules = tree_to_rules(model.tree_, model.schema_, model.classes_, model.decision_)
    truth = np.searchsorted(model.classes_, y)
    simple = simplify_rules(rules, X, truth, costs=costs)

    def cost(predicted):
        return costs[truth, np.searchsorted(model.classes_, predicted)].sum()

    assert cost(simple.predict(X)) <= cost(model.predict(X))
    assert len(simple) <= len(rules)


def test_several_outputs_count_alike_whatever_their_units():
    table, y = dataset("auto-mpg")
    both = np.column_stack([y, 1000 * table["weight"].numbers()])
    grown = grow(table.drop("weight"), both, depth=4)
    rules, simple = simplified(grown)
    scale = both.std(axis=0)
    before, after = (
        (((each.predict(grown.table) - both) / scale) ** 2).sum() for each in (rules, simple)
    )
    assert after <= 1.01 * before
    assert simple[0].outcome == simple[0].value


def test_a_single_leaf_stays_what_it_is():
    rules, simple = simplified(grow(Table({"x": [1.0, 1.0, 1.0]}), ["a", "b", "b"]))
    assert (len(rules), len(simple)) == (1, 0)
    assert str(simple) == "ALWAYS b  (3 rows, 67 %)"


def test_rows_that_the_tree_never_saw_may_be_used_too():
    table, y = dataset("titanic")
    half = np.arange(len(y)) % 2 == 0
    grown = grow(table.rows(half), y[half], multiway=True, missing="stay", depth=4)
    rules = tree_to_rules(*grown.words)
    truth = np.searchsorted(grown.classes, y[~half])
    simple = simplify_rules(rules, grown.schema.apply(table.rows(~half)), truth)
    other = table.rows(~half)
    assert (simple.predict(other) == y[~half]).mean() >= (rules.predict(other) == y[~half]).mean()


def test_two_hundred_rules_on_five_thousand_rows_take_seconds():
    chance = np.random.default_rng(3)
    X = chance.normal(size=(5_000, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * chance.normal(size=5_000) > 0).astype(int)
    model = DecisionTreeClassifier(prune=None, max_leaf_nodes=200).fit(X, y)
    rules = tree_to_rules(model.tree_, model.schema_, model.classes_)
    start = time.process_time()
    simple = simplify_rules(rules, Table(X), y)
    assert time.process_time() - start < 10
    assert len(simple) < len(rules) == 200


@given(seed=st.integers(0, 10**6), is_class=st.booleans(), multiway=st.booleans())
def test_trees_of_any_shape_keep_their_accuracy(seed, is_class, multiway):
    chance = np.random.default_rng(seed)
    numbers = chance.integers(0, 5, (50, 2)).astype(float)
    numbers[chance.random(numbers.shape) < 0.1] = np.nan
    letters = chance.choice(list("abc"), 50)
    table = Table({"x": numbers[:, 0], "y": numbers[:, 1], "c": letters})
    target = chance.choice(list("uvw"), 50) if is_class else chance.normal(size=50)
    grown = grow(table, target, depth=5, least=1, multiway=multiway, chance=chance)
    rules, simple = simplified(grown)
    if is_class:
        assert right(simple, grown) >= right(rules, grown)
    else:
        assert squared(simple, grown) <= 1.01 * squared(rules, grown) * (1 + 1e-6) + 1e-9
