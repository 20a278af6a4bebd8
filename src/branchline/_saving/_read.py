"""Loading: any bytes give a model that is safe to use, or one ``ModelFileError``.

1. Read at most ``max_bytes``; say so when the file is absent, a folder, or a pickle.
2. Check the container (``_container``) and that everything it declares fits into ``max_bytes``.
3. Read the manifest (``_manifest``), make the unfitted estimator (``_classes``), read the arrays.
4. Check the schema and every fitted value: what no fit could have produced is refused.
"""

import hashlib
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from branchline._base import Estimator
from branchline._prediction_errors import errors_from_state
from branchline._saving._classes import unfitted
from branchline._saving._container import MANIFEST, Entry, damaged, read_entries
from branchline._saving._manifest import BYTES_PER_LETTER, layout_of, read_manifest
from branchline._state import column_attributes, malformed
from branchline._validation import Whole, check_parameters
from branchline.errors import ModelFileError, Repair
from branchline.table import Schema

__all__ = ["ARRAY_MARK", "MAX_BYTES", "load", "rebuild", "restore"]

MAX_BYTES = 2**32
ARRAY_MARK = "$array"
_VALUES = ("fitted", "errors")  # the parts of a manifest that hold arrays

# A tree's arrays are packed into as little as a sixth of what the tree takes in memory.
_UNPACKED = 6

# Models stand inside models, a few deep; no fit nests its values deeper.
_DEEPEST = 40

_PIECE = 2**24
_TABLES = (".csv", ".tsv", ".tab", ".txt", ".xlsx", ".xls", ".ods", ".json", ".parquet", ".arff")
_PICKLES = (*(bytes((0x80, version)) for version in range(1, 6)), b"ccopy_reg\n", b"ccopyreg\n")
# zlib, gzip, bzip2, xz, lzma, lz4: how joblib packs its pickles.
_ZLIB = tuple(b"\x78" + level for level in (b"\x01", b"\x5e", b"\x9c", b"\xda"))
_PACKED = (*_ZLIB, b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x5d\0\0", b"\x04\x22\x4d\x18")


def load(path: str | os.PathLike[str] | IO[bytes], *, max_bytes: int = MAX_BYTES) -> Any:
    """Read a model written by ``model.save``.

    Any file gives either a model that is safe to use or a ``ModelFileError``. Files made by pickle
    or joblib are never read: they can run code.

    Parameters
    ----------
    path
        The file, or an open binary file.
    max_bytes
        The most bytes the model may take in memory: 6 for each byte of its packed arrays, and 32
        for each byte of its manifest. The file itself may not be larger either; reading it takes
        at most four times as much memory.

    Raises
    ------
    ModelFileError
        When the file cannot be read, or is not a model that a fit could have produced.

    See Also
    --------
    Schema : names, kinds and categories of a table's columns, in order.
    make : return an unfitted estimator, ready for a mixed table.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline import load, load_dataset
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.branchline"
    >>> DecisionTreeClassifier().fit(X, y).save(path)
    >>> round(load(path).score(X, y), 2)
    0.96
    """
    check_parameters("load", {"max_bytes": max_bytes}, {"max_bytes": Whole(1)})
    allowed = min(int(max_bytes), sys.maxsize - 1)
    content = _content_of(path, allowed)
    _refuse_other_formats(content, path)
    entries = read_entries(content)
    needed = BYTES_PER_LETTER * entries[0].size
    needed += _UNPACKED * sum(entry.size for entry in entries[1:])
    if needed > allowed:
        raise _too_large(needed, allowed)
    manifest = read_manifest(entries[0].read())
    return rebuild(manifest, _arrays(manifest["arrays"], entries[1:]))


def rebuild(manifest: Mapping[str, Any], arrays: Sequence[npt.NDArray[Any]]) -> Estimator:
    """Return the model that a manifest and its arrays describe, every value checked."""
    values = _unpacked({name: manifest[name] for name in _VALUES if name in manifest}, arrays)
    model = restore(manifest["class"], manifest["parameters"], manifest["schema"], values["fitted"])
    if "errors" in values:
        classes = getattr(model, "classes_", None)
        n_classes = None if classes is None else len(classes)
        model.prediction_errors_ = errors_from_state(values["errors"], n_classes)
    return model


def restore(name: str, parameters: Any, columns: Any, packed: dict[str, Any]) -> Estimator:
    """Return a fitted model made of its class's name, parameters, schema and packed values."""
    model = unfitted(name, parameters)
    schema = Schema.from_json(columns)
    if len(schema) == 0:
        raise ModelFileError("The schema has no columns.", code="M004")
    fitted = dict(model._unpack(packed, schema))
    model.__dict__.update(fitted, **column_attributes(schema))
    deepest, depth_of = getattr(model, "max_depth", None), getattr(model, "get_depth", None)
    if deepest is not None and depth_of is not None and depth_of() > deepest:
        raise malformed(f"the tree is deeper than {deepest}")
    if set(model._pack()) != set(packed):
        raise malformed("there are values that no part of the model uses")
    return model


# -- the file ---------------------------------------------------------------------------------


def _content_of(path: Any, limit: int) -> bytes:
    is_open = callable(getattr(path, "read", None))
    name = str(getattr(path, "name", "<open file>") if is_open else path)
    if not is_open and not isinstance(path, str | os.PathLike):
        needed = "a path or an open binary file is needed; bytes go into io.BytesIO"
        raise _unreadable(f"<{type(path).__name__}>", needed)
    try:
        if is_open:
            return _read_at_most(path, name, limit)
        place = Path(path).expanduser()
        _refuse_special(place.stat().st_mode, name)
        with place.open("rb") as file:
            return _read_at_most(file, name, limit)
    except ModelFileError:
        raise
    except FileNotFoundError:
        raise _unreadable(name, "there is no such file") from None
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        raise _unreadable(name, getattr(error, "strerror", None) or str(error)) from error


def _refuse_special(mode: int, name: str) -> None:
    """Refuse a path that is not an ordinary file: reading a pipe or a device might never end."""
    if not stat.S_ISREG(mode):
        raise _unreadable(name, "is a folder" if stat.S_ISDIR(mode) else "is not an ordinary file")


def _read_at_most(file: IO[bytes], name: str, limit: int) -> bytes:
    """Read to the end, but not more than ``limit`` bytes, whatever size the file claims."""
    pieces, length = [], 0
    while piece := file.read(min(_PIECE, limit + 1 - length)):
        if not isinstance(piece, bytes):
            raise _unreadable(name, "it was not opened in binary mode ('rb')")
        pieces.append(piece)
        length += len(piece)
        if length > limit:
            raise _too_large(length, limit)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _refuse_other_formats(content: bytes, path: object) -> None:
    if content.startswith(b"PK\3\4") and content.startswith(MANIFEST.encode(), 30):
        return
    if content.startswith(_PICKLES):
        what = "It is a pickle. Branchline never unpickles a file: a pickle can run any code."
    elif content.startswith(_PACKED):
        what = (
            "It is a compressed file, perhaps a pickle made by joblib. Branchline never unpickles "
            "a file: a pickle can run any code."
        )
    elif not content:
        what = "It is empty."
    elif _may_be_table(path):
        what = "It looks like a table: were the model and the table swapped? The model comes first."
    else:
        what = "It does not begin like one."
    name = str(path) if isinstance(path, str | os.PathLike) else "This"
    raise ModelFileError(
        f"{name} is not a Branchline model file. {what}",
        code="M001",
        repair=Repair(
            'model.save("m.branchline")\nmodel = branchline.load("m.branchline")',
            "branchline predict MODEL TABLE" if _may_be_table(path) else None,
        ),
    )


def _may_be_table(path: object) -> bool:
    """Whether the name of a file ends as those of tables do."""
    return isinstance(path, str | os.PathLike) and str(path).lower().endswith(_TABLES)


def _unreadable(name: str, why: str) -> ModelFileError:
    return ModelFileError(f"{name}: the model file cannot be read ({why}).", code="M008")


def _too_large(needed: int, allowed: int) -> ModelFileError:
    return ModelFileError(
        f"The model needs {needed} bytes or more; {allowed} are allowed.",
        code="M003",
        repair=Repair(f"branchline.load(path, max_bytes={needed})"),
    )


# -- the arrays -------------------------------------------------------------------------------


def _arrays(declared: Sequence[Any], entries: Sequence[Entry]) -> list[npt.NDArray[Any]]:
    if len(declared) != len(entries):
        raise damaged("it has more or fewer arrays than it declares")
    return [_array(*pair) for pair in zip(declared, entries, strict=True)]


def _array(declared: Any, entry: Entry) -> npt.NDArray[Any]:
    layout = layout_of(declared)
    if layout.n_bytes != entry.size:
        raise damaged(f"the array {entry.name} is not as long as it says")
    content = entry.read()
    if hashlib.sha256(content).hexdigest() != layout.sha256:
        raise damaged(f"the checksum of the array {entry.name} is wrong")
    if layout.dtype == np.bool_ and content.strip(b"\0\1"):
        raise malformed("a truth value is neither true nor false")
    array = np.frombuffer(content, dtype=layout.dtype).reshape(layout.shape)
    return array.astype(layout.dtype.newbyteorder("="), copy=True)


def _unpacked(fitted: Mapping[str, Any], arrays: Sequence[npt.NDArray[Any]]) -> dict[str, Any]:
    """Return the fitted values with arrays in place of references; each array is used once."""
    places = iter(range(len(arrays)))
    packed = {name: _with_arrays(value, arrays, places) for name, value in fitted.items()}
    if next(places, None) is not None:
        raise damaged("it has arrays that nothing refers to")
    return packed


def _with_arrays(
    value: Any, arrays: Sequence[npt.NDArray[Any]], places: Iterator[int], depth: int = 0
) -> Any:
    """Return a value with its references, in order, replaced by the arrays they stand for."""
    if depth > _DEEPEST:
        raise damaged("its fitted values are too deep")
    if isinstance(value, list):
        return [_with_arrays(part, arrays, places, depth + 1) for part in value]
    if not isinstance(value, dict):
        return value
    if set(value) != {ARRAY_MARK}:
        return {key: _with_arrays(part, arrays, places, depth + 1) for key, part in value.items()}
    place, following = value[ARRAY_MARK], next(places, None)
    if type(place) is not int or place != following:
        raise damaged("the manifest refers to an array that is not there")
    return arrays[place]
