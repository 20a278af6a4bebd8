"""Prediction: forms, reasons, intervals, files; pickles and formulas."""

import pickle

import polars as pl
import pytest

import branchline as bl
from branchline.errors import BranchlineError
from branchline.studio.work._model_files import keep_model
from branchline.studio.work.models import add_model, predict_file, predict_row, view_model


@pytest.fixture
def kept(desk):
    table = bl.load_dataset("iris")
    found = bl.compare(table, "species", learners="tree", n_folds=3)
    rows = table.drop("species")
    return keep_model(desk.workspace, found.fit("tree"), "my model", rows, "species")["id"]


def test_a_form_has_the_range_of_the_training_rows(desk, kept):
    found = view_model(desk, kept)
    assert found["classes"] == ["setosa", "versicolor", "virginica"]
    field = found["form"][2]
    assert (field["name"], field["low"], field["high"]) == ("petal_length", 1.0, 6.9)
    assert found["has_intervals"]


def test_a_row_is_predicted_with_reasons(desk, kept):
    found = predict_row(desk, kept, {"petal_length": 1.4, "petal_width": 0.2})
    assert found["prediction"] == "setosa"
    assert sum(one["share"] for one in found["probabilities"]) == pytest.approx(1)
    assert found["interval"] == "Plausible classes (90 %): setosa."
    assert "<svg" in found["explanation"]["svg"]
    assert found["script"]["command"].startswith("branchline predict my-model.branchline")
    empty = predict_row(desk, kept, {})
    assert empty["prediction"]
    with pytest.raises(BranchlineError):
        predict_row(desk, kept, {"petal_width": "wide"})


def test_a_number_has_an_interval(desk):
    found = bl.compare(bl.load_dataset("auto-mpg"), "mpg", learners="tree", n_folds=3)
    id = keep_model(desk.workspace, found.fit("tree"), "m", None, "mpg")["id"]
    assert "For 90 % of new rows" in predict_row(desk, id, {"weight": 2000})["interval"]


def test_a_file_is_predicted_and_formulas_are_harmless(desk, kept):
    id = desk.workspace.new_id()
    text = (
        "petal_length,petal_width,sepal_length,sepal_width,note\n1.4,0.2,5,3,=cmd()\n5,2,6,3,-1+2\n"
    )
    desk.workspace.place("files", id, ".csv").write_text(text)
    found = predict_file(desk, kept, id, ".csv")
    with desk.workspace.open("files", found["file"], ".csv") as file:
        frame = pl.read_csv(file.read())
    assert frame["prediction"].to_list() == ["setosa", "virginica"]
    assert frame["note"].to_list() == ["'=cmd()", "'-1+2"]
    assert "probability of setosa" in frame.columns
    assert not desk.workspace.place("files", id, ".csv").exists()


def test_a_saved_model_comes_back_and_a_pickle_does_not(desk, kept):
    content = desk.workspace.place("models", kept, ".branchline").read_bytes()
    id = desk.workspace.new_id()
    desk.workspace.place("files", id, ".branchline").write_bytes(content)
    again = add_model(desk, id, "again")
    assert predict_row(desk, again["id"], {"petal_width": 0.2})["prediction"] == "setosa"
    for bad in (pickle.dumps({"a": 1}), b"", content[:100], content[:-20] + b"x" * 20):
        id = desk.workspace.new_id()
        desk.workspace.place("files", id, ".branchline").write_bytes(bad)
        with pytest.raises(BranchlineError):
            add_model(desk, id, "bad")
        assert not desk.workspace.place("files", id, ".branchline").exists()
