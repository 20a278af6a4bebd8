"""A selector and a learner as one model."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Elsewhere
from sklearn.model_selection import GridSearchCV

from branchline import load, load_dataset
from branchline.errors import DataError, ModelFileError, ParameterError
from branchline.features import RankSelector, SelectedClassifier, SelectedRegressor


@pytest.fixture(scope="module")
def heart():
    return load_dataset("heart").split_target("disease")


@pytest.fixture(scope="module")
def model(heart):
    return SelectedClassifier(selector="mutual_information:3", estimator="tree").fit(*heart)


def test_it_is_the_learner_on_the_chosen_columns(heart, model):
    X, y = heart
    chosen = RankSelector(n_columns=3).fit(X, y).get_feature_names_out()
    assert model.get_feature_names_out().tolist() == chosen.tolist()
    assert model.n_features_in_ == X.n_columns
    assert model.member_.n_features_in_ == 3
    assert model.complexity() == model.member_.complexity()


def test_it_predicts_from_all_columns_or_the_chosen_ones(heart, model, recwarn):
    X, _ = heart
    few = X.select(model.get_feature_names_out())
    assert (model.predict(few) == model.predict(X)).all()
    assert (model.predict_proba(few.to_pandas()) == model.predict_proba(X.to_pandas())).all()
    assert not recwarn.list  # columns that were not chosen are no surprise
    with pytest.raises(DataError) as error:
        model.predict(X.select(["age"]))
    assert error.value.code == "D011"


def test_without_names_all_columns_are_expected():
    X, y = load_dataset("iris").split_target("species")
    X = np.asarray(X)
    model = SelectedClassifier(selector="f:2", estimator="naive_bayes").fit(X, y)
    assert model.predict(X[:3]).tolist() == ["setosa"] * 3
    with pytest.raises(DataError):
        model.predict(X[:, :2])


def test_it_is_saved_with_its_selector(heart, model, tmp_path):
    X, _ = heart
    model.save(tmp_path / "m.branchline")
    again = load(tmp_path / "m.branchline")
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert (again.selector_.ranking_ == model.selector_.ranking_).all()
    assert (again.predict(X.select(again.needed_schema_.names)) == model.predict(X)).all()


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: state.pop("selector"),
        lambda state: state.update(selector={"class": "RankSelector"}),
        lambda state: state["selector"].update(**{"class": "NaiveBayes"}),
        lambda state: state["selector"]["fitted"].update(support=np.zeros(13, dtype=np.uint8)),
        lambda state: state.update(members=[]),
        lambda state: state.update(more=1),
    ],
)
def test_a_forged_state_is_refused(model, damage):
    state = {**model._pack()}
    state["selector"] = {**state["selector"], "fitted": {**state["selector"]["fitted"]}}
    damage(state)
    with pytest.raises(ModelFileError):
        model._unpack(state, model.schema_)


def test_reasons_pass_through(heart, model):
    X, _ = heart
    explained = model.explain(X.rows([0]))
    assert {part.column for part in explained.parts} == set(model.get_feature_names_out())
    assert str(model.why()) == str(model.member_.why())
    assert model.to_text().startswith("3 of 13 inputs chosen: ")
    bayes = SelectedClassifier(selector="f:2", estimator="naive_bayes").fit(*heart)
    assert not hasattr(bayes, "why")


def test_learners_of_other_libraries(tmp_path):
    X, y = load_dataset("iris").split_target("species")
    model = SelectedClassifier(selector="f:2", estimator=Elsewhere(max_iter=500)).fit(X, y)
    assert model.score(X, y) > 0.9
    with pytest.raises(ModelFileError):
        model.save(tmp_path / "m.branchline")


def test_a_search_tunes_both(heart):
    X, y = heart
    grid = {"selector": ["f:1", "f:5"], "estimator": ["naive_bayes", "tree"]}
    found = GridSearchCV(SelectedClassifier(), grid, cv=2).fit(X, y)
    assert set(found.best_params_) == {"selector", "estimator"}


def test_weights_need_a_learner_that_takes_them(heart):
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_dataset("iris").split_target("species")
    model = SelectedClassifier(selector="f:2", estimator=KNeighborsClassifier())
    with pytest.raises(ParameterError) as error:
        model.fit(X, y, sample_weight=np.ones(150) * 2)
    assert error.value.code == "P082"


def test_numbers():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = SelectedRegressor(selector="correlation:2").fit(X, y)
    assert model.score(X, y) > 0.6
    with pytest.raises(ParameterError):
        SelectedRegressor(selector="correlation:2", estimator="logistic").fit(X, y)
