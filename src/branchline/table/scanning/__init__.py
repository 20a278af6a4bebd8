"""Tables larger than memory: files become columns in a folder, which are mapped, not loaded."""

from branchline.table.scanning._scan_table import scan_table
from branchline.table.scanning._table_scan import TableScan

__all__ = ["TableScan", "scan_table"]
