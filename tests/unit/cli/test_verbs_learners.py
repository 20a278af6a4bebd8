"""``branchline learners``: the catalog on the command line."""

import json
from subprocess import CompletedProcess

from branchline import catalog
from command_line import run_here


def run(*arguments: str) -> "CompletedProcess[str]":
    return run_here("learners", *arguments)


def test_all_learners_are_listed() -> None:
    lines = run().stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(catalog.names())
    assert lines[1].split()[1:5] == ["tree", "classes", "and", "numbers"]


def test_a_task_shortens_the_list() -> None:
    lines = run("--task", "regression").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(catalog.names("regression"))
    refused = run("--task", "ranking")
    assert refused.returncode == 2
    assert "P091" in refused.stderr


def test_one_learner_is_described() -> None:
    found = run("c4.5")
    assert found.returncode == 0
    assert found.stdout.startswith("c45: C4.5\nFamily: tree; predicts classes\n")
    assert "branchline.tree.C45" in found.stdout
    assert "for 1,000 rows × 20 columns, " in found.stdout
    assert "Reference: Quinlan" in found.stdout


def test_documents_hold_the_rows_of_the_catalog() -> None:
    listed = json.loads(run("--json").stdout)
    assert listed["learners"] == catalog.table()
    one = json.loads(run("stump", "--json").stdout)
    assert one["learner"]["name"] == "stump"


def test_unknown_names_and_tasks_are_refused() -> None:
    found = run("tre")
    assert found.returncode == 2
    assert "branchline learners tree" in found.stderr
    found = run("id3", "--task", "regression", "--json")
    assert json.loads(found.stdout)["error"]["code"] == "P091"


def test_help_shows_an_example() -> None:
    assert "Example: branchline learners naive_bayes" in run("--help").stdout
