"""Trees as work: what is sent is what came, and batches join as one call grows them."""

from typing import Any

import numpy as np
import pytest

from branchline import _core
from branchline._tree_work import (
    FOREST_OPTIONS,
    TREE_OPTIONS,
    Batch,
    TreeGrower,
    TreeWork,
    current_tree_engine,
    joined_forest,
    tree_engine,
)
from branchline.forest import RandomForestClassifier, RandomForestRegressor
from branchline.forest._growth import ForestGrowth

ENUMS = {"criterion", "missing", "subset_search", "n_threads"}
OF_CALLS = {"tree", "first_tree", "n_trees", "time_budget", "importance_by_tree"}


class _Kept:
    """Keeps the work of a fit, and grows its trees in batches of one or three."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes, self.works = sizes, list[TreeWork]()

    def begin(self, work: TreeWork) -> "_Kept":
        self.works.append(work)
        return self

    def grow(self, first: int, n: int, seconds: Any, on_progress: Any) -> Batch:
        sent = TreeWork.from_named(self.works[-1].settings, self.works[-1].named())
        grower, batches, at = TreeGrower(sent, 1), [], first
        for size in self.sizes:
            batches.append(grower.grow(at, size))
            at += size
        assert at == first + n
        return joined_forest(batches)


@pytest.fixture(scope="module")
def rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 300))  # features need two bytes
    return X, X[:, 0] + rng.normal(size=120)


@pytest.mark.parametrize("sizes", [[6], [1, 3, 2], [1] * 6])
@pytest.mark.parametrize("has_oob", [False, True])
def test_batches_are_the_forest_of_one_call(
    sizes: list[int], has_oob: bool, rows: tuple[Any, Any]
) -> None:
    model = RandomForestRegressor(n_estimators=6, oob_score=has_oob)
    alone = model.fit(*rows)
    forest, shares = alone.forest_, alone.feature_importances_
    kept = _Kept(sizes)
    with tree_engine(kept.begin):
        there = model.fit(*rows)
    for name in ("kind", "feature", "left_code", "right_code", "content", "pool"):
        one, other = getattr(there.forest_, name), getattr(forest, name)
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    assert np.array_equal(there.feature_importances_, shares)


def test_a_digest_tells_works_apart(rows: tuple[Any, Any]) -> None:
    X, y = rows
    kept = _Kept([2])
    with tree_engine(kept.begin):
        for target, depth in ((y > 0, 3), (y > 0, 3), (y > 1, 3), (y > 0, 4)):
            RandomForestClassifier(n_estimators=2, max_depth=depth).fit(X, target)
    same, again, *others = [work.digest() for work in kept.works]
    assert same == again
    assert len({same, *others}) == 3
    assert kept.works[0].n_bytes(2) > kept.works[0].n_bytes(1) > X.size


def test_every_option_of_growing_is_told() -> None:
    assert set(TREE_OPTIONS) | ENUMS == _options_of(_core.GrowOptions)
    assert set(FOREST_OPTIONS) | OF_CALLS == _options_of(_core.ForestOptions)


def _options_of(kind: type[Any]) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def test_outside_of_a_block_a_fit_grows_its_own_trees() -> None:
    assert current_tree_engine() is None
    assert ForestGrowth.grow.__kwdefaults__["maker"] is None
