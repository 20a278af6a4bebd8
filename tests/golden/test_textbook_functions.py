"""Functions of the textbooks that trees express exactly, and how many functions there are."""

import itertools

import numpy as np
import pytest

from branchline import Table
from branchline.tree import DecisionTreeClassifier, OptimalTreeClassifier

# Robots of the monks' problems: head, body, smile, holding, jacket, tie.
ROBOTS = np.array(
    list(itertools.product([1, 2, 3], [1, 2, 3], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2]))
)
HEAD, BODY, SMILE, HOLDING, JACKET, TIE = ROBOTS.T
MONKS = {
    1: (HEAD == BODY) | (JACKET == 1),
    2: (ROBOTS == 1).sum(axis=1) == 2,
    3: ((JACKET == 3) & (HOLDING == 1)) | ((JACKET != 4) & (BODY != 3)),
}


def robots():
    """Return the 432 robots as categories."""
    names = ["head", "body", "smile", "holding", "jacket", "tie"]
    columns = zip(names, ROBOTS.T, strict=True)
    return Table({name: [str(value) for value in values] for name, values in columns})


@pytest.mark.filterwarnings("ignore:The target y has only one class")
@pytest.mark.parametrize(("n_inputs", "n_functions"), [(1, 4), (2, 16), (3, 256)])
def test_a_tree_of_depth_n_expresses_every_function_of_n_inputs(n_inputs, n_functions):
    X = np.array(list(itertools.product([0, 1], repeat=n_inputs)))
    functions = list(itertools.product([0, 1], repeat=len(X)))
    assert len(functions) == n_functions == 2**2**n_inputs
    for y in functions:
        model = OptimalTreeClassifier(max_depth=n_inputs).fit(X, y)
        assert (model.predict(X) == y).all()
        assert model.proved_


@pytest.mark.parametrize(("number", "depth", "n_leaves"), [(1, 4, 7), (3, 3, 5)])
def test_optimal_trees_of_the_monks_are_exact(number, depth, n_leaves):
    X, y = robots(), MONKS[number]
    model = OptimalTreeClassifier(max_depth=depth).fit(X, y)
    assert (model.value_, model.get_n_leaves(), model.proved_) == (0.0, n_leaves, True)
    assert OptimalTreeClassifier(max_depth=depth - 1).fit(X, y).bound_ > 0


def test_look_ahead_finds_the_first_monks_problem_and_greedy_trees_do_not():
    X, y = robots(), MONKS[1]
    assert DecisionTreeClassifier(prune=None).fit(X, y).score(X, y) == 0.75  # jacket alone
    model = DecisionTreeClassifier(lookahead=2).fit(X, y)
    assert (model.score(X, y), model.get_n_leaves()) == (1.0, 8)


def test_greedy_trees_express_the_second_monks_problem_by_many_leaves():
    model = DecisionTreeClassifier().fit(robots(), MONKS[2])
    assert (model.score(robots(), MONKS[2]), model.get_n_leaves()) == (1.0, 41)


def test_vowels_and_fricatives_around_a_letter():
    """An s between vowels is voiced (rose), and next to a fricative or at an end it is not."""
    words = "rose nose easy busy music desert visit blossom sfz asfa isva osjo usze"
    rows = [
        (f"_{word}_"[place - 1], f"_{word}_"[place + 1])
        for word in words.split()
        for place in range(1, len(word) + 1)
        if f"_{word}_"[place] == "s"
    ]
    before, after = zip(*rows, strict=True)
    voiced = [left in "aeiouy" and right in "aeiouy" for left, right in rows]
    window = Table({"before": list(before), "after": list(after)})
    sets = {"vowel": "aeiouy", "fricative": "fvszj"}
    model = DecisionTreeClassifier(questions=sets, prune=None, correct_for_chance=False)
    model.fit(window, voiced)
    assert model.score(window, voiced) == 1
    columns = {reason.column for reason in model.why(0)}
    assert {"vowel(before)", "vowel(after)", "fricative(after)"} <= columns
