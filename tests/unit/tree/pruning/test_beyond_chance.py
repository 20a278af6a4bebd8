"""A tree is a single leaf where its columns tell nothing, and is not where they tell something."""

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.tree import CART, DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.pruning import _beyond_chance, _trials

N_TABLES = 40


def noise(seed, n_rows=120):
    random = np.random.default_rng(seed)
    columns = {f"x{place}": random.normal(size=n_rows) for place in range(4)}
    for place, n_values in enumerate((2, 3, 5, 8)):
        columns[f"c{place}"] = [f"v{code}" for code in random.integers(0, n_values, n_rows)]
    return Table(columns), random


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_most_tables_of_noise_get_a_single_leaf(n_classes):
    single = 0
    for seed in range(N_TABLES):
        X, random = noise(seed)
        y = np.array([f"class {code}" for code in random.integers(0, n_classes, X.n_rows)])
        single += DecisionTreeClassifier(n_jobs=1).fit(X, y).tree_.n_leaves == 1
    assert single >= 0.9 * N_TABLES  # 95 % expected; 36 of 40 or fewer have a probability of 14 %


def test_most_numbers_of_noise_get_a_single_leaf():
    single = 0
    for seed in range(N_TABLES):
        X, random = noise(seed)
        y = random.normal(size=X.n_rows)
        single += DecisionTreeRegressor(n_jobs=1).fit(X, y).tree_.n_leaves == 1
    assert single >= 0.9 * N_TABLES


def test_the_guard_is_part_of_the_correction_for_chance():
    trees = {True: 0, False: 0}
    for seed in range(12):
        X, random = noise(seed)
        y = np.array(["no", "yes"])[random.integers(0, 2, X.n_rows)]
        for corrects in trees:
            model = DecisionTreeClassifier(correct_for_chance=corrects, n_jobs=1).fit(X, y)
            trees[corrects] += model.tree_.n_leaves > 1
    assert trees[True] < trees[False]


def test_probabilities_show_what_errors_do_not(monkeypatch):
    random = np.random.default_rng(0)
    group = np.repeat([0, 1], 100)
    y = np.where(random.random(200) < np.where(group, 0.62, 0.25), "ill", "well")
    table = {"group": group, "noise": random.random(200)}
    assert list(DecisionTreeClassifier(n_jobs=1).fit(table, y).used_columns_) == ["group"]
    monkeypatch.setattr(_beyond_chance, "STANDARD_ERRORS_OF_DISTANCE", np.inf)
    assert DecisionTreeClassifier(n_jobs=1).fit(table, y).tree_.n_leaves == 1


def test_the_chosen_step_is_the_root_and_the_path_is_whole():
    X, random = noise(1)
    y = np.array(["no", "yes"])[random.integers(0, 2, X.n_rows)]
    path = DecisionTreeClassifier(n_jobs=1).fit(X, y).pruning_path_
    assert path.chosen == len(path.beta) - 1
    assert path.n_leaves[0] > 1


def test_many_classes_and_large_tables_of_noise_are_judged_by_their_errors(monkeypatch):
    monkeypatch.setattr(_trials, "_MOST_CELLS", 10)
    X, y = load_dataset("iris").split_target("species")
    assert DecisionTreeClassifier(n_jobs=1).fit(X, y).tree_.n_leaves == 3


class TestNamingColumns:
    @pytest.mark.parametrize("make", [DecisionTreeClassifier, CART])
    def test_an_identifier_changes_nothing(self, make):
        X, y = load_dataset("heart").split_target("disease")
        names = Table({"patient": [f"P{row:04d}" for row in range(X.n_rows)]})
        with_names = Table.from_columns([*X.columns, *names.columns])
        plain, named = (make(n_jobs=1).fit(table, y) for table in (X, with_names))
        assert "patient" not in named.used_columns_
        assert named.tree_.n_leaves > 1
        assert plain.score(X, y) - named.score(with_names, y) < 0.03

    @pytest.mark.parametrize("rows_each", [2, 3, 5])
    def test_groups_of_few_rows_do_not_win(self, rows_each):
        """A rare class makes small groups pure by chance; a real column must still be first."""
        first = 0
        for seed in range(20):
            random = np.random.default_rng(seed)
            real = random.integers(0, 2, 300)
            y = np.where(random.random(300) < np.where(real, 0.3, 0.04), "rare", "usual")
            groups = [f"G{group}" for group in random.permutation(300) // rows_each]
            model = DecisionTreeClassifier(max_depth=1, prune=None, n_jobs=1)
            model.fit({"group": groups, "real": [f"r{code}" for code in real]}, y)
            first += model.used_columns_ == ["real"]
        assert first >= 18
