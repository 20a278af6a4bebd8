"""Association rules: figures, tests, and what noise gives."""

import numpy as np
import pytest
from scipy import stats

from branchline import load_dataset
from branchline.density import as_baskets, association_rules
from branchline.density._item_sets import find_sets
from branchline.density._rule_tests import n_possible_rules
from branchline.errors import ParameterError


def noise(seed, n_baskets=400, n_items=12):
    rng = np.random.default_rng(seed)
    return rng.random((n_baskets, n_items)) < rng.uniform(0.2, 0.6, n_items)


def test_figures_of_a_rule_by_hand():
    baskets = [["a", "b"]] * 6 + [["a"]] * 2 + [["b"]] * 4 + [[]] * 8
    [rule] = association_rules(baskets, target="b", min_confidence=0.5, level=None)
    assert (rule.conditions, rule.conclusion, rule.count) == (("a",), "b", 6)
    assert rule.support == pytest.approx(0.3)
    assert rule.confidence.estimate == pytest.approx(0.75)
    assert rule.lift.estimate == pytest.approx(1.5)
    assert rule.leverage == pytest.approx(0.3 - 0.4 * 0.5)
    assert rule.conviction == pytest.approx(0.5 / 0.25)
    exact = stats.fisher_exact([[6, 2], [4, 8]], alternative="greater").pvalue
    assert rule.p_value == pytest.approx(exact)


def test_the_p_value_is_that_of_the_condition_that_adds_least():
    held = noise(1)
    held[:, 2] |= held[:, 0]  # item 0 tells of item 2; item 1 adds nothing
    found = association_rules(held, target="2", level=None, min_confidence=0, max_items=3)
    rule = next(r for r in found if set(r.conditions) == {"0", "1"})
    with_rest = held[held[:, 0]]
    table = [
        [(with_rest[:, 1] & with_rest[:, 2]).sum(), (with_rest[:, 1] & ~with_rest[:, 2]).sum()],
        [(~with_rest[:, 1] & with_rest[:, 2]).sum(), (~with_rest[:, 1] & ~with_rest[:, 2]).sum()],
    ]
    of_item_1 = stats.fisher_exact(table, alternative="greater").pvalue
    assert rule.p_value == pytest.approx(of_item_1)
    kept = association_rules(held, target="2", min_confidence=0, max_items=3)
    assert [r.conditions for r in kept] == [("0",)]


def test_noise_gives_hardly_any_rule():
    n_wrong = sum(len(association_rules(noise(seed), min_confidence=0.3)) > 0 for seed in range(60))
    assert n_wrong <= 6  # 5 % of tables may have one: 3 of 60 expected at most
    assert len(association_rules(noise(1), min_confidence=0.3, level=None)) > 100


def test_two_items_that_matter_only_together_are_found():
    rng = np.random.default_rng(3)
    held = rng.random((2000, 6)) < 0.5
    held[:, 5] = (held[:, 0] & held[:, 1]) | (rng.random(2000) < 0.05)
    found = association_rules(held, target="5")
    assert set(found[0].conditions) == {"0", "1"}


def test_possible_rules_are_counted_by_columns():
    table = {"x": ["a", "b"] * 10, "y": ["u", "v", "w", "u"] * 5}
    baskets = as_baskets(table)
    found = find_sets(baskets, 1, None, 1000, 1)
    every = np.ones(len(baskets.items), dtype=bool)
    # 2 × 3 pairs, each with two conclusions; no set of three: there are two columns.
    assert n_possible_rules(found, every, 4).tolist() == [0, 0, 12, 0, 0]
    plain = as_baskets([["a", "b", "c", "d"]] * 3)
    found = find_sets(plain, 1, None, 1000, 1)
    assert n_possible_rules(found, np.ones(4, dtype=bool), 3).tolist() == [0, 0, 12, 12]


def test_order_weights_and_threads_do_not_change_rules():
    held = noise(5)
    held[:, 1] |= held[:, 0]
    order = np.random.default_rng(0).permutation(len(held))
    found = association_rules(held, n_jobs=1)
    assert association_rules(held[order], n_jobs=2) == found
    twice = association_rules(np.vstack([held, held]), level=None)
    weighted = association_rules(held, sample_weight=np.full(len(held), 2), level=None)
    assert weighted == twice


def test_rules_of_a_table_conclude_a_column():
    found = association_rules(load_dataset("german-credit"), target="class", min_support=0.05)
    assert found[0].conclusion.startswith("class = ")
    assert "1,000 rows" in str(found)
    with pytest.raises(ParameterError, match="no item or column") as caught:
        association_rules(load_dataset("iris"), target="speces")
    assert caught.value.repair.python == "association_rules(data, target='species')"


def test_rules_are_counted_on_other_baskets():
    held = noise(7, 2000)
    held[:, 1] |= held[:, 0]
    found = association_rules(held[:1000])
    again = found.on(held[1000:])
    assert len(again) == len(found)
    assert again.n_baskets == 1000
    assert "Confirmed" in again.summary()
    assert len(found.on([["elsewhere"]])) == 0


def test_suggestions_frame_and_drawing():
    baskets = [["beer", "crisps"]] * 30 + [["beer"]] * 5 + [["milk"]] * 60
    found = association_rules(baskets)
    assert [rule.conclusion for rule in found.suggest(["beer"])] == ["crisps"]
    assert found.suggest(["beer", "crisps"]) == []
    assert found.to_frame()["conditions"].tolist() == [rule.conditions[0] for rule in found]
    assert "crisps → beer" in found.draw().to_svg()


@pytest.mark.parametrize("baskets", [[], [[]], [["a"]], [["a", "b"]]])
def test_tiny_tables_have_no_rules(baskets):
    found = association_rules(baskets)
    assert len(found) == 0
    assert str(found)


def test_constant_columns_and_identifiers_conclude_nothing():
    rng = np.random.default_rng(0)
    table = {
        "id": [f"r{row}" for row in range(200)],
        "one": ["x"] * 200,
        "y": rng.choice(["p", "q"], 200),
    }
    assert len(association_rules(table)) == 0


def test_an_error_names_the_function_that_was_called():
    with pytest.raises(ParameterError, match="min_support' parameter of association_rules"):
        association_rules([["a", "b"], ["a"]], min_support=0.0)
