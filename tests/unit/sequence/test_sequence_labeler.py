"""Labels of sequences: accuracy and speed of thought, invariances, refusals and their repairs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import branchline
from branchline import Table
from branchline.errors import BranchlineError, BranchlineWarning
from branchline.sequence import SequenceLabeler


def simulated(n_sequences, seed, *, n_words=60, length=12):
    """Return tokens of a hidden chain of three labels, each with words of its own."""
    fixed, draws = np.random.default_rng(7), np.random.default_rng(seed)
    moves = fixed.dirichlet(np.full(3, 0.3), 3)
    words = fixed.dirichlet(np.full(n_words, 0.08), 3)
    rows = []
    for sequence in range(n_sequences):
        label = draws.integers(3)
        for position in range(length):
            word = draws.choice(n_words, p=words[label])
            rows.append((f"s{sequence}", position, f"w{word}", "abc"[label]))
            label = draws.choice(3, p=moves[label])
    frame = pd.DataFrame(rows, columns=["sequence", "position", "word", "label"])
    return frame.drop(columns="label"), frame["label"].to_numpy()


@pytest.fixture(scope="module")
def task():
    return simulated(150, 1)


@pytest.fixture(scope="module")
def model(task):
    return SequenceLabeler("sequence", "position").fit(*task)


@pytest.mark.parametrize("method", ["svm", "perceptron"])
def test_new_sequences_are_labeled_well(task, method):
    X, y = simulated(100, 2)
    together = SequenceLabeler("sequence", "position", window=0, method=method).fit(*task)
    alone = branchline.make("naive_bayes", task="classification").fit(task[0][["word"]], task[1])
    assert together.score(X, y) > alone.score(X[["word"]], y) + 0.005
    assert together.score(X, y) > 0.93


def test_the_bound_is_reached_and_kept(model):
    assert 0 <= model.gap_ <= 0.001
    epochs, objectives, bounds = model.history_.T
    assert epochs[-1] == model.n_epochs_
    assert (np.diff(bounds) >= 0).all()
    assert objectives[-1] - bounds[-1] == model.gap_


def test_a_gap_that_is_not_reached_is_told(task):
    with pytest.warns(BranchlineWarning, match="duality gap") as told:
        SequenceLabeler("sequence", max_epochs=1).fit(*task)
    assert told[0].message.code == "W081"


def test_the_order_of_rows_does_not_matter(task, model):
    X, y = task
    order = np.random.default_rng(0).permutation(len(y))
    other = SequenceLabeler("sequence", "position").fit(X.iloc[order], y[order])
    np.testing.assert_array_equal(other.feature_weights_, model.feature_weights_)
    np.testing.assert_array_equal(other.transition_weights_, model.transition_weights_)
    np.testing.assert_array_equal(other.predict(X.iloc[order]), model.predict(X)[order])


@pytest.mark.parametrize("method", ["svm", "perceptron"])
def test_a_weight_of_two_is_two_copies(method):
    X, y = simulated(20, 3)
    copy = X.assign(sequence=X["sequence"] + " again")
    weighted = SequenceLabeler("sequence", "position", method=method)
    weighted.fit(X, y, sample_weight=np.full(len(y), 2))
    copied = SequenceLabeler("sequence", "position", method=method)
    copied.fit(pd.concat([X, copy]), np.concatenate([y, y]))
    np.testing.assert_array_equal(weighted.feature_weights_, copied.feature_weights_)
    np.testing.assert_array_equal(weighted.transition_weights_, copied.transition_weights_)


def test_sequences_of_weight_zero_are_not_there():
    X, y = simulated(20, 3)
    weight = np.where(X["sequence"].isin(["s3", "s7"]), 0, 1)
    without = SequenceLabeler("sequence", "position").fit(X[weight == 1], y[weight == 1])
    with_zero = SequenceLabeler("sequence", "position").fit(Table(X), y, sample_weight=weight)
    np.testing.assert_array_equal(with_zero.predict(X), without.predict(X))
    np.testing.assert_array_equal(with_zero.transition_weights_, without.transition_weights_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_one_sequence_at_a_time_and_any_number_of_threads_give_the_same(task, model, n_jobs):
    X, _ = task
    threads = clone(model).set_params(n_jobs=n_jobs).fit(*task)
    together = threads.predict(X)
    for name in ("s0", "s17", "s149"):
        rows = (X["sequence"] == name).to_numpy()
        np.testing.assert_array_equal(model.predict(X[rows]), together[rows])
        np.testing.assert_array_equal(model.margins(X[rows]), threads.margins(X)[rows])


def test_a_monotone_change_of_a_number_changes_nothing():
    X, y = simulated(30, 5)
    number = np.random.default_rng(0).normal(size=len(y)) + (y == "a")
    one = SequenceLabeler("sequence").fit(X.assign(number=number), y)
    other = SequenceLabeler("sequence").fit(X.assign(number=np.exp(number)), y)
    np.testing.assert_array_equal(one.feature_weights_, other.feature_weights_)


def test_missing_unseen_and_dated_cells_are_used():
    X, y = simulated(40, 6)
    draws = np.random.default_rng(0)
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(draws.integers(0, 300, len(y)), "D")
    X["number"] = np.where(
        draws.random(len(y)) < 0.3, np.nan, (y == "a") + draws.normal(size=len(y))
    )
    X.loc[draws.random(len(y)) < 0.2, "word"] = None
    model = SequenceLabeler("sequence", "position").fit(X, y)
    new = X.assign(word=X["word"].mask(X["position"] == 3, "never seen"))
    assert model.predict(new).shape == y.shape
    frame = model.to_frame()
    assert frame["feature"].str.contains("word is missing").any()
    assert frame["feature"].str.contains("day from 2024-").any()


def pairs_of(X, labels):
    """Return the labels that follow each other."""
    names = X["sequence"].to_numpy()
    inside = names[1:] == names[:-1]
    return set(zip(labels[:-1][inside], labels[1:][inside], strict=True))


def test_forbidden_transitions_never_occur(task):
    X, y = task
    seen = pairs_of(X, y)
    never = {(a, b) for a in "abc" for b in "abc"} - seen
    model = SequenceLabeler("sequence", "position", forbidden_transitions="unseen").fit(X, y)
    new, _ = simulated(30, 9)
    found = model.predict(new)
    assert pairs_of(new, found) <= seen
    assert (model.allowed_[:3, :3] == 0).sum() == len(never)


def test_forbidden_starts_and_ends():
    table = {"sequence": [1, 1, 2, 2], "word": ["x", "y", "x", "y"]}
    model = SequenceLabeler("sequence", forbidden_transitions=[(None, "b"), ("a", None)])
    model.fit(table, ["a", "b", "a", "b"])
    assert model.predict({"sequence": [1, 1], "word": ["y", "x"]}).tolist() == ["a", "b"]


def test_margins_are_small_where_labels_are_wrong(model):
    X, y = simulated(100, 2)
    wrong = model.predict(X) != y
    assert model.margins(X)[wrong].mean() < 0.5 * model.margins(X)[~wrong].mean()


def test_scores_count_sequences(model):
    X, y = simulated(100, 2)
    scores = model.evaluate(X, y)
    assert scores.tokens.estimate == pytest.approx(model.score(X, y))
    whole = pd.Series(model.predict(X) == y).groupby(X["sequence"].to_numpy()).all().mean()
    assert scores.sequences.estimate == pytest.approx(whole)
    for one in (scores.tokens, scores.sequences):
        assert one.low < one.estimate < one.high
    assert scores.n_tokens == len(y)
    assert "95 % intervals from 100 sequences of 1,200 tokens" in str(scores)
    assert list(scores.to_frame()["label"]) == ["a", "b", "c"]


def test_an_explanation_adds_up(task, model):
    X, _ = task
    rows = X[X["sequence"] == "s4"]
    found = model.explain(rows)
    labels = model.predict(rows)
    for token in found.tokens:
        assert token.label == labels[token.row]
        assert token.ahead == pytest.approx(sum(amount for _, amount in token.parts))
        assert token.ahead >= token.margin - 1e-9
    assert found.least_certain().margin == model.margins(rows).min()
    assert "first in its sequence" in str(found.to_frame()["part"].tolist())


def test_saved_models_predict_the_same(task, model, tmp_path):
    model.save(tmp_path / "m.model")
    loaded = branchline.load(tmp_path / "m.model")
    np.testing.assert_array_equal(loaded.predict(task[0]), model.predict(task[0]))
    assert loaded.gap_ == model.gap_
    assert "weight of a label" in loaded.to_text()


def test_damaged_models_are_refused(model):
    packed = dict(model._pack())
    for name, value in (
        ("weights", packed["weights"][:-1]),
        ("allowed", packed["allowed"] + 2),
        ("about", np.array([0.0, 1.0])),
        ("features", {"columns": []}),
    ):
        with pytest.raises(BranchlineError):
            model._unpack({**packed, name: value}, model.schema_)


def test_one_long_sequence_and_one_label():
    model = SequenceLabeler().fit({"word": list("abab")}, [0, 1, 0, 1])
    assert model.predict({"word": list("ba")}).tolist() == [1, 0]
    with pytest.warns(BranchlineWarning, match="only one class"):
        one = SequenceLabeler().fit({"word": list("abab")}, ["x"] * 4)
    assert one.predict({"word": ["b"]}).tolist() == ["x"]
    assert np.isinf(one.margins({"word": ["b"]})).all()


def test_no_rows_have_no_labels(task, model):
    assert model.predict(task[0].iloc[:0]).shape == (0,)


def test_probabilities_are_not_promised(model):
    assert not hasattr(model, "predict_proba")


def test_cross_validation_keeps_sequences_together(task):
    X, y = task
    table = Table(X).with_groups(X["sequence"].to_numpy())
    found = branchline.cross_validate(SequenceLabeler("sequence", "position"), table, y, n_folds=3)
    assert found.score.estimate > 0.9


# -- what is refused, and how it is repaired -----------------------------------------------------


def refused(model, X, y, code, call="fit", **more):
    """Check that a call is refused with a code; return the model after the repair."""
    given = (X, y) if call == "fit" else (X,)
    with pytest.raises(BranchlineError) as caught:
        getattr(model, call)(*given, **more)
    assert caught.value.code == code
    names = {"model": model, "X": X, "y": y}
    exec(caught.value.repair.python, names)
    return names["model"]


def test_columns_that_are_not_there(task):
    model = refused(SequenceLabeler("sentence"), *task, "D640")
    assert model.sequence is None


def test_sequences_that_are_missing(task):
    X, y = task[0].copy(), task[1]
    X.loc[3, "sequence"] = None
    refused(SequenceLabeler("sequence", "position"), X, y, "D641")


@pytest.mark.parametrize(("column", "code"), [("word", "D642"), ("constant", "D643")])
def test_positions_without_an_order(task, column, code):
    X, y = task[0].assign(constant=1), task[1]
    refused(SequenceLabeler("sequence", column), X, y, code).fit(X, y)


def test_training_rows_with_forbidden_transitions(task):
    X, y = task
    model = SequenceLabeler("sequence", "position", forbidden_transitions=[(y[0], y[1])])
    refused(model, X, y, "D644").fit(X, y)


def test_sequences_without_an_allowed_labeling():
    X, y = {"sequence": [1, 1], "word": ["x", "y"]}, ["a", "b"]
    model = SequenceLabeler("sequence", forbidden_transitions="unseen").fit(X, y)
    longer = {"sequence": [1, 1, 1], "word": ["x", "y", "y"]}
    with pytest.raises(BranchlineError) as caught:
        model.predict(longer)
    assert caught.value.code == "D645"
    names = {"model": model, "X": X, "y": y}
    exec(caught.value.repair.python, names)
    assert len(names["model"].predict(longer)) == 3


def test_weights_within_a_sequence(task):
    X, y = task
    weight = np.ones(len(y))
    weight[5] = 2
    refused(SequenceLabeler("sequence"), X, y, "D646", sample_weight=weight)


def test_tokens_that_nothing_describes():
    with pytest.raises(BranchlineError, match="No column describes tokens"):
        SequenceLabeler("sequence").fit({"sequence": [1, 1]}, ["a", "b"])


def test_labels_that_nothing_has(task):
    model = SequenceLabeler("sequence", forbidden_transitions=[("a", "z")])
    refused(model, *task, "P870").fit(*task)


def test_two_sequences_are_not_explained_at_once(task, model):
    refused(model, *task, "P871", call="explain")


@pytest.mark.parametrize("wrong", [3, "all", [("a",)], [1, 2]])
def test_what_are_no_pairs(wrong, task):
    with pytest.raises(BranchlineError, match="forbidden_transitions"):
        SequenceLabeler("sequence", forbidden_transitions=wrong).fit(*task)
