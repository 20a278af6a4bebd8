"""How many columns a node or a tree looks at: what ``max_features`` stands for on a table."""

import math
from typing import Any

import numpy as np

__all__ = ["columns_per_node"]

# "auto" looks at fewer columns only where there are fewer.
_FEWEST_COLUMNS = 3


def columns_per_node(max_features: Any, n_columns: int) -> int:
    """Return how many columns a node looks at."""
    if max_features is None:
        return n_columns
    if max_features == "sqrt":
        wanted = math.sqrt(n_columns)
    elif max_features == "log2":
        wanted = math.log2(n_columns)
    elif max_features == "third":
        wanted = n_columns / 3
    elif max_features == "auto":
        wanted = max(_FEWEST_COLUMNS, math.ceil(2 * n_columns / 3))
    elif isinstance(max_features, float | np.floating):
        wanted = float(max_features) * n_columns
    else:
        wanted = float(max_features)
    return int(min(n_columns, max(1, math.floor(wanted))))
