"""Loading damaged files: the zip container, byte by byte."""

import io
import struct
import warnings
import zipfile
import zlib
from dataclasses import replace

import pytest

from branchline import load
from branchline._saving import _container
from branchline._saving._write import to_bytes
from branchline.errors import ModelFileError
from fuzz.mutate_arrays import take_apart
from saved_models import refusal

# -- damage -------------------------------------------------------------------------------------


def test_every_prefix_is_refused(sound):
    for length in range(len(sound)):
        assert refusal(io.BytesIO(sound[:length])).code in {"M001", "M002"}


def test_every_single_changed_byte_is_refused_or_does_not_matter(sound):
    """Only dates, versions and attributes in the zip's records do not matter."""
    harmless = 0
    for place in range(len(sound)):
        changed = bytearray(sound)
        changed[place] ^= 0x55
        try:
            model = load(io.BytesIO(bytes(changed)))
        except ModelFileError:
            continue
        harmless += 1
        assert to_bytes(model) == sound
    n_entries = len(take_apart(sound)[1]) + 1
    assert harmless <= n_entries * (6 + 16)


@pytest.mark.parametrize("extra", [b"\0", b"PK\5\6" + bytes(18), b"x" * 1000])
def test_bytes_after_or_before_the_content_are_refused(sound, extra):
    assert refusal(io.BytesIO(sound + extra)).code == "M002"
    assert refusal(io.BytesIO(extra + sound)).code == "M001"


def rezipped(content, *, edit=lambda entries: entries, method=zipfile.ZIP_DEFLATED, **options):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in edit(entries):
            info = zipfile.ZipInfo(name)
            info.extra = options.get("extra", b"")
            info.comment = options.get("entry_comment", b"")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of doubled names
                archive.writestr(info, data, compress_type=method)
        archive.comment = options.get("comment", b"")
    return out.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_file_packed_again_by_another_tool_is_read(stump, sound, method):
    assert to_bytes(load(io.BytesIO(rezipped(sound, method=method)))) == sound


def doubled(entries):
    return [*entries, entries[1]]


def undeclared(entries):
    return [*entries, (f"arrays/{len(entries) - 1}", b"")]


def absent(entries):
    return entries[:-1]


def absolute(entries):
    return [entries[0], *((f"/{name}", data) for name, data in entries[1:])]


def other_order(entries):
    return [entries[0], *entries[:0:-1]]


@pytest.mark.parametrize("edit", [doubled, undeclared, absent, absolute, other_order])
def test_entries_must_be_those_declared(sound, edit):
    assert refusal(io.BytesIO(rezipped(sound, edit=edit))).code == "M002"


@pytest.mark.parametrize(
    "options",
    [
        {"comment": b"hello"},
        {"entry_comment": b"hello"},
        {"extra": struct.pack("<HH4s", 99, 4, b"data")},
        {"method": zipfile.ZIP_BZIP2},
        {"method": zipfile.ZIP_LZMA},
    ],
)
def test_a_zip_with_hiding_places_is_refused(sound, options):
    assert refusal(io.BytesIO(rezipped(sound, **options))).code == "M002"


@pytest.mark.parametrize("mark", [b"PK\3\4", b"PK\1\2"])
@pytest.mark.parametrize("flag", [1, 8, 0x800], ids=["encrypted", "sizes later", "other names"])
def test_flags_of_entries_are_refused(sound, mark, flag):
    changed = bytearray(sound)
    place = changed.index(mark, 1) + (6 if mark == b"PK\3\4" else 8)
    changed[place : place + 2] = struct.pack("<H", flag)
    assert refusal(io.BytesIO(bytes(changed))).code == "M002"


def end_changed(content, junk=b"", *, begin=0, size=0, n_comment=0, mark=b"PK\5\6"):
    """Return the file with bytes before the end record, and the record changed to fit them."""
    fields = list(struct.unpack("<4s4H2IH", content[-22:]))
    fields[0], fields[5], fields[6], fields[7] = (
        mark,
        fields[5] + size,
        fields[6] + begin,
        n_comment,
    )
    return io.BytesIO(content[:-22] + junk + struct.pack("<4s4H2IH", *fields))


def test_the_end_record_is_what_it_should_be(sound):
    assert load(end_changed(sound)) is not None
    for wrong in (end_changed(sound, mark=b"PK\5\7"), end_changed(sound, n_comment=1)):
        assert "its end is missing" in refusal(wrong).message
    for place in (4, 6, 8, 10):
        changed = bytearray(sound)
        changed[place - 22] += 1
        assert "not where the end says" in refusal(io.BytesIO(bytes(changed))).message


def test_gaps_around_the_directory_are_refused(sound):
    directory = sound.index(b"PK\1\2")
    apart = sound[:directory] + b"junk" + sound[directory:]
    assert "do not fill it" in refusal(end_changed(apart, begin=4)).message
    longer = end_changed(sound, b"junk", size=4)
    assert "does not end where it should" in refusal(longer).message
    assert "not where the end says" in refusal(end_changed(sound, b"junk")).message


def test_a_model_has_a_manifest(sound):
    alone = io.BytesIO(sound[:43] + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0, 0, 0, 43, 0))
    assert "do not fill it" in refusal(alone).message


def test_a_huge_directory_is_refused_before_it_is_read(sound):
    size = 2**24 + 1
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, size, 43, 0)
    assert refusal(io.BytesIO(sound[:43] + bytes(size) + end)).code == "M003"


def test_a_file_of_a_few_bytes_is_too_short(sound):
    with pytest.raises(ModelFileError, match="too short"):
        _container.read_entries(sound[:21])


def test_overlapping_entries_are_refused(sound):
    """Two directory entries for the same bytes: how small files unpack to petabytes."""
    changed = bytearray(sound)
    first = changed.index(b"PK\1\2")
    second = changed.index(b"PK\1\2", first + 1)
    third = changed.index(b"PK\1\2", second + 1)
    changed[third + 42 : third + 46] = changed[second + 42 : second + 46]
    error = refusal(io.BytesIO(bytes(changed)))
    assert error.code == "M002"
    assert "overlap" in error.message


def test_bytes_after_the_end_of_a_deflated_entry_are_refused():
    entry = _container.Entry("arrays/0", 4, zlib.crc32(b"abcd"), True, memoryview(b""))
    packed = zlib.compress(b"abcd", wbits=-15)
    assert replace(entry, packed=memoryview(packed)).read() == b"abcd"
    for wrong in (packed + b"x", packed[:-1], b"\xff" + packed, b""):
        with pytest.raises(ModelFileError):
            replace(entry, packed=memoryview(wrong)).read()
    with pytest.raises(ModelFileError):
        replace(entry, packed=memoryview(packed), size=3).read()
    with pytest.raises(ModelFileError):
        replace(entry, packed=memoryview(packed), checksum=1).read()


def test_sizes_that_need_64_bits_are_read(monkeypatch, stump, sound):
    """The limit is lowered, because a file of four gigabytes is no unit test."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 200)
    wide = to_bytes(stump)
    assert len(wide) > len(sound) + 76
    loaded = load(io.BytesIO(wide))
    monkeypatch.undo()
    assert to_bytes(loaded) == sound
    place = wide.index(b"PK\6\6")
    assert refusal(io.BytesIO(wide[:-60] + wide[-22:])).code == "M002"
    for offset in (4, 24, 32, 40, 48, 56 + 4, 56 + 8, 56 + 16):
        changed = bytearray(wide)
        changed[place + offset] ^= 1
        assert refusal(io.BytesIO(bytes(changed))).code == "M002"
