"""Every learner on small bundled data sets; ``make walk`` takes them all."""

import subprocess
import sys
import warnings
from typing import Any

import pytest

from branchline import catalog
from branchline.catalog import _walk
from branchline.catalog.__main__ import main
from branchline.catalog._walk import Case, cases, walk, walk_one
from branchline.errors import BranchlineWarning
from branchline.table import dataset_info, dataset_names

SMALL = ["tennis-numeric", "regression"]


@pytest.mark.parametrize("name", catalog.names())
def test_every_learner_walks_over_small_sets(name: str) -> None:
    [walked] = walk([name], SMALL)
    assert walked.failures == (), walked.to_text()
    assert len(walked.outcomes) == sum([1, 2][task == "regression"] for task in tasks(name))


def tasks(name: str) -> tuple[str, ...]:
    return catalog.entry(name).tasks


def test_cases_cover_every_set_with_a_target() -> None:
    found = cases()
    with_target = {name for name in dataset_names() if dataset_info(name).target}
    assert {case.dataset for case in found} == with_target
    labels = {case.label for case in found if case.task == "regression"}
    assert {"auto-mpg", "regression", "iris:petal_length", "titanic:fare"} <= labels
    assert "german-credit" in {case.label for case in found if case.task == "classification"}


def test_rows_without_a_target_are_left_out() -> None:
    X, y = _walk._rows_of(Case("titanic", "fare", "regression"))
    assert X.n_rows == len(y) == 1308


class Broken:
    """A learner that fails in one way."""

    def __init__(self, how: str) -> None:
        self.how = how
        self.model = catalog.make("tree", task="classification")

    def fit(self, X: Any, y: Any) -> "Broken":
        if self.how == "raises":
            raise ZeroDivisionError("a sum\nof two lines")
        if self.how == "warns":
            warnings.warn("did not converge", RuntimeWarning, stacklevel=2)
        if self.how == "warns politely":
            warnings.warn("one class", BranchlineWarning, stacklevel=2)
        self.model.fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)[: 3 if self.how == "too few" else None]

    def save(self, path: Any) -> None:
        other = catalog.make("baseline", task="classification")
        X, y = _walk._rows_of(Case("iris", "species", "classification"))
        (other.fit(X, y) if self.how == "loads another" else self.model).save(path)


@pytest.mark.parametrize(
    ("how", "failure"),
    [
        ("raises", "ZeroDivisionError: a sum"),
        ("warns", "RuntimeWarning: did not converge"),
        ("warns politely", None),
        ("too few", "AssertionError: it lacks one prediction a row"),
        ("loads another", "AssertionError: it lacks the same predictions after loading"),
        ("nothing", None),
    ],
)
def test_what_goes_wrong_is_told(
    how: str, failure: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_walk, "make", lambda name, task: Broken(how))
    outcome = walk_one(catalog.entry("tree"), Case("iris", "species", "classification"))
    assert outcome.failure == failure
    assert outcome.seconds > 0


def test_the_command_prints_a_line_for_each_learner(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--learners", "tree, stump", "--datasets", "xor,regression"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:4] for line in lines[:2]] == [
        ["tree", "2", "of", "2"],
        ["stump", "2", "of", "2"],
    ]
    assert lines[2] == "4 cases, 0 failures"


def test_the_command_fails_when_a_learner_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_walk, "make", lambda name, task: Broken("raises"))
    assert main(["--learners", "c45", "--datasets", "xor"]) == 1
    assert "classification of xor: ZeroDivisionError: a sum" in capsys.readouterr().out


def test_the_command_refuses_unknown_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--datasets", "irs"]) == 2
    assert "Did you mean" in capsys.readouterr().err
    done = subprocess.run(
        [sys.executable, "-m", "branchline.catalog", "--learners", "tre"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Did you mean" in done.stderr
