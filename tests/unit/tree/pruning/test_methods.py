"""Which subtrees become leaves: reduced error, pessimistic, MDL, each by arithmetic of its own."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

from branchline import Table, load_dataset
from branchline.errors import BranchlineError
from branchline.tree import C45, DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.growing._held_out import hold_out
from branchline.tree.pruning._methods import steps_to_take
from branchline.tree.pruning._node_costs import bottom_up, description_lengths, upper_limits

SETTINGS = {"correct_for_chance": False}


def classes(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, (X[:, 0] + rng.normal(0, 0.8, n_rows) > 0).astype(int)


def numbers(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, 2 * (X[:, 0] > 0) + rng.normal(0, 1, n_rows)


def of_counts(*leaves):
    """Return a one-column table with a value for each leaf, and its target."""
    cells = [f"v{place}" for place, counts in enumerate(leaves) for _ in range(sum(counts))]
    target = [label for counts in leaves for label, n in enumerate(counts) for _ in range(n)]
    return Table({"value": cells}), np.array(target)


def subtree(tree, node):
    """Return the nodes below a node, itself included."""
    nodes, place = [node], 0
    while place < len(nodes):
        first = int(tree.first_child[nodes[place]])
        nodes += range(first, first + int(tree.n_children[nodes[place]]))
        place += 1
    return nodes


def leaves_below(tree, node):
    return [below for below in subtree(tree, node) if tree.is_leaf[below]]


class TestPessimistic:
    def test_the_upper_limits_of_the_book(self):
        """C4.5, 1993, section 4.2: U(0, 6) = 0.206, U(0, 9) = 0.143, U(0, 1) = 0.750."""
        X, y = of_counts((6, 0), (9, 0), (0, 1))
        grown = DecisionTreeClassifier(split="multiway", prune=None).fit(X, y).tree_
        limits = upper_limits(grown, None, 0.25)
        shares = limits.as_leaf[1:] / grown.weight[1:]
        assert shares == pytest.approx([0.206, 0.143, 0.750], abs=0.0005)
        # 3.273 predicted errors below; 16 · U(1, 16): 2.512 by the binomial, 2.476 as C4.5 does it.
        assert limits.as_leaf[1:].sum() == pytest.approx(3.273, abs=0.005)
        assert limits.as_leaf[0] == pytest.approx(2.476, abs=0.001)
        pruned = C45(min_samples_leaf=1).fit(X, y)
        assert pruned.get_n_leaves() == 1

    def test_the_normal_approximation_with_continuity_correction(self):
        X, y = of_counts((20, 7), (4, 9), (30, 2))
        for confidence in (0.1, 0.25, 0.4):
            z, N, E = -norm.ppf(confidence), np.array([27, 13, 32]), np.array([7, 4, 2])
            f = (E + 0.5) / N
            upper = (f + z**2 / (2 * N) + z * np.sqrt(f / N - f**2 / N + z**2 / (4 * N**2))) / (
                1 + z**2 / N
            )
            grown = DecisionTreeClassifier(split="multiway", prune=None).fit(X, y).tree_
            found = upper_limits(grown, None, confidence).as_leaf[1:]
            assert found == pytest.approx(N * upper)

    def test_a_smaller_level_prunes_more(self):
        X, y = classes()
        sizes = [
            DecisionTreeClassifier(prune="pessimistic", confidence=level).fit(X, y).get_n_leaves()
            for level in (0.5, 0.25, 0.1, 0.01)
        ]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > sizes[-1]

    @pytest.mark.parametrize("seed", range(3))
    def test_a_subtree_goes_when_a_leaf_is_not_worse_by_more_than_a_tenth(self, seed):
        X, y = classes(seed=seed)
        grown = DecisionTreeClassifier(prune=None).fit(X, y).tree_
        limit = upper_limits(grown, None, 0.25).as_leaf
        expected = DecisionTreeClassifier(prune="pessimistic").fit(X, y)

        def best(node):
            """Return the leaves that stay below a node, and what they cost."""
            if grown.is_leaf[node]:
                return 1, limit[node]
            first = int(grown.first_child[node])
            parts = [best(child) for child in range(first, first + int(grown.n_children[node]))]
            n_leaves, cost = (sum(part[i] for part in parts) for i in (0, 1))
            return (1, limit[node]) if limit[node] <= cost + 0.1 else (n_leaves, cost)

        assert expected.get_n_leaves() == best(0)[0]

    def test_numbers_by_the_upper_limit_of_the_variance(self):
        X, y = numbers()
        grown = DecisionTreeRegressor(prune=None, min_samples_leaf=4).fit(X, y).tree_
        found = upper_limits(grown, None, 0.25).as_leaf
        rows, spread = grown.weight, grown.spread[:, 0]
        upper = spread / chi2.ppf(0.25, rows - 2)
        whole = spread[0] / rows[0]
        assert found == pytest.approx(rows * np.minimum(upper, whole))

    def test_a_smaller_level_prunes_more_of_numbers_too(self):
        X, y = numbers()
        sizes = [
            DecisionTreeRegressor(prune="pessimistic", confidence=level).fit(X, y).get_n_leaves()
            for level in (0.5, 0.25, 0.1, 0.01, 0.001)
        ]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > sizes[-1]

    def test_most_of_what_noise_grew_is_pruned(self):
        """One step of the height of two standard deviations of the noise; 600 rows."""
        X, y = numbers(600)
        model = DecisionTreeRegressor(prune="pessimistic").fit(X, y)
        grown = DecisionTreeRegressor(prune=None).fit(X, y)
        assert 2 <= model.get_n_leaves() <= grown.get_n_leaves() / 4
        assert model.tree_.feature[0] == 0


class TestReducedError:
    @pytest.mark.parametrize("accept", ["better", "not_worse", "best"])
    @pytest.mark.parametrize("make", ["classes", "numbers"])
    @pytest.mark.parametrize("seed", range(2))
    def test_the_greedy_procedure(self, accept, make, seed):
        """At each step the subtree goes whose removal helps most on the rows held out."""
        X, y = classes(200, seed) if make == "classes" else numbers(200, seed)
        tree_class = DecisionTreeClassifier if make == "classes" else DecisionTreeRegressor
        grown = tree_class(prune=None, **SETTINGS).fit(X, y)
        fold = hold_out(grown._remembered.growth, 0.25, 0)
        part = np.sort(fold.grown.rows)
        model = tree_class(prune="reduced_error", accept=accept, **SETTINGS).fit(X, y)
        full = tree_class(prune=None, **SETTINGS).fit(X[part], y[part])
        tree, held = full.tree_, fold.rows
        decided = full.decision_ if make == "classes" else tree.value[:, 0]

        def losses(nodes):
            miss = y[held] - decided[nodes]
            return float((miss != 0).sum() if make == "classes" else (miss**2).sum())

        at, history = full.apply(X[held]), []
        alive = {int(node) for node in np.flatnonzero(~tree.is_leaf)}
        history.append((losses(at), full.get_n_leaves()))
        n_leaves = full.get_n_leaves()
        while alive:
            options = []
            for node in sorted(alive):
                below = subtree(tree, node)
                gone = 1 + sum(1 for other in below if other in alive)  # binary tests
                new = np.where(np.isin(at, below), node, at)
                options.append((round(losses(new), 9), -gone, node, new))
            _, gone, node, at = min(options, key=lambda option: option[:3])
            alive -= set(subtree(tree, node))
            n_leaves += gone + 1
            history.append((losses(at), n_leaves))
        costs = np.array([cost for cost, _ in history])
        change = np.diff(costs)
        if accept == "best":
            steps = len(costs) - 1 - int(np.argmin(np.round(costs, 9)[::-1]))
        else:
            bad = change >= -1e-9 if accept == "better" else change > 1e-9
            steps = int(np.flatnonzero(bad)[0]) if bad.any() else len(change)
        assert model.get_n_leaves() == history[steps][1]

    def test_how_far_a_sequence_is_followed(self):
        costs = np.array([9.0, 7, 7, 8, 5, 5, 6])
        assert steps_to_take(costs, "better") == 1
        assert steps_to_take(costs, "not_worse") == 2
        assert steps_to_take(costs, "best") == 5  # of equal trees the smaller
        assert steps_to_take(np.array([3.0, 2, 1]), "better") == 2
        assert steps_to_take(np.array([3.0, 3, 3]), "better") == 0
        assert steps_to_take(np.array([3.0, 3, 3]), "not_worse") == 2

    def test_accept_goes_from_larger_to_smaller_trees(self):
        X, y = load_dataset("heart").split_target("disease")
        sizes = np.array(
            [
                [
                    DecisionTreeClassifier(prune="reduced_error", accept=accept, random_state=seed)
                    .fit(X, y)
                    .get_n_leaves()
                    for accept in ("better", "not_worse", "best")
                ]
                for seed in range(4)
            ]
        )
        assert (sizes[:, 0] >= sizes[:, 1]).all()
        assert sizes[:, 2].sum() < sizes[:, 0].sum()

    @pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5])
    def test_the_share_of_rows_held_out(self, fraction):
        X, y = classes(400)
        model = DecisionTreeClassifier(prune="reduced_error", validation_fraction=fraction)
        assert model.fit(X, y).tree_.weight[0] == pytest.approx(400 * (1 - fraction), abs=2)


class TestDescriptionLength:
    def test_leaves_and_lambda_times_the_entropy(self):
        """Root H = 1, after the test 0.8113·8/16 + 0.5436·8/16: worth a leaf from some λ on."""
        X, y = of_counts((6, 2), (1, 7))

        def entropy(*counts):
            p = np.array(counts) / sum(counts)
            return -(p * np.log2(p)).sum()

        gain = entropy(7, 9) - (entropy(6, 2) + entropy(1, 7)) / 2
        for weight, n_leaves in ((0.99 / gain, 1), (1.01 / gain, 2)):
            model = DecisionTreeClassifier(prune="mdl", mdl_weight=weight, **SETTINGS).fit(X, y)
            assert model.get_n_leaves() == n_leaves

    def test_the_sum_is_the_least_of_all_prunings(self):
        X, y = classes(150)
        grown = DecisionTreeClassifier(prune=None).fit(X, y).tree_
        weight = 40.0

        def bits(node):
            p = grown.value[node][grown.value[node] > 0]
            return -(p * np.log2(p)).sum() * grown.weight[node] / grown.weight[0]

        def best(node):
            leaf = 1 + weight * bits(node)
            if grown.is_leaf[node]:
                return leaf
            first = int(grown.first_child[node])
            return min(leaf, best(first) + best(first + 1))

        model = DecisionTreeClassifier(prune="mdl", mdl_weight=weight).fit(X, y)
        found = model.get_n_leaves() + weight * model.entropy_
        assert found == pytest.approx(best(0))

    def test_in_bits(self):
        """A leaf costs ½ log2 N for each free probability, a bit, and the name of a used column."""
        X, y = classes(256)
        grown = DecisionTreeClassifier(prune=None).fit(X, y).tree_
        assert len(set(grown.feature[~grown.is_leaf].tolist())) == 3
        lengths = description_lengths(grown, None)
        assert lengths.per_leaf == pytest.approx(0.5 * 8 + np.log2(3) + 1)
        bits = -256 * sum(p * np.log2(p) for p in grown.value[0])
        assert lengths.as_leaf[0] == pytest.approx(bits)
        model = DecisionTreeClassifier(prune="mdl").fit(X, y)
        assert 1 < model.get_n_leaves() < grown.n_leaves / 3

    def test_numbers(self):
        X, y = numbers(600)
        model = DecisionTreeRegressor(prune="mdl").fit(X, y)
        assert 2 <= model.get_n_leaves() <= 12
        sizes = [
            DecisionTreeRegressor(prune="mdl", mdl_weight=weight).fit(X, y).get_n_leaves()
            for weight in (1.0, 30.0, 1000.0)
        ]
        assert sizes == sorted(sizes)
        assert sizes[0] < sizes[-1]


def test_bottom_up_compares_a_leaf_with_the_best_of_its_subtree():
    X, y = of_counts((3, 1), (1, 3))
    tree = DecisionTreeClassifier(prune=None, **SETTINGS).fit(X, y).tree_
    for as_leaf, per_leaf, margin, collapses in (
        ([5.0, 2, 2], 0.9, 0.0, False),
        ([5.0, 2, 2], 1.0, 0.0, True),
        ([5.0, 2, 2.5], 0.4, 0.2, True),
    ):
        found = bottom_up(tree, np.array(as_leaf), per_leaf, margin)
        assert found.tolist() == [collapses, False, False]


METHODS = ["cost_complexity", "reduced_error", "pessimistic", "mdl", None]


def a_step(scale):
    X, y = numbers(200)
    return X, (np.where(X[:, 0] > 0, 1.0, -1.0) + 0.05 * y) * scale


@pytest.mark.parametrize("prune", METHODS)
@pytest.mark.parametrize("scale", [1e-100, 1e-20, 1e20, 1e100])
def test_the_unit_of_a_number_does_not_matter(prune, scale):
    """A clear step stays a step when it is measured in very large or very small units."""
    X, y = a_step(scale)
    model = DecisionTreeRegressor(prune=prune).fit(X, y)
    assert model.get_n_leaves() >= 2
    clear = np.abs(X[:, 0]) > 0.1  # reduced error has not seen all rows about the step
    assert np.sign(model.predict(X[clear])).tolist() == np.sign(X[clear, 0]).tolist()


@pytest.mark.parametrize("prune", METHODS)
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_numbers_whose_squares_are_out_of_range(prune, scale):
    """They may be refused in our own words; nothing else may happen to them."""
    X, y = a_step(scale)
    try:
        found = DecisionTreeRegressor(prune=prune).fit(X, y).predict(X)
    except BranchlineError:
        return
    assert np.isfinite(found).all()
