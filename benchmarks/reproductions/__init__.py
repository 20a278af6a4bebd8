"""Reproductions: published or well-known comparisons, run again with the peers on the same rows.

Each is a command of its own, ``python -m benchmarks.reproductions.NAME``; none is part of the timed
workloads.
"""
