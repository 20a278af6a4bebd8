"""Sequences: Viterbi finds what comparing all labelings finds; the bound of the machine holds."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from branchline import _core
from twins import sequences as twin


@st.composite
def problems(draw, most_tokens=5):
    seed, n_labels = draw(st.integers(0, 100_000)), draw(st.integers(1, 4))
    draws = np.random.default_rng(seed)
    sizes = draws.integers(1, most_tokens + 1, draw(st.integers(1, 4)))
    n_slots, n_features = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    features = draws.integers(0, n_features, starts[-1] * n_slots).astype(np.uint32)
    allowed = np.ones((n_labels + 1, n_labels + 1), np.uint8)
    if draw(st.booleans()):
        allowed = (draws.random(allowed.shape) < 0.7).astype(np.uint8)
    return starts, features, n_features, allowed, draws


def rows_of(starts, features):
    table = features.reshape(starts[-1], -1)
    return [table[a:b].tolist() for a, b in itertools.pairwise(starts)]


@given(problems(), st.booleans())
def test_the_best_labeling_is_that_of_brute_force(problem, whole_numbers):
    starts, features, n_features, allowed, draws = problem
    n_labels = len(allowed) - 1
    weights = draws.normal(size=(n_features, n_labels))
    moves = draws.normal(size=allowed.shape)
    if whole_numbers:  # ties
        weights, moves = np.rint(weights), np.rint(moves)
    given = _core.TokenSequences(starts, features, n_features)
    rules = _core.LabelRules(n_labels, allowed.reshape(-1), None, None)
    labels, margins, scores = _core.decode_sequences(
        given, rules, weights.reshape(-1), moves.reshape(-1), 2
    )
    for i, rows in enumerate(rows_of(starts, features)):
        most, at_token = twin.best(rows, weights, moves, allowed)
        if not np.isfinite(most):
            assert np.isneginf(scores[i])
            assert (labels[starts[i] : starts[i + 1]] == n_labels).all()
            continue
        found = labels[starts[i] : starts[i + 1]]
        np.testing.assert_allclose(scores[i], most, atol=1e-9)
        np.testing.assert_allclose(twin.score(rows, weights, moves, found), most, atol=1e-9)
        for t, label in enumerate(found.tolist()):
            others = np.delete(at_token[t], label)
            behind = most - others.max() if len(others) else np.inf
            np.testing.assert_allclose(margins[starts[i] + t], behind, atol=1e-9)


@given(problems(most_tokens=4), st.sampled_from([0.03, 0.3]))
def test_the_objective_and_its_bound_are_true(problem, strength):
    starts, features, n_features, allowed, draws = problem
    n_labels = len(allowed) - 1
    allowed = np.ones_like(allowed)
    labels = draws.integers(0, n_labels, starts[-1]).astype(np.uint32)
    weights = draws.integers(1, 4, len(starts) - 1).astype(np.float64)
    found = _core.train_sequences(
        _core.TokenSequences(starts, features, n_features),
        _core.LabelRules(n_labels, allowed.reshape(-1), labels, weights),
        (strength, 1e-6, 20_000, 0),
    )
    learned, moves = found[0].reshape(-1, n_labels), found[1].reshape(allowed.shape)
    primal, dual = found[2].reshape(-1, 3)[-1, 1:]
    ends = itertools.pairwise(starts)
    answers = [labels[a:b].tolist() for a, b in ends]
    known = list(zip(rows_of(starts, features), answers, weights, strict=True))

    def objective(flat):
        some, rest = flat[: learned.size], flat[learned.size :]
        shapes = some.reshape(learned.shape), rest.reshape(moves.shape)
        return twin.objective(known, *shapes, allowed, strength)

    flat = np.concatenate([learned.ravel(), moves.ravel()])
    np.testing.assert_allclose(primal, objective(flat), rtol=1e-9, atol=1e-12)
    assert found[4], "the gap is reached"
    assert dual <= primal <= dual + 1e-6
    for _ in range(20):  # nothing nearby is below the bound
        assert objective(flat + draws.normal(0, 0.1, len(flat))) >= dual - 1e-9
    if len(flat) <= 12:
        better = minimize(objective, flat, method="Nelder-Mead", options={"maxiter": 200})
        assert better.fun >= dual - 1e-9
