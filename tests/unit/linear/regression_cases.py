"""Data and helpers that the tests of the linear regressors share."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from branchline.errors import ModelFileError


def rows(n_rows: int = 60, n_columns: int = 5, seed: int = 0) -> tuple[Any, Any]:
    """Return columns of different units that move together, and a target with noise."""
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(n_rows, n_columns)) @ random.normal(size=(n_columns, n_columns))
    matrix = matrix * 10.0 ** np.arange(-2, n_columns - 2) + 3.0
    target = (matrix - 3) @ (random.normal(size=n_columns) / matrix.std(axis=0))
    return matrix, 50 + target + random.normal(size=n_rows)


def standardize(matrix: Any) -> Any:
    return (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)


def messy() -> tuple[pd.DataFrame, Any]:
    from common.tables import mixed_frame, target

    frame = mixed_frame(120)
    return frame, target(frame, "regression")


def refuse(model: Any, **changes: Any) -> None:
    """Check that packed values with some changed are refused, and unchanged ones taken."""
    packed = dict(model._pack())
    model._unpack(packed, model.schema_)
    for name, value in changes.items():
        assert name in packed
        with pytest.raises(ModelFileError, match="M005"):
            model._unpack({**packed, name: value}, model.schema_)
