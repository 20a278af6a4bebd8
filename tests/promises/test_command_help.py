"""What ``--help`` says is true in every verb."""

import re

import pytest
import typer

from branchline.cli._app import app
from branchline.cli._drawing import DRAWN_AS, TREES_DRAWN_AS

GROUP = typer.main.get_command(app)
VERBS = {name: GROUP.get_command(None, name) for name in GROUP.commands}
OPTIONS = [
    (verb, option)
    for verb, command in VERBS.items()
    for option in command.params
    if option.name != "help"
]


@pytest.mark.parametrize(("verb", "option"), OPTIONS, ids=lambda one: getattr(one, "name", one))
def test_values_have_words_not_types_of_python(verb, option):
    if getattr(option, "is_flag", False):
        return
    assert re.fullmatch(r"[A-Z][A-Z,…=>]*", option.metavar), option.metavar


@pytest.mark.parametrize("verb", [name for name, one in VERBS.items() if one.params])
def test_endings_of_pictures_are_those_that_are_accepted(verb):
    for option in VERBS[verb].params:
        if option.name == "draw":
            known = TREES_DRAWN_AS if verb in ("tree", "network") else DRAWN_AS
            assert tuple(re.findall(r"\.(?:svg|png|html|pdf)\b", option.help)) == known


def test_a_flag_means_the_same_in_every_verb():
    """Two verbs may say more or less of a flag, but not something else."""
    meanings = {}
    for verb, option in OPTIONS:
        for flag in option.opts:
            if flag.startswith("--") and flag not in _SAID_OTHERWISE:
                meanings.setdefault(flag, {}).setdefault(option.help, verb)
    assert {flag: found for flag, found in meanings.items() if len(found) > 1} == {}


# Flags whose help names what is special in a verb.
_SAID_OTHERWISE = {
    *("--target", "--task", "--seed", "--draw", "--output", "--positive", "--metric", "--folds"),
    *(
        "--jobs",
        "--method",
        "--tune",
        "--tuning",
        "--resampling",
        "--sizes",
        "--data",
        "--row",
        "--save",
    ),
}


def test_keep_of_predict_is_called_copy():
    keeping = [verb for verb, option in OPTIONS if "--keep" in option.opts]
    assert "predict" not in keeping
    assert "--copy" in [flag for one in VERBS["predict"].params for flag in one.opts]
