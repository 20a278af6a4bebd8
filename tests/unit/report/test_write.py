"""Reports as files: formats, refusals, and that a page needs nothing else."""

import base64
import hashlib
import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from branchline.assess import Comparison
from branchline.errors import DataError, ParameterError
from branchline.report import report_document, report_html, report_markdown, write_report
from branchline.report._findings import Findings
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from unit.report.conftest import BOLD, LONG, RIGHT_TO_LEFT, SCRIPT

_EMPTY = {"meta", "br", "hr", "img", "link", "input", "wbr"}


class _Page(HTMLParser):
    """Checks that tags are closed in order, and collects what tests look at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def pages(iris, credit, cars, noise, hostile) -> dict[str, str]:
    made = {"iris": iris, "credit": credit, "cars": cars, "noise": noise, "hostile": hostile}
    return {name: report_html(comparison) for name, comparison in made.items()}


def test_pages_are_well_formed_and_small(pages):
    for text in pages.values():
        page = _Page(text)
        assert page.open == []
        assert len(text.encode()) < 1_000_000
        ids = [given["id"] for _, given in page.tags if given.get("id")]
        assert len(ids) == len(set(ids))


def test_pages_ask_for_nothing_from_outside(pages):
    for text in pages.values():
        page = _Page(text)
        for tag, given in page.tags:
            assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
            assert not (given.get("src"))
            assert not ""
            assert (given.get("href") or "#").startswith("#")
            assert not any(name.startswith("on") for name in given)
        without_name_of_svg = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert not re.search(r"https?://|url\(|@import", without_name_of_svg)


def test_the_policy_allows_the_one_script_and_no_other(pages):
    text = pages["iris"]
    policy = next(
        given["content"]
        for given in _Page(text).all("meta")
        if given.get("http-equiv") == "Content-Security-Policy"
    )
    script = re.search(r"<script>(.*?)</script>", text, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )


def test_sections_come_in_their_order(pages):
    for name, text in pages.items():
        found = [given["id"] for given in _Page(text).all("section")]
        wanted = ["decision", "data", "comparison", "model", "errors", "repeat"]
        assert [one for one in found if one in wanted] == wanted, name
        links = [given["href"] for given in _Page(text).all("a") if "class" not in given]
        assert links == [f"#{one}" for one in found]


def test_every_drawing_speaks_to_those_who_cannot_see(pages):
    for text in pages.values():
        # Inside a drawing, svg elements only cut off what leaves the axes.
        drawings = [one for one in _Page(text).all("svg") if "xmlns" in one]
        assert drawings
        assert all(one["role"] == "img" and len(one["aria-label"] or "") > 5 for one in drawings)
        charts = len(re.findall(r'<div class="plot">', text))
        assert text.count("<figcaption><b>") == charts
        assert len(re.findall(r"</figure><details>", text)) >= charts - 1


def test_tables_have_heads_and_rows_of_one_length(pages):
    for text in pages.values():
        for table in re.findall(r"<table[^>]*>(.*?)</table>", text, re.S):
            rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.S)
            lengths = {len(re.findall(r"<t[hd][ >]", row)) for row in rows}
            assert len(lengths) == 1
            assert 'scope="col"' in rows[0]
            assert all('scope="row"' in row for row in rows[1:])


def test_texts_of_the_data_stay_texts(pages):
    text = pages["hostile"]
    page = _Page(text)
    assert text.count("<script") == 2
    assert not page.all("b") or "<b>bold" not in text
    assert not page.all("i")
    shown = "".join(page.words)
    assert SCRIPT in shown
    assert BOLD in shown
    seen = re.sub(r"<title>.*?</title>|<[^>]*>", "", text.split('<script type="application')[0])
    assert LONG not in seen
    assert any((given.get("title") or "").startswith("a" * 100) for _, given in page.tags)


def test_names_from_right_to_left_are_kept_apart(pages):
    assert f"<bdi>{RIGHT_TO_LEFT}</bdi>" in pages["hostile"]


def test_the_data_of_the_report_stand_in_the_page(pages, hostile):
    text = pages["hostile"]
    island = re.search(r'id="branchline-report">(.*?)</script>', text, re.S).group(1)
    found = json.loads(island)
    assert found["format"] == "branchline-report/1"
    assert found["comparison"]["rows"]["fingerprint"] == hostile.problem.fingerprint
    assert SCRIPT in [column["name"] for column in found["data"]["columns"]]


@pytest.mark.parametrize("ending", [".html", ".md", ".json", ".HTML"])
def test_the_ending_says_the_format(ending, iris, tmp_path):
    path = tmp_path / f"report{ending}"
    path.write_text("old", encoding="utf-8")
    write_report(iris, path, title="Flowers & more", command="branchline compare iris.csv")
    text = path.read_text(encoding="utf-8")
    starts = {".html": "<!DOCTYPE html>", ".md": "# Flowers", ".json": "{"}
    assert text.startswith(starts[ending.lower()])
    assert "branchline compare iris.csv" in text
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_json_is_strict_and_whole(credit, cars):
    for comparison in (credit, cars):
        found = json.loads(json.dumps(report_document(comparison), allow_nan=False))
        assert set(found) == {
            "format", "title", "decision", "data", "comparison", "model", "errors", "seal",
            "repeat",
        }  # fmt: skip
        assert found["decision"]["learner"] == comparison.recommendation.learner
        assert found["errors"]["n_rows"] == comparison.problem.n_rows


def test_refusals_have_codes_and_leave_nothing(iris, tmp_path):
    with pytest.raises(ParameterError) as caught:
        write_report(iris, tmp_path / "report.pdf")
    assert caught.value.code == "P110"
    with pytest.raises(ParameterError) as caught:
        write_report("no comparison", tmp_path / "report.html")
    assert caught.value.code == "P111"
    with pytest.raises(ParameterError) as caught:
        write_report(iris, tmp_path / "report.html", title=3)
    assert caught.value.code == "P113"
    with pytest.raises(DataError) as caught:
        write_report(iris, tmp_path / "not there" / "report.html")
    assert caught.value.code == "F023"
    assert list(tmp_path.iterdir()) == []


def test_a_model_must_belong_to_the_comparison(iris, cars):
    problem = iris.problem
    model = DecisionTreeClassifier(max_depth=1).fit(problem.table, problem.target)
    assert report_document(iris, model=model)["model"]["class"] == "DecisionTreeClassifier"
    other = DecisionTreeRegressor(max_depth=1).fit(cars.problem.table, cars.problem.target)
    narrow = DecisionTreeClassifier().fit(problem.table.drop("petal_width"), problem.target)
    for wrong in (DecisionTreeClassifier(), other, narrow, "model"):
        with pytest.raises(ParameterError) as caught:
            report_html(iris, model=wrong)
        assert caught.value.code == "P112"


def test_the_same_comparison_gives_the_same_page(cars):
    assert report_html(cars) == report_html(cars)


def test_markdown_tables_are_regular(credit, cars, hostile):
    for comparison in (credit, cars, hostile):
        width = None
        for line in report_markdown(comparison).splitlines():
            if not line.startswith("|"):
                width = None
                continue
            cells = len(re.findall(r"(?<!\\)\|", line))
            assert width in (None, cells), line
            width = cells


def test_markdown_shows_names_as_they_are(hostile):
    text = report_markdown(hostile)
    assert not re.search(r"(?<!\\)<", re.sub(r"```.*?```", "", text, flags=re.S))
    assert r"\<script\>" in text


def test_a_report_takes_seconds(credit, tmp_path, monkeypatch):
    monkeypatch.setattr(Findings, "_n_draws", 200)
    begin = time.process_time()
    write_report(credit, tmp_path / "report.html")
    assert time.process_time() - begin < 5


def test_a_wide_table_fits(tmp_path: Path):
    import numpy as np

    from branchline import Table
    from branchline.assess import compare

    rng = np.random.default_rng(0)
    names = [f"a column with quite a long name, number {place}" for place in range(300)]
    columns = {name: rng.normal(size=40) for name in names}
    table = Table({**columns, "y": rng.permutation(["a", "b"] * 20)})
    found: Comparison = compare(table, "y", learners="stump", n_folds=2)
    path = tmp_path / "wide.html"
    write_report(found, path)
    assert path.stat().st_size < 1_000_000
    assert "270 more inputs" in path.read_text(encoding="utf-8")
