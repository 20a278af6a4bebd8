"""The memory budget: a quarter of what there is, or what the user says."""

import pytest

from branchline._memory import available_bytes, budget_bytes, refuse_over_budget
from branchline.errors import DataError, ParameterError


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
