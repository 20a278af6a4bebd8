"""Loading: files that are absent, of another format, or too large."""

import gzip
import io
import os
import pickle
import struct
import sys
import zipfile

import joblib
import numpy as np
import pandas as pd
import pytest

from branchline import load
from branchline._saving import MAX_BYTES
from branchline._saving._container import pack_entries
from branchline._saving._write import to_bytes
from branchline.baseline import MeanRegressor
from branchline.errors import ParameterError
from branchline.tree import Stump
from fuzz.mutate_arrays import forge, take_apart
from saved_models import needed_bytes, peak_memory, refusal

# -- paths --------------------------------------------------------------------------------------


def test_a_file_that_is_not_there_is_named(tmp_path):
    error = refusal(tmp_path / "absent.branchline")
    assert error.code == "M008"
    assert "absent.branchline" in error.message
    assert "no such file" in error.message


def test_a_folder_is_no_model(tmp_path):
    error = refusal(tmp_path)
    assert error.code == "M008"
    assert "folder" in error.message


@pytest.mark.parametrize("path", ["", "a\0b", "~nobody-of-that-name/x", 3, None, b"PK", "x" * 5000])
def test_what_is_no_path_is_refused(path):
    error = refusal(path)
    assert error.code == "M008"
    assert isinstance(path, str) or "a path or an open binary file is needed" in error.message


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe").code == "M008"
    assert refusal("/dev/zero").code == "M008"


def test_a_file_opened_as_text_or_closed_is_refused(tmp_path):
    path = tmp_path / "m.txt"
    path.write_text("hello", encoding="utf-8")
    with path.open(encoding="utf-8") as file:
        error = refusal(file)
    assert error.code == "M008"
    assert "'rb'" in error.message
    assert refusal(file).code == "M008"


def test_an_unreadable_file_says_why(tmp_path, monkeypatch):
    """A forbidden file is played, because root may read everything."""
    path = tmp_path / "secret.branchline"
    path.write_bytes(b"")

    def forbidden(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", forbidden)
    error = refusal(path)
    assert error.code == "M008"
    assert "Permission denied" in error.message


def test_a_read_error_of_the_file_is_reported():
    class Broken(io.BytesIO):
        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    error = refusal(Broken())
    assert error.code == "M008"
    assert "Input/output error" in error.message


# -- what is no model file ----------------------------------------------------------------------


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_called_one_and_not_opened(protocol):
    model = MeanRegressor().fit([[1.0]], [2.0])
    error = refusal(io.BytesIO(pickle.dumps(model, protocol)))
    assert error.code == "M001"
    if protocol != 1:  # whose first byte says nothing
        assert "pickle" in error.message
        assert "never unpickles" in error.message


@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("bz2", 3), ("xz", 3), ("lzma", 3)])
def test_a_joblib_file_is_called_a_pickle(tmp_path, compress):
    joblib.dump(MeanRegressor().fit([[1.0]], [2.0]), tmp_path / "m.joblib", compress=compress)
    error = refusal(tmp_path / "m.joblib")
    assert error.code == "M001"
    assert "never unpickles" in error.message


class Bomb:
    def __reduce__(self):
        return sys.exit, ("unpickled",)


def test_code_in_a_pickle_does_not_run():
    assert refusal(io.BytesIO(pickle.dumps(Bomb()))).code == "M001"


def other_files():
    matrix = io.BytesIO()
    np.savez(matrix, a=np.zeros(3))
    return {
        "nothing": b"",
        "csv": b"x,y\n1,2\n",
        "csv that begins with x": b"x0,x1\n1,2\n",
        "npz": matrix.getvalue(),
        "gzip": gzip.compress(b"x"),
        "json": b'{"format": 1}',
        "parquet": b"PAR1" + bytes(20),
        "zeros": bytes(100),
        "empty zip": b"PK\5\6" + bytes(18),
    }


@pytest.mark.parametrize("kind", other_files())
def test_other_files_are_no_models(kind):
    error = refusal(io.BytesIO(other_files()[kind]))
    assert error.code == "M001"
    assert "not a Branchline model file" in error.message


# -- size ---------------------------------------------------------------------------------------


def test_a_model_larger_than_allowed_is_refused(sound):
    error = refusal(io.BytesIO(sound), max_bytes=10_000)
    assert error.code == "M003"
    load(io.BytesIO(sound), max_bytes=1_000_000)
    assert MAX_BYTES == 2**32


def test_a_file_larger_than_allowed_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**40)
    error, peak = peak_memory(lambda: refusal(path, max_bytes=10**6))
    assert error.code == "M003"
    assert peak < 4 * 10**6


def test_a_small_file_that_unpacks_to_a_large_one_is_refused_before_unpacking(stump):
    manifest, arrays = take_apart(to_bytes(stump))
    bomb = forge(manifest, [*arrays[:-1], np.zeros((10**6, 3))])
    assert len(bomb) < 10**5
    error, peak = peak_memory(lambda: refusal(io.BytesIO(bomb), max_bytes=10**7))
    assert error.code == "M003"
    assert peak < 10**6


def test_a_manifest_of_many_small_things_is_refused_before_it_is_parsed(sound):
    manifest, arrays = take_apart(sound)
    manifest["schema"]["columns"] = [{}] * 300_000
    bomb = forge(manifest, arrays)
    error, peak = peak_memory(lambda: refusal(io.BytesIO(bomb), max_bytes=10**7))
    assert error.code == "M003"
    assert peak < 10**7


@pytest.mark.parametrize("text", [b"[" + b"[]," * 2**20 + b"1]", b"[" + b"1," * 2**23 + b"1]"])
def test_a_manifest_that_would_take_minutes_is_refused(sound, text):
    assert refusal(io.BytesIO(pack_entries(text, []))).code == "M003"


def test_reading_takes_no_more_memory_than_promised():
    """Four times max_bytes, whatever the file says; here it is just large enough."""
    frame = pd.DataFrame({"c": [f"name {place}" for place in range(20_000)]})
    content = to_bytes(Stump(split="multiway").fit(frame, np.arange(20_000) % 2))
    needed = needed_bytes(content)
    assert needed < 12 * 10**6
    assert peak_memory(lambda: load(io.BytesIO(content), max_bytes=needed))[1] < 4 * needed
    assert refusal(io.BytesIO(content), max_bytes=needed - 1).code == "M003"


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "1", None])
def test_max_bytes_must_be_a_positive_number(sound, value):
    with pytest.raises(ParameterError):
        load(io.BytesIO(sound), max_bytes=value)


def test_max_bytes_may_be_larger_than_any_memory_but_no_size_in_a_file(sound, monkeypatch):
    load(io.BytesIO(sound), max_bytes=2**80)
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 200)
    wide = pack_entries(b"x" * 300, [])
    size = struct.pack("<Q", 300)
    assert wide.count(size) == 2
    error = refusal(io.BytesIO(wide.replace(size, struct.pack("<Q", 2**63 + 7))), max_bytes=2**80)
    assert error.code == "M003"
