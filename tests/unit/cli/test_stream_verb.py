"""``branchline stream``: text, JSON, a drawing; files that are read in parts or whole."""

import json

import numpy as np
import pandas as pd
import pytest

from command_line import run_here
from stream_generators import agrawal


@pytest.fixture
def loans(tmp_path):
    X, y = agrawal(0, 2000, 1)
    path = tmp_path / "loans.csv"
    X.assign(granted=np.array(["no", "yes"])[y]).to_csv(path, index=False)
    return path


def test_learners_are_shown_with_the_best_one_last(loans, tmp_path):
    drawing = tmp_path / "curve.svg"
    done = run_here("stream", str(loans), "-t", "granted", "--draw", str(drawing))
    assert done.returncode == 0
    assert done.stdout.count("HoeffdingTreeClassifier") >= 2
    assert "each predicted before it was learned from" in done.stdout
    assert drawing.exists()


def test_parts_do_not_change_the_result(loans):
    given = ["stream", str(loans), "-t", "granted", "--algorithm", "tree", "--json"]
    whole = json.loads(run_here(*given, "--missing", "?").stdout)["stream"]["results"][0]
    parts = json.loads(run_here(*given, "--chunk-rows", "300").stdout)["stream"]["results"][0]
    assert parts["accuracy"] == whole["accuracy"]


def test_mistakes_are_refused(loans):
    assert "Did you mean 'granted'" in run_here("stream", str(loans), "-t", "grant").stderr
    wrong = run_here("stream", str(loans), "-t", "granted", "--algorithm", "forest")
    assert wrong.returncode != 0
    assert "adaptive_forest" in wrong.stderr


def test_a_usual_learner_that_is_too_large_is_left_out(tmp_path):
    draws = np.random.default_rng(0)
    frame = pd.DataFrame(draws.normal(size=(12, 8_000))).add_prefix("g")
    path = tmp_path / "genes.csv"
    frame.assign(kind=["a", "b"] * 6).to_csv(path, index=False)
    done = run_here("stream", str(path), "-t", "kind")
    assert done.returncode == 0
    assert "AdaptiveForestClassifier is left out: The first leaves" in done.stdout
    wanted = run_here("stream", str(path), "-t", "kind", "--algorithm", "adaptive_forest")
    assert wanted.returncode != 0
    assert "P853" in wanted.stderr
