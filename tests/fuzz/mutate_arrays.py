"""Forged arrays: other values, dtypes and shapes, with checksums and sizes made right again."""

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from branchline._saving._container import pack_entries, read_entries
from branchline._saving._manifest import DTYPES
from fuzz.mutate_manifest import write_json

__all__ = [
    "fitted_values", "forge", "forge_fitted", "mutate_arrays", "mutate_layout", "take_apart",
]  # fmt: skip

Array: TypeAlias = np.ndarray[Any, Any]
Corpus: TypeAlias = Sequence[bytes]

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
    return pack_entries(write_json({**manifest, "arrays": said}), buffers)


def fitted_values(content: bytes) -> dict[str, Any]:
    """Return the fitted values of a file by name, arrays in place of references at any depth."""
    manifest, arrays = take_apart(content)
    return {name: _with_arrays(value, arrays) for name, value in manifest["fitted"].items()}


def forge_fitted(manifest: dict[str, Any], fitted: dict[str, Any]) -> bytes:
    """Return a file with other fitted values, right in all that follows from them."""
    arrays: list[Array] = []
    return forge({**manifest, "fitted": _without_arrays(fitted, arrays)}, arrays)


def _with_arrays(value: Any, arrays: Sequence[Array]) -> Any:
    if isinstance(value, list):
        return [_with_arrays(part, arrays) for part in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$array"}:
        return arrays[value["$array"]]
    return {name: _with_arrays(part, arrays) for name, part in value.items()}


def _without_arrays(value: Any, arrays: list[Array]) -> Any:
    """Return a value with references in place of its arrays, which are put into ``arrays``."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"$array": len(arrays) - 1}
    if isinstance(value, list):
        return [_without_arrays(part, arrays) for part in value]
    if isinstance(value, dict):
        return {name: _without_arrays(part, arrays) for name, part in value.items()}
    return value


# -- arrays -------------------------------------------------------------------------------------


def mutate_arrays(rng: random.Random, corpus: Corpus) -> bytes:
    """Change values; checksums, shapes and sizes are right again."""
    manifest, arrays = take_apart(rng.choice([c for c in corpus if len(read_entries(c)) > 1]))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        rng.choice(_ARRAY_EDITS)(rng, manifest, arrays)
    return forge(manifest, arrays)


def _one_value(rng: random.Random, manifest: Any, arrays: list[Array]) -> None:
    array = rng.choice(arrays)
    if array.size == 0:
        return
    place = rng.randrange(array.size)
    with np.errstate(all="ignore"):
        array.reshape(-1)[place] = _value_for(rng, array, array.reshape(-1)[place])


def _value_for(rng: random.Random, array: Array, old: Any) -> Any:
    if rng.random() < 0.3:
        return rng.choice(array.reshape(-1).tolist())
    if array.dtype.kind == "f":
        near = (float(old) + 1, -float(old), float(old) * (1 + 1e-12), float(old) + 1e-7)
        return rng.choice((*EXTREME_REAL, *near))
    whole = rng.choice((*EXTREME_WHOLE, int(old) + 1, int(old) - 1))
    return np.array(whole % 2**64, dtype=np.uint64).astype(array.dtype)


def _swap(rng: random.Random, manifest: Any, arrays: list[Array]) -> None:
    flat = rng.choice(arrays).reshape(-1)
    if len(flat) > 1:
        one, two = rng.randrange(len(flat)), rng.randrange(len(flat))
        flat[[one, two]] = flat[[two, one]]


def _fill(rng: random.Random, manifest: Any, arrays: list[Array]) -> None:
    array = rng.choice(arrays)
    if array.size:
        array[...] = _value_for(rng, array, array.reshape(-1)[0])


def _repeat_rows(rng: random.Random, manifest: Any, arrays: list[Array]) -> None:
    """Repeat or remove a place in all arrays of one length."""
    length = rng.choice([len(array) for array in arrays])
    row, times = rng.randrange(max(1, length)), rng.choice((0, 2, 3, 50))
    repeats = np.ones(length, dtype=int)
    repeats[row : row + 1] = times
    for place, array in enumerate(arrays):
        if len(array) == length:
            arrays[place] = np.repeat(array, repeats, axis=0)


def _resize(rng: random.Random, manifest: Any, arrays: list[Array]) -> None:
    place = rng.randrange(len(arrays))
    shape = list(arrays[place].shape)
    axis = rng.randrange(len(shape))
    shape[axis] = max(0, shape[axis] + rng.choice((-1, 1, 2, 100)))
    arrays[place] = np.resize(arrays[place], shape)


def _raw_byte(rng: random.Random, manifest: Any, arrays: list[Array]) -> None:
    place = rng.randrange(len(arrays))
    content = bytearray(arrays[place].tobytes())
    if content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        old = arrays[place]
        arrays[place] = np.frombuffer(bytes(content), dtype=old.dtype).reshape(old.shape).copy()


def _with_schema(rng: random.Random, manifest: Any, arrays: list[Array]) -> None:
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
    _one_value, _one_value, _one_value, _one_value, _swap, _fill, _repeat_rows, _resize, _raw_byte,
    _with_schema,
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
            said["shape"] = rng.choice(_shapes(rng, list(arrays[place].shape)))
        if rng.random() < 0.6:
            buffers[place] = _fitting(said, buffers[place])
            said["sha256"] = hashlib.sha256(buffers[place]).hexdigest()
    return pack_entries(write_json(manifest), buffers)


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
