import json
import re

import pytest

from branchline.charts import Axis, Chart, Points
from branchline.errors import ParameterError
from branchline.report import FindingsPage, check_page, write_findings_page

CHART = Chart((Points((0.0, 1.0), (0.0, 1.0)),), Axis("x"), Axis("y"), "<t>", shape="square")


@pytest.fixture
def found():
    return FindingsPage(
        title="Axes of t",
        subtitle="Of 3 rows",
        lead="1 axis is beyond chance.",
        tables=[("Rules", ("rule", "axes"), [("<knee>", "1")]), ("Empty", ("a",), [])],
        sentences=["An axis is a sum."],
        pictures=[("Rows", CHART), ("Columns", CHART)],
        numbers={"n_axes": 1},
    )


def test_a_page_begins_with_the_result(found, tmp_path):
    write_findings_page(found, str(tmp_path / "p.html"))
    page = (tmp_path / "p.html").read_text()
    places = [
        page.index(text) for text in ("1 axis is beyond", "&lt;knee&gt;", "An axis is", "<svg")
    ]
    assert places == sorted(places)
    assert "<knee>" not in page
    assert "Empty" not in page
    held = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert held is not None
    assert json.loads(held[1]) == {"n_axes": 1}


def test_a_page_in_markdown(found, tmp_path):
    write_findings_page(found, str(tmp_path / "p.md"))
    text = (tmp_path / "p.md").read_text()
    assert text.startswith("# Axes of t")
    assert "An axis is a sum." in text


def test_other_formats_are_refused(found, tmp_path):
    check_page(None)
    with pytest.raises(ParameterError, match="P723"):
        write_findings_page(found, str(tmp_path / "p.pdf"))
