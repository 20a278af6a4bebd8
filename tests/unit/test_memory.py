"""The memory budget: a quarter of what there is, or what the user says."""

import subprocess
import sys

import numpy as np
import pytest

from branchline import Table
from branchline._memory import available_bytes, budget_bytes, refuse_over_budget
from branchline.errors import DataError, NotEnoughMemoryError, ParameterError
from branchline.linear import Ridge
from branchline.tree import DecisionTreeClassifier


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2000", 2000), ("8G", 8 * 2**30), ("500m", 500 * 2**20), ("1 KiB", 1024), ("2TB", 2**41)],
)
def test_the_user_may_say_how_much(
    text: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRANCHLINE_MEMORY", text)
    assert budget_bytes() == expected


@pytest.mark.parametrize("text", ["", "much", "-1", "8X", "1.5G"])
def test_what_is_not_understood_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRANCHLINE_MEMORY", text)
    with pytest.raises(ParameterError, match="BRANCHLINE_MEMORY"):
        budget_bytes()


def test_the_default_is_a_quarter_of_what_is_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRANCHLINE_MEMORY", raising=False)
    assert 0 < budget_bytes() <= available_bytes()


def test_too_much_is_refused_with_a_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRANCHLINE_MEMORY", "1000")
    refuse_over_budget(1000, "a trial")
    with pytest.raises(DataError, match="a trial") as caught:
        refuse_over_budget(1001, "a trial")
    exec(caught.value.repair.python)
    refuse_over_budget(1001, "a trial")


_IN_LITTLE_MEMORY = """
import resource
import numpy as np
from branchline import _core
from branchline.errors import BranchlineError
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
rows, starts = np.array([1, 0], np.int32), np.array([0, 1, 2], np.int64)
try:
    _core.fit_sparse_codes(np.ones(2), rows, starts, 2**32 - 2, 1)
except MemoryError as error:
    assert isinstance(error, BranchlineError)
    print(error.code)
"""


def test_memory_that_runs_out_in_a_kernel_has_a_code() -> None:
    """It was a bare std::bad_alloc."""
    done = subprocess.run(
        [sys.executable, "-c", _IN_LITTLE_MEMORY], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "D167"


def test_memory_that_runs_out_in_numpy_has_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_out(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("branchline.linear._ridge._decomposed", run_out)
    model = Ridge()
    with pytest.raises(NotEnoughMemoryError) as caught:
        model.fit([[0.0], [1.0], [3.0]], [0.0, 1.0, 2.0])
    assert caught.value.code == "D167"
    assert isinstance(caught.value.__cause__, MemoryError)
    assert not hasattr(model, "weights_")


def test_a_tree_with_identifiers_takes_memory_as_its_rows() -> None:
    """A test lists all codes of its column: thousands of tests in small nodes took gigabytes."""
    n_rows = 12_000
    generator = np.random.default_rng(0)
    ids, x = generator.integers(0, n_rows // 2, n_rows), generator.normal(size=n_rows)
    y = (x + generator.normal(size=n_rows)[ids] > 0).astype(int)
    X = Table({"id": [f"u{number}" for number in ids], "x": x})
    tree = DecisionTreeClassifier(prune=None, correct_for_chance=False).fit(X, y).tree_
    assert len(tree.pool) <= 128 * n_rows
