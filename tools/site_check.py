"""Check the built site: every link leads somewhere, and nothing is fetched from elsewhere.

Looks at all pages of a folder (default: build/site). A link inside the site must name a file that
exists, and its anchor an element of that page. Scripts, styles and pictures must be files of the
site, because the manual is read offline, also as a folder opened without a server.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["findings", "main"]

_FETCHED = {"script": "src", "img": "src", "link": "href", "source": "src", "iframe": "src"}


class _Page(HTMLParser):
    """What a page links to, what it fetches, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := given.get(key))}
        target = given.get(_FETCHED.get(tag, ""))
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        elif target and given.get("rel") not in {"search", "index", "next", "prev", "canonical"}:
            self.fetched.append(target)


def findings(folder: Path) -> list[str]:
    """Return a line for each link that leads nowhere, and for each thing fetched from elsewhere."""
    names = (path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts)
    pages = {path.resolve(): _read(path) for path in names}
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder.resolve()).as_posix()
        found += [f"{name}: {what}" for what in _wrong(path, page, pages)]
    return found


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _wrong(path: Path, page: _Page, pages: dict[Path, _Page]) -> Iterator[str]:
    for target in page.fetched:
        if urlsplit(target).netloc:
            yield f"fetches {target}"
    for target in [*page.links, *page.fetched]:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            yield f"{target} leads nowhere"
        elif (
            parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].anchors
        ):
            yield f"{target}: the page has no such anchor"


def main() -> int:
    """Print what was found; 1 when there is anything."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/site")
    if not (folder / "searchindex.js").is_file():
        print(f"{folder} is not a built site: run `make site`")
        return 1
    found = sorted(set(findings(folder)))
    print("\n".join(found[:50]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
