"""Saving: a fitted model becomes one file, which appears whole or not at all.

1. Take the model apart: class, parameters, schema, fitted values (``Estimator._pack``).
2. Check it as ``load`` would: what could not be read back is refused now, not later.
3. Write a new file in the same folder, then let it take the name in one step.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import __version__
from branchline._atomic_file import replacing
from branchline._base import Estimator
from branchline._saving._classes import name_of
from branchline._saving._container import pack_entries
from branchline._saving._manifest import (
    DTYPES,
    FORMAT_VERSION,
    FORMAT_WITH_ERRORS,
    read_manifest,
    write_manifest,
)
from branchline._saving._read import ARRAY_MARK, rebuild
from branchline._saving._values import to_json
from branchline.errors import ModelFileError, Repair

__all__ = ["parameters_of", "save", "to_bytes"]

_JOBLIB = Repair("import joblib\njoblib.dump(model, 'model.joblib')")


def save(model: Estimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to ``path``; the file appears whole or not at all."""
    model._check_fitted()
    content = to_bytes(model)
    try:
        _refuse_place(Path(path).expanduser().resolve())
        with replacing(path) as file:
            file.write(content)
    except ModelFileError:
        raise
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        raise _unwritable(path, getattr(error, "strerror", None) or str(error)) from error


def to_bytes(model: Estimator) -> bytes:
    """Return the bytes of a model's file; the same model gives the same bytes."""
    arrays: list[npt.NDArray[Any]] = []
    manifest = {
        "format": FORMAT_VERSION,
        "branchline": __version__,
        "class": name_of(model),
        "parameters": parameters_of(model),
        "schema": model.schema_.to_json(),
        "fitted": {name: _packed(name, value, arrays) for name, value in model._pack().items()},
    }
    errors = getattr(model, "prediction_errors_", None)
    if errors is not None:
        manifest["format"] = FORMAT_WITH_ERRORS
        manifest["errors"] = _packed("errors", errors.to_state(), arrays)
    buffers = [np.ascontiguousarray(a, dtype=DTYPES[a.dtype.name]).tobytes() for a in arrays]
    manifest["arrays"] = [_declared(*pair) for pair in zip(arrays, buffers, strict=True)]
    try:
        text = write_manifest(manifest)
        rebuild(read_manifest(text), arrays)
    except ModelFileError as error:
        raise _cannot_be_saved(error.message) from error
    except ValueError as error:  # infinite numbers, halves of surrogate pairs
        raise _cannot_be_saved(f"{error}.") from error
    return pack_entries(text, buffers)


def _declared(array: npt.NDArray[Any], buffer: bytes) -> dict[str, Any]:
    return {
        "dtype": array.dtype.name,
        "shape": list(array.shape),
        "sha256": hashlib.sha256(buffer).hexdigest(),
    }


def _packed(name: str, value: Any, arrays: list[npt.NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        return {key: _packed(f"{name}: {key}", part, arrays) for key, part in value.items()}
    if isinstance(value, list):
        return [_packed(name, part, arrays) for part in value]
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.name not in DTYPES:
        raise _cannot_be_saved(
            f"{name!r} are {value.dtype.name}; only text, numbers and booleans can be saved."
        )
    arrays.append(value)
    return {ARRAY_MARK: len(arrays) - 1}


def parameters_of(model: Estimator) -> dict[str, Any]:
    """Return a model's parameters as JSON."""
    return {name: _plain(name, value) for name, value in model.get_params(deep=False).items()}


def _plain(name: str, value: Any) -> Any:
    try:
        return to_json(value, name_of)
    except TypeError as error:
        raise _cannot_be_saved(f"The parameter {name!r} is a {error}.") from error


def _cannot_be_saved(why: str) -> ModelFileError:
    return ModelFileError(
        f"This model cannot be written to a model file. {why}", code="M006", repair=_JOBLIB
    )


def _refuse_place(target: Path) -> None:
    """Refuse a folder that is not there, and to replace a folder or a device by a file."""
    if not target.parent.is_dir():
        raise _unwritable(target, f"the folder {target.parent} does not exist")
    if target.exists() and not target.is_file():
        raise _unwritable(target, "a folder or a device has that name")


def _unwritable(path: Any, why: str) -> ModelFileError:
    return ModelFileError(
        f"{path}: the model file cannot be written ({why}). Nothing was changed.", code="M009"
    )
