"""Thresholds: the sweep by hand and by brute force, what is decided, what is refused and saved."""

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.naive_bayes import GaussianNB

from branchline import Table, catalog, load, load_dataset
from branchline._saving._write import to_bytes
from branchline.baseline import MajorityClassifier
from branchline.ensemble import ThresholdClassifier, VotingClassifier
from branchline.ensemble._threshold_sweep import METRICS, NEVER, sweep_thresholds
from branchline.errors import BranchlineWarning, ModelFileError, ParameterError
from common.tables import mixed_frame, numeric_matrix, target
from ensemble_members import SaysClass, small_tree

COSTS = (5.0, 1.0)


def table(n_rows: int = 120) -> tuple[Any, Any]:
    frame = mixed_frame(n_rows)
    return frame, target(frame, "two classes")


def rare_table(n_rows: int = 400, seed: int = 0) -> tuple[Any, Any]:
    """Return numbers where one row in ten is positive, and overlaps with the others."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 10 == 0
    return rng.normal(size=(n_rows, 3)) + 1.2 * y[:, None], np.where(y, "rare", "usual")


# -- the sweep ------------------------------------------------------------------------------------


def swept(metric: str, costs: tuple[float, float] = (1.0, 1.0)) -> Any:
    probabilities = np.array([0.1, 0.3, 0.35, 0.7])
    truth = np.array([False, True, False, True])
    return sweep_thresholds(probabilities, truth, np.ones(4, dtype=np.int64), metric, costs)


def test_a_sweep_by_hand() -> None:
    found = swept("balanced_accuracy")
    thresholds = [0.05, 0.2, 0.325, 0.5, 0.525, 0.85]
    np.testing.assert_allclose(found.curve[:, 0], thresholds)
    np.testing.assert_allclose(found.curve[:, 1], [0.5, 0.75, 0.5, 0.75, 0.75, 0.5])
    assert (found.threshold, found.score, found.score_at_half) == (0.5, 0.75, 0.75)  # the nearest
    np.testing.assert_allclose(swept("f1").curve[:, 1], [4 / 6, 4 / 5, 1 / 2, 2 / 3, 2 / 3, 0])
    assert swept("f1").threshold == pytest.approx(0.2)
    np.testing.assert_allclose(swept("cost", COSTS).curve[:, 1], [0.5, 0.25, 1.5, 1.25, 1.25, 2.5])
    assert swept("cost", COSTS).score == 0.25


def test_never_and_always_are_among_the_thresholds() -> None:
    probabilities, truth = np.array([0.0, 1.0]), np.array([True, False])  # the wrong way round
    units = np.ones(2, dtype=np.int64)
    never = sweep_thresholds(probabilities, truth, units, "cost", (1.0, 10.0))
    assert never.threshold == NEVER
    always = sweep_thresholds(probabilities, truth, units, "cost", (10.0, 1.0))
    assert always.threshold == 0.0
    assert (always.score, always.score_at_half) == (0.5, 5.5)


def test_neighboring_floats_are_parted() -> None:
    high = np.nextafter(0.7, 1.0)
    units = np.ones(2, dtype=np.int64)
    found = sweep_thresholds(np.array([0.7, high]), np.array([False, True]), units, "accuracy")
    assert (found.threshold, found.score) == (high, 1.0)


def test_huge_and_tiny_costs_do_not_overflow() -> None:
    for size in (1e308, 1e-300):
        found = swept("cost", (size, size / 5))
        assert found.threshold == pytest.approx(0.2)
        assert found.score == pytest.approx(0.05 * size)


def test_a_long_curve_is_thinned_and_keeps_what_was_chosen() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(5000) < 0.1
    probabilities = rng.beta(1 + truth, 3)
    found = sweep_thresholds(probabilities, truth, np.ones(5000, dtype=np.int64), "f1")
    assert len(found.curve) <= 2002
    assert [found.threshold, found.score] in found.curve.tolist()
    assert [0.5, found.score_at_half] in found.curve.tolist()
    assert found.score == pytest.approx(f1_score(truth, probabilities >= found.threshold))


ROWS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.2, 0.25, 0.5, 0.6, 0.9, 1.0]), st.booleans(), st.integers(1, 3)
    ),
    min_size=2,
    max_size=12,
).filter(lambda rows: len({truth for _, truth, _ in rows}) == 2)


def brute_force(probabilities: Any, truth: Any, units: Any, metric: str, threshold: float) -> float:
    """Return a score from its definition, over copies of rows."""
    said, truth = np.repeat(probabilities >= threshold, units), np.repeat(truth, units)
    if metric == "accuracy":
        return float(np.mean(said == truth))
    recall = np.mean(said[truth])
    if metric == "balanced_accuracy":
        return float(recall + np.mean(~said[~truth])) / 2
    if metric == "f1":
        precision = np.mean(truth[said]) if said.any() else 0.0
        return float(2 * precision * recall / (precision + recall)) if precision else 0.0
    return float(np.mean(np.where(truth & ~said, COSTS[0], np.where(said & ~truth, COSTS[1], 0.0))))


@given(rows=ROWS, metric=st.sampled_from(sorted(METRICS)))
def test_no_threshold_is_better(rows: Any, metric: str) -> None:
    probabilities, truth, units = (np.array(part) for part in zip(*rows, strict=True))
    found = sweep_thresholds(probabilities, truth, units, metric, COSTS)
    for threshold, score in found.curve:
        assert score == pytest.approx(brute_force(probabilities, truth, units, metric, threshold))
    grid = [*np.linspace(0.0, 1.0, 41), NEVER]
    sign = -1 if metric == "cost" else 1
    best = max(sign * brute_force(probabilities, truth, units, metric, at) for at in grid)
    assert sign * found.score == pytest.approx(best)


# -- what is learned and decided -------------------------------------------------------------------


def test_positive_is_said_from_the_threshold_on_and_probabilities_stay() -> None:
    X, y = rare_table()
    model = ThresholdClassifier(estimator="naive_bayes").fit(X, y)
    plain = catalog.make("naive_bayes", task="classification").fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_array_equal(probabilities, plain.predict_proba(X))
    assert model.positive_ == "rare"
    assert 0 < model.threshold_ < 0.4
    said = np.where(probabilities[:, 0] >= model.threshold_, "rare", "usual")
    np.testing.assert_array_equal(model.predict(X), said)
    assert (said != plain.predict(X)).any()  # the point of it


def test_the_score_is_that_of_rows_out_of_fold() -> None:
    from branchline._validation import Owner, check_training_data
    from branchline.ensemble._training_rows import arrange_rows

    X, y = rare_table()
    model = ThresholdClassifier(estimator=GaussianNB(), metric="f1", n_folds=4).fit(X, y)
    data = check_training_data(X, y, None, task="classification", owner=Owner("model", None))
    rows = arrange_rows(data, is_weighted=False)
    held = [fold.test > 0 for fold in rows.folds.split(4)]
    fold = np.argmax(held, axis=0)[rows.place_of_input]
    probabilities = np.empty(len(y))
    for held in range(4):
        fitted = GaussianNB().fit(X[fold != held], y[fold != held])
        probabilities[fold == held] = fitted.predict_proba(X[fold == held])[:, 0]
    at = [
        f1_score(y, np.where(probabilities >= t, "rare", "usual"), pos_label="rare")
        for t in probabilities
    ]
    assert model.out_of_fold_score_ == pytest.approx(max(at))
    half = np.where(probabilities >= 0.5, "rare", "usual")
    assert model.score_at_half_ == pytest.approx(f1_score(y, half, pos_label="rare"))


def test_new_rows_gain_from_it() -> None:
    X, y = rare_table(600)
    new_X, new_y = rare_table(3000, seed=1)
    model = ThresholdClassifier(estimator=LogisticRegression()).fit(X, y)
    tuned = balanced_accuracy_score(new_y, model.predict(new_X))
    plain = balanced_accuracy_score(new_y, model.member_.predict(new_X))
    assert tuned > plain + 0.1


def test_rows_learned_by_heart_do_not_decide() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 4)), rng.random(200) < 0.3  # nothing to learn
    model = ThresholdClassifier(estimator=catalog.make("tree", task="classification", prune=None))
    model.fit(X, y)
    assert model.member_.score(X, y) == 1.0
    assert model.out_of_fold_score_ < 0.65


def test_costs_are_the_default_metric_and_move_the_threshold() -> None:
    X, y = load_dataset("german-credit").split_target("class")
    learner = catalog.make("naive_bayes", task="classification")
    costly = ThresholdClassifier(estimator=learner, costs={("bad", "good"): 5.0}).fit(X, y)
    same = ThresholdClassifier(estimator=learner, metric="cost", costs=[[0, 5], [1, 0]]).fit(X, y)
    assert costly.threshold_ == same.threshold_ < 0.3  # 1 / (1 + 5) if probabilities were right
    assert costly.out_of_fold_score_ < costly.score_at_half_
    equal = ThresholdClassifier(estimator=learner, metric="cost").fit(X, y)
    accuracy = ThresholdClassifier(estimator=learner, metric="accuracy").fit(X, y)
    assert equal.threshold_ == accuracy.threshold_
    assert equal.out_of_fold_score_ == pytest.approx(1 - accuracy.out_of_fold_score_)


def test_the_positive_class_can_be_named() -> None:
    X, y = rare_table()
    usual = ThresholdClassifier(estimator=GaussianNB(), metric="f1", positive="usual").fit(X, y)
    rare = ThresholdClassifier(estimator=GaussianNB(), metric="f1").fit(X, y)
    assert (usual.positive_, rare.positive_) == ("usual", "rare")
    assert usual.out_of_fold_score_ > 0.9 > rare.out_of_fold_score_
    numbers = ThresholdClassifier(estimator=GaussianNB(), positive=0).fit(X, (y == "rare") * 1)
    assert numbers.positive_ == 0


def test_weights_choose_the_rarer_class() -> None:
    X, y = rare_table()
    weight = np.where(y == "rare", 30.0, 1.0)
    assert ThresholdClassifier(estimator=GaussianNB()).fit(X, y, weight).positive_ == "usual"


def test_one_class_and_single_rows_keep_a_half() -> None:
    X, _ = table()
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = ThresholdClassifier(positive="absent", costs={("a", "b"): 2}).fit(X, ["x"] * len(X))
    assert isinstance(model.member_, MajorityClassifier)
    assert set(model.predict(X)) == {"x"}
    assert model.to_text().startswith("always x")
    single = ThresholdClassifier(estimator=small_tree()).fit(X, np.arange(len(X)) == 3)
    assert single.threshold_ == 0.5
    assert single.out_of_fold_score_ is None
    assert single.threshold_curve_.shape == (0, 2)
    assert set(single.predict(X)) <= {False, True}


def test_parameters_of_the_learner_are_reached() -> None:
    model = ThresholdClassifier(estimator=small_tree()).set_params(estimator__max_depth=1)
    assert model.fit(*table()).member_.tree_.n_leaves == 2
    assert catalog.make("threshold", task="classification").estimator == "logistic"


# -- what is refused ------------------------------------------------------------------------------


def refused(model: Any, X: Any, y: Any, **options: Any) -> ParameterError:
    with pytest.raises(ParameterError) as caught:
        model.fit(X, y, **options)
    return caught.value


def test_three_classes_are_refused_with_another_way() -> None:
    frame = mixed_frame()
    error = refused(ThresholdClassifier(), frame, target(frame, "classification"))
    assert error.code == "P086"
    assert "costs" in (error.repair.python or "")


def test_learners_without_probabilities_or_weights_are_refused() -> None:
    X, y = table()
    assert refused(ThresholdClassifier(estimator="perceptron"), X, y).code == "P087"
    assert refused(ThresholdClassifier(estimator=SaysClass("ill")), X, y).code == "P087"
    model = ThresholdClassifier(estimator="nearest_neighbors")
    assert refused(model, X, y, sample_weight=np.ones(len(y))).code == "P082"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"positive": "healthy"}, "P010"),
        ({"positive": 1}, "P010"),
        ({"costs": {("ill", "healthy"): 1}}, "P017"),
        ({"costs": [[0, -1], [1, 0]]}, "P017"),
        ({"metric": "auc"}, "P001"),
        ({"n_folds": 1}, "P001"),
        ({"estimator": "no-such-learner"}, "P080"),
        ({"estimator": "ridge"}, "P080"),
    ],
)
def test_bad_choices_are_refused(options: Any, code: str) -> None:
    assert refused(ThresholdClassifier(**options), *table()).code == code


# -- reading and saving ---------------------------------------------------------------------------


def test_it_can_be_read() -> None:
    X, y = table()
    model = ThresholdClassifier(estimator=small_tree(), metric="f1").fit(X, y)
    first, interval, second, third, *rest = model.to_text().splitlines()
    assert first == f"ill from a probability of {model.threshold_:.4g} on, else well"
    assert interval.startswith("95 % interval of the threshold: 0.")
    assert second.startswith("f1 out of fold: 0.")
    assert third == "learner: DecisionTreeClassifier"
    assert rest == model.member_.to_text().splitlines()
    assert model.complexity() == model.member_.complexity()
    explained = model.explain(X[:1])
    assert explained.total == pytest.approx(model.predict_proba(X[:1])[0, 0])
    assert explained.about == "probability of 'ill'"
    assert explained.notes == (first,)


@pytest.mark.parametrize(
    "estimator", [small_tree(), "naive_bayes", VotingClassifier(estimators=["tree"])]
)
def test_saved_and_loaded(estimator: Any) -> None:
    X, y = table()
    inner = ThresholdClassifier(estimator=estimator, costs={("ill", "well"): 3.0}).fit(X, y)
    for model in (inner, VotingClassifier(estimators=[inner, "baseline"]).fit(X, y)):
        content = to_bytes(model)
        loaded = load(io.BytesIO(content))
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        assert to_bytes(loaded) == content
        assert loaded.to_text() == model.to_text()


def put(**values: Any) -> Any:
    return lambda state: state.update(values)


def other_point(state: dict[str, Any]) -> None:
    state["threshold"] = float(state["curve"][0, 0]) + 1e-9


def unsorted(state: dict[str, Any]) -> None:
    state["curve"] = state["curve"][::-1].copy()


def without_chances(state: dict[str, Any]) -> None:
    from branchline._member_state import member_to_state

    state["members"] = [
        member_to_state(catalog.make("perceptron", task="classification").fit(*table()))
    ]


@pytest.mark.parametrize(
    "change",
    [
        put(threshold=1.5),
        put(threshold=-0.1),
        put(threshold=float("nan")),
        put(threshold=None),
        put(positive=2),
        put(positive=-1),
        put(positive=True),
        put(positive=None),
        put(score=None),
        put(score=0.123),
        put(score="good"),
        put(score_at_half=None),
        put(curve=None),
        put(curve=np.zeros((0, 2))),
        put(curve=np.zeros((3, 3))),
        put(curve=np.array([[0.5, 7.0]])),
        put(curve=np.array([[0.5, np.nan]])),
        put(classes=["ill", "ok", "well"]),
        put(members=[]),
        lambda state: state.update(members=state["members"] * 2, labels=["a", "b"]),
        other_point,
        unsorted,
        without_chances,
    ],
)
def test_forged_models_are_refused(change: Any) -> None:
    X, y = table()
    made = ThresholdClassifier(estimator=small_tree(), metric="f1").fit(X, y)
    state = copy.deepcopy(dict(made._pack()))
    ThresholdClassifier(metric="f1")._unpack(copy.deepcopy(state), made.schema_)  # sound before
    change(state)
    with pytest.raises(ModelFileError):
        ThresholdClassifier(metric="f1")._unpack(state, made.schema_)


def test_a_pickle_is_checked_and_members_of_other_libraries_are_pickled() -> None:
    matrix = np.nan_to_num(numeric_matrix())
    y = matrix[:, 0] > 0.5
    theirs = ThresholdClassifier(estimator=GaussianNB()).fit(matrix, y)
    again = pickle.loads(pickle.dumps(theirs))
    np.testing.assert_array_equal(again.predict(matrix), theirs.predict(matrix))
    assert again.complexity().count == 1
    ours = ThresholdClassifier(estimator=small_tree()).fit(matrix, y)
    ours.threshold_ = 7.0
    with pytest.raises(ModelFileError):
        pickle.loads(pickle.dumps(ours))


def test_the_threshold_stays_where_all_later_rows_are_of_one_class() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["ill", "well"], [4, 36])  # the ill come first, so none is ever held out
    X = Table(rng.normal(size=(40, 2))).with_times(np.arange(40))
    made = ThresholdClassifier(estimator="naive_bayes", n_folds=3).fit(X, y)
    assert made.threshold_ == 0.5
    assert made.out_of_fold_score_ is None
