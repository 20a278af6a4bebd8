"""Files appear whole or not at all; links are followed; nothing is left behind."""

import pytest

from branchline._atomic_file import replacing


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(TypeError), replacing(path) as file:
        file.writelines([b"half", None])
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_is_followed(tmp_path):
    true, link = tmp_path / "true.txt", tmp_path / "link.txt"
    true.write_text("old")
    link.symlink_to(true)
    with replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert true.read_text() == "new"
