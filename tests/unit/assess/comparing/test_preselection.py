"""W050: the trace that a choice of columns with the target leaves, and tables without one."""

import numpy as np
import pytest
from scipy import stats

from branchline import Table, load_dataset
from branchline.assess import compare, make_problem
from branchline.assess.comparing import preselection_warnings, trace_of_choice
from branchline.assess.comparing._preselection import _edge_of


def chosen(n_rows, before, after, seed, classes=True):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_rows, before)), rng.normal(size=n_rows)
    if classes:
        y = np.arange(n_rows) % 2
    strength = np.abs(np.corrcoef(np.c_[X, y].T)[-1, :-1])
    best = np.argsort(-strength)[:after]
    return X[:, best], np.where(y == 1, "yes", "no") if classes else y


def has_trace(X, y):
    return trace_of_choice(make_problem(X, y)) is not None


@pytest.mark.parametrize("classes", [True, False])
def test_a_choice_from_noise_is_seen(classes):
    seen = [has_trace(*chosen(100, 2000, 40, seed, classes)) for seed in range(10)]
    assert sum(seen) >= 9


@pytest.mark.parametrize("classes", [True, False])
def test_noise_without_a_choice_has_no_trace(classes):
    assert not any(has_trace(*chosen(100, 40, 40, seed, classes)) for seed in range(20))


def test_the_number_before_is_about_right():
    X, y = chosen(200, 3000, 60, 0)
    found = trace_of_choice(make_problem(X, y))
    assert 1500 < found.n_before < 6000
    assert found.n_columns == 60
    assert found.crowded > 0.7


def test_columns_that_all_tell_something_have_no_trace():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 30)) + y[:, None] * rng.uniform(0.3, 1.5, size=30)
    assert not has_trace(X, np.where(y == 1, "yes", "no"))


def test_columns_that_measure_one_thing_have_no_trace():
    rng = np.random.default_rng(4)
    y = np.arange(100) % 2
    cause = rng.normal(size=100) + 0.55 * y
    X = cause[:, None] + 0.3 * rng.normal(size=(100, 30))
    assert not has_trace(X, np.where(y == 1, "yes", "no"))


@pytest.mark.parametrize(
    ("name", "target"), [("german-credit", "class"), ("votes84", "party"), ("heart", "disease")]
)
def test_bundled_tables_have_no_trace(name, target):
    assert preselection_warnings(make_problem(load_dataset(name), target)) == []


def test_few_columns_are_not_judged():
    X, y = chosen(100, 2000, 19, 0)
    assert not has_trace(X, y)


def test_missing_and_constant_columns_do_not_matter():
    X, y = chosen(100, 2000, 40, 1)
    table = {f"x{at}": X[:, at] for at in range(40)}
    table |= {"same": np.ones(100), "kind": ["a", "b"] * 50, "empty": [None] * 100}
    table["x0"] = [None if at % 9 == 0 else cell for at, cell in enumerate(table["x0"])]
    assert has_trace(Table({name: list(cells) for name, cells in table.items()}), y)


def test_an_edge_needs_a_crowd_below_it():
    even = np.linspace(0.0005, 0.02, 40)
    assert _edge_of(even).edge == pytest.approx(0.019, abs=0.001)
    assert _edge_of(even * 6) is None  # the edge lies above 0.1
    assert _edge_of(10 ** -np.linspace(2, 12, 40)) is None  # over many powers of ten
    assert _edge_of(stats.uniform.rvs(size=40, random_state=0)) is None
    assert _edge_of(np.zeros(40)) is None


def test_compare_tells_it_first():
    X, y = chosen(100, 2000, 40, 2)
    with pytest.warns(UserWarning, match="chosen with the target"):
        found = compare(X, y, learners="naive_bayes", n_folds=3)
    assert "W050" in [one.code for one in found.warnings]
    assert "Check first: The columns look" in str(found)
