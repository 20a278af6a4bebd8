"""Presets are estimators with their parameters set; anything else can be given besides."""

import re

import numpy as np
import pytest
from sklearn.base import clone

from branchline import Table, load_dataset
from branchline.errors import ParameterError, UnknownParameterError
from branchline.tree import (
    C45,
    CART,
    ID3,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    OneRule,
    Stump,
)

PRESETS = (ID3, C45, CART, OneRule, Stump)
DEFAULTS = DecisionTreeClassifier().get_params()


def changed(model):
    """Return the parameters that differ from the estimator's defaults."""
    return {name: value for name, value in model.get_params().items() if value != DEFAULTS[name]}


def test_what_each_preset_sets():
    assert changed(ID3()) == {
        "criterion": "entropy",
        "split": "multiway",
        "missing": "own",
        "zero_gain": "split",
        "prune": None,
        "correct_for_chance": False,
    }
    assert changed(C45()) == {
        "criterion": "gain_ratio",
        "split": "multiway",
        "missing": "fractional",
        "min_samples_leaf": 2,
        "prune": "pessimistic",
        "cautious_thresholds": True,
        "correct_for_chance": False,
    }
    assert changed(CART()) == {"correct_for_chance": False, "rule": "one_se"}
    assert changed(OneRule()) == {
        "criterion": "misclassification",
        "split": "multiway",
        "max_depth": 1,
        "min_samples_leaf": 6,
        "rare_categories": "share",
        "prune": None,
        "correct_for_chance": False,
    }
    assert changed(Stump()) == {"max_depth": 1, "prune": None}


@pytest.mark.parametrize("preset", PRESETS)
class TestEveryPreset:
    def test_is_a_tree_of_its_own(self, preset):
        model = preset()
        assert type(model) is DecisionTreeClassifier
        assert preset() is not model
        X, y = load_dataset("tennis").split_target("play")
        assert clone(model).fit(X, y).to_text() == model.fit(X, y).to_text()

    def test_parameters_can_be_given_besides(self, preset):
        given = {"max_depth": 3, "min_samples_leaf": 4, "random_state": 7, "prune": "mdl"}
        model = preset(**given)
        assert {name: model.get_params()[name] for name in given} == given

    def test_misspelled_parameters_are_refused_with_the_nearest_name(self, preset):
        for wrong, right in (("max_dept", "max_depth"), ("min_sample_leaf", "min_samples_leaf")):
            with pytest.raises(UnknownParameterError) as caught:
                preset(**{wrong: 3})
            assert caught.value.code == "P002"
            message = f"{preset.__name__} got an unexpected keyword argument {wrong!r}. "
            assert caught.value.message.startswith(f"{message}Did you mean {right!r}? ")
            assert caught.value.repair.python == f"model = {preset.__name__}({right}=3)"

    def test_nothing_is_taken_by_place(self, preset):
        with pytest.raises(TypeError):
            preset("entropy")


@pytest.mark.parametrize("preset", [CART, Stump])
class TestTasks:
    def test_regression(self, preset):
        X, y = load_dataset("auto-mpg").split_target("mpg")
        model = preset(task="regression", min_samples_leaf=5)
        assert type(model) is DecisionTreeRegressor
        assert model.fit(X, y).score(X, y) > 0.5

    def test_an_unknown_task(self, preset):
        with pytest.raises(ParameterError, match="Did you mean 'regression'") as caught:
            preset(task="regresion")
        assert caught.value.code == "P001"

    def test_the_repair_of_an_unknown_task_can_be_run(self, preset):
        with pytest.raises(ParameterError) as caught:
            preset(task="regresion")
        repair = caught.value.repair.python or ""
        exec(repair, {preset.__name__: preset, "model": preset()})  # a line of our own making

    def test_a_misspelled_task(self, preset):
        with pytest.raises(UnknownParameterError, match="Did you mean 'task'") as caught:
            preset(tsk="regression")
        assert caught.value.repair.python == f"model = {preset.__name__}(task='regression')"

    def test_a_misspelled_parameter_leaves_the_task(self, preset):
        with pytest.raises(UnknownParameterError) as caught:
            preset(task="regression", max_dept=3)
        line = f"model = {preset.__name__}(task='regression', max_depth=3)"
        assert caught.value.repair.python == line

    def test_a_parameter_of_the_other_task(self, preset):
        with pytest.raises(UnknownParameterError, match=f"{preset.__name__} got") as caught:
            preset(task="regression", significance=0.05)
        assert "significance," not in caught.value.message


class TestID3:
    def test_goes_on_without_gain_and_stops_without_anything_to_ask(self):
        X = Table({"a": list("ppqqpp"), "b": list("pqpqpp")})
        y = list("xyyxxy")  # exclusive or, then two rows that differ in the class alone
        model = ID3().fit(X, y)
        assert model.get_depth() == 2
        assert model.tree_.value[model.tree_.is_leaf].max(axis=1).min() == pytest.approx(2 / 3)

    def test_missing_values_have_a_branch(self):
        X = Table({"a": ["p", "p", "q", "q", None, None]})
        model = ID3().fit(X, list("xxyyzz"))
        assert model.get_n_leaves() == 3
        assert model.predict({"a": [None]}).tolist() == ["z"]

    def test_numbers_are_cut_in_two(self):
        X, y = load_dataset("tennis-numeric").split_target("play")
        model = ID3().fit(X, y)
        assert model.score(X, y) == 1.0
        place = X.names.index("temperature")
        assert set(model.tree_.n_children[model.tree_.feature == place]) <= {2}


class TestC45:
    def test_votes(self):
        """As C4.5 does with the votes of 1984: physician fee freeze first, few leaves."""
        X, y = load_dataset("votes84").split_target("party")
        model = C45().fit(X, y)
        assert model.schema_.names[model.tree_.feature[0]].startswith("physician")
        assert model.score(X, y) > 0.96
        assert model.get_n_leaves() <= 8

    def test_two_branches_have_two_rows(self):
        X, y = load_dataset("votes84").split_target("party")
        tree = C45(prune=None).fit(X, y).tree_
        for node in np.flatnonzero(~tree.is_leaf):
            family = tree.weight[tree.first_child[node] :][: tree.n_children[node]]
            assert (family >= 2).sum() >= 2


class TestCART:
    def test_differs_from_the_default_by_chance_alone(self):
        X, y = load_dataset("heart").split_target("disease")
        plain = DecisionTreeClassifier(correct_for_chance=False).fit(X, y)
        assert CART().fit(X, y).to_text() == plain.to_text()
        assert hasattr(CART().fit(X, y), "pruning_path_")


class TestOneRule:
    def test_a_misspelled_parameter_leaves_what_was_given(self):
        with pytest.raises(UnknownParameterError) as caught:
            OneRule(min_samples_leaf=2, criterium="gini")
        line = "model = OneRule(min_samples_leaf=2, criterion='gini')"
        assert caught.value.repair.python == line

    def test_each_category_predicts_its_commonest_class(self):
        X, y = load_dataset("votes84").split_target("party")
        model = OneRule().fit(X, y)
        assert model.get_depth() == 1
        (name,) = model.used_columns_
        chosen = np.array([str(value) for value in X[name].to_list()])
        y = np.asarray(y)
        right = sum(
            np.unique(y[chosen == value], return_counts=True)[1].max() for value in set(chosen)
        )
        assert model.score(X, y) == pytest.approx(right / len(y))
        for other in X.names:
            column = np.array([str(value) for value in X[other].to_list()])
            best = sum(
                np.unique(y[column == value], return_counts=True)[1].max() for value in set(column)
            )
            assert best <= right

    def test_rare_categories_share_a_branch(self):
        names = [f"id {row}" for row in range(60)]
        y = np.array(["a", "b"] * 30)
        word = np.where(np.arange(60) % 10 < 8, y, np.where(y == "a", "b", "a"))
        model = OneRule().fit(Table({"id": names, "word": word}), y)
        assert model.used_columns_ == ["word"]
        kept = OneRule(min_samples_leaf=1).fit(Table({"id": names, "word": word}), y)
        assert kept.used_columns_ == ["id"]

    def test_a_number_is_cut_once(self):
        X, y = load_dataset("iris").split_target("species")
        model = OneRule().fit(X, y)
        assert model.get_n_leaves() == 2
        assert re.match(r"petal_(width|length) ≤", model.to_text())


class TestStump:
    @pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
    def test_has_one_test(self, criterion):
        X, y = load_dataset("heart").split_target("disease")
        model = Stump(criterion=criterion).fit(X, y)
        assert (model.get_depth(), model.get_n_leaves()) == (1, 2)
