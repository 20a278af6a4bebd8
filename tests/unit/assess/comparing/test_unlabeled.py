"""Comparisons of tables in which some rows have no target."""

import json

import numpy as np
import pandas as pd
import pytest

from branchline.assess import compare
from branchline.errors import BranchlineWarning, DataError
from branchline.semi import S3VM, LabelSpreading


def spirals(n_rows: int = 900, n_labels: int = 60, seed: int = 0) -> pd.DataFrame:
    """Return two spirals, of which few rows have a class: unlabeled rows help."""
    rng = np.random.default_rng(seed)
    turn = np.sqrt(rng.uniform(0.05, 1, n_rows)) * 3 * np.pi
    y = rng.integers(0, 2, n_rows)
    side = np.where(y == 0, 1, -1)
    X = np.c_[side * turn * np.cos(turn), side * turn * np.sin(turn)]
    frame = pd.DataFrame(X + rng.normal(0, 0.25, X.shape), columns=["u", "v"])
    names = np.array(["left", "right"], dtype=object)[y]
    names[rng.permutation(n_rows)[n_labels:]] = None
    return frame.assign(side=names)


def shifted(seed: int = 0) -> pd.DataFrame:
    """Return two classes whose unlabeled rows are all of the first: a balance misleads."""
    rng = np.random.default_rng(seed)
    centers = np.repeat([-1.5, 1.5, -1.5], [60, 60, 500])
    X = rng.normal(size=(620, 2)) + np.c_[centers, np.zeros(620)]
    names = np.repeat(np.array(["a", "b", None], dtype=object), [60, 60, 500])
    return pd.DataFrame(X, columns=["u", "v"]).assign(kind=names)


@pytest.mark.filterwarnings("ignore:Too good to be true")
@pytest.mark.parametrize("seed", range(2))
def test_the_verdict_where_unlabeled_rows_help(seed: int) -> None:
    with pytest.warns(BranchlineWarning, match="840 of 900 rows have no target"):
        found = compare(spirals(seed=seed), "side", learners=[LabelSpreading()])
    (helped,) = found.unlabeled
    assert helped.verdict == "helped"
    assert helped.twin == "LabelSpreading (labels only)"
    assert helped.difference.mean.low > 0
    assert "840 unlabeled rows helped LabelSpreading: accuracy +0." in str(found)
    assert found.problem.n_rows == 60
    document = json.loads(json.dumps(found.to_dict()))
    assert document["unlabeled"][0]["verdict"] == "helped"
    model = found.fit("LabelSpreading")
    assert len(model.transduction_) == 900


@pytest.mark.parametrize("seed", range(2))
def test_the_verdict_where_they_hurt(seed: int) -> None:
    with pytest.warns(BranchlineWarning, match="have no target"):
        found = compare(shifted(seed), "kind", learners=[S3VM(C_unlabeled=1.0)])
    assert [one.verdict for one in found.unlabeled] == ["hurt"]
    assert "hurt S3VM" in str(found)


def test_rows_without_a_target_are_set_aside_for_other_learners() -> None:
    frame = spirals()
    with pytest.warns(BranchlineWarning, match="have no target") as caught:
        found = compare(frame, "side", learners="tree", n_folds=3)
    assert any(getattr(one.message, "code", None) == "W071" for one in caught)
    known = frame[frame["side"].notna()]
    alone = compare(known, "side", learners="tree", n_folds=3)
    assert found.score("tree") == alone.score("tree")
    assert found.unlabeled == ()


def test_rows_without_a_number_are_left_out() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=50)})
    frame["y"] = frame["x"] + rng.normal(size=50)
    frame.loc[:9, "y"] = np.nan
    with pytest.warns(BranchlineWarning, match="Those rows are left out"):
        found = compare(frame, "y", learners="ridge", n_folds=3)
    assert found.problem.n_rows == 40


def test_columns_that_only_name_rows_are_set_aside_from_unlabeled_rows_too() -> None:
    frame = spirals(200, 60).assign(name=[f"row {at}" for at in range(200)])
    with pytest.warns(BranchlineWarning) as caught:
        found = compare(frame, "side", learners=[LabelSpreading()], n_folds=3)
    assert {"W001", "W071"} <= {one.message.code for one in caught}
    assert found.score("LabelSpreading").estimate > 0.5
    assert [one.learner for one in found.unlabeled] == ["LabelSpreading"]
    frame.loc[199, "u"] = np.inf
    with pytest.warns(BranchlineWarning), pytest.raises(DataError, match="infinity"):
        compare(frame.assign(side=frame["side"].mask(frame.index == 199)), "side", n_folds=3)
