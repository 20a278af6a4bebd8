"""Promoters: reading sequences, leaving them out alone and with what overlaps; on a stand-in."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.shared_data import SHARED, needs_shared

from branchline.errors import DataError, ParameterError
from branchline.kernels import Spectrum
from branchline.reproduce import _promoters as module
from branchline.reproduce import promoters
from branchline.reproduce._sequences import Sequences, read_sequences

N_EACH, LENGTH = 10, 24


def stand_in() -> Sequences:
    """Return sequences whose middle tells the class; the first two without it overlap."""
    rng = np.random.default_rng(0)
    symbols = rng.choice(list("acgt"), (2 * N_EACH, LENGTH))
    symbols[:N_EACH, 8:16] = list("tataataa")
    symbols[N_EACH + 1, :20] = symbols[N_EACH, 4:]
    texts = ["".join(row) for row in symbols]
    return Sequences(texts, np.array(["+"] * N_EACH + ["-"] * N_EACH, dtype=object))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "promoters"
    place.mkdir()
    rows = stand_in()
    lines = [
        f"{name},ROW{i},\t\t{text}\n"
        for i, (name, text) in enumerate(zip(rows.classes, rows.texts, strict=True))
    ]
    (place / "promoters.data").write_text("".join(lines))
    return place


@pytest.mark.filterwarnings("error")
def test_sequences_are_read_from_the_folder_or_around_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRANCHLINE_DATA", str(folder.parent))
    for place in (folder, str(folder.parent), None):
        rows = read_sequences("promoters", place)
        assert rows.texts == stand_in().texts
        assert rows.classes.tolist() == stand_in().classes.tolist()
        assert rows.shape == f"{2 * N_EACH} × {LENGTH}"


@pytest.mark.parametrize("given", [None, "nowhere"])
def test_absent_data_are_refused(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    monkeypatch.delenv("BRANCHLINE_DATA", raising=False)
    with pytest.raises(DataError) as caught:
        promoters(given)
    assert caught.value.code == "F001"
    assert "promoters.data" in caught.value.message
    assert "--data promoters" in str(caught.value.repair.flag)


@pytest.mark.parametrize("line", ["+,acgt\n", "+,name,\n", "+,a,b,acgt\n"])
def test_lines_of_another_form_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "promoters.data").write_text(
        "+,name,acgt\n" * 2 + line if "b" not in line else line
    )
    with pytest.raises(DataError):
        read_sequences("promoters", tmp_path)


def test_which_sequences_overlap() -> None:
    overlaps = module._overlapping(stand_in(), 15)
    expected = np.eye(2 * N_EACH, dtype=bool)
    expected[N_EACH, N_EACH + 1] = expected[N_EACH + 1, N_EACH] = True
    assert np.array_equal(overlaps, expected)


def test_a_sequence_shorter_than_the_overlap_is_left_out_itself() -> None:
    rows = Sequences(["acgt", "acgt", "a" * 20], np.array(["+", "+", "-"], dtype=object))
    assert np.array_equal(module._overlapping(rows, 15), np.eye(3, dtype=bool))


class _Remembers:
    """Checks that a sequence is asked for by a model that has seen nothing of it."""

    def fit(self, texts: list[str], classes: Any) -> "_Remembers":
        self.seen = set(texts)
        return self

    def loo_error(self) -> float:
        return 0.25

    def predict(self, texts: list[str]) -> list[str]:
        parts = {text[i : i + 15] for text in self.seen for i in range(len(text) - 14)}
        assert not any(texts[0][i : i + 15] in parts for i in range(LENGTH - 14))
        return ["+"]


def test_nothing_that_overlaps_is_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = stand_in()
    monkeypatch.setattr(module, "_machine", lambda kernel: _Remembers())
    told: list[str] = []
    overlaps = module._overlapping(rows, 15)
    wrong = module._count_wrong(Spectrum(k=3), rows, overlaps, told.append)
    assert wrong == (N_EACH // 2, N_EACH)
    assert told == ["Spectrum(k=3): 5 wrong, 10 with overlapping ones left out too"]


def test_the_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SHAPE", stand_in().shape)
    told: list[str] = []
    found = promoters(folder, tell=told.append)
    assert [line.figures[0].printed for line in found.lines] == ["4 to 13", "4 to 13"]
    assert found.agrees, found.to_text()
    assert len(told) == 3
    text = found.to_text()
    assert "2 of the 10 of class '-'" in text
    assert "Other degrees, wrong when each is left out: 1: " in text
    assert "Spectrum(k=6) " in text


def test_another_table_differs(folder: Path) -> None:
    found = promoters(folder)
    assert not found.agrees
    assert "sequences × symbols" in found.verdict


@pytest.mark.parametrize(("wrong", "agrees"), [(0, True), (13, True), (14, False)])
def test_when_a_line_agrees(wrong: int, agrees: bool) -> None:
    assert module._line("each left out", wrong).agrees is agrees


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError):
        promoters(3)  # type: ignore[arg-type]


@needs_shared
def test_the_published_table() -> None:
    found = promoters(SHARED)
    assert found.agrees, found.to_text()
    assert [line.figures[0].ours for line in found.lines] == [5.0, 5.0]
    assert "48 of the 53 of class '-'" in found.to_text()
