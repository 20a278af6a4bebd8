"""Trees as text: what is printed is what the model does."""

import datetime

import numpy as np
import pandas as pd
import pytest

from branchline.tree import OneRule, Stump
from branchline.tree.reading._text import leaves_below, tree_to_text
from grown_trees import chain, grow_dataset


def test_a_threshold_has_as_many_digits_as_it_needs() -> None:
    X = {"income": [1_000_001, 1_000_002, 1_000_003, 1_000_004]}
    assert Stump().fit(X, list("aabb")).to_text().startswith("income ≤ 1,000,002.5")


def test_large_counts_and_means_are_written_out() -> None:
    model = Stump(task="regression")
    model.fit({"x": [0, 1]}, [12_345_678.0, 99.5], sample_weight=[1_500_000, 1])
    lines = model.to_text().splitlines()
    assert lines[1] == "  yes or missing: 12,345,678 (mean of 1,500,000)"
    assert lines[2] == "  no: 99.5 (mean of 1)"


def test_dates_are_cut_at_dates() -> None:
    days = [datetime.date(2020, 7, day) for day in (15, 16, 18, 19)]
    assert Stump().fit({"d": days}, list("aabb")).to_text().startswith("d ≤ 2020-07-17")
    noon = pd.to_datetime(["2020-07-15 10:00", "2020-07-15 14:00"])
    model = Stump().fit(pd.DataFrame({"t": noon}), list("ab"))
    assert model.to_text().startswith("t ≤ 2020-07-15T12:00:00")


def test_names_that_could_be_misread_are_quoted() -> None:
    towns = ["Albany, NY", "missing", "a or b", "line\nend", "plain"]
    model = Stump(split="multiway").fit({"town": towns * 2}, list("abcde") * 2)
    labels = [line.split(":")[0].strip() for line in model.to_text().splitlines()[1:]]
    assert [label.removesuffix(" or missing") for label in labels] == [
        "'Albany, NY'",
        "'a or b'",
        "'line\\nend'",
        "'missing'",
        "plain",
    ]


def test_many_branches_are_cut_short() -> None:
    names = [f"n{number:03}" for number in range(200)]
    model = Stump(split="multiway").fit({"n": names * 2}, np.arange(400) % 2)
    assert len(model.to_text().splitlines()) < 60


def test_one_rule_refuses_misspelled_parameters_as_classes_do() -> None:
    with pytest.raises(TypeError, match="Did you mean 'min_samples_leaf'"):
        OneRule(min_sample_leaf=3)


def test_a_tree_is_indented_by_depth() -> None:
    grown = grow_dataset("tennis", multiway=True)
    assert tree_to_text(*grown.words).splitlines() == [
        "outlook",
        "  overcast: yes 100 % of 4",
        "  rain:",
        "    wind",
        "      strong: no 100 % of 2",
        "      weak: yes 100 % of 3",
        "  sunny:",
        "    humidity",
        "      high: no 100 % of 3",
        "      normal: yes 100 % of 2",
    ]


def test_a_cut_text_says_how_many_leaves_it_leaves_out() -> None:
    grown = grow_dataset("tennis", multiway=True)
    lines = tree_to_text(*grown.words, max_depth=1).splitlines()
    assert lines[1:] == [
        "  overcast: yes 100 % of 4",
        "  rain: yes 60 % of 5 … 2 more leaves",
        "  sunny: no 60 % of 5 … 2 more leaves",
    ]
    assert tree_to_text(*grown.words, max_depth=0) == "always: yes 64 % of 14 … 5 more leaves"
    assert tree_to_text(*grown.words, max_depth=9) == tree_to_text(*grown.words)


def test_a_deep_tree_is_written_without_calls_of_calls_and_in_linear_size() -> None:
    short, long = chain(2_000), chain(20_000)
    sizes = [len(tree_to_text(*grown.words)) for grown in (short, long)]
    assert sizes[1] < 11 * sizes[0]
    assert (
        tree_to_text(*short.words).splitlines()[-1].strip()
        == "[1999]   no or missing: a 100 % of 1"
    )


def test_what_no_branch_says_is_said_at_the_end() -> None:
    shared = tree_to_text(*grow_dataset("votes84", missing="every", depth=2).words)
    assert shared.splitlines()[-2:] == [
        "",
        "A missing value goes down every branch, shared by the branches' weights.",
    ]
    left_out = tree_to_text(*grow_dataset("auto-mpg", multiway=True, depth=3).words)
    assert left_out.endswith("A value that a test has no branch for gets the answer of its node.")


def test_the_decided_class_is_the_one_shown() -> None:
    grown = grow_dataset("titanic", depth=1)
    always_yes = np.ones(grown.tree.n_nodes, dtype=np.int64)
    assert "male or missing: yes 19 % of 843" in tree_to_text(*grown.words, always_yes)


def test_leaves_below_a_node_are_those_of_its_children() -> None:
    tree = grow_dataset("heart", depth=5).tree
    count = leaves_below(tree)
    assert count[0] == tree.n_leaves
    assert (count[tree.is_leaf] == 1).all()
    below = np.zeros(tree.n_nodes, dtype=np.int64)
    np.add.at(below, tree.parent[1:], count[1:])
    assert (below[~tree.is_leaf] == count[~tree.is_leaf]).all()
