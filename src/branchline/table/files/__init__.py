"""Files: readers of CSV, ARFF, C4.5, libsvm, Parquet and Arrow; writers of CSV and ARFF.

What other rooms need of it is imported here, when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchline.table.files._as_fitted import as_fitted
    from branchline.table.files._encoding import decode
    from branchline.table.files._files import DEFAULT_MISSING
    from branchline.table.files._options import ReadOptions
    from branchline.table.files._read import read_with
    from branchline.table.files._sniff import sniff_delimiter
    from branchline.table.files._source import open_source
    from branchline.table.files._unpack import read_all
    from branchline.table.files._write import replace_file

_HOME_OF_NAME = {
    "DEFAULT_MISSING": "_files",
    "ReadOptions": "_options",
    "as_fitted": "_as_fitted",
    "decode": "_encoding",
    "open_source": "_source",
    "read_all": "_unpack",
    "read_with": "_read",
    "replace_file": "_write",
    "sniff_delimiter": "_sniff",
}

__all__ = [
    "DEFAULT_MISSING",
    "ReadOptions",
    "as_fitted",
    "decode",
    "open_source",
    "read_all",
    "read_with",
    "replace_file",
    "sniff_delimiter",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _HOME_OF_NAME:
        return getattr(import_module(f"branchline.table.files.{_HOME_OF_NAME[name]}"), name)
    raise AttributeError(f"module 'branchline.table.files' has no attribute {name!r}")
