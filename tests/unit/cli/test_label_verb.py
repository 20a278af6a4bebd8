"""Labeling in the terminal: answers are saved one by one, and the same command goes on."""

import io
import json
import sys

import polars as pl
import pytest

from branchline import load, load_dataset
from branchline.cli._app import run_arguments

Y = load_dataset("iris").column("species").to_list()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    table = load_dataset("iris")
    table.drop("species").write_csv(tmp_path / "flowers.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Person:
    """Answers each question with the truth, and after some of them in another way."""

    def __init__(self, record, n_answers, last="stop", others=()):
        self.record, self.left, self.last = record, n_answers, last
        self.others, self.asked = list(others), []

    def write(self, words):
        self.asked += [int(words.split(" of row ")[1].split(" ")[0].rstrip("?"))
                       ] if " of row " in words else []  # fmt: skip

    def flush(self):
        return None

    def isatty(self):
        return False

    def readline(self):
        if self.others:
            return self.others.pop(0) + "\n"
        if not self.left:
            if self.last == "interrupt":
                raise KeyboardInterrupt
            return "" if self.last == "end" else "stop\n"
        self.left -= 1
        return Y[self.asked[-1]] + "\n"


def label(monkeypatch, *more, n_answers=4, **given):
    person = Person("flowers.labels.json", n_answers, **given)
    monkeypatch.setattr(sys, "stdin", person)
    monkeypatch.setattr(sys, "stderr", person)
    return run_arguments(["label", "flowers.csv", "-t", "species", *more]), person


CLASSES = ("--classes", "setosa,versicolor,virginica", "--learner", "naive_bayes")


def answers(folder):
    return json.loads((folder / "flowers.labels.json").read_text())["answers"]


def test_answers_are_saved_and_continued(folder, monkeypatch, capsys):
    assert label(monkeypatch, *CLASSES)[0] == 0
    assert len(answers(folder)) == 4
    assert "4 answers in flowers.labels.json" in capsys.readouterr().out
    code, _ = label(monkeypatch, *CLASSES, "-o", "out.csv", "--save", "m.branchline", n_answers=30)
    assert code == 0
    assert len(answers(folder)) == 34
    assert all(Y[row] == answer for row, answer in answers(folder))
    found = pl.read_csv("out.csv")["species"].to_list()
    assert sum(one is not None for one in found) == 34
    assert all(one in (None, truth) for one, truth in zip(found, Y, strict=True))
    assert load("m.branchline").classes_.tolist() == ["setosa", "versicolor", "virginica"]


def test_interrupted_and_ended(folder, monkeypatch, capsys):
    assert label(monkeypatch, *CLASSES, last="interrupt")[0] == 130
    assert len(answers(folder)) == 4
    assert "The same command goes on." in capsys.readouterr().out
    assert label(monkeypatch, *CLASSES, last="end")[0] == 0
    assert len(answers(folder)) == 8


def test_undo_skip_and_words_that_are_no_class(folder, monkeypatch):
    others = ["1", "?", "undo", "rose", "2", "undo", "undo", "undo"]
    code, person = label(monkeypatch, *CLASSES, n_answers=2, others=others)
    assert code == 0
    assert len(answers(folder)) == 2
    assert person.asked[0] == answers(folder)[0][0]


def test_a_new_class_is_typed_twice(folder, monkeypatch):
    others = ["setosa", "rose", "rose"]
    assert label(monkeypatch, n_answers=0, others=others)[0] == 0
    assert [answer for _, answer in answers(folder)] == ["setosa", "rose"]


def test_numbers(folder, monkeypatch, capsys):
    others = ["1.5", "two", "2,5", "3"]
    code, _ = label(monkeypatch, "--task", "regression", "--json", n_answers=0, others=others)
    assert code == 0
    assert [answer for _, answer in answers(folder)] == [1.5, 2.5, 3.0]
    found = json.loads(capsys.readouterr().out)["labels"]
    assert found["metric"] == "rmse"
    assert found["record"] == "flowers.labels.json"


def test_known_labels_count(folder, monkeypatch, capsys):
    table = load_dataset("iris").to_polars().with_row_index("at")
    known = pl.when(pl.col("at") % 5 == 0).then(pl.col("species")).otherwise(None)
    table.with_columns(species=known).drop("at").write_csv("flowers.csv")
    assert label(monkeypatch, "--draw", "curve.svg", n_answers=30)[0] == 0
    out = capsys.readouterr().out
    assert "30 answers in flowers.labels.json (30 were known before)." in out
    assert "<svg" in (folder / "curve.svg").read_text()


def test_what_is_wrong_is_told_before_the_first_question(folder, monkeypatch, capsys):
    for more, code in [
        (("--strategy", "best"), 2),
        (("--draw", "curve.doc"), 2),
        (("-o", "out.xyz"), 2),
        (("--label-cost", "1"), 2),
        (("--learner", "no_such"), 2),
        (("--classes", "one"), 2),
        (("--save", "no/folder/m.branchline"), 3),
    ]:
        found, person = label(monkeypatch, *more)
        assert (found, person.asked) == (code, []), more
    assert run_arguments(["label", "-", "-t", "species"]) == 2
    assert run_arguments(["label", "absent.csv", "-t", "species"]) == 3


def test_another_table_is_refused(folder, monkeypatch):
    label(monkeypatch, *CLASSES)
    pl.read_csv("flowers.csv").reverse().write_csv("flowers.csv")
    assert label(monkeypatch, *CLASSES)[0] == 3
    (folder / "flowers.labels.json").write_text("{")
    assert label(monkeypatch, *CLASSES)[0] == 3


def test_what_a_person_sees(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("setosa\n"))
    assert run_arguments(["label", "flowers.csv", "-t", "species", "--show", "petal_length"]) == 0
    told = capsys.readouterr().err
    assert "petal_length" in told
    assert "petal_width" not in told
    assert "1. species of row" in told


def test_the_table_may_be_replaced_by_the_labeled_one(folder, monkeypatch, capsys):
    table = pl.read_csv("flowers.csv")
    table.with_columns(species=pl.lit(None, dtype=pl.String)).write_csv("flowers.csv")
    assert label(monkeypatch, *CLASSES, "-o", "flowers.csv", n_answers=20)[0] == 0
    first = answers(folder)
    assert label(monkeypatch, *CLASSES, "-o", "flowers.csv", n_answers=5)[0] == 0
    assert answers(folder)[:20] == first
    assert len(answers(folder)) == 25
    assert "25 answers in flowers.labels.json." in capsys.readouterr().out
    assert pl.read_csv("flowers.csv")["species"].null_count() == 125


def test_classes_that_are_numbers(folder, monkeypatch):
    table = pl.read_csv("flowers.csv").with_row_index("at")
    kind = pl.when(pl.col("at") < 4).then(pl.col("at") % 2).otherwise(None)
    table.with_columns(species=kind).drop("at").write_csv("flowers.csv")
    given = ("--classes", "0,1", "--learner", "naive_bayes")
    assert label(monkeypatch, *given, n_answers=0, others=["1", "0", "2", "1"])[0] == 0
    assert [answer for _, answer in answers(folder)] == [1, 0, 1]
