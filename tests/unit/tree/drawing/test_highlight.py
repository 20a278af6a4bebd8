"""Drawings with the path of a row, and file names in its place."""

from pathlib import Path

import pytest

from branchline import load_dataset
from branchline.charts import Chart
from branchline.errors import ParameterError
from branchline.tree import DecisionTreeClassifier, InductionGraphClassifier, LinearTreeRegressor
from branchline.tree.drawing import nodes_of_path

X, Y = load_dataset("iris").split_target("species")


def test_the_nodes_of_a_path():
    model = DecisionTreeClassifier(max_depth=2).fit(X, Y)
    assert nodes_of_path(model, None) is None
    assert nodes_of_path(model, X.rows([0])) == {0, 1}


@pytest.mark.parametrize("name", ["tree.png", Path("tree.png")])
def test_a_file_name_is_refused_with_a_repair_that_works(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    models = [
        DecisionTreeClassifier(max_depth=2).fit(X, Y),
        InductionGraphClassifier(test_penalty=0.01).fit(X, Y),
        LinearTreeRegressor().fit(X.drop(["petal_width"]), X.to_pandas()["petal_width"]),
    ]
    for model in models:
        with pytest.raises(ParameterError, match="not a file name") as caught:
            model.draw(name)
        assert caught.value.code == "P920"
        exec(caught.value.repair.python, {"model": model})
        assert (tmp_path / "tree.png").stat().st_size > 1000


def test_a_chart_is_not_drawn_on_a_file_name():
    curve = DecisionTreeClassifier(max_depth=2).fit(X, Y).growing_curve()
    assert isinstance(curve.draw(), Chart)
    with pytest.raises(ParameterError, match="axes of matplotlib, not a file name"):
        curve.draw("curve.png")
