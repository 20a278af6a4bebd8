"""What a report says about repeating it is true: the Python runs and gives the same numbers."""

import json
import shlex

import pytest

from branchline import load_dataset
from branchline.assess import Resampling, compare
from branchline.report._again import command_words, python_words
from branchline.tree import DecisionTreeClassifier


def _run_again(text, data):
    lines = [
        f"table = load_dataset({data!r})" if line.startswith("table = ") else line
        for line in text.splitlines()
        if not line.startswith("print")
    ]
    names = {"load_dataset": load_dataset}
    exec("\n".join(lines), names)
    return names["found"]


def _numbers(comparison):
    found = comparison.to_dict()
    for standing in found["standings"]:
        del standing["fit_seconds"], standing["predict_seconds"], standing["fit_bytes"]
    return json.dumps({"standings": found["standings"], "plan": found["plan"]}, default=str)


def test_python_gives_the_same_numbers(iris, cars):
    assert _numbers(_run_again(python_words(iris), "iris")) == _numbers(iris)
    assert _numbers(_run_again(python_words(cars), "auto-mpg")) == _numbers(cars)


def test_every_choice_is_in_it():
    comparison = compare(
        load_dataset("votes84"),
        "party",
        learners={"small": DecisionTreeClassifier(max_depth=2), "rule": "one_rule"},
        resampling=Resampling("hold_out", n_repeats=3, fraction=0.5),
        metric="recall",
        positive="republican",
        random_state=7,
    )
    text = python_words(comparison)
    assert "from branchline.tree import DecisionTreeClassifier" in text
    assert _numbers(_run_again(text, "votes84")) == _numbers(comparison)


def test_the_command_can_be_pasted(credit):
    words = shlex.split(command_words(credit).replace("\\\n", ""))
    assert words[:5] == ["branchline", "compare", "your-file.csv", "--target", "class"]
    assert words[words.index("--learners") + 1] == "baseline,one_rule,stump"
    assert words[words.index("--folds") + 1] == "3"


@pytest.mark.parametrize("name", ["a name; rm", "--flag", "it's", "a --b"])
def test_odd_names_are_quoted(name, iris):
    from dataclasses import replace

    odd = replace(iris, problem=replace(iris.problem, target_name=name))
    words = shlex.split(command_words(odd).replace("\\\n", ""))
    assert words[words.index("--target") + 1] == name


def test_the_reading_options_are_in_the_python(iris):
    text = python_words(iris, "table = read_table('a.csv', missing=['-'])")
    assert (
        f"table = read_table('a.csv', missing=['-'])  # fingerprint {iris.problem.fingerprint}"
        in text
    )
