"""Comparing: the same rows for all, ties and advice that hold, nothing lost on the way."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from branchline import catalog, load_dataset
from branchline.assess import (
    Resampling,
    carry_out,
    compare,
    cross_validate,
    make_plan,
    make_problem,
)
from branchline.assess.comparing._compare import stored_comparison
from branchline.assess.comparing._spending import run_plan
from branchline.encoding import TableEncoder
from branchline.errors import BranchlineWarning, DataError, ParameterError
from branchline.tree import C45, DecisionTreeClassifier, Stump

QUICK = "tree,one_rule,stump"


@pytest.fixture(scope="module")
def votes():
    return compare(load_dataset("votes84"), "party", learners=QUICK, n_folds=5)


def test_every_learner_predicts_every_row_once_and_the_baseline_is_there(votes):
    assert votes.plan.baseline in votes.labels
    for label in votes.labels:
        rows = votes.tested_rows(label)
        assert sorted(rows.tolist()) == list(range(435))
        assert len(votes.outcome(label)) == 435


def test_scores_are_means_of_the_test_sets(votes):
    outcome = votes.outcome("one_rule")
    assert votes.score("one_rule").estimate == pytest.approx(
        np.mean(outcome.truth == outcome.predicted)
    )
    scores = votes.fold_scores("one_rule", "auc")
    assert votes.score("one_rule", "auc").estimate == pytest.approx(scores.mean())


def test_the_baseline_is_told_from_the_others_and_a_readable_learner_is_advised(votes):
    places = {standing.learner: standing for standing in votes.standings}
    assert places["baseline"].group > 1
    assert places[votes.best].against_best is None
    assert votes.recommendation.beats_baseline
    assert votes.recommendation.learner in votes.recommendation.tied
    assert "→ " + votes.recommendation.learner in str(votes)


@pytest.fixture(scope="module")
def cars():
    learners = "tree,random_forest,bagged_trees"
    return compare(load_dataset("auto-mpg"), "mpg", learners=learners, n_folds=4)


def test_of_models_that_nobody_reads_the_best_is_advised_and_what_reading_would_cost(cars):
    forests = {"random_forest", "bagged_trees"}
    assert set(cars.recommendation.tied) == forests
    assert cars.recommendation.learner == cars.best
    assert "which is not easier to read" in cars.recommendation.sentence
    assert cars.recommendation.reading.startswith("If the model itself must be read, tree comes")
    assert str(cars.recommendation).endswith(cars.recommendation.reading)


def test_nothing_is_said_of_reading_where_the_advised_model_is_read(votes):
    assert votes.recommendation.reading == ""
    assert (
        "statistically tied with one_rule and stump, none of which" in votes.recommendation.sentence
    )


def test_on_noise_the_baseline_is_advised_and_scores_are_those_of_chance():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(50, 1000)), np.arange(50) % 2
    found = compare(X, y, learners="tree,one_rule,stump,naive_bayes", n_folds=5)
    assert found.recommendation.learner == "baseline"
    assert not found.recommendation.beats_baseline
    # Of five 95 % intervals on one table, one may miss (``test_coverage`` counts over many tables).
    held = [standing.score.low < 0.5 < standing.score.high for standing in found.standings]
    assert sum(held) >= len(held) - 1


def test_numbers_do_not_depend_on_processes_order_of_rows_or_of_learners():
    table = load_dataset("heart")
    order = np.random.default_rng(0).permutation(table.n_rows)
    one = compare(table, "disease", learners=QUICK, n_folds=4)
    other = compare(
        table.rows(order), "disease", learners="stump,one_rule,tree", n_folds=4, n_jobs=2
    )
    for label in one.labels:
        np.testing.assert_array_equal(one.fold_scores(label), other.fold_scores(label))
    assert str(one.recommendation) == str(other.recommendation)


def test_regression_is_compared_in_units_of_the_target():
    found = compare(load_dataset("auto-mpg"), "mpg", learners="tree,stump", n_folds=5, metric="mae")
    assert found.plan.metrics[0] == "mae"
    assert [standing.learner for standing in found.standings] == ["tree", "stump", "baseline"]
    assert found.negligible() == pytest.approx(0.01 * found.score("baseline").estimate)
    assert found.difference("tree", "baseline").p_higher > 0.99


def test_estimators_of_the_user_and_of_others_take_part():
    peer = make_pipeline(TableEncoder(), LogisticRegression(max_iter=2000))
    found = compare(
        load_dataset("iris"),
        "species",
        learners={"mine": DecisionTreeClassifier(max_depth=2), "c45": C45(), "peer": peer},
        n_folds=4,
    )
    assert set(found.labels) == {"mine", "c45", "peer", "baseline"}
    assert found.score("peer").estimate > 0.9


def test_tuning_happens_inside_every_training_set():
    found = compare(load_dataset("heart"), "disease", learners="c45", tuning="small", n_folds=3)
    chosen = [result.parameters for result in found.results if result.learner == "c45"]
    assert all(chosen)
    assert found.plan.count_fits(303) > 3 * 2
    model = found.fit("c45")
    assert model.complexity().count > 1


def test_a_three_way_split_chooses_on_its_validation_rows():
    found = compare(
        load_dataset("heart"), "disease", learners="c45", tuning="small", resampling="three_way"
    )
    assert len(found.splits) == 1
    assert math.isfinite(found.score("c45").estimate)


def test_groups_and_times_are_respected():
    frame = pd.DataFrame({"x": np.arange(80.0) / 3, "who": np.arange(80) // 8})
    y = np.arange(80) // 4 % 2
    found = compare(frame, y, learners="stump", group="who", n_folds=5)
    assert found.plan.resampling.kind == "group_folds"
    found = compare(frame, y, learners="stump", time_column="x", n_folds=4)
    assert found.plan.resampling.kind == "time_folds"
    assert len(found.splits) == 3


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_leave_one_out_has_scores_that_need_several_rows():
    table = load_dataset("iris").rows(np.arange(0, 150, 3))
    found = compare(table, "species", learners="stump", resampling="leave_one_out")
    assert math.isfinite(found.score("stump", "auc").estimate)
    assert len(found.outcome("stump")) == 50


def test_costs_decide_when_given():
    table = load_dataset("german-credit").rows(np.arange(300))
    costs = {("bad", "good"): 5, ("good", "bad"): 1}
    found = compare(table, "class", learners="stump", costs=costs, n_folds=3)
    assert found.plan.metric == "cost"
    always_bad = found.score("baseline").estimate  # decisions follow the costs
    assert always_bad == pytest.approx(np.mean(found.problem.target == "good"), rel=0.02)


def test_costs_of_three_classes_tell_of_a_cheaper_constant():
    table, costs = load_dataset("iris").rows(np.arange(110)), {("virginica", "setosa"): 100.0}
    costs |= {("virginica", "versicolor"): 100.0}
    with pytest.warns(BranchlineWarning, match="predicting 'virginica' would cost") as told:
        found = compare(table, "species", learners="stump", costs=costs, n_folds=3)
    assert "W097" in [one.message.code for one in told]
    assert found.plan.threshold is None


def test_the_bootstrap_gives_its_estimates_of_the_error():
    table = load_dataset("heart")
    found = compare(table, "disease", learners="tree", resampling="bootstrap", n_repeats=12)
    error = found.bootstrap_error("tree")
    assert error.resubstitution < error.out_of_bag < error.no_information
    assert error.error_632 < error.error_632_plus < error.out_of_bag
    assert error.out_of_bag == pytest.approx(1 - found.score("tree").estimate, abs=0.03)
    by_hand = 0.368 * error.resubstitution + 0.632 * error.out_of_bag
    assert error.error_632 == pytest.approx(by_hand)
    folds = compare(table, "disease", learners="stump", n_folds=3)
    with pytest.raises(ParameterError) as caught:
        folds.bootstrap_error("stump")
    assert caught.value.code == "P108"


# -- interruptions, budgets, failures -----------------------------------------------------------


def test_an_interrupted_run_is_continued_to_the_same_numbers(tmp_path):
    table = load_dataset("heart")
    problem = make_problem(table, "disease")
    plan = make_plan("classification", learners=QUICK, n_folds=4)
    whole = carry_out(plan, problem)
    file = tmp_path / "run.jsonl"

    def stop(result, n_done, total):
        if n_done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(plan, problem, run_file=file, on_result=stop)
    part = stored_comparison(file, plan, problem)
    assert not part.is_complete
    assert len(part.results) == 5
    text = file.read_text(encoding="utf-8")
    file.write_text(text[:-40], encoding="utf-8")  # the last line was cut short
    again = carry_out(plan, problem, run_file=file, resume=True)
    assert again.is_complete
    for label in whole.labels:
        np.testing.assert_array_equal(whole.fold_scores(label), again.fold_scores(label))
        np.testing.assert_array_equal(
            whole.outcome(label).probabilities, again.outcome(label).probabilities
        )


def test_results_of_another_plan_are_not_continued(tmp_path):
    table, file = load_dataset("iris"), tmp_path / "run.jsonl"
    compare(table, "species", learners="stump", n_folds=3, run_file=file)
    with pytest.raises(DataError) as caught:
        compare(table, "species", learners="stump", n_folds=4, run_file=file, resume=True)
    assert caught.value.code == "D131"
    rows = table.rows(np.arange(149))
    with pytest.raises(DataError):
        compare(rows, "species", learners="stump", n_folds=3, run_file=file, resume=True)


def test_ctrl_c_is_not_swallowed():
    def stop(result, n_done, total):
        raise KeyboardInterrupt

    problem = make_problem(load_dataset("iris"), "species")
    with pytest.raises(KeyboardInterrupt):
        carry_out(make_plan("classification", learners="stump"), problem, on_result=stop)


def test_a_learner_that_fails_leaves_its_reason_and_the_others_go_on():
    class Broken(Stump().__class__):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("no luck today")

    found = compare(load_dataset("iris"), "species", learners={"bad": Broken(), "s": Stump()})
    assert found.failures == {"bad": "ValueError: no luck today"}
    assert "no luck today" in str(found)
    assert set(found.labels) == {"baseline", "s"}


def test_when_no_learner_has_a_score_the_reasons_are_given():
    found = compare(load_dataset("iris"), "species", learners={"s": Stump()}, n_folds=3)
    broken = type(found)(found.plan, found.problem, found.splits, ())
    with pytest.raises(DataError) as caught:
        str(broken)
    assert caught.value.code == "D132"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"learners": "tre"}, "P090"),
        ({"learners": "ridge-of-nothing"}, "P090"),
        ({"learners": [3]}, "P102"),
        ({"learners": ["tree", "tree"]}, "P102"),
        ({"metric": "rmse"}, "P011"),
        ({"tuning": "huge"}, "P001"),
        ({"n_folds": 1}, "P001"),
        ({"resampling": "magic"}, "P101"),
    ],
)
def test_bad_choices_are_refused_before_anything_is_fitted(options, code):
    with pytest.raises((ParameterError, DataError)) as caught:
        compare(load_dataset("iris"), "species", **options)
    assert caught.value.code == code


# -- the plan and the document ------------------------------------------------------------------


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_without_a_wish_quick_learners_of_most_families_are_compared(task):
    families = {catalog.entry(one.name).family for one in make_plan(task).learners}
    assert families >= {"baseline", "tree", "neighbors", "linear", "forest"}


def test_a_plan_says_what_it_means_before_it_starts():
    plan = make_plan("classification", learners=QUICK, n_folds=5, n_repeats=2)
    text = plan.describe(435, 16)
    assert "fits: 40" in text
    assert "5-fold cross-validation, 2 times" in text
    assert plan.count_fits(435) == 40
    json.dumps(plan.to_dict(), allow_nan=False)


def test_the_document_is_plain_data(votes):
    document = json.loads(json.dumps(votes.to_dict(), allow_nan=False))
    first = document["standings"][0]
    assert first["learner"] == votes.best
    assert first["scores"]["accuracy"]["low"] == pytest.approx(votes.score(votes.best).low)
    assert document["recommendation"]["learner"] == votes.recommendation.learner


def test_one_learner_agrees_with_cross_validate_on_the_kind_of_score(votes):
    X, y = load_dataset("votes84").split_target("party")
    alone = cross_validate(Stump(), X, y, n_folds=5).score
    assert votes.score("stump").estimate == pytest.approx(alone.estimate, abs=0.01)


def test_results_stream_as_they_are_made():
    problem = make_problem(load_dataset("iris"), "species")
    plan = make_plan("classification", learners="stump", n_folds=3)
    splits = Resampling("folds", n_folds=3).splits(problem, 0)
    made = run_plan(plan, problem, splits)
    assert next(iter(made)).split == 0


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_the_baseline_ranks_nothing_when_groups_of_other_sizes_are_left_out():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(20), rng.integers(1, 6, 20))
    y = rng.integers(0, 2, 20)[who]
    frame = {"who": who, "x": rng.normal(size=len(who))}
    found = compare(
        frame, y, learners="naive_bayes", group="who", resampling="leave_one_out", metric="auc"
    )
    assert found.score("baseline").estimate == 0.5
