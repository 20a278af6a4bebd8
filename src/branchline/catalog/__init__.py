"""Every learner by name, ready for a mixed table, with its tuning space and its cost.

``search`` needs scikit-learn and is imported when it is first used; the rest is plain data. Names
that are imported "as themselves" are for the package's other rooms; users have ``__all__``.
"""

from typing import TYPE_CHECKING, Any

from branchline.catalog._entry import HANDLES, Cost, Entry, Plusses, Reference
from branchline.catalog._entry import SIZES as SIZES
from branchline.catalog._entry import TASKS as TASKS
from branchline.catalog._find import find, table
from branchline.catalog._find import in_words as in_words
from branchline.catalog._make import entry, make, names
from branchline.catalog._make import nearest_learner as nearest_learner
from branchline.catalog._spaces import Between

if TYPE_CHECKING:
    from branchline.catalog._search import RowFolds, search

__all__ = [
    "HANDLES",
    "Between",
    "Cost",
    "Entry",
    "Plusses",
    "Reference",
    "RowFolds",
    "entry",
    "find",
    "make",
    "names",
    "search",
    "table",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in {"RowFolds", "search"}:
        from branchline.catalog import _search

        return getattr(_search, name)
    raise AttributeError(f"module 'branchline.catalog' has no attribute {name!r}")
