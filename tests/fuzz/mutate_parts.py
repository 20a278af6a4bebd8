"""Forged parts: at any depth of what was fitted, something of another make, else a sound file.

References to arrays are put in order again, so that only the learner that reads a part can see that
it is not what it should be.
"""

import copy
import random
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from fuzz.mutate_arrays import EXTREME_REAL, EXTREME_WHOLE, fitted_values, forge_fitted, take_apart

__all__ = ["mutate_parts"]

Corpus: TypeAlias = Sequence[bytes]

OTHERS: tuple[Any, ...] = (
    None, True, 0, 1, -1, 2**53, 0.0, 0.5, 1.5, -1.0, 1e308, 5e-324, "", "a", [], ["a"], [[1, 2]],
    {}, {"a": 1}, np.zeros(0), np.zeros(3), np.zeros((2, 2)), np.arange(3), np.array([True, False]),
    [np.zeros(3)], {"a": np.zeros(2)},
)  # fmt: skip


def mutate_parts(rng: random.Random, corpus: Corpus) -> bytes:
    """Change, remove or replace a part; the file is sound in all other ways."""
    content = rng.choice(corpus)
    fitted = fitted_values(content)
    for _ in range(rng.choice((1, 1, 1, 2))):
        holder, key = _any_place(rng, fitted)
        _edit(rng, holder, key)
    return forge_fitted(take_apart(content)[0], fitted)


def _any_place(rng: random.Random, fitted: dict[str, Any]) -> tuple[Any, Any]:
    """Return a part that has no parts, or one that holds others, as likely as a name is rare."""
    by_name: dict[str, list[tuple[Any, Any]]] = {}
    for holder, key in _places(fitted):
        by_name.setdefault(key if isinstance(key, str) else "in a list", []).append((holder, key))
    return rng.choice(by_name[rng.choice(sorted(by_name))])


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (holder, key) of every part at any depth."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in pairs:
        yield value, key
        if isinstance(part, dict | list):
            yield from _places(part)


def _edit(rng: random.Random, holder: Any, key: Any) -> None:
    how, value = rng.randrange(6), holder[key]
    if how == 0 and len(holder) > 1:
        del holder[key]
    elif how == 1 and isinstance(value, np.ndarray):
        holder[key] = rng.choice((value[:-1], np.concatenate([value, value]), value[None][0].T))
    elif how == 1 and isinstance(value, list | str):
        holder[key] = rng.choice((value[:-1], value + value, value[::-1]))
    elif how <= 2 and isinstance(value, np.ndarray) and value.size:
        with np.errstate(all="ignore"):
            holder[key] = value.astype(rng.choice(("i4", "i8", "u1", "f4", "f8", "?")))
    elif how <= 3 and type(value) in (int, float):
        near = (value + 1, value - 1, -value, float(value), *EXTREME_REAL[:12], *EXTREME_WHOLE)
        holder[key] = rng.choice(near)
    else:
        holder[key] = copy.deepcopy(rng.choice(OTHERS))
