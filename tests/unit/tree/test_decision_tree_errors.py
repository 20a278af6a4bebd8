"""What a tree refuses, in whose words; and the tables so small that nothing can be learned."""

import numpy as np
import pytest

from branchline import Table
from branchline.errors import (
    BranchlineError,
    BranchlineWarning,
    DataError,
    KindError,
    NotFittedError,
    ParameterError,
)
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
CLASSES = np.where(X[:, 0] > 0, "b", "a")
NUMBERS = X[:, 0] + X[:, 1]
WORDS = Table({"c": list("aabbcc"), "x": [1.0, 2, 3, 4, 5, 6]})
TREES = (DecisionTreeClassifier, DecisionTreeRegressor)
PRUNINGS = ("cost_complexity", "reduced_error", "pessimistic", "mdl", None)


def target(tree):
    return CLASSES if tree is DecisionTreeClassifier else NUMBERS


def refused(error, code, fit):
    with pytest.raises(error) as caught:
        fit()
    assert caught.value.code == code
    return str(caught.value)


class TestData:
    @pytest.mark.parametrize("tree", TREES)
    def test_no_rows(self, tree):
        message = refused(DataError, "D001", lambda: tree().fit(np.empty((0, 3)), []))
        assert "0 sample(s)" in message

    @pytest.mark.parametrize("tree", TREES)
    @pytest.mark.parametrize("nothing", [np.full((6, 2), np.nan), Table({"a": [None] * 6})])
    def test_a_table_without_any_value(self, tree, nothing):
        """There is nothing to learn from, which the user should hear."""
        with pytest.raises(BranchlineError, match="missing"):
            tree().fit(nothing, target(tree)[:6])

    def test_a_column_without_any_value_is_not_used(self):
        table = Table({"nothing": [None] * 6, "x": [1.0, 2, 3, 4, 5, 6]})
        model = DecisionTreeClassifier(prune=None).fit(table, list("aaabbb"))
        assert model.used_columns_ == ["x"]
        assert model.predict({"nothing": [7.0], "x": [2.0]}).tolist() == ["a"]

    @pytest.mark.parametrize("tree", TREES)
    def test_a_missing_target(self, tree):
        y = target(tree).astype(object)
        y[[3, 7]] = np.nan
        message = refused(DataError, "D071", lambda: tree().fit(X, y))
        assert "rows: 3, 7" in message

    def test_an_infinite_target(self):
        y = np.where(NUMBERS > 0, np.inf, NUMBERS)
        refused(DataError, "D072", lambda: DecisionTreeRegressor().fit(X, y))

    @pytest.mark.parametrize("tree", TREES)
    @pytest.mark.parametrize(
        ("weight", "code"), [(-1.0, "D082"), (np.nan, "D082"), (np.inf, "D082"), (0.0, "D081")]
    )
    def test_weights(self, tree, weight, code):
        refused(DataError, code, lambda: tree().fit(X, target(tree), np.full(40, weight)))

    @pytest.mark.parametrize("y", [CLASSES, np.column_stack([NUMBERS, CLASSES])])
    def test_text_for_the_regressor(self, y):
        message = refused(KindError, "K012", lambda: DecisionTreeRegressor().fit(X, y))
        assert "DecisionTreeClassifier().fit(X, y)" in message

    def test_numbers_for_the_classifier(self):
        message = refused(DataError, "D076", lambda: DecisionTreeClassifier().fit(X, NUMBERS))
        assert "DecisionTreeRegressor().fit(X, y)" in message

    def test_several_columns_of_classes(self):
        y = np.column_stack([CLASSES, CLASSES])
        refused(DataError, "D074", lambda: DecisionTreeClassifier().fit(X, y))

    @pytest.mark.parametrize("tree", TREES)
    def test_nothing_works_before_fit(self, tree):
        model = tree()
        for use in (
            lambda: model.predict(X),
            lambda: model.predict(X[:1]),
            lambda: model.apply(X),
            lambda: model.to_text(),
            lambda: model.why(0),
            lambda: model.feature_importances_,
            lambda: model.entropy_,
            lambda: model.get_depth(),
        ):
            refused(NotFittedError, "N001", use)

    @pytest.mark.parametrize("tree", TREES)
    def test_a_failed_fit_leaves_nothing(self, tree):
        model = tree().fit(X, target(tree))
        with pytest.raises(DataError):
            model.fit(X, target(tree), -np.ones(40))
        refused(NotFittedError, "N001", lambda: model.predict(X))
        assert not [name for name in vars(model) if name.endswith("_") and name[0] != "_"]


class TestMixes:
    @pytest.mark.parametrize("tree", TREES)
    @pytest.mark.parametrize(
        ("mix", "word"),
        [
            ({"split": "multiway", "subsets": {"c": [["a"]]}}, "subsets"),
            ({"split": "multiway", "subset_search": "exact"}, "subset_search"),
            ({"rare_categories": "share"}, "rare_categories"),
            ({"ccp_alpha": 0.1, "prune": None}, "ccp_alpha"),
            ({"ccp_alpha": 0.1, "prune": "mdl"}, "ccp_alpha"),
            ({"mdl_weight": 1.0}, "mdl_weight"),
            ({"zero_gain": "split", "min_gain": 0.1}, "min_gain"),
        ],
    )
    def test_contradictions_are_refused_and_the_repair_helps(self, tree, mix, word):
        model = tree(**mix)
        y = ["a", "b"] * 3 if tree is DecisionTreeClassifier else [0.0, 1.0] * 3
        with pytest.raises(ParameterError) as caught:
            model.fit(WORDS, y)
        assert caught.value.code == "P015"
        assert word in caught.value.message
        exec(caught.value.repair.python, {"model": model})  # a line of our own making
        model.fit(WORDS, y)


class TestParameters:
    @pytest.mark.parametrize(
        "wrong",
        [
            {"criterion": "variance"},
            {"split": "ternary"},
            {"missing": "guess"},
            {"max_depth": 0},
            {"max_depth": 2.0},
            {"max_leaf_nodes": 1},
            {"min_samples_split": 1},
            {"min_samples_leaf": 0},
            {"min_samples_leaf": 0.1},
            {"min_impurity": -1.0},
            {"min_gain": np.nan},
            {"significance": 0.0},
            {"significance": 1.5},
            {"zero_gain": "go"},
            {"stop_by": "squared_error"},
            {"min_improvement": -0.1},
            {"prune": "none"},
            {"choose_by": "test"},
            {"n_folds": 1},
            {"rule": "yes"},
            {"ccp_alpha": -0.1},
            {"validation_fraction": 0.0},
            {"validation_fraction": 0.95},
            {"accept": "worse"},
            {"confidence": 0.0},
            {"confidence": 0.6},
            {"mdl_weight": 0.0},
            {"class_weight": "balance"},
            {"costs": 5},
            {"test_costs": [1, 2]},
            {"subsets": [["a"]]},
            {"intervals": [1.0]},
            {"subset_search": "all"},
            {"rare_categories": "drop"},
            {"cautious_thresholds": 1},
            {"correct_for_chance": "no"},
        ],
        ids=str,
    )
    def test_values_out_of_range(self, wrong):
        (name,) = wrong
        message = refused(
            ParameterError, "P001", lambda: DecisionTreeClassifier(**wrong).fit(X, CLASSES)
        )
        assert f"'{name}' parameter of DecisionTreeClassifier" in message

    @pytest.mark.parametrize(
        "wrong",
        [
            {"test_costs": {"nowhere": 2.0}},
            {"test_costs": {"x": 0.0}},
            {"test_costs": {"x": "dear"}},
            {"intervals": {"nowhere": [1.0]}},
            {"intervals": {"c": [1.0]}},
            {"intervals": {"x": []}},
            {"intervals": {"x": ["low"]}},
            {"intervals": {"x": [np.inf]}},
            {"intervals": {"x": 3.0}},
            {"subsets": {"nowhere": [["a"]]}},
            {"subsets": {"x": [[1.0]]}},
            {"subsets": {"c": [["a", "z"]]}},
            {"subsets": {"c": [[]]}},
            {"subsets": {"c": []}},
            {"subsets": {"c": 3}},
        ],
        ids=str,
    )
    def test_columns_that_parameters_name(self, wrong):
        tree = DecisionTreeClassifier(**wrong)
        refused(ParameterError, "P016", lambda: tree.fit(WORDS, list("ababab")))

    @pytest.mark.parametrize(
        ("parameter", "wrong", "right"),
        [
            ("test_costs", {"sxe": 2.0, "color": 3.0}, {"sex": 2.0, "color": 3.0}),
            ("test_costs", {np.str_("sxe"): 2.0}, {"sex": 2.0}),
            ("subsets", {"colr": [{"r"}]}, {"color": [{"r"}]}),
            ("intervals", {"agee": np.array([2.5])}, {"age": np.array([2.5])}),
        ],
    )
    def test_misspelled_columns_are_answered_with_the_nearest(self, parameter, wrong, right):
        table = Table({"sex": list("fmfmfm"), "color": list("rrggbb"), "age": [1.0, 2, 3, 4, 5, 6]})
        model = DecisionTreeClassifier(**{parameter: dict(wrong)})  # the repair changes it
        bad, good = next(iter(wrong)), next(iter(right))
        with pytest.raises(ParameterError, match=rf"Did you mean {good!r}\?") as caught:
            model.fit(table, list("ababab"))
        assert caught.value.code == "P016"
        assert caught.value.message.startswith(f"{parameter!r} names a column")
        assert f"There is no column {bad!r}." in caught.value.message
        exec(caught.value.repair.python, {"model": model})  # a line of our own making
        assert set(getattr(model, parameter)) == set(right)
        model.fit(table, list("ababab"))

    def test_a_column_that_has_its_value_is_not_meant(self):
        tree = DecisionTreeClassifier(test_costs={"x": 2.0, "xx": 3.0})
        message = refused(ParameterError, "P016", lambda: tree.fit(WORDS, list("ababab")))
        assert "Did you mean" not in message

    @pytest.mark.parametrize("place", [0, "x0"])
    def test_columns_without_names_are_named_by_their_place(self, place):
        model = DecisionTreeClassifier(intervals={place: [0.5]}, prune=None, max_depth=1).fit(
            X, CLASSES
        )
        assert (model.tree_.feature[0], model.tree_.threshold[0]) == (0, 0.5)
        for wrong in (3, -1, "x3"):
            tree = DecisionTreeClassifier(intervals={wrong: [0.5]})
            refused(ParameterError, "P016", lambda tree=tree: tree.fit(X, CLASSES))

    @pytest.mark.parametrize("tree", TREES)
    def test_every_subset_of_many_categories(self, tree):
        table = Table({"c": [f"v{place}" for place in range(21)]})
        y = (["a", "b", "c"] * 7) if tree is DecisionTreeClassifier else np.arange(21.0)
        message = refused(ParameterError, "P019", lambda: tree(subset_search="exact").fit(table, y))
        assert "set_params(subset_search='auto')" in message

    @pytest.mark.parametrize("node", [-1, 99, 1.5, "root", None])
    def test_nodes_that_do_not_exist(self, node):
        model = DecisionTreeClassifier().fit(X, CLASSES)
        refused(ParameterError, "P020", lambda: model.why(node))


class TestLittleToLearnFrom:
    def test_one_class(self):
        with pytest.warns(BranchlineWarning, match="only one class, 'a'"):
            model = DecisionTreeClassifier().fit(X, ["a"] * 40)
        assert model.predict(X[:2]).tolist() == ["a", "a"]
        assert model.predict_proba(X[:2]).tolist() == [[1.0], [1.0]]
        assert model.get_n_leaves() == 1

    @pytest.mark.parametrize("prune", PRUNINGS)
    def test_one_row(self, prune):
        with pytest.warns(BranchlineWarning, match="only one class"):
            model = DecisionTreeClassifier(prune=prune).fit(X[:1], ["a"])
        assert model.predict(X[:3]).tolist() == ["a"] * 3
        model = DecisionTreeRegressor(prune=prune, stop_by="squared_error").fit(X[:1], [2.5])
        assert model.predict(X[:3]).tolist() == [2.5] * 3

    @pytest.mark.parametrize("prune", PRUNINGS)
    @pytest.mark.parametrize("n_rows", [2, 3, 5])
    def test_a_few_rows(self, prune, n_rows):
        y, numbers = list("abbab")[:n_rows], NUMBERS[:n_rows]
        for extra in ({}, {"stop_by": "entropy"}, {"choose_by": "validation"}):
            model = DecisionTreeClassifier(prune=prune, **extra).fit(X[:n_rows], y)
            assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))
            assert set(model.predict(X)) <= {"a", "b"}
            assert 1 <= model.get_n_leaves() <= n_rows
        predicted = DecisionTreeRegressor(prune=prune).fit(X[:n_rows], numbers).predict(X)
        assert predicted.min() >= numbers.min() - 1e-9
        assert predicted.max() <= numbers.max() + 1e-9

    @pytest.mark.parametrize("n_rows", [2, 3, 5])
    def test_a_few_rows_are_learned_by_heart_without_pruning(self, n_rows):
        y, numbers = list("abbab")[:n_rows], NUMBERS[:n_rows]
        free = {"prune": None, "correct_for_chance": False, "zero_gain": "split"}
        assert DecisionTreeClassifier(**free).fit(X[:n_rows], y).predict(X[:n_rows]).tolist() == y
        learned = DecisionTreeRegressor(**free).fit(X[:n_rows], numbers)
        assert learned.predict(X[:n_rows]) == pytest.approx(numbers)

    @pytest.mark.parametrize("tree", TREES)
    @pytest.mark.parametrize("prune", PRUNINGS)
    def test_constant_columns(self, tree, prune):
        model = tree(prune=prune).fit(np.ones((40, 2)), target(tree))
        assert model.get_n_leaves() == 1
        assert "no column offers a test" in model.why(0).verdict

    @pytest.mark.parametrize("prune", PRUNINGS)
    def test_a_constant_number(self, prune):
        model = DecisionTreeRegressor(prune=prune).fit(X, np.full(40, 0.1))
        assert model.get_n_leaves() == 1
        assert model.predict(X[:2]).tolist() == [0.1, 0.1]
        assert "the target is the same" in model.why(0).verdict
