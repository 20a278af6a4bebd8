"""The folder of real data beside the checkout; tests that need it skip, saying so, without it."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("BRANCHLINE_DATA", ROOT.parent / "shared" / "data"))

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the folder of real data is absent")
