"""Estimates against the number of inputs kept, on a table of one's own."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from branchline import load_dataset
from branchline.assess import make_problem
from branchline.errors import BranchlineError, ParameterError
from branchline.features import RankSelector, RecursiveElimination
from branchline.reproduce import table_selection_curve
from branchline.reproduce._selection_table import best_columns


def noise(n_rows: int = 60, n_inputs: int = 300) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    columns = {f"x{k}": rng.normal(size=n_rows) for k in range(n_inputs)}
    return columns, rng.permutation(np.arange(n_rows) % 2).astype(str)


def test_on_noise_only_what_chooses_inside_is_honest() -> None:
    X, y = noise()
    curve = table_selection_curve(X, y, sizes=[10], n_samples=5)
    assert curve.errors["internal leave-one-out"][0] < 0.25
    for honest in ("external 10-fold", ".632+", "test"):
        assert curve.errors[honest][0] > 0.35


def test_columns_are_ranked_by_their_p() -> None:
    table, y = load_dataset("iris").split_target("species")
    problem = make_problem(table, y)
    p = {
        name: stats.f_oneway(*(np.asarray(table[name].numbers())[y == c] for c in set(y)))[0]
        for name in table.names
    }
    assert best_columns(problem, 4) == sorted(p, key=p.__getitem__, reverse=True)


def test_categories_and_missing_cells() -> None:
    # χ² of the two levels with the classes is that of scipy, and the useful column is first.
    cells = {"useless": [1.0, None, 2.0, 3.0] * 10, "tells": ["a", "b"] * 20}
    problem = make_problem(cells, ["yes", "no"] * 20)
    assert best_columns(problem, 1) == ["tells"]
    curve = table_selection_curve(cells, ["yes", "no"] * 20, sizes=[1], n_samples=3)
    assert curve.errors["test"] == (0.0,)


def test_row_order_does_not_matter() -> None:
    table = load_dataset("iris").rows(np.arange(0, 150, 3))
    order = np.random.default_rng(0).permutation(50)
    one, other = (
        table_selection_curve(rows, "species", sizes=[2], n_samples=3)
        for rows in (table, table.rows(order))
    )
    for name, values in one.errors.items():
        assert values == pytest.approx(other.errors[name])
    assert one.to_frame()["test"].tolist() == list(one.errors["test"])


@pytest.mark.parametrize(
    ("rows", "target", "code"),
    [("auto-mpg", "mpg", "D472"), ("tennis", "play", "D473")],
)
def test_tables_that_do_not_suit(rows: str, target: str, code: str) -> None:
    with pytest.raises(BranchlineError) as caught:
        table_selection_curve(load_dataset(rows), target)
    assert caught.value.code == code


def test_sizes_are_checked() -> None:
    with pytest.raises(ParameterError):
        table_selection_curve(load_dataset("iris"), "species", sizes=[5])


def test_a_selector_orders_the_columns() -> None:
    X, y = noise(n_rows=40, n_inputs=30)
    X["told"] = (y == "1") + 0.1 * np.arange(40) / 40
    for selector in (RankSelector(by="f"), RecursiveElimination(estimator="logistic", step=0.5)):
        curve = table_selection_curve(X, y, sizes=[1], n_samples=2, selector=selector)
        assert curve.errors["external 10-fold"] == (0.0,)
    with pytest.raises(ParameterError):
        table_selection_curve(X, y, sizes=[1], selector="relief")
