"""Missing values, in training and prediction, by each policy; categories that were never seen."""

import numpy as np
import pandas as pd
import pytest

from branchline import Table, load_dataset
from branchline.tree import ID3, DecisionTreeClassifier, DecisionTreeRegressor

POLICIES = ("learned", "own", "node_mode", "sample_mode", "fractional")
NAN = np.nan


def gini(some):
    if len(some) == 0:
        return 0.0
    return 1 - ((np.bincount(some, minlength=2) / len(some)) ** 2).sum()


def gain(y, *branches):
    return gini(y) - sum(np.mean(branch) * gini(y[branch]) for branch in branches)


def classifier(missing, **parameters):
    settings = {"prune": None, "correct_for_chance": False, "missing": missing}
    return DecisionTreeClassifier(**{**settings, **parameters})


def regressor(missing, **parameters):
    settings = {"prune": None, "correct_for_chance": False, "missing": missing}
    return DecisionTreeRegressor(**{**settings, **parameters})


def holes(n_rows=60, seed=0, share=0.25):
    """Return one column of numbers with holes that tell something, and two classes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_rows).round(1)
    y = (x + rng.normal(0, 0.7, n_rows) > 0).astype(int)
    x[rng.random(n_rows) < share * (0.5 + y)] = NAN
    return x, y


def words(n_rows=80, seed=0):
    """Return a column of four words with holes, and two classes."""
    rng = np.random.default_rng(seed)
    word = rng.choice(["a", "b", "c", "d"], n_rows, p=[0.2, 0.4, 0.3, 0.1]).astype(object)
    y = (rng.random(n_rows) < np.where(np.isin(word, ["a", "c"]), 0.8, 0.3)).astype(int)
    word[rng.random(n_rows) < 0.2] = None
    return word, y


def filled(column, fill):
    return np.array([fill if value is None or value != value else value for value in column])


class TestLearned:
    """A missing value takes the branch that makes the test better; being missing is a test too."""

    @pytest.mark.parametrize("seed", range(4))
    def test_numbers(self, seed):
        x, y = holes(seed=seed)
        gone = np.isnan(x)
        best = max(
            [gain(y, gone, ~gone)]
            + [
                gain(y, left, ~left)
                for value in np.unique(x[~gone])[:-1]
                for left in (x <= value, (x <= value) | gone)
            ]
        )
        model = classifier("learned", max_depth=1).fit(x[:, None], y)
        assert model.why(0).reasons[0].gain == pytest.approx(best)
        branch = int(model.tree_.missing_branch[0])
        assert model.apply([[NAN]])[0] == 1 + branch
        assert model.tree_.weight[1 + branch] >= gone.sum()

    @pytest.mark.parametrize("seed", range(4))
    def test_words(self, seed):
        x, y = words(seed=seed)
        gone = np.array([value is None for value in x])
        best = max(
            gain(y, left, ~left)
            for bits in range(1, 16)
            for known in [
                np.isin(filled(x, ""), [w for i, w in enumerate("abcd") if bits >> i & 1])
            ]
            for left in (known, known | gone)
            if left.any() and not left.all()
        )
        model = classifier("learned", max_depth=1).fit(Table({"w": x}), y)
        assert model.why(0)["w"].gain == pytest.approx(best)

    def test_being_missing_can_be_all_that_counts(self):
        x = np.array([1.0, 2, 3, 1, 2, 3, NAN, NAN, NAN])
        model = classifier("learned").fit(x[:, None], [0] * 6 + [1] * 3)
        assert model.to_text().splitlines()[0] == "x0 is present"
        assert model.predict([[2.5], [NAN], [99.0]]).tolist() == [0, 1, 0]

    def test_a_multiway_test_gives_them_a_branch(self):
        x, y = words()
        model = classifier("learned", split="multiway", max_depth=1).fit(Table({"w": x}), y)
        assert model.tree_.n_children[0] == 5
        assert model.tree_.missing_branch[0] == 4
        assert model.tree_.weight[5] == sum(value is None for value in x)


class TestOwn:
    """A missing value has a branch of its own."""

    def test_numbers(self):
        x, y = holes()
        gone = np.isnan(x)
        best = max(gain(y, gone, x <= value, x > value) for value in np.unique(x[~gone])[:-1])
        model = classifier("own", max_depth=1).fit(x[:, None], y)
        assert model.why(0).reasons[0].gain == pytest.approx(best)
        assert model.tree_.n_children[0] == 3
        assert model.predict_proba([[NAN]])[0, 1] == pytest.approx(y[gone].mean())

    @pytest.mark.parametrize("split", ["binary", "multiway"])
    def test_words(self, split):
        x, y = words()
        gone = np.array([value is None for value in x])
        model = classifier("own", split=split, max_depth=1).fit(Table({"w": x}), y)
        assert model.tree_.n_children[0] == (3 if split == "binary" else 5)
        assert model.predict_proba({"w": [None]})[0, 1] == pytest.approx(y[gone].mean())
        if split == "multiway":
            branches = [filled(x, "") == word for word in ("a", "b", "c", "d", "")]
            assert model.why(0)["w"].gain == pytest.approx(gain(y, *branches))

    def test_their_branch_has_as_many_rows_as_any(self):
        """min_samples_leaf: the fewest rows of a branch."""
        x, y = holes(share=0.05)
        assert 0 < np.isnan(x).sum() < 10
        model = classifier("own", min_samples_leaf=10).fit(x[:, None], y)
        assert model.tree_.weight.min() >= 10


class TestModes:
    """It counts as the commonest category, or the median, of the node or of all rows."""

    @pytest.mark.parametrize("split", ["binary", "multiway"])
    def test_all_rows_categories(self, split):
        x, y = words(200)
        other = np.random.default_rng(1).choice(["u", "v"], 200)
        model = classifier("sample_mode", split=split).fit(Table({"w": x, "o": other}), y)
        whole = Table({"w": filled(x, "b"), "o": other})
        same = classifier("sample_mode", split=split).fit(whole, y)
        assert model.to_text() == same.to_text()
        assert (model.predict(Table({"w": x, "o": other})) == same.predict(whole)).all()

    def test_all_rows_numbers(self):
        x, y = holes(101)
        x2 = np.random.default_rng(1).normal(size=101)
        known = np.sort(x[~np.isnan(x)])
        median = known[(len(known) - 1) // 2]  # a value that occurs
        model = classifier("sample_mode").fit(np.column_stack([x, x2]), y)
        same = classifier("sample_mode").fit(np.column_stack([filled(x, median), x2]), y)
        assert model.to_text() == same.to_text()
        assert model.apply([[NAN, 0.3]]) == same.apply([[median, 0.3]])

    def test_the_node(self):
        """In the left half b is commonest, in the right half a; over all rows b."""
        side = np.repeat([0.0, 1.0], 20)
        word = [*"b" * 14, *"a" * 4, None, None, *"a" * 10, *"b" * 8, None, None]
        y = [0] * 14 + [1] * 4 + [0, 0] + [2] * 10 + [3] * 8 + [2, 2]
        model = classifier("node_mode").fit(Table({"side": side, "word": word}), y)
        assert model.score(Table({"side": side, "word": word}), y) == 1.0
        rows = {"side": [0.0, 1.0], "word": [None, None]}
        assert model.predict(rows).tolist() == [0, 2]
        # Over all rows the commonest is b: on the right side its class is 3.
        whole = classifier("sample_mode").fit(Table({"side": side, "word": word}), y)
        assert whole.predict(rows).tolist() == [0, 3]


class TestFractional:
    """Quinlan's example (C4.5, 1993): the outlook of the overcast, windy day of 72° is unknown."""

    @pytest.fixture
    def days(self):
        table = load_dataset("tennis")
        rows = table.to_dicts()
        rows[11]["outlook"] = None
        return Table(rows).split_target("play")

    def test_gain_and_ratio(self, days):
        model = ID3(criterion="gain_ratio", missing="fractional").fit(*days)
        outlook = model.why(0)["outlook"]
        assert outlook.gain == pytest.approx(0.199, abs=0.0005)
        assert outlook.gain / outlook.gain_ratio == pytest.approx(1.809, abs=0.0005)
        assert outlook.gain_ratio == pytest.approx(0.110, abs=0.0005)

    def test_the_tree(self, days):
        model = ID3(missing="fractional", max_depth=2).fit(*days)
        tree = model.tree_
        found = sorted(
            (
                model.classes_[model.decision_[leaf]],
                tree.weight[leaf],
                tree.weight[leaf] * (1 - tree.value[leaf].max()),
            )
            for leaf in np.flatnonzero(tree.is_leaf)
        )
        expected = [
            ("no", 2 + 5 / 13, 5 / 13),  # rain, strong: 2.4/0.4
            ("no", 3 + 5 / 13, 5 / 13),  # sunny, high: 3.4/0.4
            ("yes", 2.0, 0.0),
            ("yes", 3.0, 0.0),
            ("yes", 3 + 3 / 13, 0.0),  # overcast: 3.2
        ]
        for one, other in zip(found, expected, strict=True):
            assert one[0] == other[0]
            assert one[1:] == pytest.approx(other[1:], abs=1e-5)

    def test_prediction_is_averaged_over_the_branches(self, days):
        model = ID3(missing="fractional", max_depth=2).fit(*days)
        row = {"outlook": [None], "temperature": ["mild"], "humidity": ["high"], "wind": ["weak"]}
        p_sunny_high = (5 / 13) / (3 + 5 / 13)
        shares = np.array([5, 3, 5]) / 13
        expected = shares @ [p_sunny_high, 1.0, 1.0]  # sunny and high; overcast; rain and weak
        assert model.predict_proba(row)[0, 1] == pytest.approx(expected, abs=1e-6)

    def test_numbers_are_shared_too(self):
        X = np.array([[1.0], [1.0], [2.0], [NAN]])
        model = regressor("fractional", max_depth=1).fit(X, [0.0, 0.0, 9.0, 3.0])
        assert model.tree_.weight == pytest.approx([4, 2 + 2 / 3, 1 + 1 / 3], abs=1e-5)
        low, high = (2 / 3 * 3) / (2 + 2 / 3), (9 + 3 / 3) / (1 + 1 / 3)
        assert model.predict([[1.0], [2.0]]) == pytest.approx([low, high], abs=1e-4)
        shared = 2 / 3 * low + 1 / 3 * high
        assert model.predict([[NAN]]) == pytest.approx([shared], abs=1e-4)
        # The gain counts known rows only: variance among 0, 0, 9, all of it, three rows of four.
        assert model.why(0).reasons[0].gain == pytest.approx(3 / 4 * 18, rel=1e-5)


class TestOnlyAtPrediction:
    """No value was missing in training."""

    X = Table({"n": [1.0, 2, 3, 4, 5, 6, 7], "w": list("aabbbcc")})

    @pytest.mark.parametrize("missing", ["learned", "own"])
    def test_they_go_where_most_rows_went(self, missing):
        model = classifier(missing).fit(self.X.select(["n"]), [0, 0, 1, 1, 1, 1, 1])
        assert model.predict({"n": [None]}).tolist() == [1]
        model = classifier(missing).fit(self.X.select(["n"]), [0, 0, 0, 0, 0, 1, 1])
        assert model.predict({"n": [None]}).tolist() == [0]

    @pytest.mark.parametrize("missing", ["node_mode", "sample_mode"])
    @pytest.mark.parametrize("split", ["binary", "multiway"])
    def test_they_go_where_the_commonest_category_goes(self, missing, split):
        """That is b, though more rows have another word."""
        model = classifier(missing, split=split).fit(self.X.select(["w"]), [0, 0, 1, 1, 1, 0, 0])
        assert model.predict({"w": [None]}).tolist() == [1]

    def test_they_go_where_the_median_goes(self):
        """The median of all is 4; of those up to 4.5 it is 2."""
        found = {
            missing: classifier(missing)
            .fit(self.X.select(["n"]), [0, 0, 1, 1, 2, 2, 2])
            .predict({"n": [None]})
            .tolist()
            for missing in ("sample_mode", "node_mode")
        }
        assert found == {"sample_mode": [1], "node_mode": [0]}

    def test_they_are_shared(self):
        model = classifier("fractional").fit(self.X.select(["n"]), [0, 0, 1, 1, 1, 1, 1])
        assert model.predict_proba({"n": [None]}) == pytest.approx(np.array([[2 / 7, 5 / 7]]))


class TestUnseen:
    @pytest.mark.parametrize("missing", POLICIES)
    @pytest.mark.parametrize("split", ["binary", "multiway"])
    @pytest.mark.parametrize("make", [classifier, regressor])
    def test_a_new_category_is_treated_as_a_missing_value(self, missing, split, make):
        x, y = words(200)
        other = np.random.default_rng(1).choice(["u", "v", "w"], 200).astype(object)
        other[::17] = None
        model = make(missing, split=split, max_depth=3).fit(Table({"w": x, "o": other}), y)
        rows = [{"w": w, "o": o} for w in ("a", None, "new") for o in ("u", None, "other")]
        known = [{k: v if v in ("a", "u") else None for k, v in row.items()} for row in rows]
        answer = model.predict_proba if make is classifier else model.predict
        assert answer(rows) == pytest.approx(answer(known))

    @pytest.mark.parametrize("missing", POLICIES)
    def test_a_category_that_a_multiway_node_never_saw_gets_the_nodes_majority(self, missing):
        """In the left half no row has c."""
        side = ["left"] * 12 + ["right"] * 12
        word = ["a"] * 7 + ["b"] * 5 + ["a", "b", "c"] * 4
        y = [0] * 7 + [1] * 5 + [2] * 12
        table = Table({"side": side, "word": word})
        model = classifier(missing, split="multiway").fit(table, y)
        assert model.used_columns_ == ["side", "word"]
        found = model.predict_proba({"side": ["left"], "word": ["c"]})
        assert found == pytest.approx(np.array([[7 / 12, 5 / 12, 0]]))

    @pytest.mark.parametrize("missing", POLICIES)
    def test_a_category_that_a_subset_test_never_saw_is_treated_as_missing(self, missing):
        """In the left half no row has c; below the test of words, numbers decide."""
        side = ["left"] * 24 + ["right"] * 12
        word = ["a"] * 12 + ["b"] * 12 + ["a", "b", "c"] * 4
        number = np.tile([1.0, 2.0], 18)
        y = np.where(number == 1, 0, 1) + np.repeat([0, 2, 4], 12)
        y[24:] = 4
        model = classifier(missing).fit(Table({"side": side, "word": word, "number": number}), y)
        rows = [{"side": "left", "word": word, "number": 1.0} for word in ("c", None)]
        unseen, gone = model.predict_proba(rows)
        assert unseen == pytest.approx(gone)


def test_a_category_that_no_training_row_has_is_as_one_never_heard_of():
    """Declared only, or of rows of weight 0: shared among all branches where rows are shared."""
    rng = np.random.default_rng(0)
    names, x = rng.choice(list("abcd"), 80), rng.normal(size=80)
    y = x * (names == "a") + (names == "b") + 0.1 * rng.normal(size=80)
    model = DecisionTreeRegressor(split="multiway", missing="fractional", prune=None)

    def predicted(categories: list[str]) -> list[float]:
        frame = pd.DataFrame({"c": pd.Categorical(names, categories=categories), "x": x})
        new = pd.DataFrame({"c": ["z"] * 3, "x": [-1.0, 0.0, 1.0]})
        return model.fit(frame, y).predict(new).tolist()

    assert predicted(list("abcdz")) == predicted(list("abcd"))
