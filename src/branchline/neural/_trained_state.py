"""Trained networks in a model file: every weight and every loss is checked when it comes back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from branchline._state import array_from_state, malformed, numbers_from_state
from branchline.neural._net import Net
from branchline.neural._training import TrainedNet

__all__ = ["pack_trained", "trained_from_state"]

_FLOAT = np.dtype(np.float64)
_PARTS = {"weights", "biases", "activation", "n_iter", "loss_curve", "validation_curve"}


def pack_trained(trained: TrainedNet) -> dict[str, Any]:
    """Return a network and the course of its training as plain values."""
    return {
        **trained.net.pack(),
        "n_iter": trained.n_iter,
        "loss_curve": trained.loss_curve,
        "validation_curve": trained.validation_curve,
    }


def trained_from_state(packed: Any, n_inputs: int, n_outputs: int) -> tuple[TrainedNet, ...]:
    """Check packed networks, all of one shape, and return them."""
    if not isinstance(packed, list) or not packed:
        raise malformed("the list of networks is empty")
    nets = tuple(_trained(part) for part in packed)
    shapes = {(trained.net.layer_sizes, trained.net.activation) for trained in nets}
    if len(shapes) != 1:
        raise malformed("the networks are not of one shape")
    sizes = nets[0].net.layer_sizes
    if (sizes[0], sizes[-1]) != (n_inputs, n_outputs):
        raise malformed("a network has other inputs or outputs than the model")
    return nets


def _trained(part: Any) -> TrainedNet:
    if not isinstance(part, Mapping) or set(part) != _PARTS:
        raise malformed("a network lacks a part, or has one too many")
    net = Net.unpack(part)
    n_iter = part["n_iter"]
    if type(n_iter) is not int or not 1 <= n_iter < 2**62:
        raise malformed("the steps of a training are not a count")
    losses = _losses(part, "loss_curve")
    held = _losses(part, "validation_curve")
    if len(held) not in {0, len(losses)} or len(losses) > n_iter:
        raise malformed("the losses of a training do not go with its steps")
    return TrainedNet(net, n_iter, losses, held)


def _losses(part: Mapping[str, Any], name: str) -> Any:
    length = len(array_from_state(part, name, _FLOAT))
    return numbers_from_state(part, name, length=length, low=0.0)
