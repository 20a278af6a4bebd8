"""Curves of bias and variance over complexity, noise and sample size."""

import json
from typing import Any

import pytest

from branchline.assess.theory import (
    bias_variance_by_simulation,
    bias_variance_curve,
    sine_function,
)
from branchline.errors import ParameterError
from branchline.tree import DecisionTreeRegressor

TREE = DecisionTreeRegressor(prune=None)
SMALL: dict[str, Any] = {"n_sets": 12, "n_cases": 200}


def test_complexity_trades_bias_for_variance() -> None:
    curve = bias_variance_curve(
        TREE, sine_function(0.5), over="max_leaf_nodes", values=[2, 8, 90], n_rows=100, **SMALL
    )
    bias2 = [part.bias2 or 0.0 for part in curve.parts]
    variance = [part.variance for part in curve.parts]
    assert bias2[0] > bias2[1] > bias2[2]
    assert variance[0] < variance[1] < variance[2]
    assert curve.best == 8


def test_more_rows_lower_the_variance() -> None:
    shallow = DecisionTreeRegressor(prune=None, max_leaf_nodes=8)
    curve = bias_variance_curve(shallow, sine_function(), over="rows", values=[30, 300], **SMALL)
    assert curve.parts[0].variance > 2 * curve.parts[1].variance
    alone = bias_variance_by_simulation(shallow, sine_function(), n_rows=300, **SMALL)
    assert curve.parts[1] == alone


def test_noise_becomes_variance() -> None:
    curve = bias_variance_curve(
        TREE, sine_function(), over="noise", values=[0.0, 1.0, 4.0], n_rows=60, **SMALL
    )
    assert [part.noise for part in curve.parts] == [0.0, 1.0, 4.0]
    # A full tree repeats the noise of its rows.
    assert curve.parts[1].variance > 0.7
    assert curve.parts[2].variance > 2.8
    assert curve.parts[0].variance < 0.3


def test_the_curve_can_be_read_and_sent() -> None:
    curve = bias_variance_curve(
        TREE, sine_function(), over="rows", values=[20, 40], n_sets=2, n_cases=9
    )
    assert curve.to_text().splitlines()[0].split() == [
        "rows",
        "error",
        "bias²",
        "noise",
        "variance",
    ]
    assert str(curve) == curve.to_text()
    sent = json.loads(json.dumps(curve.to_dict()))
    assert [point["at"] for point in sent["points"]] == [20, 40]


@pytest.mark.parametrize(
    ("over", "values"), [("depth", [1]), ("rows", []), (3, [1]), ("max_depth", [])]
)
def test_what_cannot_vary_is_refused(over: Any, values: list[int]) -> None:
    with pytest.raises(ParameterError) as caught:
        bias_variance_curve(TREE, sine_function(), over=over, values=values, **SMALL)
    assert caught.value.code == "P122"
