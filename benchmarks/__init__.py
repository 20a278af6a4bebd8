"""Benchmarks: seeded workloads, timed against named peers at equal settings and thread counts.

``python -m benchmarks`` from the repository root runs them all; the rules are in README.md.
"""
