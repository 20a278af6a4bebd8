"""The papers of the house are true: examples run, generated pages and the stub are up to date."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PAPERS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for page in PAPERS
    if ">>>" in page.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("page", PAGES)
def test_examples_run_as_printed(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # A fence ends an example; doctest only knows blank lines.
    text = (ROOT / page).read_text(encoding="utf-8").replace("\n```", "\n\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples)
    assert result.attempted > 4
    assert result.failed == 0


@pytest.mark.parametrize("page", PAPERS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_code_that_is_not_run_is_not_printed(page: Path) -> None:
    """Blocks of Python are examples with >>>: the test above runs them."""
    blocks = re.findall(r"```(?:python|py)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert [block for block in blocks if not block.startswith(">>>")] == []


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages == set(re.findall(r"\]\(([a-z-]+\.md)\)", index))


@pytest.mark.parametrize("tool", ["stub.py", "docs.py"])
def test_generated_files_are_up_to_date(tool: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / tool], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAPERS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        example = re.fullmatch(r"/gallery/(plot_[a-z_]+)", target)
        found = ROOT / "examples" / f"gallery/{example[1]}.py" if example else page.parent / target
        assert found.exists(), target


@pytest.mark.parametrize("folder", ["start", "guide", "coming-from"])
def test_every_page_of_a_folder_is_in_its_index(folder: str) -> None:
    pages = {page.name for page in (ROOT / "docs" / folder).glob("*.md")} - {"index.md"}
    index = (ROOT / "docs" / folder / "index.md").read_text(encoding="utf-8")
    assert pages
    assert pages == set(re.findall(r"\]\(([a-z0-9-]+\.md)\)", index))
    listed = "\n".join(re.findall(r"```{toctree}\n(.*?)```", index, re.DOTALL)).splitlines()
    assert {page.removesuffix(".md") for page in pages} <= set(listed)


def test_architecture_names_only_files_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:src|native|tests|benchmarks|tools|docs|examples)/[^`*<…]+)`", text)
    assert len(paths) > 20
    for path in paths:
        assert (ROOT / path).exists(), path


def test_every_room_is_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "branchline"
    rooms = [path.parent.name for path in package.glob("*/__init__.py")]
    assert rooms
    for room in rooms:
        assert f"src/branchline/{room}/" in text, room
