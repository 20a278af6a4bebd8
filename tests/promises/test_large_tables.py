"""Tables larger than memory: who fits them, in how much memory, and that files change no bit."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from branchline import read_table, scan_table
from branchline._saving._write import to_bytes
from branchline.bayes import NaiveBayes
from branchline.cluster import KMeans, MiniBatchKMeans
from branchline.errors import DataError
from branchline.linear import (
    HashedLogisticRegression,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    Ridge,
)
from large_tables import classes_of, mapped, mixed_table, taken_for_large

ROOT = Path(__file__).resolve().parent.parent.parent
MIB = 2**20
LEARNERS = [
    NaiveBayes(),
    NaiveBayes(numeric="gaussian"),
    LinearRegression(),
    Ridge(),
    LogisticRegression(),
    LogisticRegression(penalty="l1", C=0.1),
    HashedLogisticRegression(max_epochs=2),
    KMeans(3),
    MiniBatchKMeans(3),
]


def given_to(model, y):
    if isinstance(model, KMeans):
        return ()
    return (classes_of(y, 2),) if hasattr(model, "predict_proba") else (y,)


@pytest.mark.parametrize("model", LEARNERS, ids=str)
def test_a_scan_gives_the_bytes_of_the_table_in_memory(model, tmp_path):
    X, y = mixed_table(700)
    X.write_csv(tmp_path / "rows.csv")
    rows, scan = read_table(tmp_path / "rows.csv"), scan_table(tmp_path / "rows.csv")
    with taken_for_large():
        here = type(model)(**model.get_params()).fit(rows, *given_to(model, y))
        there = type(model)(**model.get_params()).fit(scan, *given_to(model, y))
        assert to_bytes(there) == to_bytes(here)
        np.testing.assert_array_equal(there.predict(scan), here.predict(rows))
        if hasattr(model, "predict_proba"):
            np.testing.assert_array_equal(there.predict_proba(scan), here.predict_proba(rows))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what belongs to a process")
def test_fits_hold_little_beside_mapped_files(tmp_path):
    names = "naive_bayes,linear_regression,logistic,k_means"
    command = [sys.executable, "-m", "benchmarks.large_tables", "--rows", "310000"]
    command += ["--folder", str(tmp_path / "files"), "--learners", names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [report["learner"] for report in found] == names.split(",")
    for report in found:
        for part in ("fit", "predict"):
            # The encoded matrix alone would take 230 MiB, its fit three times as much.
            rise = report[part]["peak_gib"] - report[part]["held_gib"]
            assert rise * 1024 < 300, report


def test_a_budget_refuses_what_copies_all_cells_and_lets_pass_what_reads_blocks(
    tmp_path, monkeypatch
):
    X, y = mixed_table(120_000)
    files = mapped(X, tmp_path)
    monkeypatch.setenv("BRANCHLINE_MEMORY", "16M")
    with taken_for_large():
        with pytest.raises(DataError) as caught:
            LinearDiscriminantAnalysis().fit(files, classes_of(y, 2))
        assert caught.value.code == "D030"
        assert "Naive Bayes, linear, ridge, logistic" in str(caught.value)
        for model in (
            NaiveBayes(),
            LinearRegression(),
            Ridge(),
            HashedLogisticRegression(n_features=2**10),
        ):
            fitted = type(model)(**model.get_params()).fit(files, *given_to(model, y))
            assert len(fitted.predict(files)) == 120_000
        monkeypatch.setenv("BRANCHLINE_MEMORY", "4M")
        with pytest.raises(DataError) as caught:  # a few numbers for each row are needed, too
            LinearRegression().fit(files, y)
        assert caught.value.code == "D030"
