"""Everything once, in seconds: a table in, models, scores, a file and back."""

from pathlib import Path

import numpy as np
import polars as pl

import branchline as bl
from branchline.active import ActiveLearner
from branchline.assess import cross_validate
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.forest import RandomForestRegressor
from branchline.tree import C45, DecisionTreeClassifier, DecisionTreeRegressor, OneRule, Stump


def test_the_tour(tmp_path: Path) -> None:
    table = bl.load_dataset("titanic")
    assert "cabin" in str(table.look())
    X, y = table.select(["sex", "age", "fare", "embarked", "survived"]).split_target("survived")
    model = Stump().fit(X, y)
    assert model.to_text().startswith("sex")
    model.save(tmp_path / "titanic.branchline")
    loaded = bl.load(tmp_path / "titanic.branchline")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert cross_validate(OneRule(), X, y).score.low > 0.7
    assert cross_validate(MajorityClassifier(), X, y).score.high < 0.7


def test_the_tour_of_numbers(tmp_path: Path) -> None:
    table = bl.load_dataset("auto-mpg")
    table.write_csv(tmp_path / "cars.csv")
    X, y = bl.read_table(tmp_path / "cars.csv").split_target("mpg")
    frame: pl.DataFrame = X.to_polars()
    stump, mean = Stump(task="regression").fit(frame, y), MeanRegressor().fit(frame, y)
    tree = DecisionTreeRegressor().fit(frame, y)
    assert tree.score(frame, y) > stump.score(frame, y) > 0.4 > mean.score(frame, y)
    forest = RandomForestRegressor(keep_targets=True).fit(frame, y)
    assert forest.oob_score_ > 0.8
    assert forest.oob_importance(n_repeats=1).low.max() > 0
    assert forest.predict_quantiles(frame).shape == (len(frame), 3)


def test_the_tour_of_a_tree(tmp_path: Path) -> None:
    X, y = bl.load_dataset("heart").split_target("disease")
    names = np.unique(np.asarray(y)).tolist()
    model = DecisionTreeClassifier(costs={(names[1], names[0]): 5}).fit(X, y)
    assert "taken" in repr(model.pruning_path_)
    assert model.feature_importances_.sum() > 0.99
    assert "chosen" in str(model.why())
    assert len(model.rules()) >= model.get_n_leaves()
    assert len(model.to_frame()) == model.tree_.n_nodes
    assert str(model.path(X)).splitlines()
    model.draw().save(tmp_path / "heart.svg")
    assert (tmp_path / "heart.svg").read_text(encoding="utf-8").startswith("<svg")
    model.save(tmp_path / "heart.branchline")
    loaded = bl.load(tmp_path / "heart.branchline")
    assert loaded.costs == model.costs
    assert loaded.to_text() == model.to_text() == type(model).from_dict(model.to_dict()).to_text()
    assert cross_validate(C45(), X, y, n_folds=3).score.estimate > 0.6


def test_the_tour_of_labels() -> None:
    X, y = bl.load_dataset("iris").split_target("species")
    learner = ActiveLearner(X, estimator="naive_bayes", check_share=0.4)
    for rows in learner:
        learner.tell(rows, y[rows])
        if learner.n_labeled == 50:
            break
    assert learner.score().estimate > 0.8
    assert learner.advice().n_more == 0
    assert "<svg" in learner.advice().draw().to_svg()
