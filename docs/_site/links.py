"""Links to files outside docs/: pages that the site has under another name, or plain text.

Pages of the repository are read in place. A link that leads out of docs/ (to a script, a folder)
works where the repository is browsed; on the site only its text stays.
"""

import re
from pathlib import Path
from typing import Any

__all__ = ["setup"]

_ROOT = Path(__file__).parents[2]
# Pages of the repository that the site shows, and where.
_SHOWN = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "RELEASING.md": "project/releasing.md",
    "SUPPORT.md": "project/support.md",
}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)#:]+)(#[^)]*)?\)")


def _rewrite(app: Any, name: str, source: list[str]) -> None:
    """Change links that lead out of docs/ when a page is read."""
    of_repository = {place: name for name, place in _SHOWN.items()}
    if (file := of_repository.get(f"{name}.md")) is not None:
        app.env.note_dependency(str(_ROOT / file))
        source[0] = _shown_page((_ROOT / file).read_text(encoding="utf-8"))
        return
    page = Path(app.srcdir) / name

    def changed(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        path = (page.parent / target).resolve()
        if path.is_relative_to(Path(app.srcdir).resolve()):
            return match[0]
        inside = path.relative_to(_ROOT).as_posix()
        return f"[{words}](/{_SHOWN[inside]}{anchor})" if inside in _SHOWN else words

    source[0] = _LINK.sub(changed, source[0])


def _shown_page(text: str) -> str:
    """Return a page of the repository with its links as they are on the site."""

    def changed(match: re.Match[str]) -> str:
        words, target = match[1], match[2]
        if target in _SHOWN:
            return f"[{words}](/{_SHOWN[target]})"
        if target.startswith("docs/") and target.endswith(".md"):
            return f"[{words}](/{target.removeprefix('docs/')})"
        return words

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)#:]+)\)", changed, text)


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx to change links before a page is parsed."""
    app.connect("source-read", _rewrite)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
