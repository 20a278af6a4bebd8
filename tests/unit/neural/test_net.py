"""The forward pass: worked by hand, against plain loops, against scikit-learn."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neural_network import MLPRegressor as SklearnRegressor

from branchline.errors import ModelFileError
from branchline.neural._net import ACTIVATIONS, LARGEST, Net, constant_net

# x1 XOR x2 = max(x1 + x2, 0) − 2 max(x1 + x2 − 1, 0).
XOR = Net(
    (np.ones((2, 2)), np.array([[1.0], [-2.0]])), (np.array([0.0, -1.0]), np.array([0.0])), "relu"
)
BEND = {
    "tanh": math.tanh,
    "relu": lambda z: max(z, 0.0),
    "logistic": lambda z: 1 / (1 + math.exp(-z)),
    "identity": lambda z: z,
}


def by_loops(net: Net, row: list[float]) -> list[float]:
    """Return the outputs for one row, one multiplication at a time."""
    values = row
    for layer, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
        sums = [
            math.fsum([*(v * w for v, w in zip(values, weight[:, unit], strict=True)), bias[unit]])
            for unit in range(len(bias))
        ]
        is_last = layer == len(net.weights) - 1
        values = sums if is_last else [BEND[net.activation](z) for z in sums]
    return values


@st.composite
def nets(draw: st.DrawFn) -> Net:
    sizes = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = [rng.normal(size=pair) for pair in pairwise(sizes)]
    biases = [rng.normal(size=size) for size in sizes[1:]]
    return Net(tuple(weights), tuple(biases), draw(st.sampled_from(sorted(ACTIVATIONS))))


def test_exclusive_or_by_hand() -> None:
    rows = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert XOR.outputs(rows)[:, 0].tolist() == [0.0, 1.0, 1.0, 0.0]
    assert XOR.layer_sizes == (2, 2, 1)
    assert XOR.n_weights == 9


@given(nets(), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_outputs_are_those_of_plain_loops(net: Net, n_rows: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(n_rows, net.layer_sizes[0]))
    expected = np.array([by_loops(net, row) for row in rows.tolist()])
    found = net.outputs(rows)
    assert found.shape == (n_rows, net.layer_sizes[-1])
    np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(net.outputs(sparse.csr_array(rows)), found, rtol=1e-12, atol=1e-12)


@given(nets(), st.integers(0, 2**32 - 1))
def test_two_halves_make_the_whole(net: Net, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(3, net.layer_sizes[0]))
    for middle in range(1, len(net.weights) + 1):
        code = net.between(rows, 0, middle)
        rebuilt = net.between(code, middle, len(net.weights))
        np.testing.assert_array_equal(rebuilt, net.outputs(rows))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_weights_of_scikit_learn_give_its_predictions(activation: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=(60, 2))
    options = {"solver": "lbfgs", "tol": 0.1, "max_iter": 2000, "random_state": 0}
    peer = SklearnRegressor(hidden_layer_sizes=(5, 4), activation=activation, **options).fit(X, y)
    net = Net(tuple(peer.coefs_), tuple(peer.intercepts_), activation)
    np.testing.assert_allclose(net.outputs(X), peer.predict(X), rtol=1e-12, atol=1e-12)


def test_many_rows_pass_in_blocks() -> None:
    rows = np.random.default_rng(0).normal(size=(40_000, 2))
    np.testing.assert_allclose(XOR.outputs(rows)[-5:], XOR.outputs(rows[-5:]), rtol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_no_number_is_too_large(activation: str) -> None:
    huge = (np.full((1, 2), LARGEST), np.full((2, 2), -LARGEST), np.full((2, 1), LARGEST))
    net = Net(huge, (np.zeros(2), np.zeros(2), np.zeros(1)), activation)
    with np.errstate(all="raise"):
        assert np.isfinite(net.outputs(np.array([[1e100], [-1e100], [0.0]]))).all()


def test_a_constant_network_says_the_same_of_all_rows() -> None:
    net = constant_net(3, np.array([1.0, -2.0]), "tanh")
    assert net.outputs(np.eye(3)).tolist() == [[1.0, -2.0]] * 3
    assert (
        constant_net(0, np.array([4.0]), "tanh").outputs(np.zeros((2, 0))).tolist() == [[4.0]] * 2
    )


FORGERIES: dict[str, tuple[dict[str, Any], str]] = {
    "unknown activation": ({"activation": "sin"}, "activation"),
    "no activation": ({"activation": None}, "activation"),
    "no layers": ({"weights": [], "biases": []}, "lacks a layer"),
    "a layer less": ({"biases": [np.zeros(2)]}, "lacks a layer"),
    "no list": ({"weights": np.zeros((2, 2))}, "not lists"),
    "other order": ({"weights": [np.ones((2, 2)), np.ones((3, 1))]}, "follow each other"),
    "too few biases": ({"biases": [np.zeros(1), np.zeros(1)]}, "follow each other"),
    "one dimension": ({"weights": [np.ones(2), np.ones((2, 1))]}, "table of numbers"),
    "whole numbers": ({"biases": [np.zeros(2, int), np.zeros(1)]}, "table of numbers"),
    "not a number": ({"biases": [np.array([0.0, np.nan]), np.zeros(1)]}, "out of range"),
    "infinite": ({"biases": [np.zeros(2), np.array([np.inf])]}, "out of range"),
    "too large": ({"biases": [np.zeros(2), np.array([1e101])]}, "out of range"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_networks_are_refused(name: str) -> None:
    change, message = FORGERIES[name]
    with pytest.raises(ModelFileError, match=message) as caught:
        Net.unpack(XOR.pack() | change)
    assert caught.value.code == "M005"


def test_packed_networks_come_back() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 2))
    np.testing.assert_array_equal(Net.unpack(XOR.pack()).outputs(rows), XOR.outputs(rows))
