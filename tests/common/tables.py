"""The messy table on which our own checks run: numbers, categories, booleans, dates, holes."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import get_tags


def mixed_frame(n_rows: int = 120, seed: int = 0) -> pd.DataFrame:
    """Return a frame with every kind of column and missing cells in each, yours to change."""
    return _mixed_frame(n_rows, seed).copy()


@cache
def _mixed_frame(n_rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "height": rng.normal(170, 10, n_rows).round(1),
            "visits": rng.integers(0, 9, n_rows),
            "town": rng.choice(["Liège", "Mons", "Namur", "Ath"], n_rows),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], n_rows), ["low", "mid", "high"]
            ),
            "smoker": rng.random(n_rows) < 0.3,
            "born": pd.Timestamp("1960-01-01")
            + pd.to_timedelta(rng.integers(0, 9000, n_rows), "D"),
        }
    )
    for name in ("height", "town", "grade", "born"):
        frame.loc[rng.random(n_rows) < 0.1, name] = None
    return frame


def kind_of_target(model: Any) -> str:
    """Return what a model is given to predict: numbers, three classes, or two if it takes no more.

    It is the ``task`` of ``target`` and ``matrix_target``.
    """
    tags = get_tags(model).classifier_tags
    return "two classes" if tags is not None and not tags.multi_class else model._task


def target(frame: pd.DataFrame, task: str, seed: int = 1) -> np.ndarray[Any, Any]:
    """Return a target that depends on the frame, with noise."""
    rng = np.random.default_rng(seed)
    score = (
        frame["height"].fillna(165).to_numpy() / 10
        + 2.0 * frame["town"].isin(["Mons", "Ath"]).to_numpy()
        + rng.normal(0, 1, len(frame))
    )
    if task == "regression":
        return score
    if task == "two classes":
        return np.where(score < np.quantile(score, 0.4), "ill", "well")
    cuts = np.quantile(score, [0.3, 0.7])
    return np.array(["ill", "ok", "well"])[np.digitize(score, cuts)]


def numeric_matrix(n_rows: int = 80, n_columns: int = 4, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return floats with some holes."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n_rows, n_columns))
    matrix[rng.random(matrix.shape) < 0.05] = np.nan
    return matrix


def matrix_target(matrix: np.ndarray[Any, Any], task: str) -> np.ndarray[Any, Any]:
    """Return a target that depends on the first two columns."""
    score = np.nan_to_num(matrix[:, 0]) + 0.5 * np.nan_to_num(matrix[:, 1])
    if task == "two classes":
        return (score > 0).astype(int)
    return score if task == "regression" else (score > 0).astype(int) + (score > 1)
