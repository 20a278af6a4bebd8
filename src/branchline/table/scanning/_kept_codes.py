"""Codes of a scan's columns in its cache: coded once, read back by every later fit.

1. Codes of a column of numbers depend on its values and on the most codes it may have (all rows count
   once). They are kept under the place of the column, the CRC-32 of its values, and that number.
2. ``codes_….values`` holds a code per row, ``codes_….json`` its type, its CRC-32, and the lowest and
   highest value of each code. What does not fit these is learned again.
3. A temporary cache keeps none: its codes stand in files without a name.
"""

from pathlib import Path
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats
from branchline.table.scanning._cache import FORMAT, VERSION, read_record, write_record
from branchline.table.scanning._column_files import ColumnFile, checksum_of, mapped

__all__ = ["KeptCodes", "keep_codes", "read_codes"]

KeptCodes = tuple[AnyArray, Floats, Floats]

_DTYPES = ("|u1", "<u2", "<u4")


def read_codes(folder: Path, key: str) -> KeptCodes | None:
    """Return the codes, and the lowest and highest value of each; None where none are kept."""
    record = read_record(folder / f"codes_{key}.json")
    if record is None:
        return None
    path = folder / f"codes_{key}.values"
    try:
        dtype = np.dtype(_DTYPES[_DTYPES.index(record["dtype"])])
        n_rows = int(record["n_rows"])
        if checksum_of(path, n_rows * dtype.itemsize) != record["crc"]:
            return None
        low, high = (np.array(record[name], dtype=np.float64) for name in ("lowest", "highest"))
        return mapped(path, dtype, n_rows), low, high
    except (LookupError, TypeError, ValueError, OSError):
        return None


def keep_codes(folder: Path, key: str, codes: AnyArray, low: Floats, high: Floats) -> AnyArray:
    """Write the codes into the cache, and return them as they stand there."""
    path = folder / f"codes_{key}.values"
    file = ColumnFile(path.with_suffix(".draft"))
    file.add(codes)
    file.path.replace(path)
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "dtype": codes.dtype.str,
        "n_rows": len(codes),
        "crc": file.crc,
        "lowest": low.tolist(),
        "highest": high.tolist(),
    }
    write_record(folder / f"codes_{key}.json", record)
    return mapped(path, codes.dtype, len(codes))
