"""Relief against a slow twin that follows the formulas, on mixed tables with missing values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline import Table
from branchline._validation import Owner, check_training_data
from branchline.features import rank_columns
from branchline.features._relief import relief
from branchline.features._scored_rows import ScoredRows


def rows_of(table, y, task="classification", weight=None):
    data = check_training_data(table, y, weight, task=task, owner=Owner("test", None))
    return ScoredRows.of(data)


def mixed_table(seed, n_rows=40):
    draws = np.random.default_rng(seed)
    number = draws.normal(size=n_rows)
    other = np.where(draws.random(n_rows) < 0.2, np.nan, draws.normal(size=n_rows))
    name = draws.choice(["a", "b", "c"], n_rows)
    gappy = [None if draws.random() < 0.2 else str(draws.choice(["u", "v"])) for _ in range(n_rows)]
    return {"number": number, "other": other, "name": name, "gappy": gappy}, draws


def differences(table: Table) -> np.ndarray:
    """rows × rows × columns, as in relief.hpp, in floats."""
    out = np.zeros((table.n_rows, table.n_rows, table.n_columns))
    for place, column in enumerate(table.columns):
        if column.kind == "numeric":
            values = column.numbers()
            known = np.isfinite(values)
            span = np.ptp(values[known])
            apart = np.abs(values[:, None] - values[None]) / span
        else:
            values = column.values.astype(float)
            known = values >= 0
            apart = (values[:, None] != values[None]).astype(float)
        expected = apart[np.ix_(known, known)].mean()
        both = known[:, None] & known[None]
        out[:, :, place] = np.where(both, apart, expected)
    return out


def near_rows(distance, row, k):
    others = [at for at in range(len(distance)) if at != row]
    if k > 0:
        return sorted(others, key=lambda at: (distance[row, at], at))[:k]
    apart = distance[row, others]
    reach = apart.mean() - apart.std() / 2
    return [at for at in others if distance[row, at] < reach]


def slow_classes(table, classes, k):
    apart = differences(table)
    distance = apart.sum(axis=2)
    score = np.zeros(table.n_columns)
    share = np.bincount(classes) / len(classes)
    for row in range(len(classes)):
        for c in range(len(share)):
            own = np.where(classes == c, distance, np.inf)
            if k > 0:
                near = [at for at in near_rows(own, row, k) if np.isfinite(own[row, at])]
            else:
                near = [at for at in near_rows(distance, row, 0) if classes[at] == c]
            if not near:
                continue
            mean = apart[row, near].mean(axis=0)
            is_own = c == classes[row]
            score += -mean if is_own else share[c] / (1 - share[classes[row]]) * mean
    return score / len(classes)


@given(seed=st.integers(0, 10_000), k=st.sampled_from([0, 3, 10]))
@settings(max_examples=15, deadline=None)
def test_classes_agree_with_a_slow_twin(seed, k):
    given_table, draws = mixed_table(seed)
    y = draws.choice(["p", "q", "r"], 40)
    rows = rows_of(given_table, y)
    expected = slow_classes(rows.table, rows.class_of_row, k)
    found = relief(rows, n_neighbors=k).score
    np.testing.assert_allclose(found, expected, atol=2e-3)  # differences have 1/60 000


def test_numbers_agree_with_a_slow_twin():
    given_table, draws = mixed_table(3)
    rows = rows_of(given_table, draws.normal(size=40), task="regression")
    y = rows.data.number_target.values
    apart, k = differences(rows.table), 10
    distance = apart.sum(axis=2)
    target = np.abs(y[:, None] - y[None]) / np.ptp(y)
    n_y, n_f, n_both = 0.0, np.zeros(4), np.zeros(4)
    for row in range(40):
        near = near_rows(distance, row, k)
        n_y += target[row, near].mean()
        n_f += apart[row, near].mean(axis=0)
        n_both += (target[row, near, None] * apart[row, near]).mean(axis=0)
    expected = n_both / n_y - (n_f - n_both) / (40 - n_y)
    np.testing.assert_allclose(relief(rows).score, expected, atol=2e-3)


@pytest.mark.parametrize("by", ["relief", "multisurf", "iterated_relief", "iterated_multisurf"])
def test_columns_that_tell_only_together_are_found(by):
    draws = np.random.default_rng(0)
    X = draws.normal(size=(500, 30))
    y = (X[:, 4] > 0) ^ (X[:, 9] > 0)
    assert set(rank_columns(X, y, by=by).top(2)) == {"x4", "x9"}
    assert not {"x4", "x9"} <= set(rank_columns(X, y, by="f").top(5))


def test_neither_the_order_of_rows_nor_threads_nor_weights_for_copies_matter():
    given_table, draws = mixed_table(5, 60)
    table = Table(given_table)
    y = draws.choice(["p", "q"], 60)
    weight = draws.integers(1, 4, 60)
    order = draws.permutation(60)
    plain = rank_columns(table, y, by="relief", sample_weight=weight)
    moved = rank_columns(
        table.rows(order), y[order], by="relief", sample_weight=weight[order], n_jobs=2
    )
    copies = np.repeat(np.arange(60), weight)
    copied = rank_columns(table.rows(copies), y[copies], by="relief")
    assert plain.to_dict() == moved.to_dict() == copied.to_dict()


def test_a_column_without_any_value_or_range_scores_nothing():
    X = {"empty": [np.nan] * 20, "constant": [1.0] * 20, "real": list(range(20))}
    found = rank_columns(X, ["a"] * 10 + ["b"] * 10, by="relief")
    scores = dict(zip(found.names, found.scores.tolist(), strict=True))
    assert found.names[0] == "real"
    assert scores["empty"] == scores["constant"] == 0.0
