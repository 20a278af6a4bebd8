"""Branchline: learning from tables, with models a person can read and honest error bars.

The root only knows where names live (PEP 562). ``import branchline`` loads neither NumPy nor the
compiled core; a name is imported when it is first used.
"""

from importlib import import_module

__version__ = "0.2.0"

TYPE_CHECKING = False  # typing's own constant, without the time that importing typing takes
if TYPE_CHECKING:
    from branchline import (
        assess,
        baseline,
        bayes,
        boosting,
        catalog,
        charts,
        cli,
        cluster,
        decide,
        density,
        encoding,
        ensemble,
        errors,
        features,
        forest,
        kernels,
        linear,
        neighbors,
        neural,
        outputs,
        projection,
        report,
        reproduce,
        scale,
        sequence,
        svm,
        table,
        tree,
    )
    from branchline._saving import load
    from branchline.assess import compare, cross_validate, fit_intervals, predict_interval
    from branchline.catalog import make
    from branchline.report import write_report
    from branchline.table import Schema, Table, load_dataset, look, read_table, scan_table

_HOME_OF_NAME = {
    "Schema": "branchline.table",
    "Table": "branchline.table",
    "compare": "branchline.assess",
    "cross_validate": "branchline.assess",
    "fit_intervals": "branchline.assess",
    "load": "branchline._saving",
    "load_dataset": "branchline.table",
    "look": "branchline.table",
    "make": "branchline.catalog",
    "predict_interval": "branchline.assess",
    "read_table": "branchline.table",
    "scan_table": "branchline.table",
    "write_report": "branchline.report",
}

__all__ = [
    "Schema",
    "Table",
    "__version__",
    "assess",
    "baseline",
    "bayes",
    "boosting",
    "catalog",
    "charts",
    "cli",
    "cluster",
    "compare",
    "cross_validate",
    "decide",
    "density",
    "encoding",
    "ensemble",
    "errors",
    "features",
    "fit_intervals",
    "forest",
    "kernels",
    "linear",
    "load",
    "load_dataset",
    "look",
    "make",
    "neighbors",
    "neural",
    "outputs",
    "predict_interval",
    "projection",
    "read_table",
    "report",
    "reproduce",
    "scale",
    "scan_table",
    "sequence",
    "svm",
    "table",
    "tree",
    "write_report",
]


def __getattr__(name: str) -> object:
    if name in _HOME_OF_NAME:
        return getattr(import_module(_HOME_OF_NAME[name]), name)
    if name in __all__:
        return import_module(f"branchline.{name}")
    raise AttributeError(f"module 'branchline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
