"""Choosing a size by five rules: formulas, dimensions, honest errors, what is refused."""

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

from branchline import load_dataset
from branchline.assess.theory import StructuralRisk, structural_risk, vc_bound
from branchline.assess.theory._capacity import (
    dimension_of_lines,
    dimension_of_margin,
    dimension_of_trees,
    most_shattered,
)
from branchline.errors import DataError, ParameterError
from branchline.linear import SubsetSelection
from branchline.table import as_table


def line_and_noise(n_rows: int = 80, seed: int = 0) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    columns = {f"x{k}": rng.normal(size=n_rows) for k in range(3)}
    return columns, 2 * columns["x0"] - columns["x1"] + rng.normal(size=n_rows)


@pytest.fixture(scope="module")
def of_iris() -> StructuralRisk:
    return structural_risk(load_dataset("iris"), "species", sizes=[1, 2, 3, 4], n_folds=3)


# -- dimensions -----------------------------------------------------------------------------------


def test_dimension_of_lines() -> None:
    assert dimension_of_lines(2) == 3
    # More classes or a choice of inputs make the set richer, never poorer.
    assert dimension_of_lines(2, n_classes=3) > 3
    assert dimension_of_lines(1, log_choices=math.log(100)) > 2


def test_the_most_points_that_a_growth_allows() -> None:
    # 2^m ≤ 1 + m + m(m − 1)/2 holds up to m = 2.
    assert most_shattered(lambda m: math.log(1 + m + m * (m - 1) / 2)) in {2, 3}
    assert most_shattered(lambda m: 10 * math.log(2)) == 10


def shattered_by_stumps(n_points: int) -> bool:
    """Whether stumps on one number give n points in a row all labelings."""
    for labels in itertools.product([0, 1], repeat=n_points):
        changes = sum(one != other for one, other in itertools.pairwise(labels))
        if changes > 1:
            return False
    return True


def test_dimension_of_trees_is_an_upper_bound() -> None:
    one_number = as_table({"x": np.arange(10.0)})
    true = max(n for n in range(1, 6) if shattered_by_stumps(n))
    assert true == 2
    assert dimension_of_trees(one_number, 2) >= true
    # Trees of L leaves on one number cut it into L pieces: they shatter L points.
    for n_leaves in (3, 5, 9):
        assert dimension_of_trees(one_number, n_leaves) >= n_leaves
    assert dimension_of_trees(one_number, 1) == 1


def test_categories_with_many_levels_make_trees_rich() -> None:
    many = as_table({"c": [f"level {k}" for k in range(50)]})
    few = as_table({"c": [f"level {k % 3}" for k in range(50)]})
    assert dimension_of_trees(many, 2) >= 49 > dimension_of_trees(few, 2)


def test_dimension_of_a_margin() -> None:
    assert dimension_of_margin(10, radius=1.0, margin=1.0) == 5
    assert dimension_of_margin(3, radius=1.0, margin=0.1) == 4


# -- criteria -------------------------------------------------------------------------------------


def test_the_bound_is_the_formula(of_iris: StructuralRisk) -> None:
    for step in of_iris.steps:
        expected = vc_bound(step.risk, step.h, 150, 0.05 / 4)
        assert step.bound == pytest.approx(expected.bound)
        assert step.confidence == pytest.approx(expected.penalty)
    risks = [step.risk for step in of_iris.steps]
    assert risks == pytest.approx([2 / 3, 1 / 3, 0.04, 4 / 150])
    confidences = [step.confidence for step in of_iris.steps]
    assert confidences == sorted(confidences)


def test_criteria_of_a_constant_by_hand(of_iris: StructuralRisk) -> None:
    constant = of_iris.steps[0]
    deviance = 2 * 150 * math.log(3)
    assert constant.n_parameters == 2
    assert constant.aic == pytest.approx(deviance + 4)
    assert constant.bic == pytest.approx(deviance + 2 * math.log(150))
    assert constant.mdl == pytest.approx(150 * math.log2(3) + math.log2(150))


def test_information_criteria_are_those_of_subset_selection() -> None:
    X, y = line_and_noise()
    # With all inputs there is nothing to choose, so both look at the same model.
    step = structural_risk(X, y, along="degree", sizes=[1], n_folds=3).steps[0]
    whole = SubsetSelection(criterion="aic").fit(X, y).sizes_[-1]
    assert len(whole.columns) == 3
    # That one does not count the variance of the noise: one parameter less.
    assert step.aic - whole.aic == pytest.approx(2)
    assert step.bic - whole.bic == pytest.approx(math.log(80))


def test_the_bound_of_numbers_by_hand() -> None:
    X, y = line_and_noise()
    for step in structural_risk(X, y, along="degree", sizes=[0, 1], n_folds=3).steps:
        p = step.h / 80
        root = math.sqrt(p - p * math.log(p) + math.log(80) / 160)
        assert step.bound == pytest.approx(step.risk / (1 - root))


# -- choices --------------------------------------------------------------------------------------


def test_each_rule_takes_the_least(of_iris: StructuralRisk) -> None:
    for rule, name in (("vc", "bound"), ("aic", "aic"), ("bic", "bic"), ("mdl", "mdl")):
        values = {step.size: getattr(step, name) for step in of_iris.steps}
        assert of_iris.choice(rule).size == min(values, key=values.__getitem__)
    errors = {step.size: step.cv.estimate for step in of_iris.steps}
    assert of_iris.choice("cv").size == min(errors, key=errors.__getitem__)
    assert of_iris.model("vc").tree_.n_leaves == of_iris.choice("vc").size


def test_a_parabola_is_found_by_every_rule() -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(-2, 2, size=200)
    y = x**2 - x + 0.3 * rng.normal(size=200)
    found = structural_risk({"x": x}, y, along="degree", sizes=[0, 1, 2, 4])
    assert {choice.rule: choice.size for choice in found.choices} == dict.fromkeys(
        ("vc", "aic", "bic", "mdl", "cv"), 2
    )
    for choice in found.choices:
        assert choice.error.low < 0.09 < choice.error.high


def test_the_error_of_a_choice_is_that_of_choosing_anew() -> None:
    """On noise the best of many sizes looks better than chance; choosing anew does not."""
    rng = np.random.default_rng(5)
    X = {f"x{k}": rng.normal(size=60) for k in range(30)}
    y = rng.permutation(np.arange(60) % 2).astype(str)
    found = structural_risk(X, y, along="leaves", sizes=[1, 2, 3, 4, 5, 6, 8])
    best = min(step.cv.estimate for step in found.steps)
    assert found.choice("cv").error.estimate >= best
    assert found.choice("cv").error.high > 0.5
    assert len(found.choice("cv").sizes_in_folds) == 5


def test_margins() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) + np.repeat([[2.0, 2.0], [-2.0, -2.0]], 30, axis=0)
    y = np.repeat(["a", "b"], 30)
    found = structural_risk(X, y, along="margin", sizes=[0.01, 1.0])
    assert [choice.rule for choice in found.choices] == ["vc", "cv"]
    assert all(math.isnan(step.aic) for step in found.steps)
    assert all(step.h <= 3 for step in found.steps)
    assert "likelihood" in found.to_text()


def test_sizes_that_rows_do_not_allow_are_named() -> None:
    X, y = line_and_noise(24)
    found = structural_risk(X, y, along="degree", sizes=[0, 1, 5], n_folds=3)
    assert [step.size for step in found.steps] == [0, 1]
    assert "do not allow them: 5" in found.to_text()


def test_rows_in_another_order_give_the_same() -> None:
    X, y = line_and_noise(40)
    order = np.random.default_rng(1).permutation(40)
    turned = {name: values[order] for name, values in X.items()}
    options: dict[str, Any] = {"along": "leaves", "sizes": [1, 2, 4], "n_folds": 3}
    one, other = structural_risk(X, y, **options), structural_risk(turned, y[order], **options)
    assert [c.size for c in one.choices] == [c.size for c in other.choices]
    for left, right in zip(one.steps, other.steps, strict=True):
        assert left.cv.estimate == pytest.approx(right.cv.estimate, rel=1e-12)


def test_it_is_told_in_text_frames_and_data(of_iris: StructuralRisk) -> None:
    text = of_iris.to_text()
    assert "loose" in text
    assert "VC bound" in text
    frame = of_iris.to_frame()
    assert frame["size"].tolist() == [1, 2, 3, 4]
    assert "vc" in frame.loc[frame["size"] == of_iris.choice("vc").size, "chosen_by"].item()
    data = json.loads(json.dumps(of_iris.to_dict(), allow_nan=False))
    assert len(data["choices"]) == 5


# -- what is refused ------------------------------------------------------------------------------


def test_margins_need_two_classes() -> None:
    with pytest.raises(ParameterError) as caught:
        structural_risk(load_dataset("iris"), "species", along="margin")
    assert caught.value.code == "P360"
    X, y = line_and_noise()
    with pytest.raises(ParameterError, match="numbers"):
        structural_risk(X, y, along="margin")


@pytest.mark.parametrize("sizes", [[], [0], [1.5], "12", 3])
def test_wrong_sizes(sizes: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        structural_risk(load_dataset("iris"), "species", sizes=sizes)
    assert caught.value.code == "P361"


def test_rows_that_allow_nothing() -> None:
    with pytest.raises(DataError) as caught:
        structural_risk({"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "b", "a", "b"], sizes=[50])
    assert caught.value.code == "D471"
    with pytest.raises(DataError) as caught:
        structural_risk({"x": [1.0, 1.0]}, ["a", "a"])
    assert caught.value.code == "D137"  # one class: nothing to learn, whatever the folds


@pytest.mark.parametrize("wrong", [{"along": "depth"}, {"n_folds": 1}, {"epsilon": 0.0}])
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        structural_risk(load_dataset("iris"), "species", **wrong)


def test_missing_is_one_category_not_two() -> None:
    draws = np.random.default_rng(0)
    names = draws.choice(np.array(["a", "b", "c"], dtype=object), 60)
    with_missing = as_table({"x": [None if name == "c" else name for name in names]})
    with_name = as_table({"x": names.tolist()})
    assert dimension_of_trees(with_missing, 4) == dimension_of_trees(with_name, 4)
