"""Every warning of a comparison is in its report, also those that a later version adds."""

from dataclasses import replace

import numpy as np
import pytest

from branchline import Table
from branchline.assess import compare
from branchline.errors import BranchlineWarning, Repair
from branchline.report import report_document, report_markdown


@pytest.fixture(scope="module")
def found():
    draws = np.random.default_rng(0)
    table = Table({"a": draws.normal(size=60), "y": draws.choice(["p", "q"], 60).tolist()})
    return compare(table, "y", learners="naive_bayes", n_folds=3)


def test_a_warning_that_has_no_sentence_of_its_own_is_shown_as_it_is(found):
    warning = BranchlineWarning(
        "Rows lie far out.", code="W025", repair=Repair("x", "--metric mae")
    )
    noticed = replace(found, noticed=(warning,))
    text = report_markdown(noticed)
    assert "Rows lie far out. Repair: --metric mae." in text
    assert "W025" in text
    assert report_document(noticed)["decision"]["warnings"][0]["code"] == "W025"


def test_naive_bayes_is_in_the_textbook_table_with_dashes():
    draws = np.random.default_rng(0)
    table = Table({"a": draws.normal(size=60), "y": draws.choice(["p", "q"], 60).tolist()})
    text = report_markdown(compare(table, "y", learners="naive_bayes,tree", n_folds=3))
    part = text[text.index("What textbooks say") :]
    assert "| naive\\_bayes | – |" in part
    assert "does not have this learner" in part


@pytest.mark.filterwarnings("ignore")
def test_repeated_rows_are_told_once_and_truly():
    draws = np.random.default_rng(0)
    x = np.append(draws.normal(size=50), [0.5] * 10)
    table = Table({"a": x, "y": np.where(x > 0, "p", "q").tolist()})
    text = report_markdown(compare(table, "y", learners="tree", n_folds=3))
    assert text.count("9 rows repeat an earlier row") == 1
    assert "kept in the same fold and count as one" in text
    assert "may stand in a training set" not in text


@pytest.mark.filterwarnings("ignore")
def test_rows_with_a_moment_of_their_own_do_not_repeat():
    table = Table({"day": np.arange(60.0), "a": [1.0, 2.0] * 30, "y": np.sin(np.arange(60.0) % 7)})
    text = report_markdown(compare(table, "y", learners="tree", n_folds=3, time_column="day"))
    assert "an earlier row" not in text
