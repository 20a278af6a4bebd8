"""The exact search for labels is held against all labelings, one by one."""

import numpy as np
import pytest

from branchline import _core
from branchline.svm._annealed_labeling import annealed_labeling
from branchline.svm._exact_labeling import exact_labeling
from branchline.svm._labeling import LabelProblem
from twins.few_labels import best_of_all_labelings


def random_problem(seed: int, most_free: int = 12) -> LabelProblem:
    """Return a problem on a random table, with a balance and masses in some of them."""
    rng = np.random.default_rng(seed)
    n_fixed, n_free = int(rng.integers(2, 9)), int(rng.integers(1, most_free + 1))
    rows = rng.normal(size=(n_fixed + n_free, int(rng.integers(1, 4))))
    squares = ((rows[:, None] - rows) ** 2).sum(axis=2)
    linear = seed % 3 == 0
    gram = np.ascontiguousarray(rows @ rows.T if linear else np.exp(-squares))
    labels = np.where(np.arange(n_fixed) % 2 == 0, 1.0, -1.0)
    mass = rng.integers(1, 4, n_free).astype(float) if seed % 4 == 0 else np.ones(n_free)
    options = _core.SvmOptions(1e-9, True, -1, -1.0, 2**24, 1)
    options.polishes = True
    cost = float(rng.choice([0.1, 1.0, 10.0]))
    problem = LabelProblem(
        gram,
        np.arange(n_fixed),
        labels,
        np.arange(n_fixed, n_fixed + n_free),
        np.full(n_fixed, float(rng.choice([1.0, 10.0]))),
        cost * mass,
        mass,
        0.0,
        float(mass.sum()),
        options,
    )
    share = float(rng.uniform(0.2, 0.8))
    return problem if seed % 5 == 0 else problem.of_share(share, float(rng.uniform(0, 0.2)))


def first_of(problem: LabelProblem) -> object:
    return problem.machine(np.zeros(0, dtype=np.intp), np.zeros(0))


@pytest.mark.parametrize("part", range(10))
def test_it_equals_all_labelings_on_random_tables(part: int) -> None:
    for seed in range(20 * part, 20 * part + 20):
        problem = random_problem(seed, 12 if seed % 5 == 0 else 9)
        start = annealed_labeling(problem, first_of(problem), 4)
        found = exact_labeling(problem, start, 100_000)
        expected = best_of_all_labelings(problem)
        assert found.machine.primal == pytest.approx(expected, rel=1e-7, abs=1e-9), seed
        assert found.bound <= expected * (1 + 1e-7) + 1e-9
        assert found.machine.primal - found.bound <= 1e-6 * max(1.0, expected), seed
        assert start.machine.primal >= expected * (1 - 1e-7)
        positive = problem.mass[found.labels > 0].sum()
        assert problem.least <= positive <= problem.most


def test_a_search_that_stops_early_keeps_a_true_bound() -> None:
    problem = random_problem(21, 12)
    start = annealed_labeling(problem, first_of(problem), 4)
    found = exact_labeling(problem, start, 3)
    expected = best_of_all_labelings(problem)
    assert found.bound <= expected * (1 + 1e-9) + 1e-12
    assert found.machine.primal >= expected * (1 - 1e-9)
