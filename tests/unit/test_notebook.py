"""Small HTML for notebooks: escaped, without scripts, of its own style."""

import re

import numpy as np
import pytest

import branchline as bl
from branchline import _notebook
from branchline.assess import permutation_importance

EVIL = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def shown() -> dict[str, object]:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 120))
    label = np.where(x + 0.3 * z > 0, EVIL, "no")
    table = bl.Table({EVIL: x, "z": z, "kind": np.where(z > 0, EVIL, "b"), "y": label})
    found = bl.compare(table, "y", learners=["tree", "logistic"], n_folds=3)
    X, y = table.split_target("y")
    model = bl.make("logistic", task="classification").fit(X, y)
    return {
        "comparison": found,
        "assessment": bl.cross_validate(model, X, y, n_folds=3),
        "explanation": model.explain(X.rows([0])),
        "importances": permutation_importance(model, X, y, n_repeats=1),
        "table": table,
        "look": table.look(),
    }


@pytest.mark.parametrize(
    "name", ["comparison", "assessment", "explanation", "importances", "table", "look"]
)
def test_html_is_escaped_and_has_no_scripts(shown: dict[str, object], name: str) -> None:
    html = shown[name]._repr_html_()  # type: ignore[attr-defined]
    assert "<script" not in html
    assert " on" not in re.sub(r">[^<]*<", "><", html), "no handlers"
    assert "http" not in html
    assert html.startswith("<div")
    assert html.rstrip().endswith("</div>")
    assert len(html) < 20_000
    for tag in ("table", "thead", "tbody", "tr", "td", "th", "p", "div"):
        assert html.count(f"<{tag}>") + html.count(f"<{tag} ") == html.count(f"</{tag}>")


@pytest.mark.parametrize("name", ["comparison", "assessment", "explanation", "importances"])
def test_reprs_are_short(shown: dict[str, object], name: str) -> None:
    text = repr(shown[name])
    assert len(text.splitlines()) <= 16
    assert len(text) < 2_000
    assert "array(" not in text


def test_a_comparison_shows_learners_scores_and_the_recommendation(
    shown: dict[str, object],
) -> None:
    found = shown["comparison"]
    assert isinstance(found, bl.assess.Comparison)
    chosen = found.recommendation.learner
    lines = repr(found).splitlines()
    assert lines[0] == "Comparison: 3 learners for 'y', 120 rows, 3 inputs, 3-fold cross-validation"
    assert any(line.startswith(f"→ {chosen}") for line in lines)
    assert f"{chosen} ← recommended" in found._repr_html_()
    assert {one.learner for one in found.standings} <= set(re.findall(r"[a-z-]+", repr(found)))


def test_a_comparison_of_many_learners_stays_short() -> None:
    table = bl.load_dataset("iris")
    learners = "tree,id3,c45,cart,one_rule,stump,naive_bayes,lda,qda,perceptron,logistic"
    found = bl.compare(table, "species", learners=learners, n_folds=2)
    lines = repr(found).splitlines()
    assert len(lines) <= 15
    assert "more learner" in repr(found)
    assert found._repr_html_().count('<th scope="row">') == len(found.standings)


def test_bars_stand_on_both_sides_of_zero() -> None:
    html = _notebook.bars(("column", "part"), [("a", "+2", 2.0), ("b", "−1", -1.0), ("c", "0", 0)])
    assert html.count('class="bar"') == 1
    assert html.count('class="bar less"') == 1
    assert "width:50%" in html


def test_arrays_do_not_fill_the_screen(shown: dict[str, object]) -> None:
    found = shown["comparison"]
    assert isinstance(found, bl.assess.Comparison)
    for one in (found.problem, found.splits[0], found.results[0], found.outcome("tree")):
        assert len(repr(one)) < 120
    assert len(repr(found.problem.table.column("z"))) < 120
