"""The worked numbers of the small tables, recomputed by counting alone.

Nothing here uses a learner: entropy is three lines of NumPy, so a wrong number means a table was
copied wrongly. Values hold to the digits printed in the specification.
"""

from itertools import combinations

import numpy as np
import pytest

from branchline.table import Table, load_dataset


def entropy(counts):
    shares = np.array([count for count in counts if count]) / sum(counts)
    return float(-np.sum(shares * np.log2(shares)))


def values(table, name):
    """Return a column as text, with NA for missing: a value of its own."""
    return np.array(["NA" if value is None else value for value in table[name].to_list()])


def entropy_of(labels):
    return entropy(np.unique(labels, return_counts=True)[1])


def conditional(labels, given):
    """Return H(labels | given)."""
    return sum(
        np.mean(given == value) * entropy_of(labels[given == value]) for value in np.unique(given)
    )


def gains(table, target, *names):
    """Return the information gain of a multiway test on each of ``names``."""
    y = values(table, target)
    return [entropy_of(y) - conditional(y, values(table, name)) for name in names]


def where(table, name, value):
    return table.rows(values(table, name) == value)


def printed(numbers, digits):
    """Return a comparison with numbers printed with so many digits after the point."""
    return pytest.approx(numbers, abs=0.5 * 10.0**-digits + 1e-12)


WEATHER = ("outlook", "temperature", "humidity", "wind")


class TestTennis:
    def test_gains_at_the_root(self):
        tennis = load_dataset("tennis")
        assert entropy_of(values(tennis, "play")) == printed(0.940, 3)
        assert gains(tennis, "play", *WEATHER) == printed([0.2467, 0.0292, 0.1518, 0.0481], 4)

    def test_gain_ratios(self):
        tennis = load_dataset("tennis")
        split = [entropy_of(values(tennis, name)) for name in WEATHER]
        ratios = np.array(gains(tennis, "play", *WEATHER)) / split
        assert split[0] == printed(1.5774, 4)
        assert ratios == printed([0.1564, 0.0188, 0.1518, 0.0488], 4)

    def test_gains_below_outlook(self):
        tennis = load_dataset("tennis")
        sunny, rain = where(tennis, "outlook", "sunny"), where(tennis, "outlook", "rain")
        assert entropy_of(values(sunny, "play")) == printed(0.971, 3)
        assert gains(sunny, "play", *WEATHER[1:]) == printed([0.571, 0.971, 0.020], 3)
        assert gains(rain, "play", *WEATHER[1:]) == printed([0.020, 0.020, 0.971], 3)

    def test_thresholds_of_the_numeric_temperature(self):
        tennis = load_dataset("tennis-numeric")
        degrees, play = tennis["temperature"].numbers(), values(tennis, "play")
        distinct = np.unique(degrees)
        middles = (distinct[1:] + distinct[:-1]) / 2
        found = [entropy_of(play) - conditional(play, degrees <= middle) for middle in middles]
        expected = {
            64.5: 0.048, 66.5: 0.010, 68.5: 0.000, 69.5: 0.015, 70.5: 0.045, 71.5: 0.001,
            73.5: 0.001, 77.5: 0.025, 80.5: 0.000, 82.0: 0.010, 84.0: 0.113,
        }  # fmt: skip
        assert middles.tolist() == list(expected)
        assert found == printed(list(expected.values()), 3)

    def test_numeric_temperatures_belong_to_the_same_days(self):
        words, numbers = load_dataset("tennis"), load_dataset("tennis-numeric")
        rest = ["outlook", "humidity", "wind", "play"]
        assert words.select(rest).to_dicts() == numbers.select(rest).to_dicts()


class TestTennis2:
    def test_gains(self):
        table = load_dataset("tennis-2")
        assert gains(table, "play", *WEATHER) == printed([0.2467, 0.0150, 0.1518, 0.0161], 4)
        sunny = where(table, "outlook", "sunny")
        assert gains(sunny, "play", *WEATHER[1:]) == printed([0.420, 0.971, 0.020], 3)

    def test_one_more_day_makes_a_tie(self):
        day = ("sunny", "mild", "normal", "strong", "no")
        tennis = load_dataset("tennis-2")
        table = Table([*tennis.to_dicts(), dict(zip(tennis.names, day, strict=True))])
        sunny = where(table, "outlook", "sunny")
        assert gains(sunny, "play", "temperature", "humidity") == printed([0.459, 0.459], 3)

    def test_five_leaf_tree_misses_row_10(self):
        def play(day):
            if day["outlook"] == "sunny":
                return "yes" if day["humidity"] == "normal" else "no"
            return "no" if day["outlook"] == "rain" and day["wind"] == "strong" else "yes"

        days = load_dataset("tennis-2").to_dicts()
        assert [row for row, day in enumerate(days, 1) if play(day) != day["play"]] == [10]

    def test_fractional_humidity_of_a_sunny_day(self):
        sunny = where(load_dataset("tennis-2"), "outlook", "sunny")
        assert np.mean(values(sunny, "humidity") == "high") == pytest.approx(0.6)
        assert set(values(where(sunny, "humidity", "high"), "play")) == {"no"}


class TestOtherTrees:
    def test_names(self):
        table = load_dataset("names")
        name = values(table, "name")
        found = [conditional(name, values(table, look)) for look in table.names[:-1]]
        assert entropy_of(name) == printed(3.322, 3)
        assert found == printed([2.322, 1.751, 1.751, 1.961], 3)

    def test_robot(self):
        table = load_dataset("robot")
        action = values(table, "action")
        found = [conditional(action, values(table, name)) for name in table.names[:-1]]
        assert entropy_of(action) == printed(1.252, 3)
        assert found == printed([0.874, 1.000, 0.333, 1.000, 0.667], 3)

    def test_robot_before_an_obstacle(self):
        table = where(load_dataset("robot"), "forward", "obstacle")
        action = values(table, "action")
        names = ("left", "previous", "right", "back")
        found = [conditional(action, values(table, name)) for name in names]
        assert found == pytest.approx([0, 0, 1, 1])

    def test_robot_rules(self):
        for seen in load_dataset("robot").to_dicts():
            turn = "turn-left" if seen["left"] == "free" else "turn-right"
            assert seen["action"] == ("forward" if seen["forward"] == "free" else turn)

    def test_loan(self):
        loan = load_dataset("loan")
        assert entropy_of(values(loan, "class")) == printed(0.971, 3)
        assert gains(loan, "class", "age", "job", "house", "credit") == printed(
            [0.083, 0.324, 0.420, 0.363], 3
        )
        assert gains(where(loan, "house", "f"), "class", "job") == printed([0.918], 3)
        for person in loan.to_dicts():
            assert (person["class"] == "Yes") == ("t" in (person["house"], person["job"]))

    def test_fruit(self):
        fruit = load_dataset("fruit")
        assert entropy_of(values(fruit, "fruit")) == printed(1.522, 3)
        assert gains(fruit, "fruit", "color", "shape", "leaf", "taste") == printed(
            [0.722, 0.971, 0.571, 0.722], 3
        )
        round_ones = where(fruit, "shape", "round")
        assert gains(round_ones, "fruit", "taste", "color") == printed([0.918, 0.918], 3)

    def test_xor_has_no_single_gain(self):
        assert gains(load_dataset("xor"), "class", "x1", "x2") == pytest.approx([0, 0])


class TestGrades:
    @pytest.mark.parametrize(
        ("name", "target", "given", "expected"),
        [
            ("grades-clouds", "grade", "clouds", 1.9029),
            ("grades-pass-clouds", "result", "clouds", 0.6721),
            ("grades-pass-improc", "result", "improc", 0.6279),
            ("grades-softdev-a", "grade", "clouds", 1.1916),
        ],
    )
    def test_conditional_entropy(self, name, target, given, expected):
        table = load_dataset(name)
        found = conditional(values(table, target), values(table, given))
        assert found == printed(expected, 4)

    def test_class_counts(self):
        grade = values(load_dataset("grades-clouds"), "grade")
        result = values(load_dataset("grades-pass-clouds"), "result")
        assert np.unique(grade, return_counts=True)[1].tolist() == [13, 70, 70, 20, 6, 11]
        assert entropy_of(grade) == printed(2.0635, 4)
        assert entropy_of(result) == printed(0.7113, 4)

    def test_pass_is_a_to_c(self):
        grades, passes = load_dataset("grades-clouds"), load_dataset("grades-pass-clouds")
        result = np.where(np.isin(values(grades, "grade"), list("ABC")), "pass", "fail")
        pairs = zip(result, values(grades, "clouds"), strict=True)
        others = zip(values(passes, "result"), values(passes, "clouds"), strict=True)
        assert sorted(pairs) == sorted(others)


class TestFlipFlop:
    @pytest.fixture
    def columns(self):
        table = load_dataset("flipflop")
        return values(table, "X"), values(table, "Y")

    def test_from_the_values_to_the_classes(self, columns):
        x, y = columns
        inside = np.isin(x, ["α"])
        assert conditional(y, inside) == printed(2.1319, 4)
        order = sorted("abcdef", key=lambda label: np.mean(inside[y == label]))
        assert order == list("eadfcb")
        scan = [conditional(inside, np.isin(y, order[:k])) for k in range(1, 6)]
        assert scan == printed([0.831, 0.773, 0.705, 0.722, 0.767], 3)

    def test_from_the_classes_to_the_values(self, columns):
        x, y = columns
        wanted = np.isin(y, list("ead"))
        scan = [conditional(wanted, np.isin(x, list(some))) for some in ("β", "βα", "βαδ")]
        assert scan == printed([0.934, 0.705, 0.588], 3)

    def test_result_is_the_exact_optimum(self, columns):
        x, y = columns
        subsets = [some for size in (1, 2, 3) for some in combinations("αβγδ", size)]
        best = min(conditional(y, np.isin(x, some)) for some in subsets)
        assert conditional(y, np.isin(x, list("αβδ"))) == pytest.approx(best)
        assert best == printed(2.0328, 4)


class TestCountsWithoutATable:
    def test_entropies_and_gains(self):
        def gain(*children):
            after = np.average([entropy(child) for child in children], weights=np.sum(children, 1))
            return entropy(np.sum(children, 0)) - after

        found = [entropy(counts) for counts in ((14, 16), (13, 4), (1, 12))]
        assert found == printed([0.9968, 0.7871, 0.3912], 4)
        assert gain((13, 4), (1, 12)) == printed(0.3812, 4)
        assert gain((21, 5), (8, 30)) == printed(0.266, 3)
        assert gain((18, 33), (11, 2)) == printed(0.121, 3)

    def test_subset_search_with_two_classes(self):
        counts = {"a": (1, 6), "b": (5, 3), "c": (0, 5)}

        def after(inside):
            sides = [[counts[v] for v in counts if (v in inside) is side] for side in (True, False)]
            totals = [np.sum(side, axis=0) for side in sides]
            return sum(side.sum() / 20 * entropy(side) for side in totals)

        assert sorted(counts, key=lambda v: counts[v][0] / sum(counts[v])) == ["c", "a", "b"]
        assert [after("c"), after("ca"), after("cb")] == printed([0.7282, 0.6301, 0.8319], 4)

    def test_average_of_the_softdev_nodes(self):
        rows = [25, 35, 19, 3, 2, 2, 104]
        average = np.average([1.37, 1.66, 1.43, 0, 0, 1, 2.27], weights=rows)
        assert average == printed(1.88, 2)


class TestScoresAndDistances:
    def test_area_under_the_roc_curve(self):
        table = load_dataset("roc")
        score, label = table["score"].numbers(), values(table, "class")
        pairs = score[label == "p"][:, None] > score[label == "n"]
        assert pairs.mean() == printed(0.68, 2)

    @pytest.mark.parametrize(
        ("model", "squared", "absolute", "pearson", "spearman"),
        [("model_1", 9.514, 2.815, 0.9992, 0.9929), ("model_2", 249.66, 14.618, 0.9815, 0.9786)],
    )
    def test_errors_of_two_models(self, model, squared, absolute, pearson, spearman):
        table = load_dataset("regression")
        truth, guess = table["truth"].numbers(), table[model].numbers()
        ranks = [np.argsort(np.argsort(numbers)) for numbers in (truth, guess)]
        assert np.mean((guess - truth) ** 2) == printed(squared, 3 if squared < 10 else 2)
        assert np.mean(np.abs(guess - truth)) == printed(absolute, 3)
        assert np.corrcoef(truth, guess)[0, 1] == printed(pearson, 4)
        assert np.corrcoef(*ranks)[0, 1] == printed(spearman, 4)

    def test_nearest_neighbor(self):
        table = load_dataset("one-nn")
        distance = np.hypot(table["x1"].numbers() - 0.92, table["x2"].numbers() - 0.43)
        assert distance == printed([0.710, 0.772, 0.538, 0.439], 3)
        assert values(table, "class")[distance.argmin()] == "Disease"

    def test_kernel_6_is_not_a_kernel(self):
        matrix = load_dataset("kernel-6").to_numpy().copy()
        assert (matrix == matrix.T).all()
        assert np.linalg.eigvalsh(matrix)[0] == printed(-0.046, 3)
        matrix[1, 3] = matrix[3, 1] = 0.70
        assert np.linalg.eigvalsh(matrix)[0] == printed(-0.011, 3)

    def test_xor_solved_by_a_quadratic_kernel(self):
        table = load_dataset("xor")
        corners = table.select(["x1", "x2"]).to_numpy()
        sign = np.where(values(table, "class") == "yes", 1, -1)
        grid = np.random.default_rng(0).normal(size=(20, 2))
        decision = (grid @ corners.T + 1) ** 2 @ (0.125 * sign)
        assert decision == pytest.approx(-grid[:, 0] * grid[:, 1])
