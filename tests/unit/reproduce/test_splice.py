"""Splice junctions: both forms of the file, folds that keep groups together; on a stand-in."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.shared_data import SHARED, needs_shared

from branchline.errors import DataError, ParameterError
from branchline.reproduce import _splice as module
from branchline.reproduce import splice
from branchline.reproduce._sequences import Sequences, read_sequences

N_EACH, LENGTH = 15, 20
MIDDLES = {"EI": "CAGGTAAG", "IE": "TTTTCAGG", "N": "ACACACAC"}


def stand_in() -> Sequences:
    """Return sequences whose middle tells the class; the first two of each class are equal."""
    rng = np.random.default_rng(0)
    texts, classes = [], []
    for name, middle in MIDDLES.items():
        ends = rng.choice(list("ACGT"), (N_EACH, LENGTH - len(middle)))
        ends[1] = ends[0]
        texts += ["".join(row[:6]) + middle + "".join(row[6:]) for row in ends]
        classes += [name] * N_EACH
    return Sequences(texts, np.array(classes, dtype=object))


def write_data(place: Path) -> None:
    rows = stand_in()
    pairs = zip(rows.classes, rows.texts, strict=True)
    lines = [f"{name},  ROW-{i},      {text}\n" for i, (name, text) in enumerate(pairs)]
    (place / "splice.data").write_text("".join(lines))


def write_arff(place: Path) -> None:
    rows = stand_in()
    names = ", ".join(f"ROW-{i}" for i in range(len(rows.texts)))
    lines = ["@relation splice", f"@attribute name {{{names}}}"]
    lines += [f"@attribute place_{i} {{A, C, G, T}}" for i in range(LENGTH)]
    lines += ["@attribute Class {EI, IE, N}", "@data"]
    pairs = zip(rows.classes, rows.texts, strict=True)
    lines += [f"ROW-{i},{','.join(text)},{name}" for i, (name, text) in enumerate(pairs)]
    (place / "splice.arff").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("write", [write_data, write_arff])
def test_both_forms_of_the_file(tmp_path: Path, write: Any) -> None:
    write(tmp_path)
    rows = read_sequences("splice", tmp_path)
    assert rows.texts == stand_in().texts
    assert rows.classes.tolist() == stand_in().classes.tolist()


def test_groups_stay_together() -> None:
    texts = stand_in().texts
    groups = module._equal(texts)
    fold = module._deal(groups, np.random.default_rng(0))
    assert set(fold.tolist()) == set(range(5))
    for first in range(0, len(texts), N_EACH):
        assert fold[first] == fold[first + 1]
    assert len(np.unique(groups)) == len(set(texts))


def test_families_are_linked_by_nearly_equal_ones() -> None:
    texts = ["A" * 10, "A" * 7 + "CCC", "A" * 4 + "C" * 6, "G" * 10]
    groups = module._families(texts)
    assert groups[0] == groups[1] == groups[2] != groups[3]


@pytest.mark.parametrize("quick", [False, True])
def test_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: bool) -> None:
    write_data(tmp_path)
    monkeypatch.setattr(module, "_SHAPE", stand_in().shape)
    monkeypatch.setattr(module, "_QUICK_ROWS", 30)
    told: list[str] = []
    found = splice(tmp_path, quick=quick, tell=told.append)
    assert [line.figures[0].printed for line in found.lines] == [4.62, 7.56, 8.47]
    assert found.title.startswith(f"Splice junctions, {30 if quick else 45} × {LENGTH} symbols")
    assert len(told) == 10
    assert "perceptron 3.99 / 16.32 / 17.41" in found.to_text()
    if not quick:
        assert found.agrees, found.to_text()


def test_seeds_deal_other_folds(tmp_path: Path) -> None:
    write_data(tmp_path)
    tables = []
    for seed in (0, 0, 1):
        told: list[str] = []
        splice(tmp_path, random_state=seed, tell=told.append)
        tables.append(told)
    assert tables[0] == tables[1]
    assert tables[0] != tables[2]


def test_another_table_differs(tmp_path: Path) -> None:
    write_data(tmp_path)
    found = splice(tmp_path)
    assert "sequences × symbols" in found.verdict


def test_a_class_that_is_worse_than_published_differs() -> None:
    rows = stand_in()
    wrong = np.zeros(len(rows.texts), dtype=bool)
    wrong[np.flatnonzero(rows.classes == "EI")[:2]] = True
    assert [line.agrees for line in module._lines(rows, wrong)] == [True, False, True]


def test_absent_data_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRANCHLINE_DATA", raising=False)
    with pytest.raises(DataError) as caught:
        splice()
    assert caught.value.code == "F001"


@pytest.mark.parametrize("wrong", [{"data": 3}, {"quick": "yes"}])
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        splice(**wrong)


@needs_shared
def test_a_thousand_of_the_real_sequences() -> None:
    found = splice(SHARED, quick=True)
    assert "1000 × 60" in found.title
    assert found.lines[0].agrees, found.to_text()
