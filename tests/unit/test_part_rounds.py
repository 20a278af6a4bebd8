"""Parts of the rows grow the trees of the whole table, to the last byte of the saved model."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from branchline._part_rounds import PartOfRounds, RoundWork, add_gathered, round_engine
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.errors import ParameterError
from branchline.table import Table, as_table
from parted_rounds import BarrierMaker

N = 700


@pytest.fixture(scope="module")
def rows() -> tuple[Table, Any, Any]:
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(N, 3))
    numbers[rng.random((N, 3)) < 0.05] = np.nan
    kind = rng.choice(["u", "v", "w", "x"], N)
    rare = rng.random(N) < 0.1
    other = (rng.random(N) < 0.1) & ~rare  # with the one before it counted as one column
    given = {
        "a": numbers[:, 0],
        "b": numbers[:, 1],
        "c": np.round(numbers[:, 2]),
        "kind": [None if name == "x" else name for name in kind],
        "rare": rare.astype(float),
        "other": other.astype(float),
    }
    y = 2 * np.nan_to_num(numbers[:, 0]) + (kind == "u") + rare + rng.normal(size=N)
    return as_table(given), y, rng


def case(name: str, y: Any) -> tuple[Any, Any, Any]:
    """Return a model, its target and weights of rows."""
    rng = np.random.default_rng(4)
    two, several = (y > 0).astype(str), np.digitize(y, [-1, 1]).astype(str)
    cases = {
        "numbers": (GradientBoostingRegressor(n_estimators=5), y, None),
        "two classes": (GradientBoostingClassifier(n_estimators=5), two, None),
        "several classes": (GradientBoostingClassifier(n_estimators=3), several, None),
        "copies": (
            GradientBoostingRegressor(n_estimators=4),
            y,
            rng.integers(0, 4, N).astype(float),
        ),
        "weights": (GradientBoostingClassifier(n_estimators=4), two, rng.random(N)),
        "draws": (
            GradientBoostingRegressor(n_estimators=5, subsample=0.5, max_features=0.5),
            y,
            None,
        ),
        "all rows": (GradientBoostingRegressor(n_estimators=5, subsample=1.0), y, None),
        "counts": (GradientBoostingRegressor(n_estimators=5, loss="poisson"), np.abs(y), None),
        "symmetric": (GradientBoostingRegressor(n_estimators=4, growth="symmetric"), y, None),
        "levels": (
            GradientBoostingClassifier(n_estimators=4, growth="depth_wise", monotonic_cst={"a": 1}),
            two,
            None,
        ),
        "early stopping": (
            GradientBoostingRegressor(n_estimators=12, early_stopping=True, patience=2),
            y,
            None,
        ),
        "search": (GradientBoostingClassifier(n_estimators="auto", patience=2), two, None),
    }
    return cases[name]


def saved(model: Any, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


CASES = [
    "numbers",
    "two classes",
    "several classes",
    "copies",
    "weights",
    "draws",
    "all rows",
    "counts",
    "symmetric",
    "levels",
    "early stopping",
    "search",
]


@pytest.mark.parametrize("name", CASES)
def test_the_saved_model_is_the_same(name: str, rows: Any, tmp_path: Path) -> None:
    X, y, _ = rows
    model, target, weight = case(name, y)
    path = tmp_path / "model"
    alone = saved(clone(model).fit(X, target, sample_weight=weight), path)
    for n_parts, block_rows in ((1, 16384), (2, 997), (3, 100), (5, 16384)):
        with round_engine(lambda work, n=n_parts, b=block_rows: BarrierMaker(work, n, b)):
            parted = clone(model).fit(X, target, sample_weight=weight)
        assert saved(parted, path) == alone, (n_parts, block_rows)


def test_rows_of_a_part_may_be_in_any_order(rows: Any, tmp_path: Path) -> None:
    X, y, _ = rows
    model, order = (
        GradientBoostingRegressor(n_estimators=4),
        np.random.default_rng(1).permutation(N),
    )
    path = tmp_path / "model"
    alone = saved(clone(model).fit(X, y), path)
    with round_engine(lambda work: BarrierMaker(work, 3, 100)):
        assert saved(clone(model).fit(X.rows(order), y[order]), path) == alone


def test_words_are_added_as_the_sums_that_they_hold() -> None:
    rng = np.random.default_rng(9)
    n = 700
    g = rng.integers(-(2**26), 2**26, n)
    h, rows = rng.integers(0, 2**22, n), rng.integers(0, 2**15, n)
    words = ((g << 37) + (h << 15) + rows).view(np.uint64)
    before = rng.integers(0, 2**62, 2 * n).astype(np.uint64)
    sums = before.copy()
    add_gathered(words, sums)
    assert np.array_equal(sums[:n].view(np.int64), before[:n].view(np.int64) + g)
    assert np.array_equal(sums[n:].view(np.int64), before[n:].view(np.int64) + (h << 32) + rows)
    add_gathered(sums, sums)  # those of equal length are added as they are
    assert np.array_equal(sums[:n].view(np.int64), 2 * (before[:n].view(np.int64) + g))


@pytest.mark.parametrize("n_parts", [1, 2, 5])
@pytest.mark.parametrize("subsample", [1.0, 0.7])
def test_histograms_of_many_rows_are_sent_as_words_where_they_fit(
    n_parts: int, subsample: float, tmp_path: Path
) -> None:
    rng = np.random.default_rng(8)
    n = 40_000  # above 16,384 rows of a bin a word is too short
    X = np.column_stack([rng.normal(size=n), (rng.random(n) < 0.1).astype(float)])
    y = X[:, 0] + X[:, 1] + rng.normal(size=n)
    path, lengths = tmp_path / "model", set[int]()
    model = GradientBoostingRegressor(n_estimators=2, subsample=subsample)
    alone = saved(clone(model).fit(X, y), path)

    class Watched(BarrierMaker):
        def told(self, number: int, values: Any) -> None:
            if number > 0:
                lengths.add(len(values))

    with round_engine(lambda work: Watched(work, n_parts, 16384)):
        assert saved(clone(model).fit(X, y), path) == alone
    n_bins = min(lengths)
    is_full = 0.9 * n * subsample / n_parts > 16384
    assert lengths == ({n_bins, 2 * n_bins} if is_full else {n_bins})


@pytest.mark.parametrize("name", ["two classes", "several classes", "draws"])
def test_rounds_are_replayed_to_the_same_scores(name: str, rows: Any) -> None:
    X, y, _ = rows
    model, target, _ = case(name, y)
    works: list[RoundWork] = []

    def begin(work: RoundWork) -> BarrierMaker:
        works.append(work)
        return BarrierMaker(work, 1, 16384)

    with round_engine(begin):
        model.fit(X, target)
    first, second = PartOfRounds(works[0]), PartOfRounds(works[0], block_rows=99)
    rounds = [first.run(number) for number in range(3)]
    second.replay(rounds)
    assert np.array_equal(first.raw, second.raw)
    again = second.run(3)
    assert all(
        np.array_equal(again[name], one)
        for name, one in first.run(3).items()
        if name != "n_rounds" and name != "terms"
    )


def test_work_survives_its_arrays(rows: Any) -> None:
    X, y, _ = rows
    works: list[RoundWork] = []

    def begin(work: RoundWork) -> BarrierMaker:
        works.append(work)
        return BarrierMaker(work, 2, 100)

    with round_engine(begin):
        GradientBoostingRegressor(n_estimators=2).fit(X, y)
    again = RoundWork.from_arrays(works[0].settings, works[0].arrays())
    assert again.digest() == works[0].digest()
    assert again.part(0, 10).digest() != works[0].digest()


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingRegressor(loss="absolute_error"),
        GradientBoostingRegressor(leaf_model="linear"),
        GradientBoostingRegressor(second_order=False),
    ],
)
def test_what_parts_cannot_grow_is_refused(model: Any, rows: Any) -> None:
    X, y, _ = rows
    with (
        round_engine(lambda work: BarrierMaker(work, 2, 100)),
        pytest.raises(ParameterError) as caught,
    ):
        model.fit(X, y)
    assert caught.value.code == "P951"
