"""One name means one thing: parameters of all public estimators, kernels and functions."""

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from branchline import catalog
from branchline._base import Estimator
from branchline._renamed import new_name
from branchline._validation import AnyOf, OneOf
from branchline.assess import METRICS, Outcome
from branchline.assess.curves import precision_recall_curve, roc_curve
from branchline.assess.theory import sample_curves
from branchline.errors import ParameterError, UnknownParameterError
from branchline.svm import SVC
from branchline.table import as_table
from branchline.tree import DecisionTreeClassifier

sys.path.append(str(Path(__file__).parents[2] / "tools"))
import parameters as public

OWNERS = [(name, thing) for _, name, thing in public.owners()]
ESTIMATORS = [one for one in OWNERS if inspect.isclass(one[1]) and issubclass(one[1], Estimator)]
SNAKE = re.compile(r"[a-zA-Z][a-z0-9]*(_[a-z0-9]+)*\Z")
BRITISH = re.compile(r"centre|licence|colour|neighbour|behaviour|is(e|ed|ation)\Z")

# The penalties of SVC, by their formula.
FORMULAS = {None, "C", "C/n", "nu/2", "k-means++"}  # the names the papers gave them

# Parameters whose name has two meanings, each the field's own word for it.
TWO_MEANINGS = {
    "alpha": "the smoothing of counts in naive Bayes; elsewhere the strength of a penalty",
    "kernel": "a function of distance in Parzen's method; elsewhere a function of two rows",
    "kind": "how rows are split in Resampling; the terms of BasisExpansion",
    "method": "how subsets are searched; how ForwardStagewise steps",
    "metric": "a distance of nearest neighbors; elsewhere a score",
    "missing": "cells that are missing in a file; how a tree treats missing values",
    "weights": "of members in a vote; of neighbors by their distance",
}


@pytest.mark.parametrize(("name", "thing"), OWNERS)
def test_every_parameter_is_documented_once_and_in_snake_case(name: str, thing: Any) -> None:
    taken = {
        key: one
        for key, one in inspect.signature(thing).parameters.items()
        if one.kind is not one.VAR_KEYWORD
    }
    written = public.documented(thing)
    written.pop("parameters", None)  # **parameters
    assert set(written) == set(taken)
    assert all(written.values())
    for key in taken:
        assert SNAKE.match(key), key
        assert not BRITISH.search(key), key


def choices(constraint: Any) -> list[Any]:
    parts = constraint.options if isinstance(constraint, AnyOf) else (constraint,)
    return [choice for part in parts if isinstance(part, OneOf) for choice in part.choices]


@pytest.mark.parametrize(("name", "kind"), ESTIMATORS)
def test_choices_are_in_snake_case(name: str, kind: Any) -> None:
    for constraint in kind._constraints.values():
        for choice in choices(constraint):
            assert choice in FORMULAS or SNAKE.match(choice), choice


def test_learners_and_metrics_are_in_snake_case() -> None:
    for name in (*catalog.names(), *METRICS, *catalog.HANDLES):
        assert SNAKE.match(name), name


def test_a_name_allows_the_same_kinds_of_values_everywhere() -> None:
    kinds: dict[str, dict[frozenset[str], str]] = {}
    for owner, kind in ESTIMATORS:
        for name, constraint in kind._constraints.items():
            parts = constraint.options if isinstance(constraint, AnyOf) else (constraint,)
            allowed = frozenset(type(part).__name__.removeprefix("Sequence") for part in parts)
            allowed -= {"OneOf", "Given"}
            if allowed:
                kinds.setdefault(name, {}).setdefault(allowed, owner)
    for name, found in kinds.items():
        common = frozenset.intersection(*found)
        assert common or name in TWO_MEANINGS, (name, found)


def test_exceptions_are_needed() -> None:
    used = {one.name for one in public.parameters()}
    assert set(TWO_MEANINGS) <= used


@pytest.mark.parametrize(
    ("old", "new"), [("one_se", "rule"), ("folds", "n_folds"), ("early_stopping", "stop_by")]
)
def test_an_old_name_is_refused_with_the_new_one(old: str, new: str) -> None:
    with pytest.raises(UnknownParameterError) as caught:
        DecisionTreeClassifier(**{old: 5})
    assert f"Did you mean {new!r}?" in caught.value.message
    assert caught.value.repair.python == f"model = DecisionTreeClassifier({new}=5)"


def test_an_old_choice_is_refused_with_the_new_one() -> None:
    with pytest.raises(ValueError, match="Did you mean 'one_vs_rest'") as caught:
        SVC(strategy="one-vs-rest").fit([[0.0], [1.0]], [0, 1])
    assert "one_vs_rest" in str(caught.value)


def test_a_name_that_stayed_is_not_translated() -> None:
    assert new_name("rule", {"rule", "decision"}) is None
    assert new_name("rule", {"decision"}) == "decision"
    assert new_name("folds", {"n_estimators"}) is None


def test_rooms_are_those_of_the_package() -> None:
    found = public.rooms()
    assert {"features", "charts", "reproduce", "assess.curves", "assess.theory"} <= set(found)
    assert not {"assess.comparing", "cli"} & set(found)


# What is called otherwise everywhere: the seed of draws, folds, prices of leaves.
GIVEN_UP = {"seed": "random_state", "folds": "n_folds", "repeats": "n_repeats", "learner": "model"}


def test_no_public_parameter_has_a_name_that_was_given_up() -> None:
    for one in public.parameters():
        assert one.name not in GIVEN_UP, one
        assert not one.name.endswith("_price"), one


def test_old_names_of_functions_are_refused_with_the_new_one() -> None:
    truth = np.array([0, 1, 0, 1])
    outcome = Outcome(truth, truth, np.eye(2)[truth], ("n", "p"), positive=1)
    for curve in (roc_curve, precision_recall_curve):
        with pytest.raises(UnknownParameterError, match="'random_state'"):
            curve(outcome, seed=1)
    with pytest.raises(UnknownParameterError, match="'model'"):
        sample_curves(learner=DecisionTreeClassifier())
    with pytest.raises(ParameterError) as caught:
        as_table([[1.0]], texts="as they are")
    assert caught.value.repair.python == "as_table(X, texts='raw')"
