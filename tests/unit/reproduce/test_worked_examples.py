"""The worked examples: all of them, and what a wrong number would do."""

import numpy as np
import pytest

from branchline.assess import METRICS
from branchline.reproduce import _worked_scores as scores
from branchline.reproduce import worked_examples
from branchline.reproduce._tree_readings import branch, dataset
from branchline.tree import ID3


def test_every_printed_number_is_ours() -> None:
    told: list[str] = []
    found = worked_examples(tell=told.append)
    wrong = [
        (line.name, figure) for line in found.lines for figure in line.figures if not figure.agrees
    ]
    assert wrong == []
    assert found.agrees
    # Examples that vanish silently would agree as well.
    assert (len(found.lines), found.n_figures) == (27, 191)
    assert len(told) == 4


def test_a_metric_that_goes_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = METRICS["mse"]
    off = type(metric)("mse", "regression", lambda outcome: metric.score(outcome) + 0.001, "off")
    monkeypatch.setitem(METRICS, "mse", off)
    differing = [figure.name for figure in scores._regression() if not figure.agrees]
    assert differing == ["model_1, mse"]


def test_digits_are_those_printed() -> None:
    assert [scores._digits(value) for value in (9.514, 249.66, 0.5, 3.0)] == [3, 2, 1, 0]


def test_a_tree_with_another_root_is_noticed() -> None:
    model = ID3().fit(*dataset("tennis", "play"))
    assert not model.tree_.is_leaf[branch(model, "outlook", "sunny")]
    assert np.flatnonzero(model.tree_.is_leaf).tolist().count(branch(model, "outlook", "overcast"))
    with pytest.raises(LookupError, match="does not test 'wind'"):
        branch(model, "wind", "weak")
