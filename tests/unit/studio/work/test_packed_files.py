"""Compressed files that unpack to too much, and those that may."""

import bz2
import gzip
import io
import zipfile

import pytest

from branchline.errors import DataError
from branchline.studio.work import _packed_files
from branchline.studio.work._packed_files import refuse_bomb
from branchline.studio.work.tables import add_upload

ROWS = b"a,b\n" + b"1,2\n" * 200_000


def zipped(content):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", content)
    return made.getvalue()


PACKED = {".csv.gz": gzip.compress, ".csv.zip": zipped, ".csv.bz2": bz2.compress}


def uploaded(desk, ending, content):
    id = desk.workspace.new_id()
    desk.workspace.place("tables", id, ending).write_bytes(content)
    return id


@pytest.mark.parametrize("ending", PACKED)
def test_many_times_its_size_is_refused(desk, monkeypatch, ending):
    content = PACKED[ending](ROWS)
    monkeypatch.setattr(_packed_files, "UNPACKED_FREE_BYTES", len(ROWS) - 1)
    monkeypatch.setattr(_packed_files, "UNPACKED_TIMES", 10)
    id = uploaded(desk, ending, content)
    with pytest.raises(DataError, match=f"unpacks to more than {len(ROWS) - 1:,}") as caught:
        add_upload(desk, id, f"a{ending}", ending)
    assert caught.value.code == "F965"
    assert not desk.workspace.place("tables", id, ending).exists()
    assert desk.workspace.names("tables") == []
    monkeypatch.setattr(_packed_files, "UNPACKED_FREE_BYTES", len(ROWS))
    id = uploaded(desk, ending, content)
    assert add_upload(desk, id, f"a{ending}", ending)["table"]["rows"] == 200_000


@pytest.mark.parametrize("ending", PACKED)
def test_more_bytes_than_the_limit_are_refused_whatever_the_size(desk, monkeypatch, ending):
    monkeypatch.setattr(_packed_files, "UNPACKED_BYTES", 1000)
    id = desk.workspace.new_id()
    path = desk.workspace.place("files", id, ending)
    path.write_bytes(PACKED[ending](bytes(range(256)) * 4))
    with pytest.raises(DataError) as caught:
        refuse_bomb(path)
    assert caught.value.code == "F965"
    path.write_bytes(PACKED[ending](bytes(range(250)) * 4))
    refuse_bomb(path)


def test_unpacking_ends_at_the_limit(desk, monkeypatch):
    read = []

    class Endless:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def read(self, size):
            read.append(size)
            return bytes(size)

    count = _packed_files._count_of(lambda path: Endless())
    assert count(None, 5 * 2**20) > 5 * 2**20
    assert len(read) == 6


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b", b"PK\x03\x04 no archive", b"a,b\n1,2\n"])
def test_what_is_damaged_is_left_to_the_reader(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    refuse_bomb(tmp_path / "a")
