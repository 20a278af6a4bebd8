"""One fitted network as arrays, and the forward pass.

1. Layer l multiplies its inputs by a matrix W_l and adds b_l: z = h W_l + b_l.
2. A hidden layer then bends each z: h = max(z, 0), tanh z, 1 / (1 + e^−z), or not at all.
3. The last layer is left as it is; callers make numbers or probabilities of it.
Every z is kept within ±1e100, so that no row, however large its numbers, gives infinity or NaN.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from branchline._arrays import Floats
from branchline._state import malformed

__all__ = ["ACTIVATIONS", "LARGEST", "Net", "constant_net"]

# No weight and no sum is larger: a product of two such numbers, added up, stays finite.
LARGEST = 1e100
# Rows that pass through at a time, so that wide layers need little memory.
_BLOCK = 2**14


def _relu(values: Floats) -> Floats:
    return np.maximum(values, 0.0, out=values)


def _tanh(values: Floats) -> Floats:
    return np.tanh(values, out=values)


def _logistic(values: Floats) -> Floats:
    bent: Floats = expit(values, out=values)
    return bent


def _identity(values: Floats) -> Floats:
    return values


ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "tanh": _tanh,
    "relu": _relu,
    "logistic": _logistic,
    "identity": _identity,
}


@dataclass(frozen=True, eq=False)
class Net:
    """The weights of a network.

    Parameters
    ----------
    weights
        A matrix for each layer: a row for each input, a column for each unit.
    biases
        The constant of each unit, layer by layer.
    activation
        The activation function of hidden units: a key of ``ACTIVATIONS``.
    """

    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    activation: str

    @property
    def layer_sizes(self) -> tuple[int, ...]:
        """The number of inputs, of each layer's units, and of outputs."""
        return (self.weights[0].shape[0], *(len(bias) for bias in self.biases))

    @property
    def n_weights(self) -> int:
        """The number of weights and constants."""
        return sum(weight.size for weight in self.weights) + sum(map(len, self.biases))

    @property
    def is_sound(self) -> bool:
        """Whether all weights are finite and not too large to be multiplied."""
        return all(bool((np.abs(part) <= LARGEST).all()) for part in (*self.weights, *self.biases))

    def restored(self, order: npt.NDArray[np.intp], *, outputs: bool = False) -> "Net":
        """Return a net on terms in ``order`` as one on terms as they were; so, too, its outputs."""
        first = np.empty_like(self.weights[0])
        first[order] = self.weights[0]
        weights, biases = [first, *self.weights[1:]], list(self.biases)
        if outputs:
            weights[-1], biases[-1] = np.empty_like(weights[-1]), np.empty_like(biases[-1])
            weights[-1][:, order], biases[-1][order] = self.weights[-1], self.biases[-1]
        return Net(tuple(weights), tuple(biases), self.activation)

    def outputs(self, matrix: Any) -> Floats:
        """Return the last layer's sums, with a row for each row and a column for each output."""
        return self.between(matrix, 0, len(self.weights))

    def between(self, matrix: Any, first: int, last: int) -> Floats:
        """Return what layers ``first`` to ``last`` (not included) make of rows."""
        n_rows = matrix.shape[0]
        made = np.empty((n_rows, self.layer_sizes[last]))
        for start in range(0, n_rows, _BLOCK):
            rows = slice(start, start + _BLOCK)
            made[rows] = self._pass(matrix[rows], first, last)
        return made

    def _pass(self, values: Any, first: int, last: int) -> Floats:
        for layer in range(first, last):
            values = np.asarray(values @ self.weights[layer])
            values += self.biases[layer]
            np.clip(values, -LARGEST, LARGEST, out=values)
            if layer < len(self.weights) - 1:
                values = ACTIVATIONS[self.activation](values)
        bent: Floats = values
        return bent

    # -- saving ---------------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return the network as plain values."""
        return {
            "weights": list(self.weights),
            "biases": list(self.biases),
            "activation": self.activation,
        }

    @staticmethod
    def unpack(state: Mapping[str, Any]) -> "Net":
        """Check packed values and return the network."""
        weights, biases = state.get("weights"), state.get("biases")
        activation = state.get("activation")
        if not isinstance(activation, str) or activation not in ACTIVATIONS:
            raise malformed("the activation of a network is not known")
        if not isinstance(weights, list) or not isinstance(biases, list):
            raise malformed("the layers of a network are not lists")
        if not weights or len(weights) != len(biases):
            raise malformed("a network lacks a layer")
        net = Net(
            tuple(_layer_part(weight, 2) for weight in weights),
            tuple(_layer_part(bias, 1) for bias in biases),
            activation,
        )
        if [weight.shape for weight in net.weights] != list(pairwise(net.layer_sizes)):
            raise malformed("the layers of a network do not follow each other")
        return net


def constant_net(n_inputs: int, bias: Floats, activation: str) -> Net:
    """Return a network without hidden layers that gives the same numbers for every row."""
    return Net((np.zeros((n_inputs, len(bias))),), (bias,), activation)


def _layer_part(array: Any, n_dimensions: int) -> Floats:
    is_array = isinstance(array, np.ndarray) and array.dtype == np.float64
    if not is_array or array.ndim != n_dimensions:
        raise malformed("a layer of a network is not a table of numbers")
    plain: Floats = np.ascontiguousarray(np.asarray(array))
    if not (np.abs(plain) <= LARGEST).all():  # false for NaN too
        raise malformed("a weight of a network is out of range")
    return plain
