"""The container: a zip file in which every byte has one meaning.

Standard tools open it, but reading is stricter than theirs, because what two readers understand
differently can hide something:

1. The end record closes the file (no comment, nothing after it) and says where the directory is.
2. The directory names ``manifest.json``, ``arrays/0``, ``arrays/1``, … in this order and no others.
3. Entries fill the file from its first byte to the directory, without gaps or overlaps, and each
   repeats in its own header what the directory says. None is encrypted; each is stored or deflated.
4. An entry unpacks to exactly the size and the checksum (CRC-32) that it declares, never to more.

Sizes above 2³¹ use the zip64 fields, as ``zipfile`` writes them.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from branchline.errors import ModelFileError

__all__ = ["MANIFEST", "Entry", "damaged", "pack_entries", "read_entries"]

MANIFEST = "manifest.json"

_STORED, _DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_SMALL = 128  # bytes below which deflating an entry makes it larger
_MAX_DIRECTORY = 2**24

# The records of a zip file, field by field as its specification (APPNOTE 4.3) has them.
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64 = struct.Struct("<4sIQI")
_WIDE = 2**32 - 1  # a field with this value stands in the zip64 part instead


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its name, its size and checksum when unpacked, and its packed bytes."""

    name: str
    size: int
    checksum: int
    is_deflated: bool
    packed: memoryview

    def read(self) -> bytes:
        """Return the unpacked bytes; never more than ``size`` of them are made."""
        content = self._inflated() if self.is_deflated else bytes(self.packed)
        if len(content) != self.size or zlib.crc32(content) != self.checksum:
            raise damaged(f"the entry {self.name} is not what the directory says")
        return content

    def _inflated(self) -> bytes:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            content = inflater.decompress(self.packed, self.size + 1)
        except zlib.error as error:
            raise damaged(f"the entry {self.name} cannot be unpacked") from error
        if not inflater.eof or inflater.unused_data:
            raise damaged(f"the entry {self.name} does not end where it should")
        return content


def damaged(what: str) -> ModelFileError:
    """Return the error for a model file whose parts do not agree."""
    return ModelFileError(
        f"The model file is damaged: {what}. It was altered, or a copy was cut short.", code="M002"
    )


def pack_entries(manifest: bytes, arrays: Sequence[bytes]) -> bytes:
    """Return the container of a manifest and arrays; the same content gives the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for place, content in enumerate((manifest, *arrays)):
            # A fixed date: the same model gives the same bytes.
            entry = zipfile.ZipInfo(_name(place), date_time=(1980, 1, 1, 0, 0, 0))
            how = _STORED if len(content) < _SMALL else _DEFLATED
            archive.writestr(entry, content, compress_type=how)
    return out.getvalue()


def read_entries(content: bytes) -> list[Entry]:
    """Return the entries, the manifest first, with the layout checked and nothing unpacked yet."""
    try:
        begin, end, n_entries = _find_directory(content)
        entries, place = [], 0
        for record in _directory(content, begin, end, n_entries):
            if record.offset != place:
                raise damaged("its entries overlap or leave gaps")
            first = _check_header(content, record)
            place = first + record.packed_size
            packed = memoryview(content)[first:place]
            is_deflated = record.method == _DEFLATED
            entries.append(Entry(record.name, record.size, record.checksum, is_deflated, packed))
    except struct.error as error:
        raise damaged("a header is cut off") from error
    if place != begin or not entries:
        raise damaged("its entries do not fill it")
    return entries


@dataclass(frozen=True, slots=True)
class _Record:
    """What the directory says about an entry."""

    name: str
    method: int
    checksum: int
    packed_size: int
    size: int
    offset: int


def _name(place: int) -> str:
    return MANIFEST if place == 0 else f"arrays/{place - 1}"


def _find_directory(content: bytes) -> tuple[int, int, int]:
    """Return where the directory begins and ends and how many entries it has."""
    end = len(content) - _END.size
    if end < 0:
        raise damaged("it is too short")
    mark, *found, n_comment = _END.unpack_from(content, end)
    if mark != b"PK\5\6" or n_comment != 0:
        raise damaged("its end is missing, or something was added after it")
    before = end - _LOCATOR_64.size - _END_64.size
    if before >= 0 and content.startswith(b"PK\6\7", before + _END_64.size):
        end, found = before, _end_64(content, before)
    disk, first_disk, n_here, n_entries, size, begin = found
    if disk or first_disk or n_here != n_entries or begin + size != end:
        raise damaged("its directory is not where the end says")
    if size > _MAX_DIRECTORY:
        raise ModelFileError("The model file's directory is too large.", code="M003")
    return begin, end, n_entries


def _end_64(content: bytes, place: int) -> list[int]:
    """Return the fields of the zip64 end record, which stands at ``place``, before its locator."""
    mark, length, _, _, *found = _END_64.unpack_from(content, place)
    _, *locator = _LOCATOR_64.unpack_from(content, place + _END_64.size)
    if mark != b"PK\6\6" or length != _END_64.size - 12 or locator != [0, place, 1]:
        raise damaged("its end does not agree with itself")
    return found


def _directory(content: bytes, begin: int, end: int, n_entries: int) -> Iterator[_Record]:
    """Yield what the directory says about each entry."""
    place = begin
    for number in range(n_entries):
        fields = _CENTRAL.unpack_from(content, place)
        mark, _, _, flags, method, _, _, checksum, packed_size, size, n_name, n_extra = fields[:12]
        n_comment, disk, _, _, offset = fields[12:]
        name_end = place + _CENTRAL.size + n_name
        name, place = content[place + _CENTRAL.size : name_end], name_end + n_extra
        if name != _name(number).encode() or method not in (_STORED, _DEFLATED):
            raise damaged("its directory names something that does not belong to a model")
        if mark != b"PK\1\2" or flags or n_comment or disk:
            raise damaged("its directory is malformed")
        size, packed_size, offset = _wide([size, packed_size, offset], content[name_end:place])
        yield _Record(_name(number), method, checksum, packed_size, size, offset)
    if place != end:
        raise damaged("its directory does not end where it should")


def _wide(fields: list[int], extra: bytes) -> list[int]:
    """Return sizes and offset; those that are too large for 32 bits stand in the zip64 part."""
    n_wide = fields.count(_WIDE)
    wanted = struct.pack("<2H", 1, 8 * n_wide) if n_wide else b""
    if extra[: len(wanted)] != wanted or len(extra) != len(wanted) + 8 * n_wide:
        raise damaged("a header holds something that does not belong to a model")
    wide = iter(struct.unpack_from(f"<{n_wide}Q", extra, len(wanted)))
    return [next(wide) if field == _WIDE else field for field in fields]


def _check_header(content: bytes, record: _Record) -> int:
    """Return where the entry's bytes begin, after comparing its own header with the directory."""
    fields = _LOCAL.unpack_from(content, record.offset)
    mark, _, flags, method, _, _, checksum, packed_size, size, n_name, n_extra = fields
    name_end: int = record.offset + _LOCAL.size + n_name
    name, extra = content[name_end - n_name : name_end], content[name_end : name_end + n_extra]
    size, packed_size = _wide([size, packed_size], extra)
    seen = (mark, flags, method, name, checksum, size, packed_size)
    said = (record.method, record.name.encode(), record.checksum, record.size, record.packed_size)
    if seen != (b"PK\3\4", 0, *said):
        raise damaged(f"the entry {record.name} and the directory differ")
    return name_end + len(extra)
