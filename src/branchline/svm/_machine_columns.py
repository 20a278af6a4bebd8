"""Many machines of two classes as a few columns: one array for all biases, one for all norms.

There may be a hundred thousand machines; each of them is made when it is asked for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline.svm._certificate import Certificate
from branchline.svm._sigmoid import Sigmoid
from branchline.svm._two_class_machine import TwoClassMachine

__all__ = ["MachineColumns"]

Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MachineColumns(Sequence[TwoClassMachine]):
    """Machines as columns, and as a sequence of ``TwoClassMachine``.

    Parameters
    ----------
    ends
        Where the support vectors of each machine end among those of all.
    places, coefficients
        Of the support vectors, one machine after the other.
    bias, norm
        Of each machine.
    slopes
        Of its probabilities: below a score of 0, and above.
    objectives
        Primal, dual and violation.
    n_steps, is_done, is_convex
        As in its certificate.
    """

    ends: Integers
    places: Integers
    coefficients: Floats
    bias: Floats
    norm: Floats
    slopes: Floats
    objectives: Floats
    n_steps: Integers
    is_done: Bools
    is_convex: Bools

    @staticmethod
    def of(machines: Iterable[TwoClassMachine]) -> "MachineColumns":
        """Put machines together."""
        made = list(machines)
        about = [machine.certificate for machine in made]
        none: Floats = np.empty(0)
        sizes = [len(machine.places) for machine in made]
        return MachineColumns(
            np.cumsum(sizes, dtype=np.int64),
            np.concatenate([none.astype(np.int64), *(machine.places for machine in made)]),
            np.concatenate([none, *(machine.coefficients for machine in made)]),
            np.array([machine.bias for machine in made], dtype=np.float64),
            np.array([machine.norm for machine in made], dtype=np.float64),
            np.array(
                [(one.sigmoid.slope_below, one.sigmoid.slope_above) for one in made],
                dtype=np.float64,
            ).reshape(-1, 2),
            np.array(
                [(one.primal, one.dual, one.violation) for one in about], dtype=np.float64
            ).reshape(-1, 3),
            np.array([one.n_steps for one in about], dtype=np.int64),
            np.array([one.is_done for one in about], dtype=np.bool_),
            np.array([one.is_convex for one in about], dtype=np.bool_),
        )

    def __len__(self) -> int:
        return len(self.bias)

    @overload
    def __getitem__(self, k: int) -> TwoClassMachine: ...

    @overload
    def __getitem__(self, k: slice) -> list[TwoClassMachine]: ...

    def __getitem__(self, k: int | slice) -> TwoClassMachine | list[TwoClassMachine]:
        if isinstance(k, slice):
            return [self[one] for one in range(*k.indices(len(self)))]
        k = range(len(self))[k]  # also from the end; IndexError beyond
        here = slice(int(self.ends[k - 1]) if k else 0, int(self.ends[k]))
        return TwoClassMachine(
            self.places[here],
            self.coefficients[here],
            float(self.bias[k]),
            float(self.norm[k]),
            Sigmoid(*self.slopes[k].tolist()),
            Certificate(
                float(self.objectives[k, 0]),
                float(self.objectives[k, 1]),
                float(self.objectives[k, 2]),
                int(self.n_steps[k]),
                bool(self.is_done[k]),
                bool(self.is_convex[k]),
            ),
        )

    @property
    def sizes(self) -> Integers:
        """How many support vectors each machine has."""
        begins = np.concatenate([[0], self.ends[:-1]])
        return np.asarray(self.ends - begins, dtype=np.int64)

    @property
    def gaps(self) -> Floats:
        """By how much each objective can be above the least possible; NaN: not known."""
        gap = np.maximum(0.0, self.objectives[:, 0] - self.objectives[:, 1])
        return np.where(self.is_convex, gap, np.nan)

    @property
    def margins(self) -> Floats:
        """The width 2 / ‖w‖ of each margin."""
        with np.errstate(divide="ignore"):
            return 2 / self.norm

    @cached_property
    def sigmoids(self) -> list[Sigmoid]:
        """From scores to probabilities, for each machine."""
        return [Sigmoid(*slopes) for slopes in self.slopes.tolist()]
