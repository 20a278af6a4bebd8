import numpy as np
import pytest

from branchline.cluster import find_groups
from branchline.errors import ParameterError
from branchline.report import write_groups_report


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (20, 2))])


def test_a_page_begins_with_the_verdict_and_has_pictures(rows, tmp_path):
    found = find_groups(rows, known=["<a>"] * 30 + ["b"] * 20, known_name="kind")
    path = tmp_path / "g.html"
    names = [f"row <{at}>" for at in range(50)]
    write_groups_report(found, rows, path, row_names=names, notes=["Two columns."])
    page = path.read_text()
    assert page.index("2 groups") < page.index("What each cluster is") < page.index("<svg")
    assert "&lt;a&gt;" in page
    assert "<a>" not in page
    assert "row <1" not in page
    write_groups_report(found, rows, tmp_path / "g.md", title="Groups of t")
    assert (tmp_path / "g.md").read_text().startswith("# Groups of t")


def test_a_page_about_one_group(tmp_path):
    rows = np.random.default_rng(1).normal(size=(40, 2))
    path = tmp_path / "g.html"
    write_groups_report(find_groups(rows), rows, path)
    page = path.read_text()
    assert "One group" in page
    assert "What each cluster is" not in page


def test_other_formats_are_refused(rows, tmp_path):
    with pytest.raises(ParameterError, match="P723"):
        write_groups_report(find_groups(rows, 2), rows, tmp_path / "g.pdf")
