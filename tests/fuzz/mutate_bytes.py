"""Damage to files: bytes, and the zip container around a model."""

import io
import random
import struct
import warnings
import zipfile
from collections.abc import Sequence
from typing import TypeAlias

from branchline._saving._container import read_entries

__all__ = ["damage", "mutate_bytes", "mutate_container"]

Corpus: TypeAlias = Sequence[bytes]


# -- bytes --------------------------------------------------------------------------------------


def mutate_bytes(rng: random.Random, corpus: Corpus) -> bytes:
    """Damage one of the files."""
    return damage(rng, rng.choice(corpus), corpus)


def damage(rng: random.Random, content: bytes, others: Corpus) -> bytes:
    """Damage a file as disks, networks and editors do; others may be spliced in."""
    made = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        rng.choice(_BYTE_DAMAGES)(rng, made, others)
    return bytes(made)


def _flip(rng: random.Random, content: bytearray, corpus: Corpus) -> None:
    if content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def _overwrite(rng: random.Random, content: bytearray, corpus: Corpus) -> None:
    if content:
        content[rng.randrange(len(content))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))


def _put_in(rng: random.Random, content: bytearray, corpus: Corpus) -> None:
    place = rng.randrange(len(content) + 1)
    content[place:place] = rng.randbytes(rng.choice((1, 2, 4, 30)))


def _take_out(rng: random.Random, content: bytearray, corpus: Corpus) -> None:
    place = rng.randrange(len(content) + 1)
    del content[place : place + rng.choice((1, 2, 8, 100))]


def _cut(rng: random.Random, content: bytearray, corpus: Corpus) -> None:
    del content[rng.randrange(len(content) + 1) :]


def _repeat(rng: random.Random, content: bytearray, corpus: Corpus) -> None:
    place = rng.randrange(len(content) + 1)
    content[place:place] = content[place : place + rng.randrange(200)]


def _zero(rng: random.Random, content: bytearray, corpus: Corpus) -> None:
    place = rng.randrange(len(content) + 1)
    piece = content[place : place + rng.randrange(64)]
    content[place : place + len(piece)] = bytes(len(piece))


def _splice(rng: random.Random, content: bytearray, corpus: Corpus) -> None:
    other = rng.choice(corpus)
    content[rng.randrange(len(content) + 1) :] = other[rng.randrange(len(other)) :]


_BYTE_DAMAGES = (_flip, _flip, _flip, _overwrite, _put_in, _take_out, _cut, _repeat, _zero, _splice)


# -- container ----------------------------------------------------------------------------------


def mutate_container(rng: random.Random, corpus: Corpus) -> bytes:
    """Write the same content as another zip file."""
    entries = [(entry.name, entry.read()) for entry in read_entries(rng.choice(corpus))]
    if rng.random() < 0.3:
        return _edit_headers(rng, _zip(rng, entries, plain=True))
    for _ in range(rng.choice((0, 1, 1, 2))):
        _edit_entries(rng, entries)
    content = _zip(rng, entries, plain=rng.random() < 0.5)
    tricks = (b"", b"", rng.randbytes(9), content, b"PK\5\6" + bytes(18), b"PK\3\4" + bytes(26))
    return rng.choice(tricks) + content if rng.random() < 0.5 else content + rng.choice(tricks)


def _edit_entries(rng: random.Random, entries: list[tuple[str, bytes]]) -> None:
    place = rng.randrange(len(entries))
    name, content = entries[place]
    strange = ("../x", "/etc/passwd", "arrays/", "arrays/00", "Manifest.json", "é", "", "a\0b")
    how = rng.randrange(6)
    if how == 0:
        entries[place] = (rng.choice((*strange, f"/{name}", f"./{name}")), content)
    elif how == 1:
        entries.insert(rng.randrange(len(entries) + 1), (name, content))
    elif how == 2:
        entries.append((rng.choice((*strange, f"arrays/{len(entries) - 1}")), rng.randbytes(8)))
    elif how == 3 and len(entries) > 1:
        del entries[place]
    elif how == 4:
        rng.shuffle(entries)
    else:
        entries[place] = (name, content + rng.choice((b"\0", b" ", bytes(100_000))))


def _zip(rng: random.Random, entries: list[tuple[str, bytes]], *, plain: bool) -> bytes:
    out = io.BytesIO()
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in entries:
            info = zipfile.ZipInfo(name or "x")
            if not plain:
                info.extra = rng.choice((b"", b"", b"\1\0\4\0abcd", struct.pack("<HHQ", 1, 8, 9)))
                info.comment = rng.choice((b"", b"", b"hello"))
            method = rng.choice(methods[:2] if plain else methods)
            with warnings.catch_warnings():  # of doubled names, which are the point here
                warnings.simplefilter("ignore")
                archive.writestr(info, content, compress_type=method)
        if not plain:
            archive.comment = rng.choice((b"", b"a comment"))
    return out.getvalue()


def _edit_headers(rng: random.Random, content: bytes) -> bytes:
    """Change fields of the zip's own records, in one place or in the same way everywhere."""
    made = bytearray(content)
    mark, size = rng.choice(((b"PK\3\4", 30), (b"PK\1\2", 46), (b"PK\5\6", 22)))
    places = [i for i in range(len(made)) if made[i : i + 4] == mark]
    field = rng.randrange(4, size - 1)
    value = struct.pack(
        "<H", rng.choice((0, 1, 2, 8, 9, 0x800, 0x7FFF, 0xFFFF, rng.randrange(2**16)))
    )
    for place in places if rng.random() < 0.5 else [rng.choice(places)]:
        made[place + field : place + field + 2] = value
    return bytes(made)
