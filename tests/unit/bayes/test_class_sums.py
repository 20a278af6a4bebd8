"""Exact sums by class: slices, single numbers and pieces give the same whole numbers."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from branchline.bayes._class_rows import ClassRows
from branchline.bayes._class_sums import class_sums
from branchline.bayes._number_groups import NumberGroup

_SMALLEST = 1074
_N_ROWS = 5000  # of one class more than are added up at a time


def drawn(kind: str) -> Any:
    rng = np.random.default_rng(len(kind))
    normal = rng.normal(size=_N_ROWS)
    columns = {
        "float32": normal.astype(np.float32),
        "float64": normal,
        "whole": rng.integers(-50, 1000, _N_ROWS).astype(np.float64),
        "long tail": np.exp(4 * normal),
        "far apart": normal * 10.0 ** rng.integers(-18, 18, _N_ROWS),
        "missing": np.where(rng.random(_N_ROWS) < 0.3, np.nan, normal),
        "tiny": normal * 1e-320,
        "huge": normal * 1e300,
        "zeros": np.zeros(_N_ROWS),
        "large offset": normal + 1e9,
        "powers of two": np.ldexp(np.where(normal > 0, 1.0, -1.0), rng.integers(-40, 43, _N_ROWS)),
    }
    return columns[kind]


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n_classes", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    "kind",
    [
        *("float32", "float64", "whole", "long tail", "far apart", "missing", "tiny", "huge"),
        *("zeros", "large offset", "powers of two"),
    ],
)
def test_sums_are_exact(kind: str, n_classes: int, is_weighted: bool) -> None:
    values = drawn(kind)
    rng = np.random.default_rng(1)
    classes = (rng.random(_N_ROWS) ** 2 * n_classes).astype(np.uint32)
    units = rng.integers(1, 9, _N_ROWS) if is_weighted else None
    sums = class_sums(NumberGroup((0,), None, (values,)), ClassRows.of(classes, n_classes, units))
    firsts, seconds = sums.whole_sums(0)
    weights = np.ones(_N_ROWS, dtype=np.int64) if units is None else units
    exact = [[0, Fraction(0), Fraction(0)] for _ in range(n_classes)]
    for value, of, weight in zip(values.tolist(), classes.tolist(), weights.tolist(), strict=True):
        if value == value:
            number = Fraction(value)
            exact[of][0] += weight
            exact[of][1] += weight * number
            exact[of][2] += weight * number**2
    assert sums.units[0].tolist() == [one[0] for one in exact]
    assert list(firsts) == [one[1] * 2**_SMALLEST for one in exact]
    assert list(seconds) == [one[2] * 4**_SMALLEST for one in exact]
    weight, first = sum(one[0] for one in exact), sum(one[1] for one in exact)
    assert sums.mean[0, -1] == float(first / weight)
