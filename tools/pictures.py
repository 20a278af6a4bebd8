"""Draw the pictures of README and docs/start anew: trees as SVG, others as PNG (needs Chromium).

Trees are drawn by Branchline itself. Reports and what commands print are photographed by a browser.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

import branchline as bl
from branchline.tree import DecisionTreeClassifier

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_WIDTH, _HEIGHT = 1000, 720
_LEFT_OUT = [f"--drop={name}" for name in ("boat", "body", "ticket", "cabin", "home.dest")]
_TERMINAL = (
    "<style>body{margin:0;background:#1e1e1e}pre{margin:16px;color:#e6e6e6;"
    "font:13px/17px 'DejaVu Sans Mono',monospace;white-space:pre-wrap}</style>"
)


def draw_tree() -> Path:
    """Draw the tree of README's tour."""
    X, y = bl.load_dataset("heart").split_target("disease")
    path = PICTURES / "tree.svg"
    DecisionTreeClassifier().fit(X, y).draw().save(path)
    return path


def photograph_report(browser: str) -> Path:
    """Take a picture of the beginning of a report."""
    found = bl.compare(
        bl.load_dataset("heart"), "disease", learners="tree,naive_bayes,logistic", n_folds=5
    )
    path = PICTURES / "report.png"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        bl.write_report(found, page, title="Predicting heart disease")
        _photograph(browser, page, path, _HEIGHT)
    _shrink(path)
    return path


def photograph_start(browser: str) -> list[Path]:
    """Take the pictures of docs/start: two terminals, a report, a tree."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        bl.load_dataset("titanic").write_csv("titanic.csv")
        given = ["titanic.csv", "--target", "survived", *_LEFT_OUT]
        paths = [
            _photograph_terminal(browser, "start-look", ["look", "titanic.csv"]),
            _photograph_terminal(
                browser, "start-compare", ["compare", *given, "--report", "titanic.html"]
            ),
        ]
        report, tree = PICTURES / "start-report.png", PICTURES / "start-tree.svg"
        _photograph(browser, Path("titanic.html").resolve(), report, _HEIGHT)
        _run(["tree", *given, "--draw", str(tree)])
        _shrink(report)
    return [*paths, report, tree]


def _photograph_terminal(browser: str, name: str, arguments: list[str]) -> Path:
    """Take a picture of what a command prints."""
    command = " ".join(word for word in arguments if not word.endswith(".html"))
    shown = escape(f"$ branchline {command.removesuffix(' --report')}\n\n{_run(arguments)}")
    page, path = Path(f"{name}.html").resolve(), PICTURES / f"{name}.png"
    page.write_text(f"<meta charset='utf-8'>{_TERMINAL}<pre>{shown}</pre>", encoding="utf-8")
    _photograph(browser, page, path, 17 * (shown.count("\n") + 4))
    _shrink(path)
    return path


def _run(arguments: list[str]) -> str:
    """Run a command, and return what it prints."""
    width = {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-m", "branchline", *arguments],
        check=True,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | width,
    )
    return done.stdout


def _photograph(browser: str, page: Path, path: Path, height: int) -> None:
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    size = f"--window-size={_WIDTH},{height}"
    subprocess.run(
        [browser, *options, size, f"--screenshot={path}", page.as_uri()],
        check=True,
        capture_output=True,
    )


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
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        print(f"no browser ({', '.join(_BROWSERS)}): the other pictures are unchanged")
        return 1
    print(photograph_report(browser), *photograph_start(browser), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
