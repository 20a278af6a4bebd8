"""The parameters that networks share, each with what it may be."""

from dataclasses import dataclass
from typing import Any

from branchline._encoding._encoded import ENCODER
from branchline._validation import AnyOf, Constraint, Flag, OneOf, Real, Whole
from branchline.neural._net import ACTIVATIONS

__all__ = ["SHARED", "LayerSizes"]

# Layers and units beyond these would fill any memory before they learn anything.
_MOST_LAYERS, _MOST_UNITS = 20, 100_000


@dataclass(frozen=True)
class LayerSizes:
    """The number of units of each hidden layer, as a tuple of at least ``fewest`` numbers."""

    fewest: int = 1

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is a tuple (or list) of whole numbers from 1 on."""
        if not isinstance(value, tuple | list):
            return False
        sizes_fit = all(Whole(1, _MOST_UNITS).allows(size) for size in value)
        return sizes_fit and self.fewest <= len(value) <= _MOST_LAYERS

    def describe(self) -> str:
        """Say what is allowed, with an example."""
        empty = "" if self.fewest else "(), or "
        return f"{empty}a tuple of whole numbers above 0, one for each hidden layer, such as (10,)"


SHARED: dict[str, Constraint] = {
    "activation": OneOf(tuple(ACTIVATIONS)),
    "solver": OneOf(("auto", "lbfgs", "adam")),
    "learning_rate": Real(0.0, low_open=True),
    "batch_size": AnyOf((OneOf(("auto",)), Whole(1))),
    "max_iter": Whole(1),
    "tol": Real(0.0, low_open=True),
    "early_stopping": Flag(),
    "validation_fraction": Real(0.0, 0.5, low_open=True),
    "patience": Whole(1),
    "encoder": ENCODER,
}
