"""Cross-validation: every row is predicted once, by a model that has not seen it."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from branchline import Table, load_dataset
from branchline.assess import cross_validate
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.catalog import RowFolds
from branchline.errors import BranchlineError, BranchlineWarning, ParameterError
from branchline.linear import LinearDiscriminantAnalysis
from branchline.tree import OneRule, Stump


def test_predictions_equal_those_of_scikit_learn_on_the_same_folds() -> None:
    X, y = load_dataset("heart").split_target("disease")
    expected = cross_val_predict(Stump(), X, y, cv=RowFolds(5, random_state=3))
    found = cross_validate(Stump(), X, y, n_folds=5, random_state=3)
    np.testing.assert_array_equal(found.predictions, expected)
    assert found.score.estimate == pytest.approx((expected == y).mean())


def test_the_order_of_rows_does_not_matter() -> None:
    X, y = load_dataset("heart").split_target("disease")
    order = np.random.default_rng(0).permutation(len(y))
    one, other = cross_validate(Stump(), X, y), cross_validate(Stump(), X.rows(order), y[order])
    assert one.score.estimate == other.score.estimate
    assert one.predictions[order].tolist() == other.predictions.tolist()


def test_copies_of_a_row_are_not_predicted_from_each_other() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 2, 80)
    nearest = KNeighborsClassifier(1)
    once, twice = (
        cross_validate(nearest, np.repeat(X, n, axis=0), np.repeat(y, n)).score for n in (1, 2)
    )
    assert twice.estimate < 0.65
    width = [score.high - score.low for score in (once, twice)]
    assert width[1] == pytest.approx(width[0], rel=0.05)  # copies tell nothing new


def test_groups_and_times_are_respected() -> None:
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20), 10)
    X = np.column_stack([group + rng.normal(size=200) / 100, rng.normal(size=200)])
    y = rng.integers(0, 2, 20)[group]
    nearest = KNeighborsClassifier(1)
    assert cross_validate(nearest, Table(X), y).score.estimate > 0.95
    assert cross_validate(nearest, Table(X).with_groups(group), y).score.estimate < 0.8
    in_time = cross_validate(nearest, Table(X).with_times(group), y, n_folds=5)
    assert len(in_time.fold_scores) == 4
    assert [value is None for value in in_time.predictions] == [True] * 40 + [False] * 160


def test_noise_is_not_learned_and_the_interval_says_so() -> None:
    scores = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(100, 100)), rng.integers(0, 2, 100)
        scores.append(cross_validate(Stump(), X, y).score)
    assert np.mean([score.estimate for score in scores]) == pytest.approx(0.5, abs=0.03)
    # The hardest case for any interval: every fold may choose another column. ``_scoring`` says how
    # often the nominal 95 % hold there.
    assert sum(score.low < 0.5 < score.high for score in scores) >= 33


def test_majority_keeps_an_interval_although_all_folds_agree() -> None:
    X, y = load_dataset("german-credit").split_target("class")
    found = cross_validate(MajorityClassifier(), X, y)
    assert np.ptp(found.fold_scores) == 0
    assert str(found.score) == "0.700 [0.661, 0.736]"


def test_regression_beats_the_mean() -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    mean, stump = (
        cross_validate(m, X, y).score for m in (MeanRegressor(), Stump(task="regression"))
    )
    assert stump.high < mean.low


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
@pytest.mark.parametrize("data", [("german-credit", "class", "bad"), ("iris", "species", "setosa")])
def test_class_metrics_describe_the_positive_class(metric: str, data: tuple[str, str, str]) -> None:
    name, target, positive = data
    X, y = load_dataset(name).split_target(target)
    found = cross_validate(OneRule(), X, y, metric=metric, positive=positive, n_folds=5)
    truth, said = y == positive, found.predictions == positive
    hits = float((truth & said).sum())
    pooled = {
        "precision": hits / max(1, said.sum()),
        "recall": hits / truth.sum(),
        "f1": 2 * hits / (truth.sum() + said.sum()),
    }
    assert found.score.estimate == pytest.approx(pooled[metric], abs=0.06)


def test_zero_and_one_need_no_positive_class() -> None:
    X = pd.DataFrame({"a": np.arange(40) % 7})
    assert cross_validate(OneRule(), X, np.arange(40) % 2, metric="f1", n_folds=4).metric == "f1"


def test_unknown_metrics_and_bad_folds_are_refused() -> None:
    X, y = load_dataset("iris").split_target("species")
    with pytest.raises(ParameterError, match="Did you mean 'accuracy'"):
        cross_validate(OneRule(), X, y, metric="acuracy")
    with pytest.raises(ParameterError, match="not a metric for classification"):
        cross_validate(OneRule(), X, y, metric="rmse")
    with pytest.raises(ParameterError, match="folds"):
        cross_validate(OneRule(), X, y, n_folds=1)
    with pytest.raises(ParameterError, match="not a class"):
        cross_validate(OneRule(), X, y, metric="f1", positive="rose")


def test_the_same_seed_gives_the_same_folds() -> None:
    X, y = load_dataset("votes84").split_target("party")
    scores = [cross_validate(OneRule(), X, y, random_state=seed).fold_scores for seed in (1, 1, 2)]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])


def test_intervals_stay_where_a_score_can_be() -> None:
    X, y = [[1.0]] * 6, [0.0, 1.0, 1.0, 1.0, 1.0, 100.0]
    assert cross_validate(MeanRegressor(), X, y, n_folds=2).score.low == 0.0
    assert cross_validate(MeanRegressor(), X, y, n_folds=2, metric="r2").score.high <= 1.0


@pytest.mark.parametrize(
    ("y", "code"),
    [
        (None, "D070"),
        (["a", None, "a", "b"], "D071"),
        (["a", "b", "a"], "D075"),
        ([0.5, 1.5, 2.5, 3.5], "D076"),
        (["a", 1, "a", 1], "K011"),
    ],
)
def test_the_target_goes_through_the_door(y: Any, code: str) -> None:
    y = np.array(y, dtype=object) if code == "K011" else y
    with pytest.raises(BranchlineError) as caught:
        cross_validate(MajorityClassifier(), [[1.0]] * 4, y, n_folds=2)
    assert caught.value.code == code


def test_a_column_may_be_the_target() -> None:
    table = load_dataset("iris")
    X, y = table.split_target("species")
    found = cross_validate(Stump(), X, table["species"], n_folds=3)
    np.testing.assert_array_equal(
        found.predictions, cross_validate(Stump(), X, y, n_folds=3).predictions
    )


def test_rare_classes_are_split_into_folds_as_far_as_they_go() -> None:
    X = np.arange(40.0)[:, None]
    y = np.array(["a"] * 20 + ["b"] * 17 + ["c"] * 2 + ["d"])
    found = cross_validate(MajorityClassifier(), X, y, n_folds=5)
    assert found.score.estimate == pytest.approx(0.5)
    assert len(found.fold_scores) == 5
    mixed = np.random.default_rng(1).permutation(40)
    again = cross_validate(MajorityClassifier(), X[mixed], y[mixed], n_folds=5)
    assert again.score.estimate == pytest.approx(0.5)


def test_too_many_folds() -> None:
    with pytest.raises(BranchlineError, match="need at least 18 different rows") as caught:
        cross_validate(MeanRegressor(), [[1.0]] * 5, [0, 1, 1, 1, 1], n_folds=9)
    assert "n_folds=2" in str(caught.value.repair.python)
    with pytest.raises(BranchlineError, match="need at least 9 different rows"):
        cross_validate(MajorityClassifier(), [[1.0]] * 5, [0, 1, 1, 1, 1], n_folds=9)


def test_estimators_of_other_libraries_are_assessed_too() -> None:
    X, y = load_dataset("iris").split_target("species")
    ours = cross_validate(Stump(), X, y).score.estimate
    theirs = cross_validate(DecisionTreeClassifier(max_depth=1), X, y).score.estimate
    assert theirs == pytest.approx(ours)
    array = cross_validate(DecisionTreeClassifier(max_depth=1), X.to_numpy(), y).score.estimate
    assert array == pytest.approx(ours)


def test_an_error_inside_a_fold_names_rows_of_the_whole_table() -> None:
    X = np.arange(40.0)[:, None]
    X[29] = np.inf
    with pytest.raises(BranchlineError, match="infinity") as caught:
        cross_validate(Stump(), X, np.arange(40) % 2, n_folds=4)
    assert caught.value.rows == (29,)


def test_small_and_large_scores_keep_their_leading_digits() -> None:
    y = np.random.default_rng(0).normal(size=50)
    X = np.arange(50.0)[:, None]
    assert "0.000" not in str(cross_validate(MeanRegressor(), X, y * 1e-6))
    large = str(cross_validate(MeanRegressor(), X, y * 1e9))
    assert re.fullmatch(
        r"rmse 9\d\d,000,000 \[\d{3},000,000 to 1,1\d\d,000,000\] \(95 % interval, 10 folds\)",
        large,
    )


# -- everything again on samples of the rows ------------------------------------------------------


def _xor(seed, n_rows=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(n_rows) < 0.1)).astype(int)


def test_samples_of_rows_widen_the_interval_of_a_learner_that_depends_on_them():
    wider = []
    for seed in range(3):
        X, y = _xor(seed)
        model = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0)
        usual = cross_validate(model, X, y, n_folds=5)
        found = cross_validate(model, X, y, n_folds=5, n_samples=8)
        assert found.score.estimate == usual.score.estimate
        assert 0 <= found.score.low < found.score.estimate < found.score.high <= 1
        wider.append((found.score.high - found.score.low) / (usual.score.high - usual.score.low))
    assert np.mean(wider) > 1.15


def test_row_order_does_not_change_the_interval_of_samples():
    X, y = _xor(0, 60)
    order = np.random.default_rng(1).permutation(60)
    model = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    one = cross_validate(model, X, y, n_folds=3, n_samples=4).score
    other = cross_validate(model, X[order], y[order], n_folds=3, n_samples=4).score
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_with_times_samples_never_narrow_it():
    X, y = _xor(0, 60)
    table = Table(X).with_times(np.arange(60))
    usual = cross_validate(
        DecisionTreeClassifier(max_leaf_nodes=3, random_state=0), table, y, n_folds=3
    ).score
    found = cross_validate(
        DecisionTreeClassifier(max_leaf_nodes=3, random_state=0), table, y, n_folds=3, n_samples=4
    ).score
    assert found.low <= usual.low
    assert found.high >= usual.high


def test_ranks_of_leave_one_out_are_warned_of_where_shares_of_classes_change():
    X, y = load_dataset("iris").split_target("species")
    rows = np.array([50, 51, 52, 53, 100, 101, 102])  # too few to leave out one of each class
    model = Stump(min_samples_leaf=1)
    with pytest.warns(BranchlineWarning, match="Leave-one-out makes auc too low"):
        cross_validate(
            model, X.rows(rows), np.asarray(y)[rows], metric="auc", resampling="leave_one_out"
        )
    rows = np.arange(50, 110)
    X, y = X.rows(rows), np.asarray(y)[rows]
    for metric in ("auc", "accuracy"):
        found = cross_validate(model, X, y, metric=metric, resampling="leave_one_out")
        assert found.score.estimate > 0.8


def test_leaving_one_out_of_two_even_classes_says_a_half_where_columns_tell_nothing():
    """With other shares in each training set the majority class was right for no row at all."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 20)
    X = rng.normal(size=(40, 3))
    majority = cross_validate(MajorityClassifier(), X, y, resampling="leave_one_out")
    assert majority.score.estimate == 0.5
    areas = [
        cross_validate(
            LinearDiscriminantAnalysis(),
            np.random.default_rng(seed).normal(size=(40, 3)),
            y,
            metric="auc",
            resampling="leave_one_out",
        ).score.estimate
        for seed in range(20)
    ]
    assert abs(np.mean(areas) - 0.5) < 0.07  # 0.3 and less before
