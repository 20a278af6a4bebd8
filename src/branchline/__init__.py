"""Branchline: learning from tables, with models a person can read and honest error bars.

The root only knows where names live (PEP 562). ``import branchline`` loads neither NumPy nor the
compiled core; a name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from branchline import (
        assess,
        baseline,
        bayes,
        boosting,
        catalog,
        cli,
        encoding,
        ensemble,
        errors,
        forest,
        kernels,
        linear,
        neighbors,
        neural,
        svm,
        table,
        tree,
    )
    from branchline._saving import load
    from branchline.table import Schema, Table, load_dataset, look, read_table

_HOME_OF_NAME = {
    "Schema": "branchline.table",
    "Table": "branchline.table",
    "load": "branchline._saving",
    "load_dataset": "branchline.table",
    "look": "branchline.table",
    "read_table": "branchline.table",
}
_ROOMS = (
    "assess",
    "baseline",
    "bayes",
    "boosting",
    "catalog",
    "cli",
    "encoding",
    "ensemble",
    "errors",
    "forest",
    "kernels",
    "linear",
    "neighbors",
    "neural",
    "svm",
    "table",
    "tree",
)

__all__ = [
    "Schema",
    "Table",
    "__version__",
    "assess",
    "baseline",
    "bayes",
    "boosting",
    "catalog",
    "cli",
    "encoding",
    "ensemble",
    "errors",
    "forest",
    "kernels",
    "linear",
    "load",
    "load_dataset",
    "look",
    "neighbors",
    "neural",
    "read_table",
    "svm",
    "table",
    "tree",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"branchline.{name}")
    if name in _HOME_OF_NAME:
        return getattr(import_module(_HOME_OF_NAME[name]), name)
    raise AttributeError(f"module 'branchline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF_NAME, *_ROOMS})
