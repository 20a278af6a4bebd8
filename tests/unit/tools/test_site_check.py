"""The check of the site finds links that lead nowhere, and what is fetched from elsewhere."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[3]
spec = importlib.util.spec_from_file_location("site_check", ROOT / "tools" / "site_check.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
findings = module.findings


def test_a_sound_site_has_no_findings(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="b.html#here">b</a><a href="https://example.org">c</a>', encoding="utf-8"
    )
    (tmp_path / "b.html").write_text('<p id="here"></p>', encoding="utf-8")
    assert findings(tmp_path) == []


def test_links_that_lead_nowhere_and_scripts_from_elsewhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="b.html#there">b</a><a href="c.html">c</a>'
        '<script src="https://example.org/x.js"></script>',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text('<p id="here"></p>', encoding="utf-8")
    assert findings(tmp_path) == [
        "index.html: fetches https://example.org/x.js",
        "index.html: b.html#there: the page has no such anchor",
        "index.html: c.html leads nowhere",
    ]
