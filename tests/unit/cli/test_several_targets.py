"""``-t a,b``: several targets are fitted, predicted and explained; other commands take one."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from branchline import load_dataset
from branchline.cli._app import run_arguments

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys) -> Run:
    monkeypatch.chdir(tmp_path)
    names = ["survived", "pclass", "sex", "age", "fare"]
    load_dataset("titanic").select(names).write_csv("people.csv")

    def run_verb(*arguments: str, expect: int = 0) -> dict[str, Any]:
        code = run_arguments([*arguments, "--json"])
        told = capsys.readouterr()
        assert code == expect, told.err
        document: dict[str, Any] = json.loads(told.out) if told.out else {}
        return {**document, "told": told.err}

    return run_verb


def test_a_model_for_each_target(run):
    made = run(
        "fit", "people.csv", "-t", "survived,pclass", "--learner", "tree", "--save", "m.model"
    )
    assert made["model"]["targets"] == ["survived", "pclass"]
    assert made["model"]["class"] == "MultiOutput"
    rows = run("predict", "m.model", "people.csv", "--probabilities")["table"]
    assert {rows[0]["prediction of survived"]} <= {"yes", "no"}
    assert rows[0]["probability of pclass = 1st"] > 0.5
    assert list(run("explain", "m.model", "people.csv", "--row", "0")["explanation"]) == [
        "survived",
        "pclass",
    ]


def test_classes_and_numbers_whose_values_are_known(run):
    given = ("fit", "people.csv", "-t", "survived, age", "--learner", "tree")
    assert "--known-only" in run(*given, expect=3)["told"]
    assert run(*given, "--known-only")["model"]["rows"] == 1046


@pytest.mark.parametrize(
    "option", [("--tune", "small"), ("--intervals",), ("--set", "max_depth=2")]
)
def test_what_one_target_can_have(run, option):
    told = run("fit", "people.csv", "-t", "survived,pclass", *option, expect=2)["told"]
    assert "P879" in told


def test_settings_of_learners_of_one_task(run):
    settings = ("--set", "max_depth=2", "--task", "classification", "--learner", "tree")
    assert run("fit", "people.csv", "-t", "survived,pclass", *settings)["model"]["size"] < 9


@pytest.mark.parametrize("verb", ["compare", "tree"])
def test_other_commands_take_one(run, verb):
    told = run(verb, "people.csv", "-t", "survived,pclass", expect=2)["told"]
    assert "--target survived" in told
