"""Which hyper-parameters mattered: where the truth is known."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import load_dataset
from branchline.assess import compare
from branchline.assess._holm import holm
from branchline.assess.comparing._ease import Tuned, ease_of
from branchline.assess.comparing._results import FoldResult
from branchline.errors import ParameterError

ABOUT = Tuned("accuracy", 0.01, less_is_better=False, test_to_train=0.25)


def trials_of(settings, effect, rng, n_sets=5, noise=0.004):
    return [
        [
            {"parameters": one, "score": float(effect(one) + rng.normal(0, noise))}
            for one in settings
        ]
        for _ in range(n_sets)
    ]


GRID = [{"C": c, "kind": kind} for c, kind in itertools.product((1, 10, 100), ("a", "b"))]


def test_the_parameter_that_matters_is_named_and_so_is_the_one_that_does_not():
    effect = {1: 0.7, 10: 0.8, 100: 0.82}
    found = ease_of(
        "svm", ABOUT, trials_of(GRID, lambda one: effect[one["C"]], np.random.default_rng(0))
    )
    assert found.named("mattered") == ("C",)
    assert found.named("did not matter") == ("kind",)
    largest = found.parameters[0]
    assert largest.share.estimate > 0.9
    assert (largest.best, largest.worst) == ("100", "1")
    assert largest.best_score == pytest.approx(0.82, abs=0.01)
    assert found.n_good == 2
    assert "C (" in found.sentence


def test_random_draws_of_noise_matter_in_one_of_twenty():
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(100):
        settings = [{"a": float(rng.random()), "b": str(rng.integers(3))} for _ in range(30)]
        found = ease_of("x", ABOUT, trials_of(settings, lambda _: 0.0, rng, noise=0.1))
        wrong += bool(found.named("mattered"))
    assert wrong <= 10


def test_random_draws_find_what_matters():
    rng = np.random.default_rng(2)
    settings = [{"a": float(rng.random()), "b": float(rng.random())} for _ in range(40)]
    found = ease_of("x", ABOUT, trials_of(settings, lambda one: one["a"], rng))
    assert found.named("mattered") == ("a",)
    assert found.parameters[0].n_values == 4
    assert found.parameters[0].share.low > 0.5


def test_few_configurations_drawn_at_random_say_nothing():
    settings = [{"a": 0.1, "b": 0.5}, {"a": 0.4, "b": 0.2}, {"a": 0.9, "b": 0.9}]
    found = ease_of("x", ABOUT, trials_of(settings, lambda one: one["a"], np.random.default_rng(3)))
    assert set(found.named("too few")) == {"a", "b"}
    assert "too few configurations" in found.sentence


def test_failed_candidates_are_left_out_and_one_is_nothing():
    trials = trials_of(GRID, lambda one: one["C"] / 100, np.random.default_rng(4))
    trials[0][0] = {**trials[0][0], "score": None}
    assert ease_of("x", ABOUT, trials).n_configurations == 5
    assert ease_of("x", ABOUT, [trials[0][:1]]) is None


@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_never_makes_p_smaller_and_keeps_the_order(p_values):
    found = holm(p_values)
    assert all(new >= old for new, old in zip(found, p_values, strict=True))
    assert all(new <= 1 for new in found)
    for one, other in itertools.combinations(range(len(found)), 2):
        if p_values[one] < p_values[other]:
            assert found[one] <= found[other]


def test_a_tuned_comparison_tells_and_an_untuned_one_refuses():
    table = load_dataset("iris")
    found = compare(table, "species", learners="c45", n_folds=3, tuning="small")
    ease = found.ease("c45")
    assert ease.n_configurations >= 2
    assert [one["learner"] for one in found.to_dict()["ease"]] == ["c45"]
    assert len(ease.to_frame()) == len(ease.parameters)
    line = found.results[-1].to_line()
    assert FoldResult.from_line(line).trials == found.results[-1].trials
    with pytest.raises(ParameterError) as caught:
        found.ease("baseline")
    assert caught.value.code == "P353"


def test_equal_scores_have_no_best_value():
    rng = np.random.default_rng(0)
    found = ease_of("tree", ABOUT, trials_of(GRID, lambda one: 0.9, rng, noise=0.0))
    assert found is not None
    assert "0.900 at all 3 values" in str(found)
    assert "worst" not in str(found)
