"""Tables as real files are on bad days: mixed kinds, missing values, copies, extreme numbers."""

import random
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["random_frame", "random_target"]


def random_frame(rng: random.Random) -> pd.DataFrame:
    """Return a frame of a few columns, or many; of a few rows, or a hundred."""
    n_rows = rng.choice([2, 5, 12, 30, 60, 120])
    n_columns = rng.choice([1, 2, 3, 5, 8]) if rng.random() < 0.9 else 60
    numbers = np.random.default_rng(rng.getrandbits(32))
    columns = {f"c{at}": rng.choice(_KINDS)(rng, numbers, n_rows) for at in range(n_columns)}
    frame = pd.DataFrame(columns)
    if n_columns > 1 and rng.random() < 0.2:
        frame["twin"] = frame.iloc[:, 0]
    if rng.random() < 0.3:  # rows that are there several times
        frame = frame.iloc[numbers.integers(0, max(1, n_rows // 2), n_rows)].reset_index(drop=True)
    return frame


def random_target(rng: random.Random, frame: pd.DataFrame, task: str) -> np.ndarray[Any, Any]:
    """Return numbers or classes that depend on the first column of numbers, or on nothing."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    n_rows = len(frame)
    score = numbers.normal(size=n_rows)
    first = frame.select_dtypes("number")
    if first.shape[1] and rng.random() < 0.8:
        ranks = first.iloc[:, 0].rank().fillna(0).to_numpy()
        score = score + 3 * ranks / n_rows
    if task == "regression":
        return score * rng.choice([1.0, 1.0, 1.0, 1e-8, 1e8]) + rng.choice([0.0, 1e6])
    n_classes = 2 if task == "two classes" else rng.choice([2, 3, 5])
    cuts = np.sort(numbers.choice(score, n_classes - 1))  # classes may be rare
    classes = np.digitize(score, cuts)
    classes[: min(n_rows, 2)] = [0, 1][: min(n_rows, 2)]
    return np.array([f"class {kind}" for kind in classes]) if rng.random() < 0.5 else classes


def _plain(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    return numbers.normal(size=n_rows)


def _rounded(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    return numbers.integers(0, rng.choice([2, 3, 9]), n_rows)


def _missing(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    values = numbers.normal(size=n_rows)
    values[numbers.random(n_rows) < rng.choice([0.1, 0.5, 0.95])] = np.nan
    return values


def _extreme(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    few = [0.0, -0.0, 5e-324, 1e-300, 1e-12, 1.0, 1e12, 1e154, 1e300, -1.7e308]
    return numbers.choice(rng.sample(few, rng.choice([2, 4])), n_rows)


def _constant(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    return np.full(n_rows, rng.choice([0.0, 7.5, np.nan]))


def _shifted(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    return 1e9 + numbers.normal(size=n_rows)


def _words(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    words = numbers.choice([f"word {at}" for at in range(rng.choice([1, 2, 4, 20]))], n_rows)
    words = words.astype(object)
    words[numbers.random(n_rows) < rng.choice([0.0, 0.0, 0.3])] = None
    return words


def _declared(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    names = [f"level {at}" for at in range(rng.choice([3, 100]))]
    return pd.Categorical(numbers.choice(names[: rng.choice([1, 2, 3])], n_rows), names)


def _names_of_rows(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    return [f"id {at}" for at in numbers.permutation(n_rows)]


def _flags(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    return numbers.random(n_rows) < rng.choice([0.5, 0.05])


def _dates(rng: random.Random, numbers: np.random.Generator, n_rows: int) -> Any:
    return pd.Timestamp("2001-01-01") + pd.to_timedelta(numbers.integers(0, 9000, n_rows), "D")


_KINDS = (
    _plain, _plain, _plain, _rounded, _rounded, _missing, _extreme, _constant, _shifted, _words,
    _words, _declared, _names_of_rows, _flags, _dates,
)  # fmt: skip
