"""Selection bias: the shortcut against real trees, the choices against their definitions."""

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from branchline.errors import ParameterError
from branchline.neighbors import NearestNeighborsClassifier
from branchline.reproduce import Line, selection_bias, selection_curve
from branchline.reproduce import _selection_bias as module
from branchline.reproduce._noise_tables import (
    best_correlated,
    best_t,
    draw_noise,
    errors_of_single_inputs,
    fold_of_rows,
)
from branchline.tree import DecisionTreeClassifier


def noise(n_rows: int = 30, n_inputs: int = 12, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X, y = draw_noise(n_rows, n_inputs, rng)
    return X, y, fold_of_rows(y, 5, rng)


def test_all_single_inputs_at_once_are_what_trees_give_one_by_one() -> None:
    X, y, fold = noise()
    tree = DecisionTreeClassifier(prune=None, correct_for_chance=False, n_jobs=1)
    expected = [
        module.cross_validated(tree, X[:, [column]], y, fold) for column in range(X.shape[1])
    ]
    assert errors_of_single_inputs(X, y, fold) == pytest.approx(expected)


def test_folds_are_dealt_class_by_class() -> None:
    _, y, fold = noise(n_rows=50)
    for label in (0, 1):
        assert np.bincount(fold[y == label]).tolist() == [5] * 5


def test_choices_are_those_of_the_textbook() -> None:
    X, y, _ = noise(n_inputs=40)
    correlation = np.abs([np.corrcoef(column, y)[0, 1] for column in X.T])
    assert set(best_correlated(X, y, 5)) == set(np.argsort(-correlation)[:5])
    t = np.abs(stats.ttest_ind(X[y == 1], X[y == 0], equal_var=False).statistic)
    assert best_t(X, y, 5).tolist() == np.argsort(-t)[:5].tolist()


def test_a_small_reproduction() -> None:
    told: list[str] = []
    found = selection_bias(3, quick=True, tell=told.append)
    one, ten, compared = found.lines
    for line in (one, ten):
        apparent, true = line.figures
        assert float(apparent.ours) < 0.45
        assert apparent.low <= apparent.ours <= apparent.high
        assert true.ours == pytest.approx(0.5, abs=0.15)
    assert compared.agrees
    assert compared.figures[1].ours == "baseline"
    assert len(told) == 3


def test_the_published_value_must_lie_within_the_spread() -> None:
    def line(apparent: float, true: float) -> Line:
        return module._line("x", [(0.1, 0.5), (0.2, 0.5), (0.3, 0.44)], apparent, true)

    assert line(0.16, 0.5).agrees
    assert line(0.1, 0.5).agrees
    assert not line(0.35, 0.5).agrees
    assert not line(0.05, 0.5).agrees
    assert not line(0.16, 0.56).agrees
    assert line(0.16, 0.5).figures[0].ours == pytest.approx(0.2)


def test_bagged_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_N_INPUTS", 60)
    monkeypatch.setattr(module, "_N_FOLDS", 2)
    monkeypatch.setattr(module, "_N_TREES", 5)
    honest, chosen = module._bagged(0, 2)
    assert honest.figures[0].ours == pytest.approx(0.5, abs=0.1)
    assert float(chosen.figures[0].ours) < float(chosen.figures[1].ours)


@pytest.mark.parametrize("wrong", [{"n_draws": 1}, {"n_draws": "all"}, {"quick": 1}])
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        selection_bias(**wrong)


# -- the curve ----------------------------------------------------------------------------------


def test_only_what_chooses_inside_is_honest() -> None:
    curve = selection_curve([5, 20], n_rows=40, n_inputs=400, n_samples=8, random_state=1)
    errors = curve.errors
    for place in range(2):
        assert errors["training"][place] <= errors["internal leave-one-out"][place] < 0.3
        for honest in ("external 10-fold", ".632+", "test"):
            assert errors[honest][place] > 0.35
    assert curve.to_text().splitlines()[1].split()[0] == "5"
    assert json.loads(json.dumps(curve.to_dict()))["n_kept"] == [5, 20]


def test_another_model_and_the_same_seed() -> None:
    model = NearestNeighborsClassifier(n_neighbors=1)
    options: dict[str, Any] = {"model": model, "n_rows": 20, "n_inputs": 50, "n_samples": 2}
    first, again = (selection_curve([3], **options) for _ in range(2))
    assert first == again
    assert first.errors["training"] == (0.0,)


@pytest.mark.parametrize("sizes", [[], [0], [51], [1.5]])
def test_sizes_are_checked(sizes: list[Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        selection_curve(sizes, n_inputs=50)
    assert caught.value.code == "P122"


def test_printed_figures_are_those_of_the_textbook(monkeypatch: pytest.MonkeyPatch) -> None:
    """16 and 48 % for a single input, 20 and 51 % for ten, both tested on 5,000 new rows."""
    monkeypatch.setattr(module, "_N_INPUTS", 50)
    one, ten = module._single_input(0, 2)[0], module._ten_inputs(0, 2)[0]
    assert [figure.printed for figure in one.figures] == [0.16, 0.48]
    assert [figure.printed for figure in ten.figures] == [0.20, 0.51]
    assert module._N_NEW_ROWS == 5000


def test_every_error_of_bagged_trees_is_of_ten_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(module, "_N_INPUTS", 30)
    monkeypatch.setattr(module, "_N_TREES", 2)
    monkeypatch.setattr(
        module, "cross_validated", lambda model, X, y, fold: seen.append(len(set(fold))) or 0.5
    )
    module._bagged(0, 1)
    assert set(seen) == {10}


def test_the_curve_is_of_noise_and_says_so() -> None:
    import inspect

    from branchline.reproduce import _selection_curve

    takes = set(inspect.signature(selection_curve).parameters)
    assert not takes & {"X", "y", "table", "data"}
    assert "table of pure noise" in (_selection_curve.__doc__ or "")
