"""What a report tells in numbers is true of the rows it speaks of, and reads as people write."""

import re

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.assess import compare, permutation_importance
from branchline.assess.curves import confusion
from branchline.report import report_document, report_html, report_markdown
from branchline.report._confusion_blocks import class_by_class
from branchline.report._findings import gather
from branchline.report._model_section import model_section
from branchline.report._style import STYLE
from branchline.report._worst_rows import worst_rows
from branchline.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def large():
    """A comparison of large numbers."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 200))
    price = 20_000 + 15_000 * x - 4_000 * z + rng.normal(size=200) ** 3 * 2_000
    table = Table({"x": x, "z": z, "price": price})
    return compare(table, "price", learners=["tree", "ridge"], n_folds=4)


@pytest.fixture(scope="module")
def ranked():
    """A comparison in which the area under the curve decides."""
    table = load_dataset("heart")
    return compare(table, "disease", learners=["logistic"], metric="auc", n_folds=4)


def test_half_of_the_errors_are_smaller_than_the_headline_says(large):
    found = report_document(large)["decision"]
    half = re.search(r"is off by less than ([\d,]+) in half of", found["sentence"]).group(1)
    outcome = large.outcome(found["learner"])
    median = np.median(np.abs(outcome.truth - outcome.predicted))
    assert float(half.replace(",", "")) == pytest.approx(median, rel=0.01)
    assert "typically" not in found["sentence"]
    assert "(RMSE)" in found["sentence"]


def test_no_number_is_written_for_machines(large):
    text = report_markdown(large)
    assert not re.search(r"\d[eE][+-]?\d\d", text.replace(large.problem.fingerprint, ""))
    assert not re.search(r"(?<![\d`=.])\d{5,}(?!\d|x)", text.replace(large.problem.fingerprint, ""))
    assert not re.search(r"\b1 (leaves|rows|weights|inputs|learners)\b", text)
    assert not re.search(r"[(| ]-\d", text), "a minus is not a hyphen"


def test_no_hash_stands_under_the_title(large):
    head = report_html(large).partition("<nav")[0].partition("<header>")[2]
    assert large.problem.fingerprint not in head


def test_worst_rows_show_the_columns_that_weigh_most_in_them():
    """Row 0 is decided by one column, the rows with the largest errors by another."""
    rng = np.random.default_rng(1)
    n_rows = 300
    kind = np.array(["plain"] * 200 + ["wild"] * 100)
    x, z = rng.normal(size=(2, n_rows))
    y = np.where(kind == "plain", 3 * x, 40 + 30 * z + rng.normal(0, 12, n_rows))
    table = Table({"x": x, "kind": kind, "z": z, "y": y})
    found = compare(table, "y", learners=["tree"], n_folds=4)
    findings = gather(found, title=None, command=None, model=None)
    columns, rows = worst_rows(findings)
    assert all(table["kind"].to_list()[one.row] == "wild" for one in rows)
    weight = dict.fromkeys(columns, 0.0)
    for one in rows:
        parts = findings.model.explain(found.problem.table.rows([one.row])).parts
        largest = max(abs(part.amount) for part in parts)
        for part in parts:
            weight[part.column] += abs(part.amount) / largest
    assert list(columns) == sorted(columns, key=lambda name: -weight[name])
    assert columns[0] != "x"


def test_importances_are_of_the_metric_that_decides(ranked):
    told = report_document(ranked)["model"]["importances"]
    assert told["metric"] == "auc"
    assert "By how much auc gets worse (lower)" in report_markdown(ranked)


def test_costs_count_in_importances():
    X, y = load_dataset("german-credit").split_target("class")
    model = DecisionTreeClassifier(max_depth=3, prune=None).fit(X, y)
    costs = {("bad", "good"): 5, ("good", "bad"): 1}
    found = permutation_importance(model, X, y, metric="cost", costs=costs, n_repeats=1)
    said = model.predict(X)
    price = np.where((y == "bad") & (said == "good"), 5, (y == "good") & (said == "bad"))
    assert found.score == pytest.approx(price.mean())


def test_pooled_and_mean_auc_are_named(ranked):
    text = report_markdown(ranked)
    mean = f"{ranked.score('logistic', 'auc').estimate:.3f}"
    assert "AUC of all rows pooled, the area under this curve: " in text
    assert f"Mean AUC of the test sets, as in the comparison: {mean}" in text


def test_columns_that_change_nothing_have_no_rank(iris):
    findings = gather(iris, title=None, command=None, model=None)
    idle = [one for one in findings.measured.found.columns if one.loss.estimate == 0]
    assert idle
    assert {one.rank_words for one in idle if one.is_idle} == {"–"}


def test_weights_stand_by_their_size(ranked):
    findings = gather(ranked, title=None, command=None, model=None)
    grid = next(
        block
        for block in model_section(findings).blocks
        if "ratio" in str(getattr(block, "heads", ""))
    )
    sizes = [abs(np.log(float(row[1].replace(",", "")))) for row in grid.rows]
    assert sizes == sorted(sizes, reverse=True)


def test_no_row_stands_alone_on_a_printed_page():
    assert "tbody tr:last-child,tbody tr:nth-last-child(2){break-before:avoid}" in STYLE


def test_certainty_is_said_once_and_plainly(iris):
    doubt = report_document(iris)["decision"]["doubt"]
    assert "With a probability of" not in doubt
    assert doubt.count("more than 99 %") == 1


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_shares_of_a_class_that_is_never_found_have_three_decimals():
    rng = np.random.default_rng(0)
    table = Table({"x": rng.normal(size=120), "y": ["well"] * 96 + ["ill"] * 24})
    found = compare(table, "y", learners="stump", n_folds=3)
    cells = [
        cell for row in class_by_class(confusion(found.outcome("baseline"))).rows for cell in row
    ]
    assert any(cell.startswith("0.000 (0.000 to 0.") for cell in cells)
    assert not any("0.0000" in cell for cell in cells)


def test_parts_of_thousands_of_columns_do_not_make_most_of_a_report():
    rng = np.random.default_rng(0)
    X = {f"x{at}": rng.normal(size=30) for at in range(1200)}
    table = Table({**X, "y": rng.normal(size=30)})
    told = report_document(compare(table, "y", learners="ridge", n_folds=3))
    assert len(told["model"]["explanation"]["parts"]) == 400
