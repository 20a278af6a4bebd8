"""Files: readers of CSV, ARFF, C4.5, libsvm, Parquet and Arrow; writers of CSV and ARFF."""

from branchline.table.files._files import DEFAULT_MISSING
from branchline.table.files._options import ReadOptions
from branchline.table.files._read import read_with
from branchline.table.files._unpack import read_all
from branchline.table.files._write import replace_file

__all__ = [
    "DEFAULT_MISSING",
    "ReadOptions",
    "read_all",
    "read_with",
    "replace_file",
]
