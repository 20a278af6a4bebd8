"""The Python of a report reads the same rows as the command did."""

from pathlib import Path

import pytest

from branchline import read_table
from branchline.assess import make_problem
from branchline.cli._python_reading import python_reading
from branchline.cli._reading import Reading

_TEXT = "id;income;y\n1;-;a\n2;1,5;b\n3;n/a;\n4;2,5;a\n"


@pytest.mark.parametrize(
    "reading",
    [
        Reading(missing=("-", "n/a", ""), decimal=",", delimiter=";", known_only=True, ids=("id",)),
        Reading(kind=("income=category",), missing=("",), known_only=True),
    ],
)
def test_python_reads_the_same_rows(reading: Reading, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(_TEXT)
    known = reading.with_target(reading.read(str(path)), "y")
    names = {"read_table": read_table}
    exec(python_reading(str(path), reading, "y"), names)
    same = make_problem(names["table"], "y").fingerprint
    assert same == make_problem(known, "y").fingerprint
