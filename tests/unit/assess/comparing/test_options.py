"""The options of a comparison are stated once; what is made of them agrees."""

import inspect
from dataclasses import fields
from typing import Any

import pytest
from typer.main import get_command

from branchline import load_dataset
from branchline.assess import compare, make_plan, make_problem
from branchline.assess.comparing._options import CompareOptions, option_of
from branchline.cli._app import app
from branchline.cli._compare_options import CompareCommand, command_of
from branchline.errors import UnknownParameterError

NOT_CHOICES = {"X", "y", "run_file", "resume"}


def parameters(function: Any) -> dict[str, Any]:
    found = inspect.signature(function).parameters
    return {name: one.default for name, one in found.items() if name not in NOT_CHOICES}


def test_compare_has_the_options_with_their_defaults() -> None:
    assert parameters(compare) == {one.name: one.default for one in fields(CompareOptions)}


def test_every_option_has_a_flag_and_help() -> None:
    for one in fields(CompareOptions):
        known = option_of(one)
        assert known is not None
        assert known.flag.startswith("--")
        assert known.help.endswith((".", "…"))


def test_the_command_line_differs_in_the_number_of_processes_only() -> None:
    own = {one.name: one.default for one in fields(CompareCommand)}
    differing = {one.name for one in fields(CompareOptions) if own[one.name] != one.default}
    assert differing == {"n_jobs"}


def test_the_flags_of_the_command_are_those_of_the_options() -> None:
    command: Any = get_command(app)
    shown = {one.name: one for one in command.commands["compare"].params}
    for one in fields(CompareCommand):
        known = option_of(one)
        if known is not None:
            assert tuple(shown[one.name].opts) == known.flags
            assert shown[one.name].help == known.help


def test_the_repeated_command_has_what_was_changed_and_makes_results() -> None:
    given = CompareCommand(
        path="a b.csv",
        target="y",
        resampling="bootstrap",
        time_budget="60s",
        keep=("id", "name"),
        n_jobs=2,
        report="r.html",
    )
    told = command_of(given)
    assert told == (
        "branchline compare 'a b.csv' --target y --resampling bootstrap --time-budget 60s "
        "--keep id --keep name"
    )


def test_old_names_are_refused_with_the_new_ones() -> None:
    iris = load_dataset("iris")
    with pytest.raises(UnknownParameterError, match="It is called 'time_column' now"):
        compare(iris, "species", time="sepal_length")
    with pytest.raises(UnknownParameterError, match="It is called 'time_column' now"):
        make_problem(iris, "species", time="sepal_length")
    with pytest.raises(UnknownParameterError, match="It is called 'n_folds' now"):
        make_plan("classification", folds=3)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, "folds"),
        ({"group": "g"}, "group_folds"),
        ({"time_column": "t"}, "time_folds"),
        ({"group": "g", "resampling": "hold_out"}, "hold_out"),
    ],
)
def test_the_usual_resampling_follows_from_groups_and_times(
    options: dict[str, Any], kind: str
) -> None:
    assert make_plan("classification", **options).resampling.kind == kind
