"""The file of answers."""

import json

import pytest

from branchline import load_dataset
from branchline.active import ActiveLearner
from branchline.active._label_record import LabelRecord
from branchline.errors import DataError

X, Y = load_dataset("iris").split_target("species")


def test_answers_come_back(tmp_path):
    path = str(tmp_path / "r.json")
    learner = ActiveLearner(X, batch_size=5)
    record = LabelRecord.begin(path, "species", learner)
    rows = learner.ask()
    learner.tell(rows, [*Y[rows[:4]], None])
    record.write(learner)
    again = ActiveLearner(X, batch_size=5)
    LabelRecord.read(path, X, "species").give(again)
    assert again.rows_labeled.tolist() == learner.rows_labeled.tolist()
    assert again.ask().tolist() == learner.ask().tolist()
    assert [one.name for one in tmp_path.iterdir()] == ["r.json"]


def test_another_table_or_target_is_refused(tmp_path):
    path = str(tmp_path / "r.json")
    LabelRecord.begin(path, "species", ActiveLearner(X)).write(ActiveLearner(X))
    for table, target in ((X, "kind"), (X.rows(range(149)), "species"), (X[::-1], "species")):
        with pytest.raises(DataError) as caught:
            LabelRecord.read(path, table, target)
        assert caught.value.code == "D632"


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "another"},
        {"seed": "0"},
        {"answers": [[0]]},
        {"answers": [["0", "a"]]},
        {"skipped": [-1]},
        {"more": 1},
    ],
)
def test_damaged_records_are_refused(tmp_path, change):
    path = tmp_path / "r.json"
    LabelRecord.begin(str(path), "species", ActiveLearner(X)).write(ActiveLearner(X))
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(DataError) as caught:
        LabelRecord.read(str(path), X, "species")
    assert caught.value.code == "D633"


def test_a_file_that_is_no_json(tmp_path):
    for text in ("", "[]", "{", "\x00"):
        (tmp_path / "r.json").write_text(text)
        with pytest.raises(DataError):
            LabelRecord.read(str(tmp_path / "r.json"), X, "species")
