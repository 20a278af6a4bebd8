"""The bundle: that of its source, small, and without an address of anything else."""

import gzip
import re

from tools.studio import ROOT, main, now, recorded, source_files

from branchline.studio._page import page_files


def test_the_bundle_is_that_of_its_source():
    assert len(source_files()) > 12
    assert now() == recorded(), "run make studio"
    assert main([]) == 0


def test_another_source_or_bundle_is_found(tmp_path, monkeypatch):
    import tools.studio as kept

    for name in ("SOURCE", "PAGE"):
        copy = tmp_path / name
        files = kept.source_files() if name == "SOURCE" else kept.bundle_files()
        for path in files:
            new = copy / path.relative_to(getattr(kept, name))
            new.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(path.read_bytes())
        monkeypatch.setattr(kept, name, copy)
        assert kept.now() == recorded()
        files = kept.source_files() if name == "SOURCE" else kept.bundle_files()
        files[0].write_bytes(files[0].read_bytes() + b" ")
        assert kept.now() != recorded()
        files[0].write_bytes(files[0].read_bytes()[:-1])


def test_the_bundle_is_small():
    assert sum(len(gzip.compress(content)) for content in page_files().values()) < 300_000


def test_the_bundle_names_no_other_address():
    known = {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML",
             "http://www.w3.org/1999/xhtml", "http://www.w3.org/1999/xlink"}  # fmt: skip
    for path, content in page_files().items():
        found = set(re.findall(r"(?:https?|wss?)://[^\s\"'`)]+", content.decode()))
        assert found <= known, path


def test_the_page_has_no_inline_script_or_style():
    page = page_files()["/"].decode()
    assert re.findall(r"<script[^>]*>([^<]+)<", page) == []
    assert "<style" not in page
    assert " style=" not in page
    assert not re.search(r"\son\w+=", page)


def test_the_lock_file_has_no_addresses_of_downloads():
    lock = (ROOT / "studio" / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert lock.count('"integrity"') > 20
