"""The lowest and the newest versions of dependencies."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
spec = importlib.util.spec_from_file_location("requirements", ROOT / "tools" / "requirements.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
ends = module.ends


def test_lowest_versions_and_newest_names() -> None:
    assert ends(["numpy>=2.0", "scikit-learn>=1.9"], "lowest") == [
        "numpy==2.0",
        "scikit-learn==1.9",
    ]
    assert ends(["numpy>=2.0"], "newest") == ["numpy"]


def test_a_dependency_without_a_lower_bound_is_refused() -> None:
    with pytest.raises(SystemExit, match="lower bound"):
        ends(["numpy"], "lowest")
