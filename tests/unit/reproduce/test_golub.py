"""Golub's leukemia patients: reading the folder, counting, verdicts; on a small stand-in."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.shared_data import SHARED, needs_shared

from branchline.errors import DataError, ParameterError
from branchline.reproduce import _golub as module
from branchline.reproduce import golub
from branchline.reproduce._golub_patients import golub_patients

N_PATIENTS, N_GENES = 12, 6


def expressions() -> np.ndarray:
    """Return a patient a row; the first gene tells the cancers apart."""
    values = np.random.default_rng(0).integers(-200, 200, (N_PATIENTS, N_GENES))
    values[:, 0] = np.where(np.arange(N_PATIENTS) % 2 == 0, 500, -500) + np.arange(N_PATIENTS)
    return values


def cancers() -> list[str]:
    return ["ALL" if row % 2 == 0 else "AML" for row in range(N_PATIENTS)]


def part(patients: list[int]) -> str:
    """Return a file of a gene a line, with the column "call" after each patient."""
    head = ["Gene Description", "Gene Accession Number"]
    lines = [head + [cell for row in patients for cell in (str(row + 1), "call")]]
    for gene, values in enumerate(expressions().T):
        cells = [cell for row in patients for cell in (str(values[row]), "A")]
        lines.append([f"a gene, the {gene}th", f"G{gene}_at", *cells])
    return "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "golub_leukemia"
    place.mkdir()
    listed = "".join(f"{row + 1},{cancer}\n" for row, cancer in enumerate(cancers()))
    (place / "actual.csv").write_text(f"patient,cancer\n{listed}")
    # Patients do not stand in order in the files, and a file may be packed.
    (place / "data_set_ALL_AML_train.csv").write_text(part([0, 2, 1, 5, 4, 3, 7]))
    packed = place / "data_set_ALL_AML_independent.csv.gz"
    packed.write_bytes(gzip.compress(part([11, 10, 6, 8, 9]).encode()))
    return place


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the stand-in count as the table, and forests have few trees."""
    monkeypatch.setattr(module, "_SHAPE", (N_PATIENTS, N_GENES))
    monkeypatch.setattr(module, "_USUAL_TREES", 8)
    monkeypatch.setattr(module, "_QUICK_TREES", 4)


@pytest.mark.filterwarnings("error")
def test_patients_in_the_order_of_the_list(folder: Path) -> None:
    X, y = golub_patients(folder)
    assert np.array_equal(X, expressions())
    assert y.tolist() == cancers()


def test_the_folder_around_and_the_variable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, _ = golub_patients(folder)
    around, _ = golub_patients(str(folder.parent))
    monkeypatch.setenv("BRANCHLINE_DATA", str(folder.parent))
    by_variable, _ = golub_patients(None)
    assert np.array_equal(inside, around)
    assert np.array_equal(inside, by_variable)


@pytest.mark.parametrize("given", [None, "nowhere"])
def test_absent_data_are_refused(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    monkeypatch.delenv("BRANCHLINE_DATA", raising=False)
    with pytest.raises(DataError) as caught:
        golub(given)
    assert caught.value.code == "F001"
    assert "data_set_ALL_AML_train.csv" in caught.value.message
    assert "--data" in str(caught.value.repair.flag)


def test_a_patient_without_expressions_is_refused(folder: Path) -> None:
    with (folder / "actual.csv").open("a") as file:
        file.write("99,ALL\n")
    with pytest.raises(DataError, match="Patient 99") as caught:
        golub_patients(folder)
    assert caught.value.code == "D011"


def test_other_genes_are_refused(folder: Path) -> None:
    path = folder / "data_set_ALL_AML_train.csv"
    path.write_text(path.read_text().replace("G3_at", "G7_at"))
    with pytest.raises(DataError, match="the same genes") as caught:
        golub_patients(folder)
    assert caught.value.code == "D011"


@pytest.mark.usefixtures("small")
def test_a_gene_that_tells_all_leaves_nobody_wrong(folder: Path) -> None:
    told: list[str] = []
    found = golub(folder, tell=told.append)
    assert [line.figures[0].printed for line in found.lines] == [16, 7, 4, 1]
    assert found.lines[0].figures[0].ours == 0
    assert found.agrees, found.to_text()
    assert len(told) == 8
    assert "With our defaults, patients wrong: tree " in found.to_text()
    assert "8 trees" in found.title


@pytest.mark.usefixtures("small")
def test_quick_has_fewer_trees_and_no_defaults(folder: Path) -> None:
    told: list[str] = []
    found = golub(folder, quick=True, tell=told.append)
    assert len(told) == 4
    assert "4 trees" in found.title
    assert "our defaults" not in found.to_text()
    assert "Published with 8 trees." in found.notes


def test_another_table_differs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUICK_TREES", 2)
    found = golub(folder, quick=True)
    assert not found.agrees
    assert "patients × genes" in found.verdict


@pytest.mark.parametrize(
    ("place", "most"),
    [(0, 18), (1, 5), (2, 2), (3, 3)],
    ids=["tree", "forest", "extra_trees", "stumps"],
)
def test_when_a_line_agrees(place: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    patients = module._LeftOut(np.zeros((1, 1)), np.array(["ALL"], dtype=object), None)
    for wrong, agrees in ((most, True), (most + 1, False), (0, True)):
        monkeypatch.setattr(module._LeftOut, "count_wrong", lambda *_, count=wrong: count)
        assert module._line(module._PUBLISHED[place], patients, 1, 0).agrees is agrees


@pytest.mark.usefixtures("small")
def test_a_remark_does_not_excuse(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module._LeftOut, "count_wrong", lambda *_: 3)
    found = golub(folder, quick=True)
    assert [line.agrees for line in found.lines] == [True, True, False, True]
    assert "extra_trees, score threshold 0.5: " in "\n".join(found.notes)
    assert not found.agrees


class _FirstRowOnly:
    """Remembers what it was fitted on; says the class of the first of these rows."""

    def fit(self, X: Any, y: Any) -> "_FirstRowOnly":
        self.seen, self.first = {float(value) for value in X[:, 0]}, y[0]
        return self

    def predict(self, X: Any) -> list[Any]:
        assert float(X[0, 0]) not in self.seen
        assert len(self.seen) == 3
        return [self.first]


def test_nobody_is_predicted_by_a_model_that_has_seen_them() -> None:
    X, y = np.arange(4.0)[:, None], np.array(["a", "a", "a", "b"], dtype=object)
    assert module._LeftOut(X, y, None).count_wrong("first row", _FirstRowOnly()) == 1


@pytest.mark.parametrize("wrong", [{"data": 3}, {"quick": "yes"}])
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        golub(**wrong)


@needs_shared
def test_the_real_patients() -> None:
    X, y = golub_patients(SHARED)
    assert X.shape == (72, 7129)
    assert X[0, :2].tolist() == [-214.0, -153.0]
    assert (int((y == "ALL").sum()), int((y == "AML").sum())) == (47, 25)
