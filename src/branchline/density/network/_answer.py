"""The answer to a question: how probable the levels of a column are, or of several together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._plain_numbers import fine_percent
from branchline._plain_text import pad, width
from branchline._result_frame import Library, result_frame
from branchline.density.network._network_words import level_words

__all__ = ["NetworkAnswer"]

_MOST_LINES = 20


@dataclass(frozen=True, eq=False)
class NetworkAnswer:
    """Probabilities of the levels of columns, given what is known.

    Parameters
    ----------
    of
        The columns that were asked for.
    given
        What is known: a level for each column.
    levels
        The levels of each column that was asked for.
    probabilities
        An axis for each column.

    See Also
    --------
    BayesianNetwork : ``query`` returns it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.density import BayesianNetwork
    >>> table = load_dataset("titanic").select(["pclass", "sex", "survived"])
    >>> model = BayesianNetwork().fit(table)
    >>> answer = model.query({"sex": "female"}, of="survived")
    >>> answer.probabilities.round(2).tolist()
    [0.27, 0.73]
    """

    of: tuple[str, ...]
    given: Mapping[str, str]
    levels: tuple[tuple[str, ...], ...]
    probabilities: Floats

    def __getitem__(self, level: Any) -> float:
        """Return the probability of a level, or of a tuple of levels."""
        wanted = level if isinstance(level, tuple) and len(self.of) > 1 else (level,)
        found = self.to_dict()
        return found[tuple(map(str, wanted)) if len(self.of) > 1 else str(wanted[0])]

    def to_dict(self) -> dict[Any, float]:
        """Return the probability of each level, or of each tuple of levels."""
        found = {}
        for place, share in np.ndenumerate(self.probabilities):
            key = tuple(names[at] for names, at in zip(self.levels, place, strict=True))
            found[key if len(key) > 1 else key[0]] = float(share)
        return found

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each combination of levels, with its probability."""
        places = list(np.ndindex(*self.probabilities.shape))
        columns: dict[str, Any] = {
            name: [self.levels[at][place[at]] for place in places]
            for at, name in enumerate(self.of)
        }
        columns["probability"] = self.probabilities.reshape(-1)
        return result_frame(columns, library)

    def __str__(self) -> str:
        known = ", ".join(level_words(name, level) for name, level in self.given.items())
        head = " and ".join(self.of) + (f", given {known}" if known else "")
        shown = sorted(self.to_dict().items(), key=lambda pair: -pair[1])
        names = [" and ".join(key) if isinstance(key, tuple) else key for key, _ in shown]
        wide = max(width(name) for name in names[:_MOST_LINES])
        lines = [
            f"  {pad(name, wide)}  {fine_percent(share)}"
            for name, (_, share) in zip(names[:_MOST_LINES], shown, strict=False)
        ]
        more = [f"  … and {len(names) - _MOST_LINES} more"] if len(names) > _MOST_LINES else []
        return "\n".join([f"Probability of {head}:", *lines, *more])

    __repr__ = __str__
