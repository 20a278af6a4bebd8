"""``compare(select=…)``: inputs chosen inside every training set, and what that tells."""

import json

import numpy as np
import pytest

from branchline import Table, load, load_dataset
from branchline.assess import compare, cross_validate, make_plan
from branchline.assess.comparing._against_all import AgainstAll
from branchline.assess.comparing._chosen_inputs import chosen_mask
from branchline.assess.comparing._selection_words import verdict_sentence
from branchline.errors import ParameterError
from branchline.features import RankSelector, SelectedClassifier
from branchline.tree import DecisionTreeClassifier

OPTIONS = {"learners": "tree,naive_bayes", "n_folds": 4, "select": "mutual_information:4"}


@pytest.fixture(scope="module")
def heart():
    return load_dataset("heart")


@pytest.fixture(scope="module")
def found(heart):
    return compare(heart, "disease", **OPTIONS)


def noise_with(n_rows, n_noise, seed=0):
    """Two inputs that tell the class, one of them twice, and noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    told = rng.normal(size=(n_rows, 2)) + 2.0 * y[:, None]
    names = ["one", "other", "copy", *(f"noise{at}" for at in range(n_noise))]
    columns = [told[:, 0], told[:, 1], 3 * told[:, 0] + 1, *rng.normal(size=(n_noise, n_rows))]
    return Table(dict(zip(names, columns, strict=True))), np.where(y == 1, "yes", "no")


def test_every_training_set_has_its_own_choice(found):
    names = found.problem.table.names
    for result in found.results_of("tree").values():
        train = found.splits[result.split].train
        own = RankSelector(n_columns=4).fit(
            found.problem.table.rows(train), found.problem.target[train]
        )
        assert (chosen_mask(result.chosen, len(names)) == own.support_).all()


def test_learners_share_the_choice_and_the_baseline_needs_none(found):
    assert all(one.chosen is None for one in found.results_of("baseline").values())
    made = [one for one in found.results if one.choice_seconds > 0]
    assert len(made) == len(found.splits)


def test_scores_are_those_of_a_pipeline(found):
    tree = found.learner("tree").make("classification", 0)
    model = SelectedClassifier(selector=OPTIONS["select"], estimator=tree)
    for result in found.results_of("tree").values():
        split = found.splits[result.split]
        rows = found.problem.rows(split.train)
        own = model.fit(rows.table, rows.target).predict(found.problem.table.rows(split.test))
        assert (found.problem.classes[result.predicted] == own).all()


def test_noise_is_not_learned_although_the_best_inputs_are_chosen():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 300)), np.where(np.arange(60) % 2 == 1, "a", "b")
    found = compare(X, y, learners="naive_bayes", n_folds=5, select="f:5")
    assert found.score("naive_bayes").low < 0.5 < found.score("naive_bayes").high
    assert found.recommendation.learner == "baseline"
    assert not found.selection.is_learned
    assert "cannot be said" in found.selection.sentence
    assert found.selection.can_go == ()


def test_all_inputs_are_tested_on_the_same_test_sets(found):
    label = found.recommendation.learner
    assert [one.split for one in found.all_inputs] == [0, 1, 2, 3]
    assert {one.learner for one in found.all_inputs} == {f"{label} (all inputs)"}
    whole = compare(found.problem.table, found.problem.target, learners=label, n_folds=4)
    against = found.selection.against_all
    assert against.score_all.estimate == pytest.approx(whole.score(label).estimate)
    assert against.score == found.score(label)
    own, other = found.outcome(label), whole.outcome(label)
    hits = (own.truth == own.predicted).mean() - (other.truth == other.predicted).mean()
    assert against.difference.mean.estimate == pytest.approx(hits)


def test_what_can_go_is_named_where_it_is_shown():
    X, y = noise_with(600, 6)
    found = compare(X, y, learners="lda", n_folds=5, select="f:3")
    selection = found.selection
    assert selection.against_all.verdict in {"gains", "costs nothing that matters"}
    assert set(selection.kept) == {"one", "other", "copy"}
    assert set(selection.can_go) == {f"noise{at}" for at in range(6)}
    assert selection.sentence.startswith("6 of 9 inputs can go")
    assert selection.alike == (("one", "copy"),) or selection.alike == (("copy", "one"),)
    assert selection.stability.index == 1.0


def test_nothing_is_claimed_of_few_rows():
    X, y = noise_with(40, 6)
    found = compare(X, y, learners="lda", n_folds=4, select="f:3")
    assert found.selection.against_all.verdict != "costs nothing that matters"
    assert found.selection.can_go == () or found.selection.against_all.verdict == "gains"


def test_a_loss_is_told():
    X, y = noise_with(600, 2)
    found = compare(X.drop("copy"), y, learners="lda", n_folds=5, select="variance:1")
    assert found.selection.against_all.verdict == "costs"
    assert found.selection.can_go == ()
    assert "costs something" in found.selection.sentence


def verdict_of(mean, half, n_rows=1000, found=None):
    from branchline._intervals import Interval
    from branchline.assess._paired_tests import _difference

    difference = _difference(mean, half / 1.96, 999, 1000, 0.01, 0.95)
    score = Interval(0.8, 0.7, 0.9)
    return AgainstAll("tree", "accuracy", score, score, score, score, difference, 5, n_rows)


@pytest.mark.parametrize(
    ("mean", "half", "n_rows", "verdict"),
    [
        (0.05, 0.02, 1000, "gains"),
        (0.0, 0.008, 1000, "costs nothing that matters"),
        (-0.004, 0.003, 1000, "costs nothing that matters"),
        (0.0, 0.0, 1000, "costs nothing that matters"),
        (0.0, 0.0, 299, "tied"),
        (0.0, 0.03, 1000, "tied"),
        (-0.02, 0.03, 1000, "probably costs"),
        (-0.05, 0.02, 1000, "costs"),
    ],
)
def test_verdicts(mean, half, n_rows, verdict):
    assert verdict_of(mean, half, n_rows).verdict == verdict


def test_words_never_claim_what_is_not_shown(found):
    from dataclasses import replace

    selection = replace(found.selection, against_all=verdict_of(0.0, 0.03))
    told = verdict_sentence(selection)
    assert "not shown" in told
    assert "can go" not in told
    assert "can go" in verdict_sentence(replace(selection, against_all=verdict_of(0.0, 0.005)))


def test_the_final_model_keeps_chosen_inputs_only(heart, found, tmp_path):
    model = found.fit()
    assert isinstance(model, SelectedClassifier)
    assert tuple(model.get_feature_names_out()) == found.selection.kept
    model.save(tmp_path / "m.branchline")
    few = heart.select(found.selection.kept)
    again = load(tmp_path / "m.branchline")
    assert (again.predict(few) == model.predict(heart.drop("disease"))).all()
    assert again.prediction_errors_ is not None
    whole = found.fit(all_inputs=True)
    assert whole.n_features_in_ == 13
    assert whole.prediction_errors_ is not None


def test_any_number_of_processes_and_any_row_order(heart, found):
    several = compare(heart, "disease", **OPTIONS, n_jobs=2)
    order = np.random.default_rng(0).permutation(heart.n_rows)
    shuffled = compare(heart.rows(order), "disease", **OPTIONS)
    for other in (several, shuffled):
        assert [other.score(one) for one in found.labels] == [
            found.score(one) for one in found.labels
        ]
        assert other.selection.kept == found.selection.kept
        assert other.selection.sizes == found.selection.sizes
    assert sum(one.choice_seconds > 0 for one in several.results) == 4


def test_a_run_goes_on_with_the_choices_that_were_made(heart, found, tmp_path):
    run = tmp_path / "run.jsonl"
    compare(heart, "disease", **OPTIONS, run_file=run)
    lines = run.read_text(encoding="utf-8").splitlines()
    run.write_text("\n".join([*lines[:5], ""]), encoding="utf-8")
    made = sum(json.loads(line)["choice_seconds"] > 0 for line in lines[1:5])
    again = compare(heart, "disease", **OPTIONS, run_file=run, resume=True)
    added = run.read_text(encoding="utf-8").splitlines()[5:]
    assert made + sum(json.loads(line)["choice_seconds"] > 0 for line in added) == 4
    assert again.score("tree") == found.score("tree")
    assert len(again.all_inputs) == 4


def test_groups_and_times_are_marks_of_inner_folds():
    X, y = noise_with(60, 3)
    groups = [f"g{at // 4}" for at in range(60)]
    table = Table({**{name: X.column(name).to_list() for name in X.names}, "who": groups})
    given = {"learners": "lda", "n_folds": 3, "select": "f:auto"}
    grouped = compare(table, y, group="who", **given)
    marked = compare(table.drop("who").with_groups(groups), y, **given)
    assert grouped.selection.sizes == marked.selection.sizes
    assert grouped.score("lda") == marked.score("lda")


def test_inner_paths_are_averaged_and_drawn(heart):
    found = compare(heart, "disease", learners="lda", n_folds=3, select="f:auto")
    path = found.selection.path
    assert path.sizes[0] == 1
    assert path.sizes[-1] == 13
    parts = [one.path for one in found.results if one.path is not None]
    assert len(parts) == 3
    assert path.errors[0] == pytest.approx(np.mean([part["errors"][0] for part in parts]))
    chart = found.selection.draw(kind="path")
    assert "test rows, lda" in chart.to_svg()
    assert "age" in found.selection.draw().to_svg()
    assert found.selection.path_learner == "a small random forest"


def test_nothing_to_draw_is_told(found):
    with pytest.raises(ParameterError) as error:
        found.selection.draw(kind="path")
    assert error.value.code == "P623"
    with pytest.raises(ParameterError):
        found.selection.draw(kind="pie")


def test_one_training_set_has_no_shares(heart):
    found = compare(heart, "disease", learners="tree", resampling="hold_out", select="f:3")
    assert found.selection.stability is None
    with pytest.raises(ParameterError):
        found.selection.to_frame()
    assert "Stability" not in str(found)


def test_tuning_and_thresholds_follow_the_choice(heart):
    found = compare(
        heart, "disease", learners="tree", n_folds=3, select="f:3", tuning="small",
        threshold="tuned",
    )  # fmt: skip
    model = found.fit()
    assert type(model.member_).__name__ == "ThresholdClassifier"
    assert model.member_.n_features_in_ == 3


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_a_budget_keeps_time_for_all_inputs(heart):
    given = {**OPTIONS, "n_folds": 10}
    found = compare(heart, "disease", **given, time_budget=60)
    assert found.is_complete
    assert len(found.all_inputs) == 10


def test_text_document_and_notebook(found):
    told = str(found)
    assert "Inputs are chosen anew in every training set." in told
    assert found.selection.sentence in told
    document = json.loads(json.dumps(found.to_dict()))
    assert document["plan"]["select"] == "mutual_information:4"
    assert document["selection"]["kept"] == list(found.selection.kept)
    assert document["selection"]["against_all"]["verdict"] == found.selection.against_all.verdict
    assert "chosen in 4" in found.selection._repr_html_()
    frame = found.selection.to_frame()
    assert list(frame.columns) == ["column", "share", "low", "high"]


def test_without_select_nothing_changes(heart):
    found = compare(heart, "disease", learners="tree", n_folds=3)
    assert found.selection is None
    assert found.all_inputs == ()
    assert "select" not in found.plan.to_dict()
    assert found.to_dict()["selection"] is None


def test_a_plan_counts_the_fits_on_all_inputs():
    plan = make_plan("classification", learners="tree,logistic", n_folds=5, select="relief:3")
    assert plan.count_fits(100) == 20
    assert "chosen by relief:3 inside every training set" in plan.describe(100, 10)
    usual = make_plan("classification", learners="tree,logistic", n_folds=5)
    assert plan.estimate_seconds(100, 10) >= usual.estimate_seconds(100, 10)
    auto = make_plan("classification", learners="tree,logistic", n_folds=5, select="relief")
    assert auto.estimate_seconds(100, 10) > plan.estimate_seconds(100, 10)


@pytest.mark.parametrize(
    ("select", "code"), [("releif", "P620"), ("f:0", "P621"), (3, "P620"), ("f:50", "P571")]
)
def test_what_cannot_choose_is_refused_before_any_fit(heart, select, code):
    with pytest.raises(ParameterError) as error:
        compare(heart, "disease", learners="tree", select=select)
    assert error.value.code == code


def test_cross_validate_chooses_inside_every_fold(heart):
    X, y = heart.split_target("disease")
    by_name = cross_validate(DecisionTreeClassifier(), X, y, select="f:3", n_folds=3)
    model = SelectedClassifier(selector="f:3", estimator=DecisionTreeClassifier())
    assert by_name.score == cross_validate(model, X, y, n_folds=3).score
