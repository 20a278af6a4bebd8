"""Friedman's problem: the rule of agreement, the order of methods, names."""

from typing import Any

import pytest

from branchline.assess.theory import (
    BiasVariance,
    bias_variance_by_simulation,
    friedman_function,
)
from branchline.errors import ParameterError
from branchline.forest import BaggedTreesRegressor
from branchline.reproduce import Figure, Line, friedman
from branchline.reproduce import _friedman as module
from branchline.reproduce._friedman_learners import PUBLISHED, Published
from branchline.tree import DecisionTreeRegressor


def test_fast_learners_agree_with_a_few_sets() -> None:
    told: list[str] = []
    names = ["linear", "10-NN", "full tree", "stump"]
    found = friedman(names, n_sets=6, tell=told.append)
    assert [line.name for line in found.lines] == names
    assert found.agrees, found.to_text()
    assert len(told) == 4
    for line in found.lines:
        error, rest, variance = (figure.ours for figure in line.figures)
        assert error == pytest.approx(rest + variance)
    # 10-NN is printed too near to linear and to the full tree to be ordered.
    assert "Order of methods: 4 of 4 clear pairs as published." in found.to_text()
    assert "bagged full trees (25)" in found.to_text()  # as left out


def test_forests_and_bagged_trees_agree_with_a_few_sets() -> None:
    names = [row.name for row in PUBLISHED if row.name.startswith(("forest", "bagged"))]
    assert len(names) == 7
    found = friedman([*names, "full tree"], n_sets=6)
    assert found.agrees, found.to_text()


def test_boosted_trees_agree_with_a_few_sets() -> None:
    names = [row.name for row in PUBLISHED if row.name.startswith("boosted")]
    assert len(names) == 2
    found = friedman([*names, "stump", "tree of 5 tests"], n_sets=6)
    assert found.agrees, found.to_text()


def test_published_components_add_up() -> None:
    for row in PUBLISHED:
        assert row.printed[0] == pytest.approx(row.printed[1] + row.printed[2], abs=0.11), row.name


@pytest.mark.parametrize(
    ("ours", "printed", "is_near"),
    [
        (8.0, 10.0, True),
        (7.9, 10.0, False),
        (12.1, 10.0, False),
        (0.9, 0.4, True),
        (1.0, 0.4, False),
    ],
)
def test_within_a_fifth_or_a_half(ours: float, printed: float, is_near: bool) -> None:
    assert module._is_near(ours, printed) is is_near


@pytest.mark.parametrize(("side", "agrees"), [("above", True), ("below", False)])
def test_a_reason_holds_for_its_side_only(
    monkeypatch: pytest.MonkeyPatch, side: str, agrees: bool
) -> None:
    reasons = dict.fromkeys(((part, side) for part in module._PARTS), "because.")
    stump = Published(
        "stump", (5.0, 4.0, 0.1), lambda: DecisionTreeRegressor(max_depth=1, prune=None),
        reasons=reasons,
    )  # fmt: skip
    monkeypatch.setattr(module, "PUBLISHED", (stump,))
    found = friedman(["stump"], n_sets=3)
    assert found.agrees is agrees
    assert ("because." in found.to_text()) is agrees


def line(name: str, printed: float, ours: float) -> Line:
    return Line(name, (Figure("error", printed, ours, True, 1),))


def test_the_order_of_methods() -> None:
    lines = [line("a", 5.0, 5.5), line("b", 10.0, 9.0), line("c", 9.5, 9.9)]
    right = module._order(lines)  # b and c are too near each other to be ordered
    assert right.agrees
    assert str(right.ours).startswith("2 of 2 clear pairs")
    wrong = module._order([*lines, line("d", 2.0, 6.0)])
    assert not wrong.agrees
    assert "not so: a and d" in str(wrong.ours)


@pytest.mark.parametrize("learners", [["full trees"], [], "forest"])
def test_unknown_lines_are_refused(learners: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        friedman(learners)
    assert caught.value.code == "P123"
    assert "full tree" in caught.value.message


@pytest.mark.parametrize("wrong", [{"n_sets": 1}, {"n_sets": 2.0}, {"quick": "yes"}])
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        friedman(["linear"], **wrong)


def test_quick_leaves_the_networks_out() -> None:
    quick = {row.name for row in module._chosen(None, True)}
    assert {row.name for row in PUBLISHED} - quick == {
        "MLP (10)", "MLP (10-10)", "MLP (10-10), early-stopped", "average of 10 MLPs",
    }  # fmt: skip


@pytest.mark.filterwarnings("error")
def test_networks_do_not_warn() -> None:
    found = friedman(["MLP (10)"], n_sets=2)
    assert 1.0 < float(found.lines[0].figures[0].ours) < 3.0


def test_a_remark_does_not_excuse(monkeypatch: pytest.MonkeyPatch) -> None:
    stump = Published(
        "stump", (5.0, 4.0, 0.1), lambda: DecisionTreeRegressor(max_depth=1, prune=None),
        remark="the cause is not known.",
    )  # fmt: skip
    monkeypatch.setattr(module, "PUBLISHED", (stump,))
    found = friedman(["stump"], n_sets=2)
    assert not found.agrees
    assert "stump: the cause is not known." in found.to_text()


def test_only_one_published_figure_is_excused() -> None:
    excused = [(row.name, list(row.reasons)) for row in PUBLISHED if row.reasons]
    assert excused == [("bagged trees of 5 tests (50)", [("variance", "above")])]


def parts_of_bags(n_trees: int, bag: int | None, **size: int) -> BiasVariance:
    """Return the parts of bagged trees whose bags hold so many of the 500 rows."""
    model = BaggedTreesRegressor(
        n_estimators=n_trees, max_samples=bag, max_bins=None, oob_score=False, **size
    )
    return bias_variance_by_simulation(model, friedman_function(), n_sets=25, n_cases=1000)


def test_the_excused_variance_cannot_come_from_bags_of_all_rows() -> None:
    """0.4 is printed: neither 50 nor 300 trees of 5 tests on bags of 500 rows come near it."""
    fifty, many = (parts_of_bags(n, None, max_leaf_nodes=6).variance for n in (50, 300))
    assert fifty > 0.75
    assert many > 0.7
    # Bags of 60 rows do, and have the other two printed figures as well.
    small = parts_of_bags(50, 60, max_leaf_nodes=6)
    assert small.variance < 0.56
    assert (small.error, small.bias2_and_noise) == pytest.approx((9.1, 8.7), abs=0.8)


def test_the_other_bagged_lines_are_of_bags_of_all_rows() -> None:
    """Bagged stumps are printed with 17.3 + 0.6: small bags would give 15.8 + 0.4."""
    whole, small = (parts_of_bags(50, bag, max_depth=1) for bag in (None, 50))
    assert whole.bias2_and_noise == pytest.approx(17.3, abs=1.2)
    assert small.bias2_and_noise < 16.5
    assert small.variance < whole.variance
