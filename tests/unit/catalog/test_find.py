"""Looking through the catalog."""

import json

import pytest

from branchline import catalog, load_dataset
from branchline.catalog._find import in_words
from branchline.errors import ParameterError


def found(*arguments: object, **wishes: object) -> list[str]:
    return [entry.name for entry in catalog.find(*arguments, **wishes)]  # type: ignore[arg-type]


def test_without_wishes_all_are_found() -> None:
    assert tuple(found()) == catalog.names()


def test_wishes_add_up() -> None:
    new = ["optimal_tree", "linear_tree", "m5", "model_tree", "induction_graph", "soft_tree"]
    assert found("regression", family="tree") == ["tree", "cart", "oblique_tree", "stump", *new]
    forests = ["random_forest", "extra_trees", "oblique_forest", "bagged_trees"]
    assert found("regression", family="forest") == forests
    assert found(family="tree", text="Quinlan") == ["id3", "c45", "m5"]
    assert found(family="tree", text="PRUNING folds") == ["cart"]
    assert "naive_bayes" in found(handles=("incremental", "weights"))
    assert "tree" not in found(handles="incremental")
    assert found(text="no such words anywhere") == []


@pytest.mark.parametrize("wish", [{"family": "trees"}, {"handles": "weight"}, {"handles": [3]}])
def test_unknown_wishes_are_refused(wish: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="There are:") as caught:
        found(**wish)
    assert caught.value.code == "P092"
    assert caught.value.repair is not None
    assert caught.value.repair.python is not None
    exec(caught.value.repair.python, {})


def test_the_table_is_plain_data() -> None:
    rows = catalog.table()
    assert json.loads(json.dumps(rows)) == rows
    tree = next(row for row in rows if row["name"] == "tree")
    assert tree["tasks"] == ["classification", "regression"]
    assert tree["candidates"]["classification"] == {"small": 6, "medium": 36, "large": None}
    assert tree["plusses"] == {"accuracy": 1, "efficiency": 3, "interpretability": 3, "ease": 3}
    assert [size["rows"] for size in tree["seconds"]["regression"]] == [1_000, 100_000]
    assert {row["name"] for row in catalog.table("regression")} == set(catalog.names("regression"))


# The six rows of the textbook, and the learners of the catalog that each speaks of.
_TEXTBOOK = {
    "2122": "nearest_neighbors",
    "1333": "tree oblique_tree id3 c45 cart one_rule stump",
    "2423": "linear_regression ridge lasso elastic_net stagewise subset pls logistic lda "
    "perceptron hashed_logistic",
    "3323": "random_forest extra_trees oblique_forest bagged_trees gradient_boosting adaboost "
    "residual_booster "
    "voting stacking bagging bayesian_average",
    "1143": "optimal_tree rule_list",
    "4212": "mlp",
    "3111": "svm svm_grid nu_svm",
}


def test_the_textbook_marks() -> None:
    told = {
        entry.name: "".join(str(mark) for mark in vars(entry.plusses).values())
        for entry in catalog.find()
        if entry.plusses is not None
    }
    assert told == {name: row for row, names in _TEXTBOOK.items() for name in names.split()}


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.00036, "0.36 ms"),
        (0.036, "36 ms"),
        (0.17, "170 ms"),
        (3.2, "3.2 s"),
        (45.0, "45 s"),
        (300.0, "5 min"),
        (9000.0, "2.5 h"),
    ],
)
def test_times_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def test_interpretability_is_counted_in_the_fitted_model() -> None:
    X, y = load_dataset("iris").split_target("species")
    entry = catalog.entry("tree")
    model = catalog.make("tree", task="classification").fit(X, y)
    assert str(entry.interpretability(model)) == "3 leaves"
