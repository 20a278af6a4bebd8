"""The machine that learns from unlabeled rows, too."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

import branchline
from branchline.errors import BranchlineWarning, DataError, ParameterError
from branchline.semi import S3VM
from branchline.svm import SVC


def two_moons(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = make_moons(300, noise=0.05, random_state=seed)
    known = np.full(len(y), np.nan)
    for label in (0, 1):
        first = np.flatnonzero(y == label)[0]
        known[first] = label
    return X, y, known


@pytest.mark.parametrize("seed", range(3))
def test_two_moons_with_two_labels(seed: int) -> None:
    X, y, known = two_moons(seed)
    model = S3VM(10.0, gamma=2.0).fit(X, known)
    assert (model.transduction_ == y).mean() >= 0.98
    assert (model.predict(X) == y).mean() >= 0.98
    few = ~np.isnan(known)
    assert SVC(10.0, gamma=2.0).fit(X[few], known[few]).score(X, y) < 0.95


def test_without_unlabeled_rows_it_is_the_usual_machine() -> None:
    X, y, _ = two_moons()
    model, usual = S3VM().fit(X, y), SVC().fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), usual.decision_function(X), atol=1e-6)
    assert model.search_gap_ == 0.0


def test_few_unlabeled_rows_come_with_a_proof() -> None:
    X, _, known = two_moons()
    rows = np.r_[np.flatnonzero(~np.isnan(known)), np.arange(20, 30)]
    model = S3VM().fit(X[rows], known[rows])
    assert model.search_gap_ == 0.0
    with pytest.warns(BranchlineWarning, match="stopped after 1 machines") as caught:
        stopped = S3VM(max_nodes=1, class_shares="labels").fit(X[rows], known[rows])
    assert stopped.search_gap_ > 0
    assert caught[0].message.code == "W072"


def test_weights_are_copies_of_unlabeled_rows_too() -> None:
    X, _, known = two_moons()
    rows = np.r_[np.flatnonzero(~np.isnan(known)), np.arange(20, 60)]
    copies = np.random.default_rng(0).integers(1, 4, len(rows))
    weighted = S3VM().fit(X[rows], known[rows], sample_weight=copies)
    every = np.repeat(rows, copies)
    repeated = S3VM().fit(X[every], known[every])
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_several_classes_and_a_saved_model(tmp_path: object) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 40)
    X = rng.normal(size=(120, 2)) + 4.0 * np.c_[y == "b", y == "c"]
    known = np.where(np.arange(120) % 10 == 0, y, None)
    model = S3VM().fit(X, known)
    assert model.score(X, y) > 0.95
    assert model.class_shares_.sum() == pytest.approx(1.0)
    path = tmp_path / "model.bl"  # type: ignore[operator]
    model.save(path)
    again = branchline.load(path)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.n_nodes_, model.n_nodes_)
    np.testing.assert_array_equal(np.isnan(again.search_gap_), np.isnan(model.search_gap_))


def test_shares_are_kept_to() -> None:
    X, _, known = two_moons()
    model = S3VM(class_shares={0.0: 0.25, 1.0: 0.75}).fit(X, known)
    found = model.transduction_[np.isnan(known)]
    assert (found == 1).mean() == pytest.approx(0.75, abs=0.01)


@pytest.mark.parametrize("shares", [{0.0: 0.5}, {0.0: 0.5, 1.0: 0.6}, {0.0: -1, 1.0: 2}])
def test_shares_that_do_not_fit_are_refused(shares: dict[float, float]) -> None:
    X, _, known = two_moons()
    model = S3VM(class_shares=shares)
    with pytest.raises(ParameterError, match="for each class") as caught:
        model.fit(X, known)
    assert caught.value.code == "P821"
    exec(caught.value.repair.python, {"model": model})
    model.fit(X, known)


def test_no_label_at_all_is_refused() -> None:
    X, _, _known = two_moons()
    with pytest.raises(DataError, match="No row has a label") as caught:
        S3VM().fit(X, np.full(len(X), np.nan))
    assert caught.value.code == "D620"


def test_a_leave_one_out_error_is_refused() -> None:
    X, _, known = two_moons()
    model = S3VM().fit(X, known)
    with pytest.raises(ParameterError, match="no leave-one-out error") as caught:
        model.loo_error()
    assert caught.value.code == "P822"
    assert not hasattr(model, "loo_bound_")
