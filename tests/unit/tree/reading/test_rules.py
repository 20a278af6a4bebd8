"""Rules of a tree: each row satisfies the rule of its leaf, and no other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import Table
from branchline.table import Column
from branchline.tree import C45, DecisionTreeClassifier
from branchline.tree.reading._rules import tree_to_rules
from grown_trees import Grown, chain, dataset, grow, grow_dataset

MISSING = ("largest", "stay", "every", "own")


def rules_of(grown):
    return tree_to_rules(*grown.words)


def with_holes(table, seed):
    """Return the table with more missing values, and categories that the schema does not know."""
    chance = np.random.default_rng(seed)
    columns = []
    for column in table.columns:
        hole = chance.random(len(column)) < 0.3
        if column.kind == "category":
            values = np.where(hole, chance.integers(-2, 0, len(column)), column.values)
            columns.append(Column(column.name, column.type, values.astype(np.int32)))
        else:
            values = np.where(hole, np.nan, column.numbers())
            columns.append(Column(column.name, column.type, values))
    return Table.from_columns(columns)


def check_one_rule_a_row(grown, table):
    """Each row satisfies the rule of the node it ends in; other rules only after that one."""
    rules = rules_of(grown)
    end = grown.tree.find_leaves(table, 1)
    nodes = np.array([*(rule.node for rule in rules), 0])
    assert (nodes[rules.find_in(table)] == end).all()
    holds = np.array([rule.holds(table) for rule in rules if not rule.otherwise])
    is_leaf = grown.tree.is_leaf[end]
    assert (holds.sum(axis=0) == is_leaf).all()
    if rules.is_complete:
        assert (end > 0).all() or grown.tree.n_nodes == 1
    return rules


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("multiway", [False, True], ids=["binary", "multiway"])
@pytest.mark.parametrize("name", ["iris", "votes84", "heart", "titanic", "auto-mpg"])
def test_a_row_satisfies_the_rule_of_its_leaf_and_no_other(name, multiway, missing):
    grown = grow_dataset(name, missing=missing, multiway=multiway, depth=5)
    rules = check_one_rule_a_row(grown, grown.table)
    check_one_rule_a_row(grown, with_holes(grown.table, 0))
    leaves = [rule for rule in rules if not rule.otherwise]
    decided = np.bincount(rules.find_in(grown.table), grown.weights, len(rules) + 1)
    assert [rule.support for rule in leaves] == decided[: len(leaves)].tolist()


@given(
    seed=st.integers(0, 10**6),
    missing=st.sampled_from(MISSING),
    multiway=st.booleans(),
)
def test_trees_of_any_shape_have_rules_that_do_what_they_do(seed, missing, multiway):
    chance = np.random.default_rng(seed)
    n_rows = 60
    numbers = chance.integers(0, 6, (n_rows, 2)).astype(float)
    numbers[chance.random(numbers.shape) < 0.2] = np.nan
    letters = chance.choice(list("abcde"), (n_rows, 2)).astype(object)
    letters[chance.random(letters.shape) < 0.2] = None
    kinds = {"p": "category", "q": "category", "x": "numeric", "y": "numeric"}
    columns = dict(zip("xypq", [*numbers.T, *letters.T], strict=True))
    table = Table(columns, kinds=kinds)
    options = {"missing": missing, "multiway": multiway, "chance": chance}
    grown = grow(table, chance.choice(list("uvw"), n_rows), depth=6, least=1, **options)
    rules = check_one_rule_a_row(grown, grown.table)
    check_one_rule_a_row(grown, with_holes(grown.table, seed))
    value = grown.tree.value[grown.tree.find_leaves(grown.table, 1)]
    assert (rules.predict_proba(grown.table) == value).all()


def test_rules_predict_what_the_model_does():
    X, y = dataset("titanic")
    model = DecisionTreeClassifier(min_samples_leaf=5, prune=None).fit(X, y)
    rules = tree_to_rules(model.tree_, model.schema_, model.classes_)
    assert (rules.predict(X) == model.predict(X)).all()
    assert (rules.predict_proba(X) == model.predict_proba(X)).all()


def test_rules_of_a_tree_that_shares_rows_follow_the_heaviest_branch():
    X, y = dataset("votes84")
    model = C45().fit(X, y)
    assert model.tree_.shares_rows
    rules = tree_to_rules(model.tree_, model.schema_, model.classes_)
    found = np.array([*(rule.node for rule in rules), 0])[rules.find(X)]
    assert (found == model.tree_.find_leaves(X, 1)).all()


def test_conditions_on_a_column_are_merged():
    rules = rules_of(grow_dataset("iris", depth=4))
    for rule in rules:
        columns = [condition.column for condition in rule.conditions]
        assert len(set(columns)) == len(columns)
    assert "1.65 < petal_width ≤ 1.75" in str(rules)


def test_a_value_without_a_branch_gets_the_answer_of_its_node():
    rules = rules_of(grow_dataset("tennis", multiway=True))
    day = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "wind": "weak"}
    strange = [day, {**day, "humidity": "soaking"}, {**day, "outlook": "snow"}]
    place = rules.find(Table(strange))
    node = [(*rules, rules.default)[each].node for each in place]
    outlook, sunny, high = 0, 3, 6
    assert node == [high, sunny, outlook]
    assert rules.predict(Table(strange)).tolist() == ["no", "no", "yes"]
    assert [str(rule) for rule in rules[-2:]] == [
        "OTHERWISE IF outlook is sunny THEN no  (5 rows, 60 %)",
        "OTHERWISE IF outlook is rain THEN yes  (5 rows, 60 %)",
    ]
    assert not rules.is_complete


def test_a_tree_with_a_branch_for_everything_has_complete_rules():
    rules = rules_of(grow_dataset("heart", depth=3))
    assert rules.is_complete
    assert not any(rule.otherwise for rule in rules)
    assert "OTHERWISE" not in str(rules)


def test_rules_that_nothing_can_satisfy_are_left_out():
    # Below x ≤ 1 (missing values shared) the same column is cut above 1 for those values alone.
    grown = chain(2)
    object.__setattr__(grown.tree, "threshold", np.array([2.0, 0, 1.0, 0, 0]))
    assert [str(rule).split(" THEN")[0] for rule in rules_of(grown)] == [
        "IF x ≤ 2",
        "IF x > 2 or missing",
    ]


def test_the_decided_class_is_the_outcome():
    grown = grow_dataset("titanic", depth=2)
    always_yes = np.ones(grown.tree.n_nodes, dtype=np.int64)
    for rule in tree_to_rules(*grown.words, always_yes):
        assert rule.outcome == "yes"
        assert rule.confidence == grown.tree.value[rule.node, 1]


def test_numbers_have_means_and_deviations():
    grown = grow_dataset("auto-mpg", depth=2)
    rules = rules_of(grown)
    place = rules.find(grown.table)
    for number, rule in enumerate(rules):
        values = grown.target[place == number]
        assert rule.outcome == pytest.approx(values.mean(), abs=1e-6)
        assert rule.deviation == pytest.approx((values.std(),), abs=1e-5)
        assert rule.confidence is None
    assert rules.predict(grown.table) == pytest.approx(
        grown.tree.value[grown.tree.find_leaves(grown.table, 1), 0]
    )


def test_a_single_leaf_is_a_rule_that_always_holds():
    grown = grow(Table({"x": [1.0, 1.0]}), ["a", "a"])
    assert str(rules_of(grown)) == "ALWAYS a  (2 rows, 100 %)"


def test_a_tree_may_be_as_deep_as_it_likes():
    grown = chain(3_000)
    rules = rules_of(grown)
    assert len(rules) == 3_001
    assert max(len(rule.conditions) for rule in rules) == 1
    assert isinstance(grown, Grown)
