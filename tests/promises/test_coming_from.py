"""Every right-hand cell of "Coming from another library" runs."""

import doctest
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from command_line import run_here

PAGES = sorted(
    page
    for page in (Path(__file__).parents[2] / "docs" / "coming-from").glob("*.md")
    if page.stem != "index"
)


def right_hand_cells(text: str) -> list[str]:
    """Return the code of the last column of the page's table."""
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    cells = [row.rstrip(" |").rsplit(" | ", 1)[1] for row in rows]
    assert all(re.fullmatch(r"`[^`]+`", cell) for cell in cells), "one span of code in each cell"
    return [cell.strip("`") for cell in cells]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_right_hand_cell_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    beginning = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert beginning is not None
    for example in doctest.DocTestParser().get_examples(beginning[1]):
        exec(example.source, names)
    cells = right_hand_cells(text)
    assert len(cells) > 20
    for cell in cells:
        if cell.startswith("branchline "):
            done = run_here(*shlex.split(cell)[1:])
            assert done.returncode == 0, f"{cell}\n{done.stderr}"
        else:
            exec(cell, names)
