"""Files: readers of CSV, ARFF, C4.5, libsvm, Parquet and Arrow; writers of CSV and ARFF."""
