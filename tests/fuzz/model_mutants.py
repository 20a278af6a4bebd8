"""How model files are damaged and forged: a function for each kind of mutant."""

import copy
import hashlib
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from branchline._saving._container import pack_entries, read_entries
from branchline._saving._manifest import DTYPES

__all__ = ["MUTATE", "forge", "take_apart"]

Corpus: TypeAlias = Sequence[bytes]


# What a field may become. A Raw is written as it stands: JSON that json.dumps would not write.
class Raw(str):
    """Text that goes into the JSON as it is."""


class Pairs(list[tuple[str, Any]]):
    """A JSON object that may have a key twice."""


NASTY: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 255, 2**31 - 1, 2**31, -(2**31), 2**53, 2**63, 2**64,
    0.0, -0.0, 0.5, 1.0, 1e308, -1e308, 5e-324, "", "a", "x0", "x1", "nan", "inf", "1", "True",
    "numeric", "category", "float", "integer", "boolean", "string", "ordered", "date", "datetime",
    "duration", "time", "D", "s", "ns", "Europe/Brussels", "../../etc/passwd", "\0", "\n", "é" * 9,
    "StumpClassifier", "StumpRegressor", "MajorityClassifier", "MeanRegressor", "Pipeline",
    "os.system", "gini", "entropy", "multiway", "binary", "a" * 5000, [], [[]], ["a"], ["a", "a"],
    ["a", "b"], [1, 2], [1, "1"], [0.5], [True, False], [False, True], [None], {}, {"a": 1},
    {"$array": 0}, {"$array": 1}, {"$array": -1}, {"$array": True}, {"$array": 1.0},
    {"objects": ["a", "b"]}, {"objects": [1, 2]}, {"objects": [False, True]}, {"objects": [1, "a"]},
    Raw("NaN"), Raw("Infinity"), Raw("-Infinity"), Raw("1e999"), Raw("9" * 400), Raw("9" * 5000),
    Raw('"\\ud800"'), Raw('["\\udfff"]'), Raw("[" * 3000 + "]" * 3000), Raw('{"a":1,"a":2}'),
    Raw("1.0"), Raw("-0"), Raw("01"), Raw("[1,]"), Raw("undefined"), Raw("1e2"), Raw("\ufeff1"),
    Raw("[" + "0," * 20000 + "0]"), Raw('{"a":' * 500 + "1" + "}" * 500),
)  # fmt: skip
EXTREME_WHOLE = (0, 1, -1, 2, 3, 4, 127, 255, 65_535, 2**31 - 1, -(2**31), 2**62, -(2**63))
EXTREME_REAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, 0.25, 1e-9, 1 + 1e-9, 2.0, 1e308, -1e308, 5e-324, float("nan"),
    float("inf"), float("-inf"), 1e16,
)  # fmt: skip


# -- taking apart and putting together ----------------------------------------------------------


def take_apart(content: bytes) -> tuple[dict[str, Any], list[np.ndarray[Any, Any]]]:
    """Return the manifest and the arrays of a sound model file."""
    first, *rest = read_entries(content)
    manifest = json.loads(first.read())
    arrays = [
        np.frombuffer(entry.read(), dtype=DTYPES[said["dtype"]]).reshape(said["shape"]).copy()
        for entry, said in zip(rest, manifest["arrays"], strict=True)
    ]
    return manifest, arrays


def forge(manifest: dict[str, Any], arrays: Sequence[np.ndarray[Any, Any]]) -> bytes:
    """Return a file in which checksums, shapes and sizes agree with the arrays."""
    buffers = [array.tobytes() for array in arrays]
    said = [
        {
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "sha256": hashlib.sha256(buffer).hexdigest(),
        }
        for array, buffer in zip(arrays, buffers, strict=True)
    ]
    return pack_entries(_json({**manifest, "arrays": said}), buffers)


def _json(value: Any) -> bytes:
    return _text(value).encode("utf-8", "surrogatepass")


def _text(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json.dumps(k)}:{_text(v)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    return json.dumps(value)


# -- bytes --------------------------------------------------------------------------------------


def mutate_bytes(rng: random.Random, corpus: Corpus) -> bytes:
    """Damage a file as disks, networks and editors do."""
    content = bytearray(rng.choice(corpus))
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        rng.choice(_BYTE_DAMAGES)(rng, content, corpus)
    return bytes(content)


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
            with _no_warning():
                archive.writestr(info, content, compress_type=method)
        if not plain:
            archive.comment = rng.choice((b"", b"a comment"))
    return out.getvalue()


class _no_warning:  # noqa: N801
    """zipfile warns of doubled names, which are the point here."""

    def __enter__(self) -> None:
        import warnings

        self._caught = warnings.catch_warnings()
        self._caught.__enter__()
        warnings.simplefilter("ignore")

    def __exit__(self, *problem: object) -> None:
        self._caught.__exit__(None, None, None)


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


# -- manifest -----------------------------------------------------------------------------------


def mutate_manifest(rng: random.Random, corpus: Corpus) -> bytes:
    """Edit the JSON at random depth; the container is sound."""
    first, *rest = read_entries(rng.choice(corpus))
    manifest = json.loads(first.read(), object_pairs_hook=Pairs)
    other = json.loads(read_entries(rng.choice(corpus))[0].read(), object_pairs_hook=Pairs)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _edit_json(rng, manifest, other)
    arrays = [entry.read() for entry in rest]
    if rng.random() < 0.1:
        rng.shuffle(arrays)
    return pack_entries(_json(manifest), arrays)


def _edit_json(rng: random.Random, manifest: Any, other: Any) -> None:
    spots = list(_spots(manifest))
    parent, place = rng.choice(spots)
    is_pairs = isinstance(parent, Pairs)
    key, value = parent[place] if is_pairs else ("", parent[place])
    how = rng.randrange(8)
    if how == 0:
        del parent[place]
        return
    if how == 1:
        parent.insert(place, copy.deepcopy(parent[place]))
        return
    if how == 2 and is_pairs:
        parent[place] = (rng.choice(("", "a", "$array", "name", "kind", "extra", key + "x")), value)
        return
    if how == 3 and is_pairs:
        parent.append((rng.choice(("a", "extra", "unit", "timezone", "categories")), _nasty(rng)))
        return
    there, elsewhere = rng.choice(list(_spots(other)) if how == 4 else spots)
    new = there[elsewhere] if how in (4, 5) else _nasty(rng)
    if how in (4, 5) and isinstance(there, Pairs):
        new = new[1]
    if how == 6:
        new = _near(rng, value)
    new = copy.deepcopy(new)
    parent[place] = (key, new) if is_pairs else new


def _spots(value: Any) -> Any:
    """Yield every (container, place) inside a JSON value."""
    if not isinstance(value, list):
        return
    for place, item in enumerate(value):
        yield value, place
        yield from _spots(item[1] if isinstance(value, Pairs) else item)


def _nasty(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(NASTY))


def _near(rng: random.Random, value: Any) -> Any:
    """Return a value that is almost the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((value + 1, value - 1, -value, float(value), str(value), bool(value)))
    if isinstance(value, float):
        return rng.choice((-value, value * 2, value + 1e-9, int(value), str(value)))
    if isinstance(value, str):
        return rng.choice(
            (value + "x", value[:-1], value.upper(), value[::-1], [value], value + "\0")
        )
    return [value]


# -- arrays -------------------------------------------------------------------------------------


def mutate_arrays(rng: random.Random, corpus: Corpus) -> bytes:
    """Change values; checksums, shapes and sizes are right again."""
    manifest, arrays = take_apart(rng.choice([c for c in corpus if len(read_entries(c)) > 1]))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        rng.choice(_ARRAY_EDITS)(rng, manifest, arrays)
    return forge(manifest, arrays)


def _one_value(rng: random.Random, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    array = rng.choice(arrays)
    if array.size == 0:
        return
    place = rng.randrange(array.size)
    with np.errstate(all="ignore"):
        array.reshape(-1)[place] = _value_for(rng, array, array.reshape(-1)[place])


def _value_for(rng: random.Random, array: np.ndarray[Any, Any], old: Any) -> Any:
    if rng.random() < 0.3:
        return rng.choice(array.reshape(-1).tolist())
    if array.dtype.kind == "f":
        near = (float(old) + 1, -float(old), float(old) * (1 + 1e-12), float(old) + 1e-7)
        return rng.choice((*EXTREME_REAL, *near))
    whole = rng.choice((*EXTREME_WHOLE, int(old) + 1, int(old) - 1))
    return np.array(whole % 2**64, dtype=np.uint64).astype(array.dtype)


def _swap(rng: random.Random, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    flat = rng.choice(arrays).reshape(-1)
    if len(flat) > 1:
        one, two = rng.randrange(len(flat)), rng.randrange(len(flat))
        flat[[one, two]] = flat[[two, one]]


def _fill(rng: random.Random, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    array = rng.choice(arrays)
    if array.size:
        array[...] = _value_for(rng, array, array.reshape(-1)[0])


def _add_nodes(rng: random.Random, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    """Repeat or remove a row in all arrays that have one for each node."""
    length = len(arrays[-1])
    row, times = rng.randrange(max(1, length)), rng.choice((0, 2, 3, 50))
    repeats = np.ones(length, dtype=int)
    repeats[row : row + 1] = times
    for place, array in enumerate(arrays):
        if len(array) == length:
            arrays[place] = np.repeat(array, repeats, axis=0)


def _resize(rng: random.Random, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    place = rng.randrange(len(arrays))
    shape = list(arrays[place].shape)
    axis = rng.randrange(len(shape))
    shape[axis] = max(0, shape[axis] + rng.choice((-1, 1, 2, 100)))
    arrays[place] = np.resize(arrays[place], shape)


def _raw_byte(rng: random.Random, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    place = rng.randrange(len(arrays))
    content = bytearray(arrays[place].tobytes())
    if content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        old = arrays[place]
        arrays[place] = np.frombuffer(bytes(content), dtype=old.dtype).reshape(old.shape).copy()


def _chain(rng: random.Random, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    """Grow a deep tree out of a stump: every second node tests again, as a fit of trees would."""
    names = [name for name, value in manifest["fitted"].items() if isinstance(value, dict)]
    by_name = dict(zip(names, arrays, strict=False))
    if "first_child" not in by_name or len(by_name["kind"]) < 3:
        return
    depth = rng.choice((2, 3, 40, 3000))
    n_nodes = 2 * depth + 1
    inner = np.arange(n_nodes) % 2 == 0
    inner[-1] = False
    numbers = np.arange(n_nodes)
    new = {
        "kind": np.where(inner, 1, 0),
        "feature": np.where(inner, 0, -1),
        "threshold": np.where(inner, 1.0, 0.0),
        "first_child": np.where(inner, numbers + 1, -1),
        "n_children": np.where(inner, 2, 0),
        "missing_branch": np.where(inner, rng.choice((-1, 0, 1)), -1),
        "pool_offset": np.zeros(n_nodes),
        "pool": np.zeros(0),
        "weight": np.ones(n_nodes),
        "value": np.repeat(by_name["value"][:1], n_nodes, axis=0),
    }
    for place, name in enumerate(names):
        if name in new:
            arrays[place] = new[name].astype(arrays[place].dtype)


def _with_schema(rng: random.Random, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    """Change the columns under a tree that tests them."""
    columns = manifest["schema"]["columns"]
    column = rng.choice(columns)
    how = rng.randrange(4)
    if how == 0 and "categories" in column:
        column["categories"] = column["categories"][: rng.randrange(3)]
    elif how == 1 and "categories" in column:
        column["categories"] = [*column["categories"], "one more"]
    elif how == 2:
        columns.remove(column)
    else:
        rng.shuffle(columns)


_ARRAY_EDITS: tuple[Callable[..., None], ...] = (
    _one_value, _one_value, _one_value, _one_value, _swap, _fill, _add_nodes, _resize, _raw_byte,
    _chain, _with_schema,
)  # fmt: skip


# -- layout -------------------------------------------------------------------------------------


def mutate_layout(rng: random.Random, corpus: Corpus) -> bytes:
    """Declare other dtypes and shapes; the bytes may or may not be made to fit."""
    manifest, arrays = take_apart(rng.choice([c for c in corpus if len(read_entries(c)) > 1]))
    buffers = [array.tobytes() for array in arrays]
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.randrange(len(arrays))
        said = manifest["arrays"][place]
        if rng.random() < 0.5:
            said["dtype"] = rng.choice(
                (*DTYPES, "object", "O", "float16", "<f8", "U4", "void", "", 3, None, [])
            )
        if rng.random() < 0.6:
            said["shape"] = rng.choice(_shapes(rng, said["shape"]))
        if rng.random() < 0.6:
            buffers[place] = _fitting(said, buffers[place])
            said["sha256"] = hashlib.sha256(buffers[place]).hexdigest()
    return pack_entries(_json(manifest), buffers)


def _shapes(rng: random.Random, shape: list[int]) -> list[Any]:
    return [
        [], [0], [1], [0, 0], [0, 2**39], [2**39, 0], [2**32, 2**32], [2**40], [-1], [-1, -1],
        [*shape, 1], [1, *shape], shape[::-1], [1, 1, *shape], [True], [1.0], ["1"], None, 3, {},
        [shape], [rng.randrange(9)], [rng.randrange(9), rng.randrange(4)], [2**63], [2**20, 2**20],
    ]  # fmt: skip


def _fitting(said: dict[str, Any], buffer: bytes) -> bytes:
    """Return as many bytes as dtype and shape ask for, if that is a sensible number."""
    try:
        size = np.dtype(said["dtype"]).itemsize * int(np.prod(said["shape"], dtype=object))
    except (TypeError, ValueError):
        return buffer
    return (buffer * (size // max(1, len(buffer)) + 1))[:size] if 0 <= size < 10_000 else buffer


MUTATE: dict[str, Callable[[random.Random, Corpus], bytes]] = {
    "bytes": mutate_bytes,
    "container": mutate_container,
    "manifest": mutate_manifest,
    "arrays": mutate_arrays,
    "layout": mutate_layout,
}
