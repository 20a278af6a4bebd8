"""Reduced experiments of choosing inputs; the command does them in full."""

import numpy as np
import pytest
from benchmarks.reproductions.choosing_inputs import (
    copied_table,
    golub_curve,
    madelon,
    noise_errors,
    relevant_columns,
    xor_finders,
    xor_table,
)
from tests.shared_data import SHARED, needs_shared

from branchline.features import ShadowSelector, rank_columns
from branchline.reproduce._golub_patients import golub_patients


@pytest.mark.parametrize("name", ["mutual_information", "gain", "f", "chi_square"])
def test_filters_of_single_columns_miss_xor(name):
    found = [xor_finders()[name](*xor_table(seed)) for seed in range(3)]
    assert not any({"x0", "x1"} <= one for one in found)


@pytest.mark.parametrize("name", ["relief", "multisurf", "forest"])
def test_what_sees_columns_together_finds_xor_among_98_columns_of_noise(name):
    assert xor_finders()[name](*xor_table(0)) == {"x0", "x1"}


def test_a_wrapper_finds_xor_among_columns_that_relief_left():
    assert xor_finders()["relief, then backward"](*xor_table(0)) == {"x0", "x1"}


def test_copies_share_their_relevance_and_are_named():
    X, y = copied_table()
    found = rank_columns(X, y)
    scores = dict(zip(found.names, found.scores, strict=True))
    copies = {f"copy{k}" for k in range(10)}
    assert {scores[name] for name in copies} == {scores["copy0"]}
    assert copies in [set(group) for group in found.groups]


def test_choosing_on_all_rows_deceives_and_choosing_inside_does_not():
    found = np.array([noise_errors(seed, n_rows=100, n_inputs=400) for seed in range(3)])
    apparent, honest = found.mean(axis=0)
    assert apparent < 0.38
    assert 0.42 < honest < 0.6


@needs_shared
def test_relief_finds_the_relevant_columns_of_madelon():
    X, y = madelon()
    relevant = relevant_columns(X)
    assert len(relevant) == 20
    for by in ("relief", "multisurf"):
        assert len(relevant & set(rank_columns(X, y, by=by).top(20))) >= 18


@needs_shared
def test_shuffled_copies_find_the_relevant_columns_of_madelon():
    X, y = madelon()
    relevant = relevant_columns(X)
    noise = [f"x{place}" for place in range(500) if f"x{place}" not in relevant][:60]
    kept = [int(name[1:]) for name in [*sorted(relevant), *noise]]
    chosen = ShadowSelector().fit(X[:, kept], y).get_support(indices=True)
    assert set(range(20)) <= set(chosen.tolist())
    assert len(chosen) <= 21


@needs_shared
def test_elimination_on_leukemia_looks_better_inside_than_it_is():
    X, y = golub_patients(SHARED)
    curve = golub_curve(X[:, :1000], y, [5, 20], n_samples=2)
    assert len(curve.errors) == 5
    inside, outside = curve.errors["internal leave-one-out"], curve.errors["external 10-fold"]
    assert np.mean(inside) < np.mean(outside) < 0.3
    assert curve.draw().to_svg().startswith("<svg")
