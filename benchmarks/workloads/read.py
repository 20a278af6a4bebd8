"""Read: a CSV file of mixed columns with missing values, to codes ready for a tree.

pandas reads in one thread, polars in as many as all others are given.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks._data import mixed_columns, write_csv
from benchmarks._harness import Bench, workload


@workload(
    "read-100k-20", limit=1.0, why="reading, kinds and codes, as one waits for it", short=True
)
def read_mixed(bench: Bench) -> None:
    """100 000 × 20 mixed CSV with 5 % missing: read and coded; the peers only read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mixed.csv"
        write_csv(mixed_columns(bench.rows(100_000)), path)
        bench.compare(
            {
                "branchline": lambda: ours(path, bench.threads),
                "polars": lambda: polars_read(path),
                "pandas": lambda: pandas_read(path),
            },
            memory=True,
            settings={"max_bins": 255, "missing": 0.05},
        )


def ours(path: Path, threads: int) -> Any:
    from branchline import read_table
    from branchline._codes import fit_codes

    return lambda: fit_codes(read_table(path), max_bins=255, n_threads=threads)


def polars_read(path: Path) -> Any:
    import polars

    return lambda: polars.read_csv(path)


def pandas_read(path: Path) -> Any:
    import pandas

    return lambda: pandas.read_csv(path)
