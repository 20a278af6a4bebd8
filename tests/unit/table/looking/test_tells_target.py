"""``look`` with a target notices copies of it and columns that name cases."""

import numpy as np

from branchline import Table, look

RNG = np.random.default_rng(5)
N = 320


def copies(target="y", **columns):
    found = look(Table(columns), target)
    return {
        column.name: note
        for column in found.columns
        for note in column.notes
        if note.topic == "tells_target"
    }


def test_a_copy_of_the_target_in_other_words_is_noticed():
    y = RNG.choice(["yes", "no"], N)
    found = copies(y=y, code=np.where(y == "yes", "Y", "N"), x=RNG.normal(size=N))
    assert list(found) == ["code"]
    assert found["code"].text.startswith("Determines the target completely. Was it known before")
    assert found["code"].command.endswith("If not: --drop code.")


def test_a_number_that_is_the_target_in_another_unit_is_noticed():
    y = RNG.normal(size=N)
    found = copies(y=y, cents=np.round(100 * y), x=RNG.normal(size=N))
    assert list(found) == ["cents"]
    assert "of the variation of the target by itself" in found["cents"].text


def test_a_column_that_names_cases_is_a_group():
    patient = np.repeat([f"P{place}" for place in range(40)], 8)
    status = np.repeat(RNG.choice(["ill", "well"], 40), 8)
    found = copies(y=status, patient=patient, x=RNG.normal(size=N))
    assert "--group patient" in found["patient"].command
    assert "group='patient'" in found["patient"].text


def test_useful_columns_are_not_suspected():
    x = RNG.normal(size=N)
    y = np.where(x + RNG.normal(size=N) > 0, "a", "b")
    assert copies(y=y, x=x, z=RNG.normal(size=N)) == {}


def test_rows_without_a_target_do_not_count():
    y = [None, *RNG.choice(["yes", "no"], N - 1)]
    code = ["?" if answer is None else answer.upper() for answer in y]
    assert list(copies(y=y, code=code)) == ["code"]
