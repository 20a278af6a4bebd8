"""Draw the pictures of README and docs anew: a tree as SVG, and a report as PNG (needs Chromium).

The tree is drawn by Branchline itself. The report is made by ``compare`` on the bundled heart table
and photographed by a browser, which only the second picture needs.
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import branchline as bl
from branchline.tree import DecisionTreeClassifier

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_WIDTH, _HEIGHT = 1000, 720


def draw_tree() -> Path:
    """Draw the tree of README's tour."""
    X, y = bl.load_dataset("heart").split_target("disease")
    path = PICTURES / "tree.svg"
    DecisionTreeClassifier().fit(X, y).draw().save(path)
    return path


def photograph_report() -> Path | None:
    """Take a picture of the beginning of a report; None without a browser."""
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        return None
    found = bl.compare(
        bl.load_dataset("heart"), "disease", learners="tree,naive_bayes,logistic", n_folds=5
    )
    path = PICTURES / "report.png"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        bl.write_report(found, page, title="Predicting heart disease")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        size = f"--window-size={_WIDTH},{_HEIGHT}"
        subprocess.run(
            [browser, *options, size, f"--screenshot={path}", page.as_uri()],
            check=True,
            capture_output=True,
        )
    _shrink(path)
    return path


def _shrink(path: Path) -> None:
    """Store a picture with 64 colors, a third of the size, where Pillow is installed."""
    with contextlib.suppress(ImportError):
        from PIL import Image

        Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


def main() -> int:
    """Draw the pictures and print where they are; 1 when the browser is missing."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    PICTURES.mkdir(parents=True, exist_ok=True)
    print(draw_tree())
    report = photograph_report()
    print(report or f"no browser ({', '.join(_BROWSERS)}): the picture of the report is unchanged")
    return int(report is None)


if __name__ == "__main__":
    sys.exit(main())
