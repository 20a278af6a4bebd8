"""Saving where or what cannot be saved: a typed error, and nothing half-written."""

import os
import stat
import threading

import numpy as np
import pytest

import branchline
from branchline import load
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.errors import ModelFileError, NotFittedError
from branchline.table import Column, ColumnType
from branchline.tree import DecisionTreeClassifier, Stump


def failure(model, path):
    with pytest.raises(ModelFileError) as caught:
        model.save(path)
    return caught.value


def test_an_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        MeanRegressor().save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def mean():
    return MeanRegressor().fit([[1.0]], [2.0])


def test_a_folder_that_is_not_there_is_named(tmp_path, mean):
    error = failure(mean, tmp_path / "absent" / "m.branchline")
    assert error.code == "M009"
    assert "does not exist" in error.message
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_says_why(tmp_path, mean, monkeypatch):
    def forbidden(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(tmp_path), "open", forbidden)
    error = failure(mean, tmp_path / "m.branchline")
    assert error.code == "M009"
    assert "Permission denied" in error.message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["", "a\0b", None, 3, "x" * 300])
def test_what_is_no_place_is_refused(tmp_path, monkeypatch, mean, path):
    monkeypatch.chdir(tmp_path)
    assert failure(mean, path).code == "M009"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_or_a_device_is_not_replaced(tmp_path, mean):
    (tmp_path / "folder").mkdir()
    assert failure(mean, tmp_path / "folder").code == "M009"
    os.mkfifo(tmp_path / "pipe")
    assert failure(mean, tmp_path / "pipe").code == "M009"
    assert failure(mean, "/dev/null").code == "M009"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe"]


def test_a_failed_save_leaves_the_old_file_whole(tmp_path, mean, monkeypatch):
    path = tmp_path / "m.branchline"
    mean.save(path)
    before = path.read_bytes()

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    error = failure(MeanRegressor().fit([[1.0]], [7.0]), path)
    assert error.code == "M009"
    assert "No space left" in error.message
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["m.branchline"]


def test_an_interrupted_save_leaves_nothing_behind(tmp_path, mean, monkeypatch):
    def interrupt(fd):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        mean.save(tmp_path / "m.branchline")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_file_has_the_mode_that_the_umask_asks_for(tmp_path, mean, mask, mode):
    before = os.umask(mask)
    try:
        mean.save(tmp_path / "m.branchline")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "m.branchline").stat().st_mode) == mode


def test_a_link_is_followed_and_stays_a_link(tmp_path, mean):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    mean.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert load(tmp_path / "real").mean_ == 2.0


def test_names_as_long_as_the_system_allows_can_be_used(tmp_path, mean):
    mean.save(tmp_path / ("x" * 255))
    assert load(tmp_path / ("x" * 255)).mean_ == 2.0


def test_many_threads_may_save_to_one_name(tmp_path, mean):
    path = tmp_path / "m.branchline"
    threads = [threading.Thread(target=mean.save, args=(path,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load(path).mean_ == 2.0
    assert [each.name for each in tmp_path.iterdir()] == ["m.branchline"]


class Own(MeanRegressor):
    pass


def test_an_estimator_that_is_not_ours_is_sent_to_joblib(tmp_path):
    error = failure(Own().fit([[1.0]], [2.0]), tmp_path / "m")
    assert error.code == "M006"
    assert "not one of Branchline's own estimators" in error.message
    assert "joblib" in error.repair.python


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_jobs": [1]},
        {"n_jobs": 0},
        {"n_jobs": 10**9},
        {"min_samples_leaf": -1},
        {"split": "no"},
        {"max_depth": 0},
        {"max_depth": (1,)},
        {"costs": "high"},
        {"costs": np.array([None])},
        {"costs": {("a", "b"): b"5"}},
        {"class_weight": ["a"]},
        {"subsets": [1]},
        {"random_state": np.random.RandomState(0)},
        {"random_state": float("nan")},
        {"test_costs": {"a": float("inf")}},
    ],
    ids=lambda parameters: next(iter(parameters)),
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path, parameters):
    model = Stump().fit([[0.0], [1.0]], [0, 1]).set_params(**parameters)
    assert failure(model, tmp_path / "m").code == "M006"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "classes",
    [
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
        np.array([b"a", b"b"]),
        np.array([(1, 2), (3, 4)], dtype=[("a", int), ("b", int)])["a"].astype("timedelta64[s]"),
        np.array([1, 2.5], dtype=object),
        np.array(["a\ud800", "b"], dtype=object),
        np.array([1, 2**70], dtype=object),
    ],
    ids=["dates", "bytes", "durations", "mixed", "half of a pair", "large"],
)
def test_classes_that_a_file_cannot_hold_are_refused_when_saving(tmp_path, classes):
    model = MajorityClassifier().fit(np.zeros((4, 1)), np.resize(classes, 4))
    assert failure(model, tmp_path / "m").code == "M006"


@pytest.mark.parametrize("name", [float("inf"), 2**70, "half \udc00"])
def test_category_names_that_a_file_cannot_hold_are_refused_when_saving(tmp_path, name):
    kind = ColumnType("category", "category", (name,))
    table = branchline.Table([Column("c", kind, np.zeros(1, dtype=np.int32))])
    model = MeanRegressor().fit(table, [1.0])
    assert failure(model, tmp_path / "m").code == "M006"


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("kind", 1, 1),
        ("kind", 0, 0),
        ("feature", 0, 7),
        ("feature", 0, -1),
        ("threshold", 0, np.nan),
        ("missing_branch", 0, 5),
        ("content", 1, 0),
        ("content", (1, 0), -1),
        ("content", (2, 1), 2**60),
    ],
)
def test_an_impossible_model_is_not_saved(tmp_path, name, place, value):
    model = Stump().fit([[0.0], [1.0]], [0, 1])
    getattr(model.tree_, name)[place] = value
    assert failure(model, tmp_path / "m").code == "M006"
    assert list(tmp_path.iterdir()) == []


def test_what_follows_from_the_rest_is_not_saved(tmp_path):
    """Where children stand and what inner nodes hold is worked out when loading."""
    X = np.arange(8.0)[:, None]
    model, sound = (Stump().fit(X, X[:, 0] > 3) for _ in range(2))
    model.tree_.first_child[0] = 0
    model.tree_.content[0] = 99
    model.save(tmp_path / "m")
    sound.save(tmp_path / "sound")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "sound").read_bytes()


def test_a_model_whose_depth_was_limited_after_the_fit_is_not_saved(tmp_path):
    """The file would say that no such tree can be grown; a fit with that limit can."""
    X = np.arange(40.0)[:, None]
    model = DecisionTreeClassifier(prune=None).fit(X, np.arange(40) // 3 % 2)
    error = failure(model.set_params(max_depth=1), tmp_path / "m")
    assert error.code == "M006"
    assert "deeper than 1" in error.message
    model.set_params(max_depth=None).save(tmp_path / "m")
