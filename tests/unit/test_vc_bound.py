"""The bound of Vapnik and Chervonenkis."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline.assess.theory import vc_bound
from branchline.errors import ParameterError


def test_by_hand() -> None:
    # h = 3, T = 10 000, ε = 0.05: 3 (ln(20 000 / 3) + 1) = 29.4145; −ln 0.0125 = 4.3820.
    found = vc_bound(0.1, h=3, n=10_000, epsilon=0.05)
    assert found.penalty == pytest.approx(math.sqrt((29.41451 + 4.38203) / 10_000), abs=1e-6)
    assert found.bound == pytest.approx(0.1 + 0.058135, abs=1e-6)
    assert not found.is_vacuous


def test_vacuous() -> None:
    found = vc_bound(0.0, h=1000, n=1000)
    assert found.is_vacuous
    assert "vacuous" in str(found)
    assert vc_bound(1.0, h=1, n=10**9).is_vacuous


@pytest.mark.parametrize("h", [200, 1e4, 1e12, math.inf])
def test_a_class_too_rich_for_the_formula_is_vacuous_too(h: float) -> None:
    found = vc_bound(0.0, h=h, n=100)
    assert found.is_vacuous
    assert found.penalty == vc_bound(0.0, h=200, n=100).penalty
    json.dumps(found.to_dict(), allow_nan=False)


@given(
    h=st.floats(0.5, 1e5),
    n=st.integers(1, 10**6),
    epsilon=st.floats(1e-9, 1.0),
    more=st.floats(1, 9),
)
def test_richer_is_never_safer_and_more_rows_never_hurt(
    h: float, n: int, epsilon: float, more: float
) -> None:
    here = vc_bound(0.1, h, n, epsilon).bound
    assert vc_bound(0.1, h * more, n, epsilon).bound >= here - 1e-12
    assert vc_bound(0.1, h, math.ceil(n * more), epsilon).bound <= here + 1e-12
    assert vc_bound(0.1, h, n, epsilon / more).bound >= here - 1e-12


@pytest.mark.parametrize(
    "wrong",
    [{"risk": 1.5}, {"risk": -0.1}, {"h": 0}, {"h": -3}, {"h": math.nan}, {"n": 0}, {"n": 1.5},
     {"epsilon": 0.0}, {"epsilon": 1.1}, {"h": "3"}],
)  # fmt: skip
def test_arguments_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        vc_bound(**{"risk": 0.1, "h": 3, "n": 100, "epsilon": 0.05, **wrong})
    assert caught.value.code == "P001"
