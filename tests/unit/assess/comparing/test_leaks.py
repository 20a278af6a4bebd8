"""Columns that tell the target almost by themselves."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import Table, load_dataset, look
from branchline.assess import compare, make_problem
from branchline.assess.comparing import find_leaks, strength_alone
from branchline.assess.comparing._problem import checked_problem


def _problem(**columns):
    return make_problem(Table(columns), "y")


def test_the_lifeboat_tells_who_survived():
    problem = make_problem(load_dataset("titanic"), "survived")
    assert [leak.column for leak in find_leaks(problem)] == ["boat"]
    assert "Whether it is missing" in find_leaks(problem)[0].text


@pytest.mark.parametrize(
    ("name", "target"), [("german-credit", "class"), ("iris", "species"), ("auto-mpg", "mpg")]
)
def test_honest_data_raise_no_alarm(name, target):
    assert find_leaks(make_problem(load_dataset(name), target)) == ()


def test_a_threshold_is_found():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    found = find_leaks(_problem(x=x, z=rng.normal(size=200), y=np.where(x > 0.3, "a", "b")))
    assert [leak.column for leak in found] == ["x"]
    assert found[0].strength > 0.95


def test_a_copy_of_a_number_is_found():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    found = find_leaks(_problem(twice=2 * y, near=y + rng.normal(size=200), y=y))
    assert [leak.column for leak in found] == ["twice"]


def test_identifiers_and_constants_are_no_leaks():
    n_rows = 40
    found = find_leaks(
        _problem(id=[f"row {i}" for i in range(n_rows)], same=[1] * n_rows, y=["a", "b"] * 20)
    )
    assert found == ()


def test_few_rows_raise_no_alarm():
    assert find_leaks(_problem(x=[1.0, 2.0] * 5, y=["a", "b"] * 5)) == ()


def test_values_that_determine_the_target():
    problem = _problem(code=["u", "v", "w"] * 20, y=["a", "b", "a"] * 20)
    (found,) = find_leaks(problem)
    assert found.strength == 1.0
    assert "determines “y” completely" in found.text


def test_numbers_near_the_largest_float():
    y = np.linspace(-1e300, 1e300, 50)
    problem = _problem(x=y * 1.5e8, y=y)
    assert strength_alone(problem.table.column("x"), problem) > 0.98


def _slow_strength(values, classes):
    """Return what ``strength_alone`` means, row by row."""
    usual, most = Counter(classes).most_common(1)[0]
    usual = max(sorted(set(classes)), key=lambda name: (classes.count(name), -ord(name)))
    hits = 0
    for row, value in enumerate(values):
        others = [c for at, c in enumerate(classes) if values[at] == value and at != row]
        if not others:
            known = sorted({v for v in values if v is not None and v != value})
            if value is None or not known:
                guess = usual
            else:
                near = min(known, key=lambda v: (abs(v - value), v))
                counts = Counter(c for at, c in enumerate(classes) if values[at] == near)
                guess = max(sorted(counts), key=lambda name: counts[name])
            hits += guess == classes[row]
            continue
        counts = Counter(others)
        best = max(counts.values())
        leaders = [name for name, count in counts.items() if count == best]
        hits += leaders == [classes[row]]
    baseline = most / len(classes)
    return max(0.0, (hits / len(classes) - baseline) / (1 - baseline))


@given(
    st.lists(
        st.tuples(st.sampled_from([None, 0, 1, 2, 4, 9, 13]), st.sampled_from("abc")),
        min_size=2,
        max_size=25,
    ).filter(lambda rows: len({c for _, c in rows}) > 1 and len({v for v, _ in rows} - {None}) > 1)
)
def test_strength_equals_its_definition(rows):
    values = [value for value, _ in rows]
    classes = [name for _, name in rows]
    column = np.array([np.nan if value is None else value for value in values])
    problem = checked_problem(Table({"x": column}), classes, task="classification")
    found = strength_alone(problem.table.column("x"), problem)
    assert found == pytest.approx(_slow_strength(values, classes))


def test_copies_of_rows_do_not_make_every_column_tell_the_target():
    rng = np.random.default_rng(4)
    a, b = np.tile(rng.normal(size=(2, 60)), 5)
    y = np.tile(rng.choice(["u", "v"], 60), 5)
    assert find_leaks(_problem(a=a, b=b, y=y)) == ()
    notes = look(Table({"a": a, "y": y}), "y")["a"].notes
    assert "tells_target" not in [note.topic for note in notes]


@pytest.mark.parametrize("kind", [int, str])
def test_a_column_that_names_cases_is_to_keep_rows_together(kind):
    rng = np.random.default_rng(5)
    case = np.repeat(np.arange(60), 5)
    ill = rng.choice(["no", "yes"], 60)[case]
    subject = np.array([kind(1000 + 7 * one) for one in case])
    table = Table({"subject": subject, "x": rng.normal(size=300), "ill": ill})
    with pytest.warns(UserWarning, match="subject"):
        found = compare(table, "ill", learners="lda", n_folds=2)
    [warning] = [one for one in found.warnings if one.code == "W003"]
    assert warning.repair.flag == "--group subject where it names cases; else --drop subject"
    [note] = [one for one in look(table, "ill")["subject"].notes if one.topic == "tells_target"]
    assert "--group subject" in note.command
