"""Beyond one machine: the same models, to the bit, on a Dask cluster.

``fit_on`` grows gradient boosting on workers that hold a part of the rows each, and forests on
workers that grow some of the trees each. ``connected`` gives a client for an engine; ``TaskPool``
and ``results_of`` run independent jobs on its workers.
"""

from branchline.scale._engine import connected, is_local
from branchline.scale._fit_on import fit_on
from branchline.scale._makers import Progress
from branchline.scale._results_of import results_of
from branchline.scale._sessions import Traffic
from branchline.scale._task_pool import Ended, TaskPool

__all__ = [
    "Ended",
    "Progress",
    "TaskPool",
    "Traffic",
    "connected",
    "fit_on",
    "is_local",
    "results_of",
]
