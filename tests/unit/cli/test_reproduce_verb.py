"""``branchline reproduce``: names, documents, exit codes."""

import json
from subprocess import CompletedProcess

import pytest
from typer.testing import CliRunner

from branchline.cli import _reproduce_verb as verb
from branchline.cli._app import app
from branchline.errors import ParameterError
from branchline.reproduce import Figure, Line, Reproduction
from command_line import run_here


def outcome(agrees: bool) -> Reproduction:
    return Reproduction("A table", (Line("a", (Figure("x", 1.0, 2.0, agrees),)),), "equal")


def run(*arguments: str) -> "CompletedProcess[str]":
    return run_here("reproduce", *arguments)


def test_a_document_on_stdout_and_words_on_stderr() -> None:
    found = run("worked-examples", "--json")
    assert found.returncode == 0, found.stderr
    document = json.loads(found.stdout)
    assert document["schema"] == 1
    assert document["reproduce"]["name"] == "worked-examples"
    assert document["reproduce"]["agrees"] is True
    assert len(document["reproduce"]["lines"]) == 27
    assert "figures of" in found.stderr


def test_an_unknown_table_exits_with_3() -> None:
    found = run("friedmann")
    assert found.returncode == 2
    assert "Did you mean 'friedman'" in found.stderr
    assert "P123" in found.stderr


@pytest.mark.parametrize(("agrees", "code"), [(True, 0), (False, 5)])
def test_the_exit_code_says_whether_all_agree(
    monkeypatch: pytest.MonkeyPatch, agrees: bool, code: int
) -> None:
    asked: list[object] = []

    def pretend(name: str, **options: object) -> Reproduction:
        asked.append((name, options))
        return outcome(agrees)

    monkeypatch.setattr(verb, "reproduce_table", pretend)
    found = CliRunner().invoke(app, ["reproduce", "friedman", "--quick", "--seed", "7"])
    assert found.exit_code == code
    assert asked == [("friedman", {"quick": True, "data": None, "seed": 7})]
    assert "A table" in found.stdout


@pytest.mark.parametrize(
    ("name", "function"), [("friedman", "friedman"), ("selection-bias", "selection_bias")]
)
def test_options_reach_the_functions(
    monkeypatch: pytest.MonkeyPatch, name: str, function: str
) -> None:
    def pretend(**options: object) -> Reproduction:
        assert options == {"quick": True, "random_state": 3, "tell": None}
        return outcome(True)

    monkeypatch.setattr(f"branchline.reproduce.{function}", pretend)
    assert verb.reproduce_table(name, quick=True, seed=3, quiet=True).agrees


def test_names_are_refused_with_a_code() -> None:
    with pytest.raises(ParameterError) as caught:
        verb.reproduce_table("wine")
    assert caught.value.code == "P123"


@pytest.mark.parametrize("name", ["golub", "splice"])
def test_the_folder_reaches_golub(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def pretend(data: str | None, **options: object) -> Reproduction:
        assert data == "here"
        assert options == {"quick": False, "random_state": 0, "tell": None}
        return outcome(True)

    monkeypatch.setattr(f"branchline.reproduce.{name}", pretend)
    assert verb.reproduce_table(name, data="here", quiet=True).agrees


def test_promoters_have_no_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    def pretend(**options: object) -> Reproduction:
        assert options == {"data": "here", "tell": None}
        return outcome(True)

    monkeypatch.setattr("branchline.reproduce.promoters", pretend)
    assert verb.reproduce_table("promoters", data="here", quick=True, quiet=True).agrees


def test_other_tables_have_no_folder() -> None:
    with pytest.raises(ParameterError, match="'friedman' needs none") as caught:
        verb.reproduce_table("friedman", data="here")
    assert caught.value.code == "P130"


def test_absent_data_exit_with_3() -> None:
    found = run("golub", "--data", "nowhere")
    assert found.returncode == 3
    assert "F001" in found.stderr


def test_a_picture_is_drawn_and_a_table_has_none(tmp_path):
    place = tmp_path / "stocks.svg"
    done = run("stocks", "--quick", "--draw", str(place))
    assert done.returncode == 0, done.stderr
    assert "28 stocks, 19 days" in place.read_text()
    assert "P743" in run("sine", "--draw", str(place)).stderr
