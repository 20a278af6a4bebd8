"""Commands that only refuse: at once, with a repair that can be typed, and before other words."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from branchline import load_dataset
from branchline.assess import compare, cross_validate
from branchline.baseline import MajorityClassifier
from branchline.cli._app import run_arguments
from branchline.errors import ParameterError, UnknownParameterError

Refused = Callable[..., str]


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Refused:
    monkeypatch.chdir(tmp_path)
    load_dataset("german-credit").write_csv("credit.csv")
    Path("tiny.csv").write_text("n,c,t\n1,a,x\n2,b,y\n3,a,x\n4,b,y\n5,a,x\n")
    Path("same.csv").write_text("n,c,t\n1,a,x\n2,b,x\n3,a,x\n4,b,x\n5,a,x\n")

    def run(*arguments: str) -> str:
        assert run_arguments(list(arguments)) in {2, 3}
        seen = capsys.readouterr()
        assert seen.out == ""
        return seen.err

    return run


COMPARE = ("compare", "credit.csv", "-t", "class")


@pytest.mark.parametrize(
    ("arguments", "repair"),
    [
        ((*COMPARE, "--metric", "AUC"), "--metric auc"),
        ((*COMPARE, "--metric", "balanced-accuracy"), "--metric balanced_accuracy"),
        ((*COMPARE, "--learners", "treee,logit"), "--learners tree,logistic"),
        ((*COMPARE, "--prefer", "speed"), "--prefer accuracy"),
        ((*COMPARE, "--tune", "smal"), "--tune small"),
        ((*COMPARE, "--resampling", "holdout"), "--resampling hold_out"),
        ((*COMPARE, "--time", "60s"), "--time-budget 60s"),
        ((*COMPARE, "--test=bootstrap"), "--resampling bootstrap"),
        ((*COMPARE, "--task", "clasification"), "--task classification"),
        ((*COMPARE, "--positive", "bda"), "--positive bad"),
        (("compare", "credit.csv", "--resume"), "branchline compare credit.csv --target COLUMN"),
        (("tree", *COMPARE[1:], "--draw", "t.bmp"), "--draw t.svg"),
        (("fit", *COMPARE[1:], "--save", "nodir/x"), "mkdir -p nodir"),
        (("tree", *COMPARE[1:], "--save", "nodir/x"), "mkdir -p nodir"),
        (("fit", *COMPARE[1:], "--set", "max_dept=3"), "--set max_depth=3"),
        (("tree", *COMPARE[1:], "--set", "max_dept=3"), "--set max_depth=3"),
        (("compare", "tiny.csv", "-t", "t"), "--folds 5"),
    ],
)
def test_a_refusal_has_a_repair_that_can_be_typed(
    refused: Refused, arguments: tuple[str, ...], repair: str
) -> None:
    told = refused(*arguments)
    assert f"\n  repair: {repair}\n" in told
    assert "Comparing" not in told
    assert not list(Path().glob("*.jsonl"))


def test_a_target_with_one_value_is_refused_without_a_warning_first(refused: Refused) -> None:
    told = refused("compare", "same.csv", "-t", "t")
    assert told.startswith("There is nothing to learn: the target 't' has only one value, x.")


def test_nothing_to_resume_is_said_and_everything_is_done(
    refused: Refused, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = ("--learners", "stump", "--folds", "3", "--jobs", "1", "--report", "none")
    assert run_arguments([*COMPARE, *quick, "--resume"]) == 0
    seen = capsys.readouterr()
    assert "There is nothing to resume: no comparison has left credit.compare.jsonl." in seen.err
    assert "[W015]" in seen.err
    assert "6/6 done" in seen.err


MISTAKES = (
    ("--metric", "AUC"),
    ("--learners", "treee"),
    ("--prefer", "speed"),
    ("--target", "clas"),
    ("--positive", "bda"),
    ("--report", "nodir/r.html"),
)


def test_a_refusal_loads_neither_scikit_learn_nor_scipy(refused: Refused) -> None:
    program = (
        "import sys\nfrom branchline.cli._app import run_arguments\n"
        f"for mistake in {MISTAKES}:\n"
        "    code = run_arguments(['compare', 'credit.csv', '-t', 'class', *mistake])\n"
        "    print(code, *{'sklearn', 'scipy'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    told = done.stdout.splitlines()
    assert len(told) == len(MISTAKES)
    assert set(told) <= {"2 ", "3 ", "2", "3"}, told


def test_python_names_the_metric_and_the_keyword_that_were_meant() -> None:
    iris = load_dataset("iris")
    with pytest.raises(ParameterError, match="Did you mean 'auc'") as wrong:
        compare(iris, "species", metric="AUC")
    assert wrong.value.repair.python == "metric='auc'"
    with pytest.raises(UnknownParameterError, match="Did you mean 'learners'") as unknown:
        compare(iris, "species", learner="tree")
    assert unknown.value.code == "P002"
    assert isinstance(unknown.value, TypeError)
    X, y = iris.split_target("species")
    with pytest.raises(UnknownParameterError, match="Did you mean 'metric'"):
        cross_validate(MajorityClassifier(), X, y, metrics="auc")
