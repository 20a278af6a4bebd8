"""Auto-encoders: codes, the way back, unusual rows, files."""

import copy
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA

from branchline import load_dataset
from branchline.encoding import TableEncoder
from branchline.errors import BranchlineWarning, ModelFileError, NotFittedError, ParameterError
from branchline.neural import AutoEncoder
from common.tables import mixed_frame


@pytest.fixture(scope="module")
def packer() -> AutoEncoder:
    return AutoEncoder(hidden_layer_sizes=(4,), tol=1e-3).fit(mixed_frame(80))


def test_without_bends_it_loses_what_principal_components_lose() -> None:
    X, _ = load_dataset("iris").split_target("species")
    model = AutoEncoder(activation="identity", alpha=0.0, tol=1e-7, max_iter=5000).fit(X)
    matrix = TableEncoder().fit(X).transform(X)
    principal = PCA(2).fit(matrix)
    lost = (matrix - principal.inverse_transform(principal.transform(matrix))) ** 2
    assert model.reconstruction_error(X).mean() == pytest.approx(lost.mean(), rel=1e-3)


def test_codes_lead_back(packer: AutoEncoder) -> None:
    frame = mixed_frame(80)
    codes = packer.transform(frame)
    assert codes.shape == (80, 2)
    assert packer.get_feature_names_out().tolist() == ["code0", "code1"]
    matrix = TableEncoder().fit(frame).transform(frame)
    rebuilt = packer.inverse_transform(codes)
    assert rebuilt.shape == matrix.shape == (80, len(packer.encoding_.terms))
    errors = ((matrix - rebuilt) ** 2).mean(axis=1)
    np.testing.assert_allclose(packer.reconstruction_error(frame), errors, rtol=1e-9)
    assert packer.trained_.net.layer_sizes[1:-1] == (4, 2, 4)


def test_a_row_that_breaks_the_pattern_stands_out() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 200)
    X = np.column_stack([x, x**2, 1 - x]) + rng.normal(0, 0.02, (200, 3))
    X[17] = [0.9, 0.0, 0.9]
    model = AutoEncoder(n_components=1, hidden_layer_sizes=(6,)).fit(X)
    errors = model.reconstruction_error(X)
    assert int(np.argmax(errors)) == 17
    assert errors[17] > 10 * np.median(errors)


def test_more_components_lose_less() -> None:
    X, _ = load_dataset("iris").split_target("species")
    one, three = (AutoEncoder(n_components=n).fit(X).reconstruction_error(X).mean() for n in (1, 3))
    assert three < 0.5 * one


@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_early_stopping_watches_rows_that_are_held_out(solver: str) -> None:
    model = AutoEncoder(early_stopping=True, solver=solver, learning_rate=0.05, tol=1e-3)
    model.fit(mixed_frame(60))
    assert len(model.trained_.validation_curve) == len(model.trained_.loss_curve) > 0
    assert model.n_iter_ >= len(model.trained_.loss_curve)


def test_a_table_that_says_nothing_has_empty_codes() -> None:
    model = AutoEncoder(n_components=3, hidden_layer_sizes=(2,)).fit(np.ones((5, 2)))
    assert model.transform(np.ones((2, 2))).tolist() == [[0.0] * 3] * 2
    assert model.reconstruction_error(np.ones((2, 2))).tolist() == [0.0, 0.0]
    assert model.inverse_transform(np.zeros((2, 3))).shape == (2, 0)


def test_codes_of_another_shape_are_refused(packer: AutoEncoder) -> None:
    bad: list[Any] = [np.zeros((2, 3)), np.zeros(2), [[np.nan, 0.0]], [["a", "b"]], None]
    for codes in bad:
        with pytest.raises(ParameterError, match="2 columns") as caught:
            packer.inverse_transform(codes)
        assert caught.value.code == "P071"
    exec(caught.value.repair.python, {"model": packer, "X": mixed_frame(5)})
    with pytest.raises(NotFittedError):
        AutoEncoder().inverse_transform(np.zeros((1, 2)))


def test_an_unfinished_training_says_what_to_do() -> None:
    with pytest.warns(BranchlineWarning, match="AutoEncoder: its training.*max_iter=2"):
        AutoEncoder(max_iter=2).fit(mixed_frame(40))


@pytest.mark.parametrize(
    "bad", [{"n_components": 0}, {"hidden_layer_sizes": (0,)}, {"alpha": "auto"}]
)
def test_bad_parameters_are_named(bad: dict[str, Any]) -> None:
    (name,) = bad
    with pytest.raises(ParameterError, match=f"'{name}' parameter"):
        AutoEncoder(**bad).fit([[0.0], [1.0]])


def test_forged_models_are_refused(packer: AutoEncoder) -> None:
    sound = dict(packer._pack())
    width = packer.encoding_.width
    weights = sound["trained"]["weights"]
    lopsided = {
        "weights": [weights[0], weights[1], np.zeros((2, width))],
        "biases": [np.zeros(4), np.zeros(2), np.zeros(width)],
    }
    unlike = {
        "weights": [weights[0], weights[1], np.zeros((2, 5)), np.zeros((5, width))],
        "biases": [np.zeros(4), np.zeros(2), np.zeros(5), np.zeros(width)],
    }
    changes: list[Any] = [lopsided, unlike, {"n_iter": -1}, {"activation": 3}, {"weights": []}]
    for change in changes:
        forged = copy.deepcopy(sound)
        forged["trained"].update(change)
        with pytest.raises(ModelFileError):
            AutoEncoder()._unpack(forged, packer.schema_)
    with pytest.raises(ModelFileError):
        AutoEncoder()._unpack({**sound, "trained": None}, packer.schema_)
    again = AutoEncoder()
    again.__dict__.update(again._unpack(sound, packer.schema_), schema_=packer.schema_)
    frame = mixed_frame(9)
    np.testing.assert_array_equal(again.transform(frame), packer.transform(frame))


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_two_rows_that_mirror_each_other_do_not_ask_for_the_order_of_columns() -> None:
    table = {"a": [1.0, 2.0], "b": [7.0, 3.0], "c": ["left", "right"]}
    turned = {name: table[name] for name in ("c", "b", "a")}
    one, two = (AutoEncoder(max_iter=20).fit(each).transform(each) for each in (table, turned))
    np.testing.assert_allclose(one, two, atol=1e-12)
