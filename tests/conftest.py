"""What all tests share: reproducible Hypothesis runs, scikit-learn's array check switched on."""

import gc
import os
from collections.abc import Generator
from typing import Any

# Workers share the processors: more threads of BLAS than there are would wait for each other and
# take twice the time. A run in one process leaves BLAS its threads.
if "PYTEST_XDIST_WORKER" in os.environ:
    n_threads = max(1, (os.cpu_count() or 1) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(n_threads))
    os.environ.setdefault("OMP_NUM_THREADS", str(n_threads))
# Read by SciPy when it is first imported; without it scikit-learn skips one of its checks.
os.environ["SCIPY_ARRAY_API"] = "1"

import pytest
from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("fuzz", deadline=None, derandomize=True, max_examples=500)  # make fuzz
settings.register_profile("long", deadline=None, max_examples=5000)
settings.register_profile("sanitize", deadline=None, derandomize=True, max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_finish() -> None:
    """Leave what was collected out of later garbage collections, which take a second otherwise."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[Any], list[Any]]:
    """Look for examples in the package alone: tests have none, and there are hundreds of files."""
    found = yield
    return [each for each in found if type(each).__name__ != "DoctestModule"]
