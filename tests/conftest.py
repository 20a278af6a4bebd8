"""What all tests share: reproducible Hypothesis runs, scikit-learn's array check switched on."""

import gc
import os

# Read by SciPy when it is first imported; without it scikit-learn skips one of its checks.
os.environ["SCIPY_ARRAY_API"] = "1"

from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("fuzz", deadline=None, derandomize=True, max_examples=500)  # make fuzz
settings.register_profile("long", deadline=None, max_examples=5000)
settings.register_profile("sanitize", deadline=None, derandomize=True, max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_finish() -> None:
    """Leave what was collected out of later garbage collections, which take a second otherwise."""
    gc.freeze()
