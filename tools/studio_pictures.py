"""Take the pictures of docs/studio.md anew: every screen, in light and in dark.

    python tools/studio_pictures.py

Needs Chromium (or BRANCHLINE_BROWSER) and the development environment.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "tests"))

from studio_server import running_studio  # noqa: E402 (found by the line above)


def main() -> None:
    """Take all pictures."""
    browser = os.environ.get("BRANCHLINE_BROWSER") or shutil.which("chromium")
    with (
        tempfile.TemporaryDirectory() as folder,
        running_studio(Path(folder) / "studio") as studio,
        sync_playwright() as playwright,
    ):
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            context = opened.new_context(
                viewport={"width": 1200, "height": 760}, color_scheme=scheme
            )
            context.set_default_timeout(240_000)
            page = context.new_page()
            page.goto(studio.address)
            visit(page, scheme)
            context.close()
        opened.close()


def visit(page: Page, scheme: str) -> None:
    """Go through the screens."""

    def take(name: str) -> None:
        page.mouse.move(0, 0)
        page.wait_for_timeout(600)
        path = PICTURES / f"studio-{name}-{scheme}.png"
        page.screenshot(path=path)
        smaller(path)

    page.get_by_role("button", name="German credit").first.click()
    page.get_by_role("heading", name="Columns", exact=True).wait_for()
    take("table")
    page.get_by_role("link", name="Compare learners").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("link", name="Open the report").wait_for()
    take("compare")
    page.get_by_role("button", name="Predict with").click()
    page.get_by_role("region", name="Prediction").wait_for()
    take("predict")
    page.get_by_role("link", name="Tree workshop").click()
    page.get_by_text("Tests that were considered").wait_for()
    page.locator("g[data-node='4']").click()
    page.get_by_text("237 training rows").wait_for()
    page.get_by_role("button", name="Prune: make it a leaf").click()
    page.get_by_text("1 edit").wait_for()
    take("tree")
    page.get_by_role("link", name="Lab").click()
    page.get_by_text("Held-out error").wait_for()
    take("lab")
    page.get_by_role("link", name="Table").click()
    page.get_by_role("button", name="Another table").click()
    page.get_by_role("button", name="Iris").first.click()
    page.get_by_role("heading", name="Columns", exact=True).wait_for()
    page.get_by_role("link", name="Groups and axes").click()
    page.get_by_role("button", name="Find axes").click()
    page.get_by_role("region", name="Axes").wait_for()
    page.get_by_role("region", name="Axes").scroll_into_view_if_needed()
    take("groups")


def smaller(path: Path) -> None:
    """Write a picture again with 200 colors, which a page of text and bars does not miss."""
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(200, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    main()
