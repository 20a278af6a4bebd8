"""Columns that only name rows: set aside, said, kept on demand; groups and times are no inputs."""

import numpy as np
import pandas as pd
import pytest

from branchline import load_dataset
from branchline.assess import carry_out, compare, make_plan, make_problem
from branchline.errors import BranchlineWarning, DataError

HEART = {"learners": "stump", "n_folds": 3}


@pytest.fixture(scope="module")
def heart() -> pd.DataFrame:
    return load_dataset("heart").to_pandas()


def test_an_identifier_changes_no_score_and_is_said(heart: pd.DataFrame) -> None:
    named = heart.assign(patient=[f"P{row:04d}" for row in range(len(heart))])
    plain = compare(heart, "disease", **HEART)
    with pytest.warns(BranchlineWarning, match="'patient' is set aside") as told:
        found = compare(named, "disease", **HEART)
    assert [one.message.code for one in told] == ["W001"]
    assert "keep=['patient']" in str(told[0].message)
    assert "--keep patient" in told[0].message.command_line_text()
    assert found.problem.fingerprint == plain.problem.fingerprint
    np.testing.assert_array_equal(found.fold_scores("stump"), plain.fold_scores("stump"))
    assert "Set aside: patient." in str(found)
    model = found.fit("stump")
    assert model.n_features_in_ == 13
    document = found.to_dict()
    assert document["set_aside"][0]["name"] == "patient"
    assert document["warnings"][0]["code"] == "W001"


def test_a_column_is_kept_on_demand(heart: pd.DataFrame) -> None:
    named = heart.assign(patient=[f"P{row:04d}" for row in range(len(heart))])
    found = compare(named, "disease", keep=["patient"], **HEART)
    assert found.problem.table.n_columns == 14
    with pytest.raises(DataError) as caught:
        compare(named, "disease", keep=["patent"], **HEART)
    assert caught.value.code == "D003"


def test_where_nothing_else_is_left_nothing_is_set_aside() -> None:
    frame = pd.DataFrame({"name": [f"n{row}" for row in range(40)]})
    with pytest.warns(UserWarning, match="W022"):
        problem = make_problem(frame, np.arange(40) % 2)
    assert problem.table.names == ("name",)
    assert problem.set_aside == ()
    assert [one.code for one in problem.remarks] == ["W022"]


def test_groups_and_times_are_no_inputs(heart: pd.DataFrame) -> None:
    more = heart.assign(who=np.arange(len(heart)) // 3, when=np.arange(float(len(heart))))
    problem = make_problem(more, "disease", group="who", time_column="when")
    assert problem.table.n_columns == 13
    assert problem.groups is not None
    assert problem.times is not None


def test_the_steps_of_a_comparison_set_aside_and_warn_as_the_whole(heart: pd.DataFrame) -> None:
    named = heart.assign(patient=[f"P{row:04d}" for row in range(len(heart))])
    problem = make_problem(named, "disease")
    assert [one.name for one in problem.set_aside] == ["patient"]
    plan = make_plan("classification", **HEART)
    with pytest.warns(BranchlineWarning, match="'patient' is set aside") as told:
        steps = carry_out(plan, problem)
    with pytest.warns(BranchlineWarning) as of_whole:
        whole = compare(named, "disease", **HEART)
    assert [one.message.code for one in told] == [one.message.code for one in of_whole] == ["W001"]
    assert [str(one) for one in steps.warnings] == [str(one) for one in whole.warnings]
    assert steps.score("stump") == whole.score("stump")
    kept = make_problem(named, "disease", keep=["patient"])
    assert "patient" in kept.table.names
