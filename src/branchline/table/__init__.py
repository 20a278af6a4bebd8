"""Data come in: tables, schemas, readers, writers and the bundled data sets.

Names that are imported "as themselves" are for the package's other rooms; users have ``__all__``.
"""

from branchline.table._column import MAX_CATEGORIES as MAX_CATEGORIES
from branchline.table._column import MISSING_CODE as MISSING_CODE
from branchline.table._column import UNSEEN_CODE as UNSEEN_CODE
from branchline.table._column import Category as Category
from branchline.table._column import Column, ColumnType
from branchline.table._column import days_per_unit as days_per_unit
from branchline.table._convert import as_table
from branchline.table._datasets import DatasetInfo, dataset_info, dataset_names, load_dataset
from branchline.table._few_rows import few_rows as few_rows
from branchline.table._schema import Field, Schema
from branchline.table._table import Table
from branchline.table._unseen import unseen_categories as unseen_categories
from branchline.table.files._read import read_table
from branchline.table.frames._select_columns import select_columns as select_columns
from branchline.table.frames._to_frames import need_library as need_library
from branchline.table.looking._look import Look, look
from branchline.table.scanning._kept_codes import keep_codes as keep_codes
from branchline.table.scanning._kept_codes import read_codes as read_codes
from branchline.table.scanning._scan_table import scan_table
from branchline.table.scanning._scan_table import scan_with as scan_with
from branchline.table.scanning._table_scan import TableScan
from branchline.table.scanning._table_scan import release as release

__all__ = [
    "Column",
    "ColumnType",
    "DatasetInfo",
    "Field",
    "Look",
    "Schema",
    "Table",
    "TableScan",
    "as_table",
    "dataset_info",
    "dataset_names",
    "load_dataset",
    "look",
    "read_table",
    "scan_table",
]
