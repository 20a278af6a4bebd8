"""Everything once, in seconds: a table in, models, scores, a file and back."""

from pathlib import Path

import numpy as np
import polars as pl

import branchline as bl
from branchline.assess import cross_validate
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.tree import OneRule, Stump


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
    assert stump.score(frame, y) > 0.4 > mean.score(frame, y)
