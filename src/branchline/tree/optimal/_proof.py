"""What is proved of an optimal tree or rule list: value, bound, and the gap between them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self, TypeGuard

from branchline._base import Predictor
from branchline._plain_numbers import count, number
from branchline._result_frame import Library, result_frame
from branchline._state import malformed, number_from_state

__all__ = ["OptimalityProof", "Proved"]


@dataclass(frozen=True)
class OptimalityProof:
    """The value that was reached, a lower bound for every allowed model, and which are allowed.

    Parameters
    ----------
    value
        Training error per row (or expected cost, or squared error) plus the price of its parts.
    bound
        No model of the allowed size and tests has a smaller value.
    is_proved
        Whether the search was completed: the model is optimal.
    n_tests
        How many different yes-no tests the search chose from.
    n_left_out
        How many thresholds and categories were left out before the search (``max_thresholds``).
        With 0, the proof holds for all thresholds and categories of the table.

    See Also
    --------
    OptimalTreeClassifier
    OptimalTreeRegressor

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import OptimalTreeClassifier
    >>> X, y = load_dataset("tennis").split_target("play")
    >>> OptimalTreeClassifier(max_depth=2).fit(X, y).proof_.n_left_out
    0
    """

    value: float
    bound: float
    is_proved: bool
    n_tests: int
    n_left_out: int

    @property
    def gap(self) -> float:
        """How much smaller the value of the best model could be."""
        return self.value - self.bound

    @property
    def is_exact(self) -> bool:
        """Whether all thresholds and categories took part."""
        return self.n_left_out == 0

    def __str__(self) -> str:
        tests = count(self.n_tests, "test")
        if self.is_proved:
            head = f"Optimal, proved: no model of {tests} has a value below {number(self.value)}."
        else:
            head = (
                f"Not proved: the value is {number(self.value)}, and the time ran out before "
                f"smaller values down to {number(self.bound)} could be ruled out."
            )
        if self.is_exact:
            return head
        return (
            f"{head} {count(self.n_left_out, 'threshold')} or categories were left out "
            "(max_thresholds); with them, a smaller value may exist."
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as plain data."""
        return {**asdict(self), "gap": self.gap, "is_exact": self.is_exact}

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return the proof as a frame of one row."""
        return result_frame({name: [value] for name, value in self.to_dict().items()}, library)

    def pack(self) -> dict[str, Any]:
        """Return the proof for a model file."""
        return {f"proof_{name}": value for name, value in asdict(self).items()}

    @classmethod
    def unpack(cls, state: Mapping[str, Any]) -> Self:
        """Rebuild a proof, refusing values that no search could have produced."""
        value, bound = (number_from_state(state, f"proof_{name}") for name in ("value", "bound"))
        n_tests, n_left_out = (state.get(f"proof_{name}") for name in ("n_tests", "n_left_out"))
        is_proved = state.get("proof_is_proved")
        if type(is_proved) is not bool or not 0 <= bound <= value:
            raise malformed("the bound of a proof is above its value, or below 0")
        if is_proved and bound != value:
            raise malformed("a proof has a gap")
        if not _is_count(n_tests) or not _is_count(n_left_out):
            raise malformed("a proof does not count its tests")
        return cls(value, bound, is_proved, n_tests, n_left_out)


def _is_count(given: Any) -> TypeGuard[int]:
    return type(given) is int and 0 <= given < 2**53


class Proved(Predictor):
    """An estimator that was found by a search with a proof."""

    proof_: OptimalityProof

    @property
    def value_(self) -> float:
        """Training error per row plus the price of leaves or rules: what the search minimized."""
        self._check_fitted()
        return self.proof_.value

    @property
    def bound_(self) -> float:
        """No model of this size and these tests has a smaller value."""
        self._check_fitted()
        return self.proof_.bound

    @property
    def proved_(self) -> bool:
        """Whether the model is proved to be optimal: the search ended within the time budget."""
        self._check_fitted()
        return self.proof_.is_proved
