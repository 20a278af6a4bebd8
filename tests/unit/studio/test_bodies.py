"""The forms of requests: what the page sends passes, what is not one of them does not."""

import pytest
from pydantic import ValidationError

from branchline.studio._bodies import LabFitBody, LabPartsBody
from branchline.studio.work._lab_learners import LEARNERS, LESSONS

POINTS = {"X": [[0.0, 0.1], [1.0, 0.5]], "y": [0, 1], "classes": ["0", "1"]}


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_slider_of_the_lab_may_be_moved(learner):
    values = {one["name"]: one["start"] for one in LEARNERS[learner]["sliders"]}
    assert LabFitBody(learner=learner, values=values, **POINTS).values == values
    assert LabPartsBody(learner=learner, values=values, curve="sine").values == values


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one["name"])
def test_every_lesson_may_be_begun(lesson):
    assert LabFitBody(learner=lesson["learner"], values=lesson["set"], **POINTS)


@pytest.mark.parametrize("name", ["", "a b", "__import__('os')", "C;", "é", "x" * 41])
def test_other_names_of_parameters_are_refused(name):
    with pytest.raises(ValidationError):
        LabFitBody(learner="svm_rbf", values={name: 1}, **POINTS)
