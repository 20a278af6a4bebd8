"""How fast this machine is at the moment, against the one that measured the catalog's costs.

A small tree is fitted a few times on numbers that are always the same; the quickest time is divided
by what the catalog expects. Other work on the machine, or a slower processor, makes it larger.
"""

import time
from functools import cache

import numpy as np

from branchline import catalog
from branchline.table import as_table

__all__ = ["measured_speed"]

_ROWS, _COLUMNS, _TIMES = 2000, 10, 3


@cache
def measured_speed() -> float:
    """Return how many times longer a fit takes here than the catalog says."""
    rng = np.random.default_rng(0)
    table = as_table(rng.normal(size=(_ROWS, _COLUMNS)))
    target = (np.asarray(table)[:, :3].sum(axis=1) > 0).astype(int)
    model = catalog.make("tree", task="classification", n_jobs=1)
    taken = []
    for _ in range(_TIMES):
        begin = time.perf_counter()
        model.fit(table, target)
        taken.append(time.perf_counter() - begin)
    cost = catalog.entry("tree").costs["classification"]
    return min(taken) / cost.estimate(_ROWS, _COLUMNS, 2)
