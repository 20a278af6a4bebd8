"""Data come in: tables, schemas, readers, writers and the bundled data sets."""

from branchline.table._column import Column, ColumnType
from branchline.table._convert import as_table
from branchline.table._datasets import DatasetInfo, dataset_info, dataset_names, load_dataset
from branchline.table._schema import Field, Schema
from branchline.table._table import Table
from branchline.table.files._read import read_table
from branchline.table.looking._look import Look, look

__all__ = [
    "Column",
    "ColumnType",
    "DatasetInfo",
    "Field",
    "Look",
    "Schema",
    "Table",
    "as_table",
    "dataset_info",
    "dataset_names",
    "load_dataset",
    "look",
    "read_table",
]
