"""Shattering: labelings counted by formulas, rules asked again, refutations with witnesses."""

import json
import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline.assess.theory import refute, shatter
from branchline.errors import ParameterError


@pytest.mark.parametrize(
    ("family", "n_inputs", "dimension"),
    [("hyperplanes", 1, 2), ("hyperplanes", 2, 3), ("hyperplanes", 3, 4), ("hyperplanes", 5, 6),
     ("circles", 2, 2), ("circles", 3, 2), ("rectangles", 1, 2), ("rectangles", 2, 4),
     ("rectangles", 3, 6)],
)  # fmt: skip
def test_as_many_points_as_the_vc_dimension_are_shattered(
    family: str, n_inputs: int, dimension: int
) -> None:
    found = shatter(family, n_inputs=n_inputs)
    assert found.dimension == dimension == len(found.points)
    assert len(found.labelings) == 2**dimension
    assert found.is_shattered
    assert not shatter(family, n_points=dimension + 1, n_inputs=n_inputs).is_shattered


@pytest.mark.parametrize(("n_points", "n_inputs"), [(4, 2), (5, 2), (6, 2), (5, 3), (6, 1)])
def test_lines_give_as_many_labelings_as_cover_counted(n_points: int, n_inputs: int) -> None:
    points = np.random.default_rng(n_points).normal(size=(n_points, n_inputs))
    found = shatter("hyperplanes", points=points)
    expected = 2 * sum(math.comb(n_points - 1, k) for k in range(n_inputs + 1))
    assert len(found.labelings) - len(found.impossible) == min(expected, 2**n_points)


@pytest.mark.parametrize("n_points", [1, 2, 3, 5, 7])
def test_circles_and_intervals_are_counted(n_points: int) -> None:
    points = np.random.default_rng(n_points).normal(size=(n_points, 2))
    rings = shatter("circles", points=points)
    assert 2**n_points - len(rings.impossible) == 2 * n_points
    intervals = shatter("rectangles", points=points[:, :1])
    assert 2**n_points - len(intervals.impossible) == n_points * (n_points + 1) // 2 + 1


@pytest.mark.parametrize("n_points", [1, 4, 9, 12])
def test_sines_shatter_any_number(n_points: int) -> None:
    found = shatter("sines", n_points=n_points)
    assert found.dimension is None
    for labels, rule in found.labelings:
        assert rule is not None
        says = [math.sin(rule["frequency"] * 0.5 ** (place + 1)) > 0 for place in range(n_points)]
        assert tuple(says) == labels


def test_the_rules_say_what_is_claimed() -> None:
    for labels, rule in shatter("hyperplanes", n_inputs=3).labelings:
        assert rule is not None
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        sums = [sum(w * x for w, x in zip(rule["w"], corner, strict=True)) for corner in corners]
        assert tuple(total + rule["b"] > 0 for total in sums) == labels
    for labels, rule in shatter("rectangles").labelings:
        assert rule is not None
        ends = [(1, 0), (0, 1), (-1, 0), (0, -1)]
        inside = [
            all(
                low <= x <= high
                for low, x, high in zip(rule["low"], end, rule["high"], strict=True)
            )
            for end in ends
        ]
        assert tuple(inside) == labels


def test_xor_is_what_lines_cannot_do() -> None:
    square = [[0, 0], [1, 1], [0, 1], [1, 0]]
    found = shatter("hyperplanes", points=square)
    assert set(found.impossible) == {(True, True, False, False), (False, False, True, True)}
    assert "14 of 16 labelings, not shattered" in found.to_text()
    assert "++−−  no rule" in found.to_text()


def test_scale_does_not_matter() -> None:
    points = np.random.default_rng(3).normal(size=(5, 2))
    for scale in (1e-80, 1e80):
        for family in ("hyperplanes", "rectangles"):
            scaled = shatter(family, points=points * scale).impossible
            assert scaled == shatter(family, points=points).impossible


# -- refutations --------------------------------------------------------------------------------


def in_hull(point: np.ndarray, corners: np.ndarray) -> bool:
    """Whether a point of the plane is in the hull: in a triangle, on a segment, or at a corner."""
    for triangle in combinations(range(len(corners)), min(3, len(corners))):
        chosen = corners[list(triangle)]
        system = np.vstack([chosen.T, np.ones(len(chosen))])
        weights = np.linalg.lstsq(system, np.append(point, 1.0), rcond=None)[0]
        if (weights > -1e-7).all() and np.allclose(
            system @ weights, np.append(point, 1.0), atol=1e-7
        ):
            return True
    return False


grids = st.lists(
    st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=4, max_size=6, unique=True
)


@settings(max_examples=15, deadline=None)
@given(grids)
def test_radon_points_are_on_both_sides(pairs: list[tuple[int, int]]) -> None:
    points = np.array(pairs, dtype=float)
    found = refute("hyperplanes", points)
    labels = np.array(found.labels)
    assert found.witness is not None
    assert in_hull(found.witness, points[labels])
    assert in_hull(found.witness, points[~labels])
    assert found.labels in shatter("hyperplanes", points=points).impossible


@given(st.sampled_from(["circles", "rectangles"]), st.integers(5, 7), st.integers(0, 10**6))
def test_refutations_of_any_points(family: str, n_points: int, seed: int) -> None:
    points = np.random.default_rng(seed).integers(-3, 4, size=(n_points, 2))
    assert refute(family, points).labels in shatter(family, points=points).impossible


def test_a_refutation_can_be_read() -> None:
    center = refute("rectangles", [[0, 1], [1, 0], [0, -1], [-1, 0], [0, 0]])
    assert str(center) == (
        "rectangles: ++++− is impossible. "
        "Every rectangle that holds the others holds point 4 as well."
    )


@pytest.mark.parametrize(
    ("family", "points"),
    [
        ("hyperplanes", [[0, 0], [1, 0], [0, 1]]),
        ("circles", [[1, 0], [2, 0]]),
        ("sines", [[1.0]] * 9),
    ],
)
def test_too_few_points_to_refute(family: str, points: Any) -> None:
    with pytest.raises(ParameterError, match="do not refute") as caught:
        refute(family, points)
    assert caught.value.code == "P122"


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "points", [[], [[]], [1.0, 2.0], [["a"]], [[math.nan]], [[0.0]] * 17, [[1e200]]]
)
def test_points_are_checked(points: Any) -> None:
    for call in (lambda: shatter("circles", points=points), lambda: refute("circles", points)):
        with pytest.raises(ParameterError) as caught:
            call()
        assert caught.value.code == "P122"


def test_names_are_checked() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'circles'") as caught:
        shatter("circle")
    assert caught.value.code == "P122"
    with pytest.raises(ParameterError, match="usual points alone"):
        shatter("sines", points=[[1.0]])
    for wrong in ({"n_points": 0}, {"n_points": 17}, {"n_inputs": 0}):
        with pytest.raises(ParameterError):
            shatter("hyperplanes", **wrong)


def test_long_lists_are_cut_and_data_are_whole() -> None:
    found = shatter("sines", n_points=7)
    assert "… 88 more" in str(found)
    sent = json.loads(json.dumps(found.to_dict()))
    assert len(sent["labelings"]) == 128
    assert {tuple(item["labels"]) for item in sent["labelings"]} == set(
        product((False, True), repeat=7)
    )
