"""Data in memory, in and out: NumPy, SciPy, records, pandas, polars and Arrow."""
