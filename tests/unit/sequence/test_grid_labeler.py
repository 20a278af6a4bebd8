"""Labels of grids: exact inference, a bound that is kept, invariances, refusals."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import branchline
from branchline import Table
from branchline.errors import BranchlineError, BranchlineWarning
from branchline.sequence import GridLabeler
from branchline.sequence._grid_decoding import Layout, best_labels


def simulated(n_grids, seed, *, size=6, noise=0.8):
    """Return cells of images with one disc each, seen through noise, and their labels."""
    draws = np.random.default_rng(seed)
    image, row, column = (place.ravel() for place in np.mgrid[:n_grids, :size, :size])
    center = draws.uniform(0, size, (2, n_grids))
    radius = draws.uniform(size / 4, size / 2, n_grids)[image]
    inside = np.hypot(row - center[0][image], column - center[1][image]) < radius
    bright = inside + draws.normal(0, noise, len(inside))
    frame = pd.DataFrame({"image": image, "row": row, "column": column, "bright": bright})
    return frame, np.where(inside, "disc", "ground")


@pytest.fixture(scope="module")
def task():
    return simulated(20, 1)


@pytest.fixture(scope="module")
def model(task):
    return GridLabeler("row", "column", "image").fit(*task)


def score_of(labels, cells, pairs, places):
    """Return the score of one labeling, from its definition."""
    at = {tuple(place): cell for cell, place in enumerate(places.tolist())}
    total = sum(cells[cell, label] for cell, label in enumerate(labels))
    for (row, column), cell in at.items():
        for pair, there in zip(pairs, ((row, column + 1), (row + 1, column)), strict=True):
            if there in at:
                total += pair[labels[cell], labels[at[there]]]
    return total


@pytest.mark.parametrize("seed", range(20))
def test_the_best_labeling_is_that_of_brute_force(seed):
    draws = np.random.default_rng(seed)
    places = np.argwhere(np.ones(draws.integers(1, 4, 2)))
    places = places[draws.random(len(places)) < (0.7 if seed % 2 else 1.0)][:7]
    places = places if len(places) else np.zeros((1, 2), dtype=np.int64)
    places = places - places.min(axis=0)
    n_labels = int(draws.integers(2, 4))
    cells, pairs = draws.normal(size=(2, len(places), n_labels)), draws.normal(size=(2, 3, 3))
    pairs = tuple(pairs[:, :n_labels, :n_labels])
    found, scores = best_labels(Layout(places), cells, pairs)
    for grid in range(2):
        best = max(
            score_of(labels, cells[grid], pairs, places)
            for labels in product(range(n_labels), repeat=len(places))
        )
        assert scores[grid] == pytest.approx(best)
        assert score_of(found[grid].tolist(), cells[grid], pairs, places) == pytest.approx(best)


def test_neighbors_help(model):
    X, y = simulated(30, 2)
    alone = branchline.make("logistic", task="classification").fit(X[["bright"]], y)
    assert model.score(X, y) > alone.score(X[["bright"]], y) + 0.03


def test_the_bound_is_reached_and_kept(model):
    assert 0 <= model.gap_ <= 0.001
    steps, objectives, bounds = model.history_.T
    assert steps[-1] == model.n_planes_
    assert (np.diff(bounds) >= 0).all()
    assert (np.diff(objectives) <= 0).all()
    assert (bounds <= objectives[-1] + 1e-12).all()


def test_a_gap_that_is_not_reached_is_told(task):
    with pytest.warns(BranchlineWarning, match="duality gap") as told:
        GridLabeler("row", "column", "image", max_planes=2).fit(*task)
    assert told[0].message.code == "W081"


def test_the_order_of_rows_and_where_grids_begin_do_not_matter(task, model):
    X, y = task
    order = np.random.default_rng(0).permutation(len(y))
    moved = X.assign(row=X["row"] - 7, column=X["column"] + 100).iloc[order]
    other = GridLabeler("row", "column", "image").fit(moved, y[order])
    np.testing.assert_array_equal(other.feature_weights_, model.feature_weights_)
    np.testing.assert_array_equal(other.predict(moved), model.predict(X)[order])


def test_a_weight_of_two_is_two_copies_and_of_zero_none():
    X, y = simulated(8, 3)
    copies = (X["image"] % 3).to_numpy()
    weighted = GridLabeler("row", "column", "image").fit(X, y, sample_weight=copies)
    twice = X[copies == 2].assign(image=lambda part: part["image"] + 100)
    repeated = pd.concat([X[copies > 0], twice])
    copied = GridLabeler("row", "column", "image")
    copied.fit(repeated, np.concatenate([y[copies > 0], y[copies == 2]]))
    np.testing.assert_array_equal(weighted.feature_weights_, copied.feature_weights_)
    np.testing.assert_array_equal(weighted.down_weights_, copied.down_weights_)


def test_mixed_cells_absent_cells_and_windows():
    X, y = simulated(12, 4)
    draws = np.random.default_rng(0)
    X["kind"] = np.where(draws.random(len(y)) < 0.2, None, np.where(y == "disc", "a", "b"))
    X.loc[draws.random(len(y)) < 0.2, "bright"] = np.nan
    there = draws.random(len(y)) < 0.8
    model = GridLabeler("row", "column", "image", window=1).fit(X[there], y[there])
    new = X.assign(kind=X["kind"].mask(X["row"] == 2, "never seen"))
    assert model.predict(new).shape == y.shape
    named = model.to_frame()["feature"]
    assert named.str.contains("above left: bright is missing").any()
    assert named.str.contains("no cell below").any()


def test_scores_count_grids(model):
    X, y = simulated(20, 5)
    scores = model.evaluate(X, y)
    assert scores.tokens.estimate == pytest.approx(model.score(X, y))
    assert "20 grids of 720 cells" in str(scores)
    assert list(scores.to_frame().columns) == ["label", "precision", "recall", "cells"]


def test_an_explanation_adds_up_and_margins_are_exact(task, model):
    X, _ = task
    rows = X[X["image"] == 3]
    found, labels = model.explain(rows), model.predict(rows)
    for cell in found.tokens:
        assert cell.label == labels[cell.row]
        assert cell.ahead == pytest.approx(sum(amount for _, amount in cell.parts))
        assert cell.ahead >= cell.margin - 1e-9 >= -1e-9
    assert "disc" in model.draw(rows).to_svg()
    assert "weight of a label (row) above another" in model.to_text()


def test_saved_models_predict_the_same(task, model, tmp_path):
    model.save(tmp_path / "m.model")
    loaded = branchline.load(tmp_path / "m.model")
    np.testing.assert_array_equal(loaded.predict(task[0]), model.predict(task[0]))
    assert loaded.gap_ == model.gap_
    assert loaded.to_text() == model.to_text()
    packed = dict(model._pack())
    for name, value in (("pairs", packed["pairs"][:-1]), ("about", np.array([0.5, 1.0]))):
        with pytest.raises(BranchlineError):
            model._unpack({**packed, name: value}, model.schema_)


def test_one_grid_one_label_and_no_rows(task, model):
    X, y = simulated(1, 0, size=3)
    with pytest.warns(BranchlineWarning, match="only one class"):
        one = GridLabeler().fit(X.drop(columns="image"), ["x"] * len(y))
    assert set(one.predict(X.drop(columns="image"))) == {"x"}
    assert np.isinf(one.explain(X.drop(columns="image"))[0].margin)
    assert model.predict(task[0].iloc[:0]).shape == (0,)
    assert not hasattr(model, "predict_proba")


def refused(model, X, y, code, call="fit"):
    """Check that a call is refused with a code; return the names after the repair."""
    with pytest.raises(BranchlineError) as caught:
        getattr(model, call)(X, y) if call == "fit" else getattr(model, call)(X)
    assert caught.value.code == code
    names = {"model": model, "X": X, "y": y}
    if caught.value.repair.python is not None:
        exec(caught.value.repair.python, names)
    return names


def test_places_that_do_not_fit(task, model):
    X, y = task
    words = X.assign(row=[f"line {place}" for place in X["row"]])
    refused(GridLabeler("row", "column", "image"), words, y, "D940")
    refused(GridLabeler("row", "column", "image"), X.assign(row=X["row"] + 0.5), y, "D940")
    refused(GridLabeler("row", "column"), X, y, "D941")
    refused(GridLabeler("line", "column"), X, y, "D640")
    refused(model, X, y, "P940", "explain")
    uneven = np.arange(len(y))
    with pytest.raises(BranchlineError, match="All cells of a grid") as caught:
        GridLabeler("row", "column", "image").fit(X, y, sample_weight=uneven)
    assert caught.value.code == "D646"


def test_large_grids_are_refused(model):
    row, column = (place.ravel() for place in np.mgrid[:20, :20])
    X = {"image": row * 0, "row": row, "column": column, "bright": row * 1.0}
    names = refused(model, X, None, "D942", "predict")
    assert names["X"] is X


def test_cross_validation_keeps_grids_together(task):
    X, y = task
    table = Table(X).with_groups(X["image"].to_numpy())
    found = branchline.cross_validate(GridLabeler("row", "column", "image"), table, y, n_folds=3)
    assert found.score.estimate > 0.8
