"""Keep the studio's page and its source together: their fingerprints stand beside the page.

1. ``--write`` is called by ``make studio`` after the bundle was built: it writes the fingerprint of
   the sources and the one of the built files.
2. Without it, both are compared with what is there; a test does the same, so a source that was
   changed without a build, or a bundle that was changed by hand, is found without Node.
"""

import hashlib
import sys
from pathlib import Path

__all__ = ["bundle_files", "fingerprint", "main", "recorded", "source_files"]

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "studio"
PAGE = ROOT / "src" / "branchline" / "studio" / "page"
RECORD = PAGE / "fingerprints.txt"
_SETTINGS = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.js")


def source_files() -> list[Path]:
    """Return the files that the bundle is made of."""
    return sorted([*(SOURCE / name for name in _SETTINGS), *(SOURCE / "src").rglob("*.*")])


def bundle_files() -> list[Path]:
    """Return the files of the bundle."""
    return sorted([PAGE / "index.html", *(PAGE / "assets").iterdir()])


def fingerprint(files: list[Path], base: Path) -> str:
    """Return the SHA-256 of names and contents."""
    total = hashlib.sha256()
    for path in files:
        total.update(f"{path.relative_to(base).as_posix()}\n".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def now() -> str:
    """Return both fingerprints as they are written down."""
    sources, bundle = fingerprint(source_files(), SOURCE), fingerprint(bundle_files(), PAGE)
    return f"sources {sources}\nbundle {bundle}\n"


def recorded() -> str:
    """Return what was written down at the last build."""
    return RECORD.read_text(encoding="utf-8") if RECORD.exists() else ""


def main(arguments: list[str]) -> int:
    """Write the fingerprints, or compare them."""
    if "--write" in arguments:
        RECORD.write_text(now(), encoding="utf-8")
        return 0
    if now() == recorded():
        return 0
    print("The studio's page is not the one of its source: run make studio.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
