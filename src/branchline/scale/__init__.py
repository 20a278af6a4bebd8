"""Beyond one machine: the same models, to the bit, on a Dask cluster.

``fit_on`` grows gradient boosting on workers that hold a part of the rows each, and forests on
workers that grow some of the trees each. ``connected`` gives a client for an engine; ``TaskPool``
and ``results_of`` run independent jobs on its workers. ``predict_file`` predicts the rows of a file
that is larger than memory.
"""

from branchline.scale._engine import connected, is_local
from branchline.scale._fit_on import fit_on
from branchline.scale._makers import Progress
from branchline.scale._predict_file import no_probabilities as no_probabilities
from branchline.scale._predict_file import predict_file
from branchline.scale._predict_file import predictions_in_parts as predictions_in_parts
from branchline.scale._predict_file import probability_columns as probability_columns
from branchline.scale._results_of import results_of
from branchline.scale._sessions import Traffic
from branchline.scale._task_pool import Ended, TaskPool
from branchline.scale._write_frames import check_ending as check_ending
from branchline.scale._write_frames import write_frames as write_frames

__all__ = [
    "Ended",
    "Progress",
    "TaskPool",
    "Traffic",
    "connected",
    "fit_on",
    "is_local",
    "predict_file",
    "results_of",
]
