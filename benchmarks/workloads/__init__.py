"""The workloads, one file per family; every file here is imported and registers what is in it."""
