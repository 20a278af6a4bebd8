"""Files read part by part give the rows that they have when they are read whole."""

import gzip

import numpy as np
import pandas as pd
import pytest

from branchline import read_table
from branchline.errors import DataError
from branchline.stream import read_stream


def write(folder):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=50).round(3),
            "code": rng.integers(1, 4, 50),
            "text": ['two\nlines, "quoted"' if k % 7 == 0 else f"t{k % 3}" for k in range(50)],
            "y": rng.integers(0, 2, 50),
        }
    )
    frame.loc[5, "x"] = None
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_parquet(folder / "a.parquet")
    (folder / "a.csv.gz").write_bytes(gzip.compress((folder / "a.csv").read_bytes()))
    return frame


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet"])
def test_parts_together_are_the_file(tmp_path, name):
    write(tmp_path)
    whole = read_table(tmp_path / name)
    parts = list(read_stream(tmp_path / name, chunk_rows=17))
    assert [part.n_rows for part in parts] == [17, 17, 16]
    for column in whole.names:
        together = [cell for part in parts for cell in part.column(column).to_list()]
        assert together == whole.column(column).to_list()


def test_classes_are_found_in_all_parts(tmp_path):
    write(tmp_path)
    assert read_stream(tmp_path / "a.csv", chunk_rows=3).classes("y").tolist() == ["0", "1"]


def test_other_files_are_refused(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(DataError) as caught:
        list(read_stream(tmp_path / "a.json"))
    assert caught.value.code == "D638"
