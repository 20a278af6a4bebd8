"""A learner that labels rows for itself."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

import branchline
from branchline import load_dataset
from branchline.bayes import NaiveBayes
from branchline.errors import BranchlineWarning, ParameterError
from branchline.semi import SelfTraining, _self_training


def partly_known(every: int = 4) -> tuple[object, np.ndarray, np.ndarray]:
    X, y = load_dataset("iris").split_target("species")
    y = np.asarray(y)
    known = np.where(np.arange(len(y)) % every == 0, y, None)
    return X, y, known


def test_it_learns_from_its_own_labels() -> None:
    X, y, known = partly_known()
    model = SelfTraining("naive_bayes", safe=False).fit(X, known)
    assert model.n_labeled_ > 50
    assert not model.fell_back_
    assert model.score(X, y) > 0.9
    labeled = known != None  # noqa: E711 (element by element)
    np.testing.assert_array_equal(model.transduction_[labeled], y[labeled])
    frame = model.history_.to_frame()
    assert frame["labeled"].iloc[-1] == model.n_labeled_
    assert "naive" in model.to_text().lower()
    assert "<svg" in model.history_.draw().to_svg()


def test_it_falls_back_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _, known = partly_known()
    shares = [0.9, 0.75]  # taken from the end: of its own labels, then of the learner alone
    monkeypatch.setattr(_self_training, "_accuracy", lambda _: shares.pop())
    with pytest.warns(BranchlineWarning, match="fell from 90 % to 75 %") as caught:
        model = SelfTraining("naive_bayes").fit(X, known)
    assert caught[0].message.code == "W070"
    assert model.fell_back_
    assert model.n_labeled_ == 0
    is_known = known != None  # noqa: E711 (element by element)
    alone = NaiveBayes().fit(X.rows(is_known), known[is_known].astype(str))
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))
    assert "fell back" in model.to_text()


def test_two_labels_cannot_be_left_out() -> None:
    known = np.array(["a", "b"] + [None] * 8, dtype=object)
    X = np.arange(10.0)[:, None]
    with pytest.warns(BranchlineWarning, match="too few labels") as caught:
        model = SelfTraining("naive_bayes").fit(X, known)
    assert caught[0].message.code == "W070"
    assert model.fell_back_
    assert model.accuracy_alone_ is None


def test_whole_weights_are_copies() -> None:
    X, _, known = partly_known(3)
    copies = np.random.default_rng(1).integers(1, 3, len(known))
    rows = np.repeat(np.arange(len(known)), copies)
    weighted = SelfTraining("naive_bayes", safe=False).fit(X, known, sample_weight=copies)
    repeated = SelfTraining("naive_bayes", safe=False).fit(X.rows(rows), known[rows])
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_learners_without_probabilities_are_refused() -> None:
    X, _, known = partly_known()
    model = SelfTraining(LinearSVC())
    with pytest.raises(ParameterError, match="no predict_proba") as caught:
        model.fit(X, known)
    assert caught.value.code == "P820"
    exec(caught.value.repair.python, {"model": model})
    assert model.estimator == "logistic"


def test_weights_that_are_no_copies_need_a_learner_that_takes_them() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    X, _, known = partly_known()
    weight = np.random.default_rng(0).uniform(0.1, 1, len(known))
    with pytest.raises(ParameterError, match="takes no sample_weight") as caught:
        SelfTraining(KNeighborsClassifier()).fit(X, known, sample_weight=weight)
    assert caught.value.code == "P825"


def test_a_saved_model_keeps_its_history(tmp_path: object) -> None:
    X, _, known = partly_known()
    model = SelfTraining("naive_bayes", safe=False).fit(X, known)
    path = tmp_path / "model.bl"  # type: ignore[operator]
    model.save(path)
    again = branchline.load(path)
    assert again.history_ == model.history_
    assert again.n_labeled_ == model.n_labeled_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
