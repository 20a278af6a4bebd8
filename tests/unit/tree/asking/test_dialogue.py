"""A tree that asks."""

import io

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.baseline import MajorityClassifier
from branchline.cli._ask_verb import ask
from branchline.errors import ParameterError
from branchline.tree import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor


def names():
    X, y = load_dataset("names").split_target("name")
    return X, np.asarray(y)


def test_twenty_questions_find_everybody_but_two():
    X, y = names()
    model = ID3().fit(X, y)
    found = []
    for row in X.to_pandas().to_dict("records"):
        dialogue = model.ask()
        for question in dialogue:
            dialogue.answer(row[question.column])
        found.append(dialogue.outcome)
    right = [outcome.prediction == name for outcome, name in zip(found, y, strict=True)]
    assert sum(right) == 9  # Georgia and Helen look the same
    assert found[7].probabilities == {"Georgia": 0.5, "Helen": 0.5}
    assert model.mean_depth_ == pytest.approx(np.mean([o.n_questions for o in found]))


def test_mean_depth_and_costs():
    X, y = names()
    model = ID3().fit(X, y)
    leaf = model.tree_.is_leaf
    assert model.mean_depth_ == pytest.approx(
        model.tree_.depth[leaf] @ model.tree_.weight[leaf] / 10
    )
    assert model.mean_test_cost_ == pytest.approx(model.mean_depth_)
    dear = ID3(test_costs={"size": 10.0}).fit(X, y)
    asked = [{s.column for s in dear.path(X.rows([row])).steps} for row in range(10)]
    expected = np.mean([sum(10.0 if c == "size" else 1.0 for c in each) for each in asked])
    assert dear.mean_test_cost_ == pytest.approx(expected)


def test_answers_agree_with_the_path_of_the_row():
    X, y = load_dataset("german-credit").split_target("class")
    model = DecisionTreeClassifier(prune="pessimistic").fit(X, y)
    for number in range(0, 1000, 97):
        row = X.rows([number])
        dialogue = model.ask()
        for question in dialogue:
            dialogue.answer(row.column(question.column).to_list()[0])
        path = model.path(row)
        assert dialogue.outcome.prediction == path.outcome
        columns = [step.column for step in path.steps]
        assert dialogue.outcome.n_questions <= len(columns)
        assert list(dialogue.outcome.probabilities.values()) == pytest.approx(
            sorted((v for v in path.value if v > 0), reverse=True)
        )


def test_not_knowing_is_sharing():
    X, y = load_dataset("votes84").split_target("party")
    model = C45().fit(X, y)
    dialogue = model.ask()
    while dialogue.question is not None:
        dialogue.answer(None)
    nothing = X.to_pandas().iloc[[0]].copy()
    nothing.loc[:, :] = None
    expected = model.predict_proba(nothing.astype(object))[0]
    found = [dialogue.outcome.probabilities.get(name, 0.0) for name in model.classes_]
    assert found == pytest.approx(expected.tolist())


def test_thresholds_take_yes_and_no_and_numbers_and_are_not_asked_twice():
    X = np.arange(40.0)[:, None]
    y = np.repeat([0, 1, 0, 1], 10)
    model = DecisionTreeClassifier(prune=None, zero_gain="split").fit(X, y)
    dialogue = model.ask()
    assert dialogue.question.text.startswith("Is ")
    dialogue.answer(5)
    assert dialogue.question is None  # the number answers every question of the column
    assert dialogue.outcome.prediction == 0
    other = model.ask()
    for _ in other:
        other.answer("no")
    assert other.outcome.prediction == 1


def test_undo():
    dialogue = ID3().fit(*names()).ask()
    first = dialogue.question
    dialogue.answer("tall")
    assert dialogue.question != first
    dialogue.undo()
    assert dialogue.question == first
    assert not dialogue.outcome.is_final
    with pytest.raises(ParameterError):
        dialogue.undo()


def test_wrong_answers_are_refused_and_leave_the_dialogue_as_it_was():
    dialogue = ID3().fit(*names()).ask()
    with pytest.raises(ParameterError, match="gigantic") as caught:
        dialogue.answer("gigantic")
    assert caught.value.code == "P564"
    assert dialogue.outcome.n_questions == 0
    dialogue.answer("short")
    dialogue.answer("M")
    with pytest.raises(ParameterError, match="no question"):
        dialogue.answer("M")


def test_numbers():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = DecisionTreeRegressor(max_leaf_nodes=3).fit(X, y)
    dialogue = model.ask()
    assert dialogue.outcome.prediction == pytest.approx(float(np.mean(y)))
    while dialogue.question is not None:
        dialogue.answer(None)
    assert dialogue.outcome.prediction == pytest.approx(float(np.mean(y)))


def test_an_iteration_without_answers_ends():
    dialogue = ID3().fit(*names()).ask()
    assert len(list(dialogue)) == 1


def test_the_command_line(tmp_path, capsys):
    ID3().fit(*names()).save(tmp_path / "n.branchline")
    lines = io.StringIO("gigantic\nshort\nundo\ntall\n?\n")
    document, text = ask(str(tmp_path / "n.branchline"), lines)
    assert text == "→ Arthur 33 %, Denis 33 %, Irene 33 %"
    assert document["answer"]["n_questions"] == 2
    assert "gigantic" in capsys.readouterr().err
    _, text = ask(str(tmp_path / "n.branchline"), io.StringIO("short\n"))
    assert text.startswith("So far: ")
    X, y = load_dataset("iris").split_target("species")
    MajorityClassifier().fit(X, y).save(tmp_path / "k.branchline")
    with pytest.raises(ParameterError, match="asks no questions"):
        ask(str(tmp_path / "k.branchline"), io.StringIO())


def test_categories_are_numbered_lines(tmp_path, capsys):
    X, y = load_dataset("german-credit").split_target("class")
    DecisionTreeClassifier(max_depth=1, prune=None).fit(X, y).save(tmp_path / "g.branchline")
    _, text = ask(str(tmp_path / "g.branchline"), io.StringIO("help\nfoo\n2\n"))
    assert text.startswith("→ good 87 %")
    told = capsys.readouterr().err
    assert "What is checking_status?\n  1  0<=X<200, <0\n  2  >=200, no checking\n" in told
    assert told.count("undo takes the last answer back") == 2
    assert "P564" not in told  # an answer that does not fit is said in one sentence
    _, text = ask(str(tmp_path / "g.branchline"), io.StringIO("dk\n"))
    assert text.startswith("→ good 70 %")


def test_categories_that_are_numbers_are_answered_as_they_are(tmp_path, capsys):
    X = {"size": ["2", "2", "1", "1"] * 5}
    model = ID3().fit(Table(X, kinds={"size": "category"}), ["big", "big", "small", "small"] * 5)
    model.save(tmp_path / "s.branchline")
    _, text = ask(str(tmp_path / "s.branchline"), io.StringIO("2\n"))
    assert text == "→ big 100 %"
    assert "What is size? (1 / 2)" in capsys.readouterr().err
