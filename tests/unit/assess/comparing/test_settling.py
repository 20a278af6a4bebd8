"""How many rows or repeats would settle a difference."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from branchline import load_dataset
from branchline._intervals import Interval
from branchline.assess import Resampling, compare
from branchline.assess._paired_tests import Difference
from branchline.assess.comparing import _settling
from branchline.assess.comparing._settling import repeats_needed
from branchline.assess.comparing._words import comparison_text


def against(mean, error, degrees=200, negligible=0.01):
    t = mean / error
    ends = Interval(mean, mean - 2 * error, mean + 2 * error)
    return Difference(ends, t, 0.1, 0.0, 0.5, 0.5, negligible, degrees + 1, degrees)


def comparison(deviations, rows, n_repeats=1, kind="folds"):
    return SimpleNamespace(
        plan=SimpleNamespace(resampling=Resampling(kind, n_repeats=n_repeats)),
        row_differences=lambda *_: (np.asarray(deviations), np.asarray(rows)),
    )


def test_rows_are_as_many_as_bring_the_error_down():
    factor = _settling._factor(against(-0.03, 0.02))
    t = stats.t.ppf(0.95, 200)
    assert factor == pytest.approx((t * 0.02 / 0.02) ** 2)
    assert _settling._factor(against(-0.005, 0.02)) is None
    assert _settling._factor(against(-0.09, 0.001)) is None


def test_repeats_settle_what_differs_from_repeat_to_repeat():
    # Two repeats in which a row's values are opposite: all of the variance is due to the folds.
    n = 100
    values = np.r_[np.full(n, 1.0), np.full(n, -1.0)]
    rows = np.r_[np.arange(n), np.arange(n)]
    varying = _settling._varying(comparison(values, rows, 2), "a", "b")
    assert varying == pytest.approx(2.0 / (2 * n))
    found = repeats_needed(
        comparison(values, rows, 2), "a", "b", against(-0.1, np.sqrt(varying), negligible=0.0)
    )
    t = stats.t.ppf(0.95, 200)
    assert found == np.ceil(2 * varying / (0.1 / t) ** 2)


def test_no_repeats_settle_what_all_of_them_share():
    n = 100
    values = np.tile(np.random.default_rng(0).normal(size=n), 3)
    same = comparison(values, np.tile(np.arange(n), 3), 3)
    assert repeats_needed(same, "a", "b", against(-0.03, 0.02)) is None
    assert repeats_needed(
        comparison([1.0, 2.0], [0, 1], kind="time_folds"), "a", "b", against(-0.03, 0.02)
    ) is None  # fmt: skip


def test_the_sentence_names_rows_and_repeats():
    table = load_dataset("german-credit")
    found = compare(table, "class", learners="tree,naive_bayes,lda", n_folds=5, prefer="simplicity")
    advice = found.recommendation
    if advice.rows_to_settle is None:
        assert advice.settling == ""
    else:
        assert f"{advice.rows_to_settle:,} rows" in advice.settling
        assert "repeats" in advice.settling
    document = found.to_dict()["recommendation"]
    assert document["rows_to_settle"] == advice.rows_to_settle


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_the_table_is_no_wider_than_asked_and_has_the_time_to_predict(width):
    found = compare(load_dataset("iris"), "species", learners="tree,naive_bayes", n_folds=3)
    text = comparison_text(found, width)
    assert max(map(len, text.table)) <= width
    assert "predict" in text.table[0]
    shown = {"auc", "log_loss", "memory", "file", "size"} & set(text.table[0].split())
    left_out = next((line for line in text.about if line.startswith("There is no room for")), "")
    for head in {"auc", "log_loss", "memory", "file", "size"} - shown:
        assert head in left_out
