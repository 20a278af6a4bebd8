"""Saving models: one zip file of a manifest and raw arrays; no code, no pickle.

``manifest.json`` holds the format version, the estimator's class (a name of ``_CLASSES``), its
parameters, its schema, its fitted values, and for every array its dtype, shape and checksum. Arrays
are little-endian bytes in entries ``arrays/0``, ``arrays/1``, ….

Loading refuses, in this order: what is not such a zip; entries that are declared twice, not declared
or larger than ``max_bytes`` in all; malformed JSON; classes that are not on the list; arrays whose
checksum differs; parameters, schemas and fitted values that no fit could have produced.
"""

import hashlib
import io
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from branchline import __version__
from branchline._base import Estimator
from branchline._validation import check_parameters
from branchline.errors import ModelFileError, ParameterError, Repair
from branchline.table import Schema

__all__ = ["FORMAT_VERSION", "MAX_BYTES", "load", "save"]

FORMAT_VERSION = 1
MAX_BYTES = 2**32

_CLASSES = {
    "MajorityClassifier": "branchline.baseline",
    "MeanRegressor": "branchline.baseline",
    "StumpClassifier": "branchline.tree",
    "StumpRegressor": "branchline.tree",
}
_DTYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in (
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float32",
        "float64",
    )
}
_MANIFEST = "manifest.json"
_MAX_MANIFEST = 2**26
_ARRAY_MARK = "$array"
_SMALL = 128  # bytes below which compressing an entry makes it larger


def save(model: Estimator, path: str | Path) -> None:
    """Write a fitted model to ``path``; the file appears whole or not at all."""
    model._check_fitted()
    content = _to_bytes(model)
    target = Path(path)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: str | Path | IO[bytes], *, max_bytes: int = MAX_BYTES) -> Any:
    """Read a model written by ``model.save``.

    Any file gives either a model that is safe to use or a ``ModelFileError``.

    Parameters
    ----------
    path
        The file, or an open binary file.
    max_bytes
        The most bytes the model may take in memory.
    """
    content = path.read() if hasattr(path, "read") else Path(path).read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            manifest, arrays = _read_entries(archive, max_bytes)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ModelFileError(
            f"This is not a Branchline model file: {error}.", code="M001"
        ) from error
    return _rebuild(manifest, arrays)


# -- writing ----------------------------------------------------------------------------------


def _to_bytes(model: Estimator) -> bytes:
    arrays: list[npt.NDArray[Any]] = []
    manifest = {
        "format": FORMAT_VERSION,
        "branchline": __version__,
        "class": _name_on_list(model),
        "parameters": {
            name: _plain_parameter(name, value)
            for name, value in model.get_params(deep=False).items()
        },
        "schema": model.schema_.to_json(),
        "fitted": {name: _packed(value, arrays) for name, value in model._pack().items()},
    }
    buffers = [np.ascontiguousarray(a, dtype=_DTYPES[a.dtype.name]).tobytes() for a in arrays]
    manifest["arrays"] = [
        {
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "sha256": hashlib.sha256(buffer).hexdigest(),
        }
        for array, buffer in zip(arrays, buffers, strict=True)
    ]
    return _zipped(manifest, buffers)


def _zipped(manifest: dict[str, Any], buffers: list[bytes]) -> bytes:
    out = io.BytesIO()
    text = json.dumps(manifest, separators=(",", ":"), allow_nan=False).encode()
    with zipfile.ZipFile(out, "w") as archive:
        _add(archive, _MANIFEST, text)
        for place, buffer in enumerate(buffers):
            _add(archive, f"arrays/{place}", buffer)
    return out.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    # A fixed date: the same model gives the same bytes.
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    how = zipfile.ZIP_STORED if len(content) < _SMALL else zipfile.ZIP_DEFLATED
    archive.writestr(entry, content, compress_type=how)


def _name_on_list(model: Estimator) -> str:
    name = type(model).__name__
    if _CLASSES.get(name) is None or _class_of(name) is not type(model):
        raise ModelFileError(
            f"{name} is not one of Branchline's own estimators, so it has no model file.",
            code="M006",
            repair=Repair("import joblib\njoblib.dump(model, 'model.joblib')"),
        )
    return name


def _plain_parameter(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ModelFileError(
        f"The parameter {name!r} is a {type(value).__name__}, which a model file cannot hold.",
        code="M006",
        repair=Repair("import joblib\njoblib.dump(model, 'model.joblib')"),
    )


def _packed(value: Any, arrays: list[npt.NDArray[Any]]) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    arrays.append(value)
    return {_ARRAY_MARK: len(arrays) - 1}


# -- reading ----------------------------------------------------------------------------------


def _read_entries(
    archive: zipfile.ZipFile, max_bytes: int
) -> tuple[dict[str, Any], list[npt.NDArray[Any]]]:
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise ModelFileError("The model file names an entry twice.", code="M002")
    if sum(entry.file_size for entry in entries) > max_bytes:
        raise ModelFileError(
            f"The model needs more than the {max_bytes} bytes allowed.",
            code="M003",
            repair=Repair("branchline.load(path, max_bytes=2**36)"),
        )
    if _MANIFEST not in names:
        raise ModelFileError("This is not a Branchline model file: no manifest.", code="M001")
    manifest = _read_manifest(archive)
    declared = manifest["arrays"]
    if set(names) != {_MANIFEST, *(f"arrays/{place}" for place in range(len(declared)))}:
        raise ModelFileError("The model file has entries it does not declare.", code="M002")
    arrays = [_read_array(archive, place, entry) for place, entry in enumerate(declared)]
    return manifest, arrays


def _read_manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    entry = archive.getinfo(_MANIFEST)
    if entry.file_size > _MAX_MANIFEST:
        raise ModelFileError("The manifest is too large.", code="M003")
    try:
        manifest = json.loads(
            _read_exactly(archive, _MANIFEST, entry.file_size), object_pairs_hook=_no_double_keys
        )
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"The manifest is not JSON: {error}.", code="M002") from error
    wanted = {"format": int, "class": str, "parameters": dict, "fitted": dict, "arrays": list}
    if not isinstance(manifest, dict) or not all(
        isinstance(manifest.get(name), kind) for name, kind in wanted.items()
    ):
        raise ModelFileError("The manifest lacks its parts.", code="M002")
    if manifest["format"] != FORMAT_VERSION:
        raise ModelFileError(
            f"The model file has format {manifest['format']}; this version reads {FORMAT_VERSION}.",
            code="M007",
            repair=Repair("pip install --upgrade branchline"),
        )
    return manifest


def _no_double_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ModelFileError("The manifest names a key twice.", code="M002")
    return made


def _read_exactly(archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    """Read an entry, but never more than it declares: a small file must not unpack to a large one."""
    with archive.open(name) as file:
        content = file.read(size + 1)
    if len(content) != size:
        raise ModelFileError(f"The entry {name!r} is not as long as it says.", code="M002")
    return content


def _read_array(archive: zipfile.ZipFile, place: int, entry: Any) -> npt.NDArray[Any]:
    dtype, shape = _declared_layout(entry)
    size = dtype.itemsize
    for extent in shape:
        size *= extent
    name = f"arrays/{place}"
    if archive.getinfo(name).file_size != size:
        raise ModelFileError(f"The array {place} is not as long as it says.", code="M002")
    content = _read_exactly(archive, name, size)
    if hashlib.sha256(content).hexdigest() != entry.get("sha256"):
        raise ModelFileError(f"The checksum of array {place} is wrong.", code="M002")
    array = np.frombuffer(content, dtype=dtype).reshape(shape)
    return array.astype(dtype.newbyteorder("="), copy=True)


def _declared_layout(entry: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
    shape = entry.get("shape") if isinstance(entry, dict) else None
    valid = (
        isinstance(shape, list)
        and len(shape) <= 2
        and all(type(extent) is int and 0 <= extent < 2**40 for extent in shape)
        and entry.get("dtype") in _DTYPES
    )
    if not valid:
        raise ModelFileError("An array's declaration is malformed.", code="M002")
    return _DTYPES[entry["dtype"]], tuple(shape)


def _rebuild(manifest: Mapping[str, Any], arrays: list[npt.NDArray[Any]]) -> Estimator:
    model = _unfitted(manifest)
    schema = Schema.from_json(manifest.get("schema"))
    if len(schema) == 0:
        raise ModelFileError("The schema has no columns.", code="M004")
    packed = {name: _unpacked(value, arrays) for name, value in manifest["fitted"].items()}
    fitted = dict(model._unpack(packed, schema))
    fitted.update(schema_=schema, n_features_in_=len(schema))
    if schema.named:
        fitted["feature_names_in_"] = np.array(schema.names, dtype=object)
    vars(model).update(fitted)
    return model


def _unfitted(manifest: Mapping[str, Any]) -> Estimator:
    name = manifest["class"]
    if name not in _CLASSES:
        raise ModelFileError(f"{name!r} is not a Branchline estimator.", code="M002")
    kind, parameters = _class_of(name), manifest["parameters"]
    if set(parameters) != set(kind().get_params(deep=False)):
        raise ModelFileError(f"The parameters are not those of {name}.", code="M002")
    model: Estimator = kind(**parameters)
    try:
        check_parameters(name, parameters, kind._constraints)
    except ParameterError as error:
        raise ModelFileError(
            f"The model file has a bad parameter. {error.message}", code="M002"
        ) from error
    return model


def _unpacked(value: Any, arrays: list[npt.NDArray[Any]]) -> Any:
    if not isinstance(value, dict):
        return value
    place = value.get(_ARRAY_MARK)
    if type(place) is not int or not 0 <= place < len(arrays):
        raise ModelFileError("The manifest refers to an array that is not there.", code="M002")
    return arrays[place]


def _class_of(name: str) -> Any:
    return getattr(import_module(_CLASSES[name]), name)
