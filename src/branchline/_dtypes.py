"""Every dtype that crosses into the compiled core, stated once; ``types.hpp`` is the other side."""

import numpy as np

__all__ = [
    "CATEGORY",
    "CLASS_INDEX",
    "NODE_INDEX",
    "NODE_KIND",
    "POOL_OFFSET",
    "RANDOM_WORD",
    "THRESHOLD",
    "UNITS",
]

CATEGORY = np.dtype(np.int32)  # a category's code in a table; negative: missing or unseen
CLASS_INDEX = np.dtype(np.uint32)  # a row's class
UNITS = np.dtype(np.int64)  # row weights and fixed-point sums
RANDOM_WORD = np.dtype(np.uint64)  # row keys, seeds, draws
NODE_KIND = np.dtype(np.uint8)
NODE_INDEX = np.dtype(np.int32)  # nodes, features, branches
POOL_OFFSET = np.dtype(np.int64)
THRESHOLD = np.dtype(np.float64)
