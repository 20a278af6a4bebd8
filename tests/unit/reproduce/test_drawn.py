"""Reproductions that are pictures: codes of an image, stocks, eigenfaces and threes."""

import numpy as np
import pytest
from scipy.io import savemat
from tests.unit.charts.drawing_checks import check_picture

from branchline.errors import DataError
from branchline.reproduce import eigenfaces, image_codes, stocks, threes


def test_codes_of_an_image():
    found = image_codes(quick=True)
    assert found.agrees, found
    assert [figure.ours for line in found.lines[:2] for figure in line.figures] == pytest.approx(
        [np.log2(200) / 4, 0.5]
    )
    check_picture(found.draw())


def test_stocks_in_both_shapes():
    found = stocks()
    assert found.agrees, found
    assert [line.name for line in found.lines] == ["28 × 19", "357 × 253"]
    assert "28 stocks, 19 days" in found.draw().text


def test_faces_from_a_file(tmp_path):
    rng = np.random.default_rng(0)
    faces = rng.normal(size=(64 * 64, 20)) @ rng.normal(size=(20, 60)) + 100
    savemat(tmp_path / "olivettifaces.mat", {"faces": faces})
    told = []
    found = eigenfaces(tmp_path, quick=True, tell=told.append)
    assert found.agrees, found
    assert len(found.draw().images) == 16 + 2 * 6
    assert "15 axes hold" in told[0]


def test_threes_from_a_file(tmp_path):
    rng = np.random.default_rng(0)
    digits = rng.integers(0, 256, (11_000, 1)) * (np.arange(256) > 100) + rng.integers(
        0, 90, (11_000, 1)
    ) * (np.arange(256) % 2)
    labels = 1 + np.arange(11_000) % 10
    savemat(tmp_path / "USPS.mat", {"fea": digits.astype(np.uint8), "gnd": labels[:, None]})
    found = threes(tmp_path / "USPS.mat", quick=True)
    assert len(found.draw().images) == 25
    assert found.draw().captions[0] == "5 %, 95 %"


def test_files_that_are_absent_or_other(tmp_path, monkeypatch):
    monkeypatch.delenv("BRANCHLINE_DATA", raising=False)
    with pytest.raises(DataError, match="not bundled"):
        eigenfaces()
    with pytest.raises(DataError, match="F001"):
        threes(tmp_path)
    savemat(tmp_path / "USPS.mat", {"fea": np.ones((3, 3))})
    with pytest.raises(DataError, match="D720"):
        threes(tmp_path)
    (tmp_path / "olivettifaces.mat").write_bytes(b"not a file of MATLAB")
    with pytest.raises(DataError, match="D720"):
        eigenfaces(tmp_path)
