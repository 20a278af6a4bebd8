"""What a report says of a recommended support vector machine."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.assess import compare
from branchline.ensemble import ThresholdClassifier
from branchline.report import report_document, report_html, report_markdown
from branchline.report._margins import machine_facts, margin_blocks, margin_in
from branchline.svm import SVC, SVR, LinearSVC, SVCGrid


@pytest.fixture(scope="module")
def flowers():
    return compare(load_dataset("iris"), "species", learners="svm,baseline", n_folds=3)


@pytest.fixture(scope="module")
def model(flowers):
    return SVC().fit(flowers.problem.table, flowers.problem.target)


def test_the_document_has_the_certificate(flowers, model):
    told = report_document(flowers, model=model)["model"]["margins"]
    assert told["support_vectors"] == len(model.support_)
    assert told["margin"] == model.margin_.tolist()
    assert told["gap"] == model.gap_.tolist()
    assert told["leave_one_out_bound"] == model.loo_bound_
    assert told["converged"] is True


def test_page_and_text_have_a_line_for_each_machine(flowers, model):
    page, text = report_html(flowers, model=model), report_markdown(flowers, model=model)
    for written in (page, text):
        assert f"{len(model.support_)} rows decide" in written
        assert "The duality gap proves" in written
    assert text.count(" against ") >= 3
    assert f"leave-one-out error is at most {100 * model.loo_bound_:.1f} %" in text


def test_machines_are_found_in_what_chose_them(flowers):
    X, y = flowers.problem.table, flowers.problem.target
    grid = SVCGrid(C=(1.0, 10.0), gamma=(1.0,), n_folds=2).fit(X, y)
    assert margin_in(grid) is grid.best_estimator_
    assert margin_in(LinearSVC().fit(X, y)) is None
    two = load_dataset("heart").split_target("disease")
    chosen = ThresholdClassifier(estimator=SVC(), n_folds=2).fit(*two)
    assert margin_in(chosen) is chosen.member_
    assert machine_facts(None) is None


def test_what_is_not_certain_is_said(flowers):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    with pytest.warns(UserWarning, match="stopped before"):
        hurried = SVC(kernel="linear", max_iter=3).fit(X, y)
    assert "stopped before it was done" in margin_blocks(hurried)[0].text
    with pytest.warns(UserWarning, match="positive semidefinite"):
        bent = SVC(kernel="sigmoid", gamma=2.0, coef0=1.0).fit(X, y)
    assert "no bound tells" in margin_blocks(bent)[0].text
    numbers = margin_blocks(SVR().fit(X, X[:, 0]))
    assert len(numbers) == 1
