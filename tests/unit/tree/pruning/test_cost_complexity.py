"""The nested sequence of trees, what it loses on held-out rows, and which tree is taken."""

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor, PruningPath
from branchline.tree.growing._held_out import hold_out, split_folds
from branchline.tree.pruning._cost_complexity import _choose, _grid
from branchline.tree.pruning._node_costs import leaves_of
from branchline.tree.pruning._trials import critical_betas

COSTS = np.array([[0.0, 1.0], [4.0, 0.0]])


def classes(n_rows=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(2)
    return X, (X[:, 0] + 0.5 * X[:, 1] + rng.normal(0, 0.7, n_rows) > 0).astype(int)


def numbers(n_rows=240, seed=0):
    X, _ = classes(n_rows, seed)
    return X, X[:, 0] + 0.3 * X[:, 1] ** 2 + np.random.default_rng(seed).normal(0, 0.5, n_rows)


CASES = {
    "classes": (DecisionTreeClassifier, classes, {}),
    "costs": (DecisionTreeClassifier, classes, {"costs": COSTS}),
    "numbers": (DecisionTreeRegressor, numbers, {}),
}
EACH = pytest.mark.parametrize("case", CASES)


def made(case, seed=0, **parameters):
    tree, data, settings = CASES[case]
    X, y = data(seed=seed)
    return tree(**settings, **parameters).fit(X, y), X, y


def least_tree(model, case, beta):
    """Return the leaves of the smallest pruning of least cost + β · leaves, by trying all."""
    tree = model.tree_
    if case == "numbers":
        cost = tree.variance.sum(axis=1) * tree.weight / tree.weight[0]
    elif case == "costs":
        cost = (tree.content @ COSTS).min(axis=1) / tree.weight[0]
    else:
        cost = (tree.content.sum(axis=1) - tree.content.max(axis=1)) / tree.weight[0]

    def best(node):
        here = (cost[node] + beta, 1)
        if tree.is_leaf[node]:
            return here
        first = int(tree.first_child[node])
        below = [best(child) for child in range(first, first + int(tree.n_children[node]))]
        sums = tuple(sum(part[i] for part in below) for i in (0, 1))
        return here if here[0] <= sums[0] + 1e-12 else sums

    return best(0)[1]


def loss_of(model, case, X, y):
    if case == "numbers":
        return (model.predict(X) - y) ** 2
    guess = model.predict(X)
    return (guess != y).astype(float) if case == "classes" else COSTS[y, guess]


class TestPath:
    @EACH
    def test_is_nested_from_the_grown_tree_to_the_root(self, case):
        model, _, _ = made(case)
        full, _, _ = made(case, prune=None)
        path = model.pruning_path_
        assert isinstance(path, PruningPath)
        assert (np.diff(path.beta) > 0).all()
        assert (np.diff(path.n_leaves) < 0).all()
        assert path.beta[0] >= 0
        assert path.n_leaves[0] == least_tree(full, case, 0.0)
        assert path.n_leaves[-1] == 1
        assert model.get_n_leaves() == path.n_leaves[path.chosen]

    @EACH
    @pytest.mark.parametrize("seed", range(2))
    def test_each_step_is_the_smallest_tree_of_least_cost(self, case, seed):
        model, _, _ = made(case, seed)
        full, _, _ = made(case, seed, prune=None)
        path = model.pruning_path_
        for beta, n_leaves in zip(path.beta, path.n_leaves, strict=True):
            assert least_tree(full, case, beta * (1 + 1e-9)) == n_leaves

    @EACH
    @pytest.mark.parametrize("n_folds", [3, 10])
    def test_errors_are_those_of_trees_pruned_at_the_same_price(self, case, n_folds):
        """Each fold: a tree grown on the other rows, pruned at β, tried on the rows held out."""
        tree, data, settings = CASES[case]
        X, y = data()
        model = tree(n_folds=n_folds, **settings).fit(X, y)
        path, lost = model.pruning_path_, []
        tried = np.unique(np.linspace(0, len(path.beta) - 1, 9).astype(int)).tolist()
        for fold in split_folds(model._remembered.growth, n_folds, 0):
            rows, held = fold.grown.rows, fold.rows
            for step in tried:
                of_fold = tree(ccp_alpha=float(path.beta[step]), **settings).fit(X[rows], y[rows])
                loss = loss_of(of_fold, case, X[held], y[held])
                lost += [(step, value) for value in loss]
        steps, losses = np.array(lost).T
        for step in tried:
            here = losses[steps == step]
            assert len(here) == len(y)
            assert path.error[step] == pytest.approx(here.mean())
            assert path.standard_error[step] == pytest.approx(here.std() / np.sqrt(len(y)))

    @EACH
    def test_a_validation_set_instead_of_folds(self, case):
        tree, data, settings = CASES[case]
        X, y = data()
        model = tree(choose_by="validation", validation_fraction=0.3, **settings).fit(X, y)
        fold = hold_out(model._remembered.growth, 0.3, 0)
        rows, held = fold.grown.rows, fold.rows
        assert len(held) == pytest.approx(0.3 * len(y), abs=2)
        path = model.pruning_path_
        for step in (0, len(path.beta) // 2, len(path.beta) - 1):
            part = tree(ccp_alpha=float(path.beta[step]), **settings).fit(X[rows], y[rows])
            loss = loss_of(part, case, X[held], y[held])
            assert path.error[step] == pytest.approx(loss.mean())
        assert model.tree_.weight[0] == len(y)  # the tree itself has seen all rows


class TestChoice:
    @EACH
    @pytest.mark.parametrize("seed", range(3))
    def test_one_standard_error(self, case, seed):
        whatever = {"correct_for_chance": False}  # also where the root may be as good
        best, _, _ = made(case, seed, rule="best", **whatever)
        simple, _, _ = made(case, seed, rule="one_se", **whatever)
        path = simple.pruning_path_
        least = int(np.flatnonzero(path.error == path.error.min())[-1])
        assert best.pruning_path_.chosen == least
        limit = path.error[least] + path.standard_error[least]
        within = [step for step in range(len(path.error)) if path.error[step] <= limit]
        assert path.chosen == max(within)
        assert simple.get_n_leaves() <= best.get_n_leaves()

    def test_of_equal_trees_the_simplest(self):
        error, spread = np.array([0.3, 0.2, 0.2, 0.25, 0.4]), np.full(5, 0.05)
        assert _choose(error, spread, 0.0) == 2
        assert _choose(error, spread, 0.5) == 2
        assert _choose(error, spread, 1.0) == 3
        assert _choose(error, 0 * spread, 1.0) == 2
        assert _choose(error, 10 * spread, 1.0) == 4

    def test_more_folds_than_rows_leave_one_out(self):
        X, y = classes(12)
        model = DecisionTreeClassifier(n_folds=50).fit(X, y)
        assert len(split_folds(model._remembered.growth, 50, 0)) == 12


class TestGivenPrice:
    @EACH
    def test_the_tree_of_that_price(self, case):
        full, _, _ = made(case, prune=None)
        chosen, _, _ = made(case)
        betas = chosen.pruning_path_.beta
        for beta in (0.0, *(betas[1:4] * 1.01), 1e6):
            model, _, _ = made(case, ccp_alpha=float(beta))
            path = model.pruning_path_
            assert model.get_n_leaves() == least_tree(full, case, beta)
            assert path.beta[path.chosen] == beta
            assert path.n_leaves[path.chosen] == model.get_n_leaves()
            assert (np.diff(path.n_leaves) <= 0).all()
            assert len(path.error) == 0
            assert "taken" in repr(path)

    def test_is_in_errors_a_row(self):
        """One test saves 2 errors of 20 rows: worth a leaf up to 2 / 20."""
        table = Table({"side": ["left"] * 10 + ["right"] * 10})
        y = [0] * 10 + [1] * 6 + [0] * 4
        for alpha, n_leaves in ((0.099, 2), (0.101, 1)):
            model = DecisionTreeClassifier(ccp_alpha=alpha).fit(table, y)
            assert model.get_n_leaves() == n_leaves

    def test_does_not_depend_on_the_scale_of_weights(self):
        X, y = classes()
        weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
        sizes = {
            DecisionTreeClassifier(ccp_alpha=0.01).fit(X, y, scale * weight).get_n_leaves()
            for scale in (0.1, 1.0, 33.0)
        }
        assert len(sizes) == 1


class TestGrid:
    def test_geometric_means_between_critical_values(self):
        assert _grid(np.array([0.0, 0.04, 0.01])) == pytest.approx([0, 0.02, 0.04])
        assert _grid(np.array([0.04, 0.01, 0.01])) == pytest.approx([0, 0.02, 0.04])
        assert _grid(np.array([0.0])).tolist() == [0.0]
        assert _grid(np.array([0.5])) == pytest.approx([0.0, 0.5])

    def test_long_paths_are_thinned_out(self):
        grid = _grid(np.linspace(0, 1, 5000))
        assert len(grid) <= 401
        assert (np.diff(grid) > 0).all()
        assert (grid[0], grid[-1]) == (0.0, 1.0)

    def test_leaves_at_each_price(self):
        full, _, _ = made("classes", prune=None)
        critical = critical_betas(full.tree_, None)
        for beta in (0.0, 0.003, 0.02, 1.0):
            pruned = full.tree_.pruned(critical <= beta)
            assert leaves_of(full.tree_, critical, np.array([beta])) == [pruned.n_leaves]


class TestReading:
    def test_the_path_as_text_and_as_a_frame(self):
        X, y = load_dataset("heart").split_target("disease")
        model = DecisionTreeClassifier().fit(X, y)
        path = model.pruning_path_
        frame = path.to_pandas()
        assert frame["taken"].sum() == 1
        assert frame["n_leaves"][path.chosen] == model.get_n_leaves()
        assert list(frame) == ["beta", "n_leaves", "error", "standard_error", "taken"]
        lines = repr(path).splitlines()
        assert len([line for line in lines if "← taken" in line]) == 1
        assert len(lines) <= 26

    def test_a_tree_that_never_grew_has_a_path_of_one_step(self):
        model = DecisionTreeRegressor().fit(np.ones((20, 2)), np.arange(20.0))
        assert model.pruning_path_.n_leaves.tolist() == [1]
