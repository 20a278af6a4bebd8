import numpy as np
import pytest

from branchline import load_dataset
from branchline.cluster import METHODS, find_groups
from branchline.errors import ParameterError


@pytest.fixture(scope="module")
def iris():
    return load_dataset("iris").split_target("species")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_what_is_plain(method):
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (20, 2))])
    found = find_groups(rows, 2, method=method, known=["a"] * 30 + ["b"] * 20)
    assert found.known.counts == ((30, 0), (0, 20))
    assert found.are_groups
    assert [one.word for one in found.stability.clusters] == ["solid", "solid"]


def test_another_number_than_there_are_groups_is_told(iris):
    found = find_groups(iris[0], 2)
    assert not found.are_groups
    assert "not 3 groups" in str(found)
    assert found.to_dict()["sizes"] == [100, 50]


def test_a_known_class_must_fit(iris):
    with pytest.raises(ParameterError, match="P722"):
        find_groups(iris[0], 2, known=[f"row {at}" for at in range(150)])
    with pytest.raises(ParameterError, match="P660"):
        find_groups(iris[0], 2, known=["a"])


def test_columns_of_few_values_with_a_wide_gap_have_groups():
    rows = np.array([[row % 2 * 100.0 + row % 7] for row in range(60)])
    assert find_groups(rows).n_clusters == 2
