"""What clusters are: rules out of fold, columns that differ, typical rows."""

import json

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.cluster import KMeans, describe_clusters
from branchline.errors import ParameterError


@pytest.fixture(scope="module")
def iris():
    rows, _ = load_dataset("iris").split_target("species")
    return rows, KMeans(3).fit(rows)


def test_iris_golden(iris) -> None:
    found = describe_clusters(*iris)
    setosa = found[1]
    assert setosa.rule.text == "petal_width ≤ 0.8"
    assert setosa.rule.precision.estimate == setosa.rule.recall.estimate == 1.0
    assert setosa.rule.recall.low == pytest.approx(50 / (50 + 1.959964**2), abs=1e-6)  # Wilson
    assert [one.weight for one in found] == [53, 50, 47]
    assert all(one.low <= one.effect <= one.high for each in found for one in each.effects)
    assert "cluster 1: 50 rows (33 %)" in str(found)
    assert len(found.to_frame()) == 9
    assert len(found.draw().charts) == 3
    json.dumps(found.to_dict())


def test_effects_by_brute_force(iris) -> None:
    rows, model = iris
    effect = describe_clusters(rows, model)[1].effects[0]
    values = np.asarray(rows.column(effect.column).numbers(), dtype=float)
    inside = model.labels_ == 1
    difference = (values[inside].mean() - values[~inside].mean()) / values.std()
    assert effect.effect == pytest.approx(difference, abs=1e-12)


def test_order_and_weights(iris) -> None:
    rows, model = iris
    draws = np.random.default_rng(0)
    order, weights = draws.permutation(150), draws.integers(0, 3, 150)
    labels = model.labels_
    first = describe_clusters(rows, labels).to_dict()["clusters"]
    second = describe_clusters(rows.rows(order), labels[order]).to_dict()["clusters"]
    for one, other in zip(first, second, strict=True):
        assert one["rule"] == other["rule"]
        assert one["effects"] == other["effects"]
    copies = np.repeat(np.arange(150), weights)
    weighted = describe_clusters(rows, labels, weights).to_dict()["clusters"]
    copied = describe_clusters(rows.rows(copies), labels[copies]).to_dict()["clusters"]
    for one, other in zip(weighted, copied, strict=True):
        assert one["rule"] == other["rule"]
        assert one["effects"] == other["effects"]


def test_a_rule_of_chance_is_told_to_be_one() -> None:
    draws = np.random.default_rng(1)
    found = describe_clusters(draws.normal(size=(200, 20)), draws.integers(0, 2, 200))
    shares = [one.rule.precision for one in found]
    assert all(one.low < 0.55 for one in shares)  # half of the rows are in each cluster


def test_mixed_cells_dates_and_missing() -> None:
    table = Table(
        {
            "when": ["2020-01-01", "2020-02-01", None, "2024-01-01", "2024-05-01", "2024-03-01"],
            "what": ["a", "a", "a", "b", None, "b"],
            "x": [1.0, None, 1.2, None, None, None],
        }
    )
    found = describe_clusters(table, ["u", "u", "u", "v", "v", "v"])
    assert "x is missing: 33 %, others 100 %" in str(found)
    assert "what = a: 100 %, others 0 %" in str(found)
    assert "2024" in str(found)
    assert [one.name for one in found] == ["cluster u", "cluster v"]


@pytest.mark.parametrize("n_rows", range(1, 8))
def test_few_rows(n_rows: int) -> None:
    rows = np.random.default_rng(n_rows).normal(size=(n_rows, 2))
    found = describe_clusters(rows, KMeans(2).fit(rows))
    assert sum(one.weight for one in found) == n_rows
    assert str(found)
    assert found.draw().to_svg()


def test_labels_that_cannot_be_used(iris) -> None:
    rows, _ = iris
    wrong = {
        "P660": [0, 1],
        "P662": [None] * 150,
        "P663": list(range(150)),
    }
    for code, labels in wrong.items():
        with pytest.raises(ParameterError) as caught:
            describe_clusters(rows, labels)
        assert caught.value.code == code
    with pytest.raises(ParameterError, match="one kind"):
        describe_clusters(rows, ["a", 1, *[0] * 148])
