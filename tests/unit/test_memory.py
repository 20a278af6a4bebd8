"""The memory budget in a container: the limit, less what is used, but not what can be dropped."""

from pathlib import Path

import pytest

from branchline import _memory


@pytest.mark.parametrize(("limit", "expected"), [("1000", 500), ("max", None)])
def test_copies_of_files_do_not_count_as_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, expected: int | None
) -> None:
    (tmp_path / "memory.max").write_text(f"{limit}\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 300\nactive_file 200\ninactive_file 400\n")
    monkeypatch.setattr(_memory, "_CGROUP", tmp_path)
    assert _memory._container_bytes() == expected
