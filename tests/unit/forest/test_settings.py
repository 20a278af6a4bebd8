"""What forests refuse, in whose words; what settings stand for on a table."""

import pickle

import numpy as np
import pandas as pd
import pytest

import branchline
from branchline import Table
from branchline._trees._column_draws import columns_per_node
from branchline._trees._directions import directions_of
from branchline.errors import NotFittedError, ParameterError
from branchline.forest import (
    BaggedTreesClassifier,
    BaggedTreesRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from branchline.forest._settings import bag_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
CLASSES = np.where(X[:, 0] > 0, "b", "a")
NUMBERS = X[:, 0] + X[:, 1]
FORESTS = (
    BaggedTreesClassifier,
    BaggedTreesRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
EACH = pytest.mark.parametrize("kind", FORESTS)


def target(kind):
    return CLASSES if "Classifier" in kind.__name__ else NUMBERS


def fit(kind, X=X, **parameters):
    parameters.setdefault("n_estimators", 2)
    return kind(**parameters).fit(X, target(kind))


def refused(code, call, error=ParameterError):
    with pytest.raises(error) as caught:
        call()
    assert caught.value.code == code
    return str(caught.value)


class TestValues:
    WRONG = (
        ("n_estimators", 0, "a whole number of at least 1, or 'auto'"),
        ("n_estimators", "many", "a whole number of at least 1, or 'auto'"),
        ("n_estimators", 2.0, "a whole number of at least 1, or 'auto'"),
        ("max_features", "sqr", "'sqrt', 'third', 'log2', None"),
        ("max_features", 0, "a whole number of at least 1"),
        ("max_features", 1.5, "at most 1"),
        ("bootstrap", "yes", "True or False"),
        ("max_samples", 0.0, "above 0"),
        ("max_samples", 1.1, "at most 1"),
        ("max_bins", 1, "at least 2 and at most 65534"),
        ("max_bins", 65535, "at least 2 and at most 65534"),
        ("max_depth", 0, "at least 1"),
        ("max_leaf_nodes", 1, "at least 2"),
        ("min_samples_split", 1, "at least 2"),
        ("min_samples_leaf", 0, "at least 1"),
        ("min_gain", -0.1, "at least 0"),
        ("monotonic_cst", 1, "a mapping from column names"),
        ("correct_for_chance", 1, "True or False"),
        ("oob_score", "auto", "True or False"),
        ("time_budget", 0, "above 0"),
        ("warm_start", None, "True or False"),
        ("criterion", "ginny", "must be"),
    )

    @pytest.mark.parametrize(("name", "value", "allowed"), WRONG)
    def test_of_every_forest(self, name, value, allowed):
        for kind in FORESTS:
            model = kind(**{name: value})
            message = refused("P001", lambda model=model, kind=kind: model.fit(X, target(kind)))
            assert f"'{name}' parameter of {kind.__name__}" in message
            assert allowed in message
            assert f"Got {value!r}" in message

    @pytest.mark.parametrize("threshold", [-0.1, 1.1, "high"])
    def test_score_threshold(self, threshold):
        for kind in (ExtraTreesClassifier, ExtraTreesRegressor):
            message = refused("P001", lambda kind=kind: fit(kind, score_threshold=threshold))
            assert "score_threshold" in message
        with pytest.raises(TypeError, match="score_threshold"):
            RandomForestClassifier(score_threshold=0.1)

    def test_criteria(self):
        for kind in FORESTS:
            of_classes = "Classifier" in kind.__name__
            names = ("gini", "entropy", "misclassification", "gain_ratio", "mdl")
            for name in names if of_classes else ("variance", "squared_error"):
                assert fit(kind, criterion=name).n_estimators_ == 2
            refused(
                "P001",
                lambda kind=kind: fit(
                    kind, criterion="variance" if "Cl" in kind.__name__ else "gini"
                ),
            )

    def test_quantities_of_calls(self):
        model = fit(RandomForestRegressor, keep_targets=True, n_estimators=20)
        for coverage in (0.0, 1.1, "most"):
            refused("P001", lambda coverage=coverage: model.predict_interval(X, coverage))
        for probability in (-0.1, 1.1):
            refused("P001", lambda p=probability: model.predict_quantiles(X, [0.5, p]))
        for n_repeats in (0, 1.5):
            refused("P001", lambda n=n_repeats: model.oob_importance(n_repeats=n))


class TestDirections:
    FRAME = pd.DataFrame({"age": X[:, 0], "town": np.where(X[:, 1] > 0, "Ath", "Mons")})

    def wrong(self, given, X=FRAME, y=NUMBERS, kind=RandomForestRegressor, code="P140"):
        return refused(code, lambda: kind(n_estimators=2, monotonic_cst=given).fit(X, y))

    def test_of_categories(self):
        message = self.wrong({"town": 1})
        assert "'monotonic_cst' is for columns of numbers, but 'town' is category." in message

    def test_of_columns_that_are_not_there(self):
        message = self.wrong({"agee": 1})
        assert "'monotonic_cst' names a column that the table does not have." in message
        assert "monotonic_cst = {'age': 1}" in message

    def test_of_other_values(self):
        for direction in (2, "up", 0.5, None):
            message = self.wrong({"age": direction})
            assert "The direction of 'age' in 'monotonic_cst' must be 1" in message
            assert f"Got {direction!r} instead." in message

    def test_of_too_few_columns(self):
        for given in ([1], (1, 0, 0), np.zeros(3)):
            message = self.wrong(given)
            assert f"'monotonic_cst' has {len(given)} entries for 2 columns." in message

    def test_of_several_outputs(self):
        words = "'monotonic_cst' is for two classes (the probability of the second) or one number"
        three = np.array(["a", "b", "c"])[np.arange(60) % 3]
        assert words in self.wrong({"age": 1}, y=three, kind=RandomForestClassifier, code="P141")
        two = np.column_stack([NUMBERS, NUMBERS])
        assert words in self.wrong({"age": 1}, y=two, code="P141")

    def test_none_at_all(self):
        table = Table(self.FRAME)
        assert directions_of(table, None, 1) is None
        assert directions_of(table, {}, 1) is None
        assert directions_of(table, [0, 0], 1) is None
        assert directions_of(table, {"age": -1}, 1).tolist() == [-1, 0]

    def test_by_place_where_columns_have_no_names(self):
        assert directions_of(Table(X), {2: 1}, 1).tolist() == [0, 0, 1]
        with pytest.raises(ParameterError, match="does not have"):
            directions_of(Table(X), {3: 1}, 1)
        with pytest.raises(ParameterError, match="does not have"):
            directions_of(Table(self.FRAME), {0: 1}, 1)


class TestRefusals:
    @EACH
    def test_as_many_trees_as_are_worth_it_need_unseen_rows(self, kind):
        message = refused("P142", lambda: fit(kind, n_estimators="auto", bootstrap=False))
        assert "every tree sees every row" in message
        assert "bootstrap=True" in message

    @EACH
    def test_nothing_is_out_of_bag(self, kind):
        model = fit(kind, bootstrap=False)
        assert model.oob_score_ is None
        calls = [model.oob_importance, lambda: model.oob_metric(max)]
        if hasattr(model, "oob_confusion"):
            calls.append(model.oob_confusion)
        for call in calls:
            message = refused("P142", call)
            assert f"Every tree of this {kind.__name__} has seen every row" in message

    @pytest.mark.parametrize("parameters", [{"bootstrap": False}, {"oob_score": False}])
    def test_intervals_without_residuals(self, parameters):
        model = fit(RandomForestRegressor, **parameters)
        message = refused("P142", lambda: model.predict_interval(X))
        assert "Intervals come from rows that trees have not seen" in message

    def test_intervals_of_several_outputs(self):
        model = RandomForestRegressor(n_estimators=9).fit(X, np.column_stack([NUMBERS, NUMBERS]))
        assert "more than one output" in refused("P142", lambda: model.predict_interval(X))

    @EACH
    def test_fewer_trees_at_a_warm_start(self, kind):
        model = fit(kind, n_estimators=5, warm_start=True).set_params(n_estimators=3)
        message = refused("P143", lambda: model.fit(X, target(kind)))
        assert "at least the 5 trees there are already. Got 3 instead." in message

    @EACH
    def test_other_rows_at_a_warm_start(self, kind):
        for rows in (X[:50], X[::-1] + 1):
            model = fit(kind, warm_start=True).set_params(n_estimators=4)
            y = target(kind)[: len(rows)]
            message = refused("P145", lambda model=model, rows=rows, y=y: model.fit(rows, y))
            assert "A warm start adds trees to the existing ones" in message

    @EACH
    @pytest.mark.parametrize("number", [-1, 2, 1.0, "first", True])
    def test_no_such_tree(self, kind, number):
        message = refused("P144", lambda: fit(kind).tree(number))
        assert f"The forest has trees 0 to 1; there is no {number!r}." in message

    def test_quantiles_without_targets(self):
        message = refused("P146", lambda: fit(RandomForestRegressor).predict_quantiles(X))
        assert "which this forest has not kept" in message
        assert "keep_targets=True" in message

    def test_quantiles_of_several_outputs(self):
        model = RandomForestRegressor(n_estimators=2, keep_targets=True)
        two = np.column_stack([NUMBERS, NUMBERS])
        assert "the target has 2" in refused("P146", lambda: model.fit(X, two))

    @EACH
    def test_before_a_fit(self, kind):
        model = kind()
        names = ["apply", "predict", "proximity", "kernel"]
        for name in names:
            refused("N001", lambda name=name: getattr(model, name)(X), NotFittedError)
        refused("N001", lambda: model.tree(0), NotFittedError)
        refused("N001", lambda: model.impurity_importances_, NotFittedError)
        refused("N001", model.oob_importance, NotFittedError)
        refused("N001", model.complexity, NotFittedError)

    @EACH
    def test_copies_do_not_keep_training_rows(self, kind, tmp_path):
        model = fit(kind, bootstrap=True, n_estimators=9)
        model.save(tmp_path / "model.bl")
        for copy in (pickle.loads(pickle.dumps(model)), branchline.load(tmp_path / "model.bl")):
            message = refused("N002", copy.oob_importance, NotFittedError)
            assert f"This {kind.__name__} no longer has the rows it was fitted on" in message
            refused("N002", lambda copy=copy: copy.oob_metric(max), NotFittedError)


class TestMeanings:
    @pytest.mark.parametrize(
        ("given", "n_columns", "expected"),
        [
            (None, 10, 10),
            ("sqrt", 10, 3),
            ("log2", 10, 3),
            ("third", 10, 3),
            ("third", 2, 1),
            ("log2", 1, 1),
            (0.55, 10, 5),
            (0.01, 10, 1),
            (1.0, 10, 10),
            (1, 10, 1),
            (4, 10, 4),
            (40, 10, 10),
            (np.float32(0.5), 10, 5),
            (np.int64(2), 10, 2),
        ],
    )
    def test_columns_per_node(self, given, n_columns, expected):
        assert columns_per_node(given, n_columns) == expected

    @pytest.mark.parametrize(
        ("bootstrap", "max_samples", "expected"),
        [
            (True, None, ("bootstrap", 1.0)),
            (True, 0.5, ("bootstrap", 0.5)),
            (True, 25, ("bootstrap", 0.25)),
            (True, 500, ("bootstrap", 1.0)),
            (False, None, ("all", 1.0)),
            (False, 1.0, ("all", 1.0)),
            (False, 100, ("all", 1.0)),
            (False, 0.3, ("subsample", 0.3)),
            (False, 30, ("subsample", 0.3)),
        ],
    )
    def test_bags(self, bootstrap, max_samples, expected):
        kind, rate = bag_of(bootstrap, max_samples, 100)
        assert (kind.name, rate) == expected


@pytest.mark.parametrize("forest", [RandomForestRegressor, ExtraTreesRegressor])
def test_medians_are_refused_with_a_repair_that_works(forest):
    X, y = np.arange(40.0)[:, None], np.arange(40.0) ** 2
    with pytest.raises(ParameterError, match="DecisionTreeRegressor") as caught:
        forest(criterion="absolute_error").fit(X, y)
    assert caught.value.code == "P780"
    found = {}
    exec(caught.value.repair.python, found)
    assert found["model"].set_params(n_estimators=3).fit(X, y).predict(X[-1:])[0] > 1000
