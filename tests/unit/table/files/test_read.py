"""The one door for files: formats, encodings, gzip, streams and files that cannot be read."""

import codecs
import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from branchline.errors import BranchlineError, DataError, ParameterError
from branchline.table import Table, read_table
from shared_data import ROOT

TEXT = "town,n\nLiège,1\nŁódź,2\n"
LATIN = "town,n\nLiège,1\nKöln,2\n"


def file_of(folder: Path, content: bytes | str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path: object, **options: object) -> DataError:
    with pytest.raises(DataError) as caught:
        read_table(path, **options)  # type: ignore[arg-type]
    assert str(caught.value)
    return caught.value


def repaired(error: BranchlineError, **scope: object) -> Table:
    """Return the table that the printed repair makes of the user's own variables."""
    exec(str(error.repair.python), scope)
    assert isinstance(scope["table"], Table)
    return scope["table"]


def towns(table: Table) -> list[object]:
    assert table.names == ("town", "n")
    return table.column("town").to_list()


# -- encodings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
    ],
)
def test_unicode_encodings_are_found(tmp_path: Path, content: bytes) -> None:
    assert towns(read_table(file_of(tmp_path, content))) == ["Liège", "Łódź"]


def test_old_western_encodings_are_found(tmp_path: Path) -> None:
    assert towns(read_table(file_of(tmp_path, LATIN.encode("cp1252")))) == ["Liège", "Köln"]
    undefined_in_cp1252 = LATIN.encode("latin-1") + b"\x81x,3\n"
    assert towns(read_table(file_of(tmp_path, undefined_in_cp1252)))[2] == "\x81x"


def test_an_encoding_can_be_forced(tmp_path: Path) -> None:
    path = file_of(tmp_path, TEXT.encode("iso8859-2", "replace"))
    assert towns(read_table(path, encoding="iso8859-2"))[1] == "Łódź"
    bare = file_of(tmp_path, TEXT.encode("utf-16-le"))
    assert towns(read_table(bare, encoding="utf-16-le")) == ["Liège", "Łódź"]


def test_text_that_is_not_in_the_forced_encoding_is_an_error(tmp_path: Path) -> None:
    error = refused(file_of(tmp_path, LATIN.encode("cp1252")), encoding="utf-8")
    assert (error.code, "line 2:" in error.message) == ("F006", True)


@pytest.mark.parametrize("encoding", ["no-such-thing", "hex", "utf\0-8"])
def test_an_unknown_encoding_is_an_error(tmp_path: Path, encoding: str) -> None:
    assert refused(file_of(tmp_path, TEXT), encoding=encoding).code == "F006"


@pytest.mark.parametrize(
    "content", [bytes(range(256)) * 20, TEXT.encode("utf-16-le"), b"\x01\x02\x03abc" * 99]
)
def test_bytes_that_are_no_text_are_an_error(tmp_path: Path, content: bytes) -> None:
    assert refused(file_of(tmp_path, content)).code == "F005"


def test_a_broken_byte_order_mark_text_is_an_error(tmp_path: Path) -> None:
    error = refused(file_of(tmp_path, codecs.BOM_UTF16_LE + b"a\x00,"))
    assert (error.code, error.repair.python) == ("F006", None)


@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-16-le", "latin-1"])
@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 9 + b"\xd8",
        b"MATLAB 5.0 MAT-file, Platform: GLNXA64".ljust(124)
        + b"\x00\x01IM"
        + b"\x00\xd8\x01" * 999,
    ],
)
def test_binary_files_have_one_error_whatever_the_encoding(
    tmp_path: Path, content: bytes, encoding: str | None
) -> None:
    error = refused(file_of(tmp_path, content, "data.mat"), encoding=encoding)
    assert (error.code, error.repair.python) == ("F005", None)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_told_from_binary(tmp_path: Path, encoding: str) -> None:
    error = refused(file_of(tmp_path, TEXT.encode(encoding)))
    assert error.code == "F005"
    assert towns(repaired(error)) == ["Liège", "Łódź"]


# -- streams and gzip ---------------------------------------------------------------------------


def test_open_files_are_read(tmp_path: Path) -> None:
    path = file_of(tmp_path, TEXT)
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        assert towns(read_table(binary)) == towns(read_table(text)) == ["Liège", "Łódź"]
    assert towns(read_table(io.BytesIO(gzip.compress(TEXT.encode())))) == ["Liège", "Łódź"]


def test_standard_input_is_read() -> None:
    program = "from branchline.table import read_table; print(read_table('-')['n'].to_list())"
    source = str(ROOT / "src")
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=gzip.compress(TEXT.encode()),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": source},
        check=True,
        timeout=200,
    )
    assert done.stdout.decode().strip() == "[1, 2]"


def test_gzip_is_found_by_content(tmp_path: Path) -> None:
    path = file_of(tmp_path, gzip.compress(TEXT.encode()), "plain.csv")
    assert towns(read_table(path)) == ["Liège", "Łódź"]
    arff = b"@relation r\n@attribute a real\n@data\n1\n"
    assert read_table(file_of(tmp_path, gzip.compress(arff), "a.arff.gz"))["a"].to_list() == [1.0]


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-6], lambda b: b[:12], lambda b: b[:20] + b"junk!"]
)
def test_a_damaged_gzip_file_is_an_error(tmp_path: Path, damage: object) -> None:
    packed = gzip.compress(TEXT.encode() * 50)
    path = file_of(tmp_path, damage(packed), "data.csv.gz")  # type: ignore[operator]
    assert refused(path).code == "F007"


def test_a_stream_that_cannot_be_decoded_is_an_error(tmp_path: Path) -> None:
    path = file_of(tmp_path, LATIN.encode("latin-1"))
    with path.open(encoding="utf-8") as text:
        assert refused(text).code == "F006"


def test_a_closed_file_and_no_file_at_all_are_errors(tmp_path: Path) -> None:
    file = file_of(tmp_path, TEXT).open("rb")
    file.close()
    assert refused(file).code == "F003"
    assert refused([[1, 2]]).code == "F001"


def test_a_frame_instead_of_a_path_is_named_by_its_type() -> None:
    error = refused(FRAME)
    assert error.code == "F001"
    assert error.message.startswith("path: a path or an open file is needed, not an object of type")
    assert "DataFrame" in error.message
    assert repaired(error, X=FRAME).shape == (3, 3)


@pytest.mark.parametrize("url", ["https://example.org/a.csv", Path("s3://bucket/a.csv")])
def test_addresses_are_not_fetched(url: object) -> None:
    error = refused(url)
    assert error.code == "F001"
    assert "not fetched. Download the file first" in error.message
    assert "folder" not in error.message


# -- binary formats -----------------------------------------------------------------------------

FRAME = pl.DataFrame({"a": [1, None, 3], "b": ["x", "y", None], "c": [True, False, None]})


def write_frame(path: Path) -> None:
    kind = path.suffix
    if kind == ".parquet":
        FRAME.write_parquet(path)
    elif kind == ".arrows":
        FRAME.write_ipc_stream(path)
    else:
        FRAME.write_ipc(path)


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.feather", "t.arrows", "t.csv"])
def test_parquet_and_arrow_are_read_by_content(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_frame(path)
    table = read_table(path, kinds={"a": "category"}, drop="c")
    assert table["a"].categories == (1, 3)
    assert table["b"].to_list() == ["x", "y", None]
    assert table.names == ("a", "b")


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.arrows"])
@pytest.mark.parametrize("keep", [7, 60, -30])
def test_cut_parquet_and_arrow_are_errors(tmp_path: Path, name: str, keep: int) -> None:
    path = tmp_path / name
    write_frame(path)
    path.write_bytes(path.read_bytes()[:keep])
    assert refused(path).code == "F008"


def test_the_forced_format_must_fit(tmp_path: Path) -> None:
    path = file_of(tmp_path, TEXT)
    assert refused(path, format="parquet").code == "F008"
    assert refused(path, format="arrow").code == "F008"
    assert refused(path, format="arff").code == "F013"
    assert refused(file_of(tmp_path, b""), format="parquet").code == "F004"


# -- files that cannot be read ------------------------------------------------------------------


def test_an_absent_file_is_an_error_with_a_guess(tmp_path: Path) -> None:
    path = file_of(tmp_path, TEXT, "towns.csv")
    error = refused(tmp_path / "town.csv")
    assert (error.code, "'towns.csv'" in error.message) == ("F001", True)
    assert repr(str(path)) in str(error.repair.python)
    assert "does not exist either" in refused(tmp_path / "nowhere" / "x.csv").message


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    assert refused(tmp_path).code == "F002"


@pytest.mark.parametrize("path", ["bad\0name.csv", "x" * 5000])
def test_impossible_paths_are_errors(path: str) -> None:
    assert refused(path).code == "F003"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_without_permission_is_an_error(tmp_path: Path) -> None:
    path = file_of(tmp_path, TEXT)
    path.chmod(0)
    assert refused(path).code == "F003"


@pytest.mark.parametrize(
    ("content", "what"),
    [(b"FEA1rest", "Feather"), (b"\x89HDF\r\n", "HDF5"), (b"%PDF-1.4", "PDF")],
)
def test_formats_that_cannot_be_read_are_named(tmp_path: Path, content: bytes, what: str) -> None:
    error = refused(file_of(tmp_path, content))
    assert (error.code, what in error.message) == ("F009", True)


@pytest.mark.parametrize("name", ["page.csv", "page.txt", "page"])
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<!DOCTYPE html>\n<html></html>", "web page"),
        ("\ufeff\n  <HTML lang='en'>", "web page"),
        ('<?xml version="1.0"?>\n<rows/>', "XML"),
    ],
)
def test_pages_are_no_tables(tmp_path: Path, name: str, text: str, what: str) -> None:
    error = refused(file_of(tmp_path, text, name))
    assert (error.code, what in error.message) == ("F009", True)


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]',
        '\n[\n  {"a": 1, "b": "x"},\n  {"a": 2, "b": "y"}\n]',
        '{"a": [1, 2], "b": ["x", "y"]}',
        '{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n',
        "[[1, 2], [3, 4]]",
    ],
)
@pytest.mark.parametrize("name", ["data.json", "data.txt", "data"])
def test_json_is_read_whatever_its_name(tmp_path: Path, text: str, name: str) -> None:
    assert read_table(file_of(tmp_path, text, name)).shape == (2, 2)
    assert read_table(io.StringIO(text)).shape == (2, 2)


def test_a_csv_of_brackets_is_read_when_asked_for(tmp_path: Path) -> None:
    assert read_table(file_of(tmp_path, "[[a,b\n1,2\n"), format="csv").shape == (1, 2)


def test_an_unknown_format_name_is_an_error_with_a_guess(tmp_path: Path) -> None:
    error = refused(file_of(tmp_path, TEXT), format="parket")
    assert (error.code, "'parquet'" in error.message) == ("F009", True)


def test_an_unknown_kind_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="number, category, date") as caught:
        read_table(file_of(tmp_path, TEXT), kinds={"n": "nominal"})
    assert caught.value.code == "D040"


def test_a_file_over_the_memory_budget_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(tmp_path, gzip.compress(bytes(2**25)))
    monkeypatch.setenv("BRANCHLINE_MEMORY", "1000")
    assert refused(path).code == "D030"


def test_importing_the_room_imports_neither_polars_nor_scikit_learn() -> None:
    program = "import sys, branchline.table; print({'polars', 'sklearn'} & set(sys.modules))"
    source = str(ROOT / "src")
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": source},
        check=True,
        timeout=200,
    )
    assert done.stdout.decode().strip() == "set()"


def test_streams_have_the_same_errors_as_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(io.BytesIO(b"\x1f\x8bgarbage")).code == "F007"
    monkeypatch.setenv("BRANCHLINE_MEMORY", "1000")
    assert refused(io.BytesIO(bytes(2000))).code == "D030"


@pytest.mark.parametrize("option", ["missing", "drop"])
def test_options_that_are_texts_take_nothing_else(option: str) -> None:
    assert refused(io.StringIO(TEXT), **{option: -99}).code == "F012"
