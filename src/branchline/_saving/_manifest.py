"""The manifest: what a model file says about itself, as strict JSON.

1. UTF-8 text of limited size; no key twice, no NaN or infinity, no whole number beyond 64 bits, no
   half of a surrogate pair.
2. An object with exactly the keys of ``_PARTS``, and in format 2 also that of ``_ERRORS``; another
   format version is refused first.
3. ``arrays`` declares each array: dtype (one of ``DTYPES``), shape (at most two extents), SHA-256.
"""

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._saving._container import damaged
from branchline.errors import ModelFileError, Repair

__all__ = [
    "BYTES_PER_LETTER",
    "DTYPES",
    "FORMAT_VERSION",
    "FORMAT_WITH_ERRORS",
    "Layout",
    "layout_of",
    "read_manifest",
    "write_manifest",
]

FORMAT_VERSION = 1
# A model that knows its errors on unseen rows: its file has one part more.
FORMAT_WITH_ERRORS = 2
# The most memory that one byte of JSON may turn into ("{}," is an object of 64 bytes).
BYTES_PER_LETTER = 32

_MOST_BYTES = 2**26
# Parsing takes its time for each value and more for each list or object: seconds, not minutes.
_MOST_PIECES = 2**23
_PIECES_PER_LIST = 8

DTYPES = {
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
_PARTS = {
    "format": int,
    "branchline": str,
    "class": str,
    "parameters": dict,
    "schema": dict,
    "fitted": dict,
    "arrays": list,
}
_ERRORS = {"errors": dict}


@dataclass(frozen=True, slots=True)
class Layout:
    """What the manifest declares about an array."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    sha256: str

    @property
    def n_bytes(self) -> int:
        """The size of the array."""
        return math.prod(self.shape) * self.dtype.itemsize


def write_manifest(manifest: dict[str, Any]) -> bytes:
    """Return the manifest as JSON."""
    text = json.dumps(manifest, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.encode("utf-8")


def read_manifest(content: bytes) -> dict[str, Any]:
    """Return the manifest's parts, each of its type."""
    manifest = _parse(content)
    if not isinstance(manifest, dict):
        raise damaged("the manifest is not an object")
    _check_version(manifest.get("format"))
    parts = {**_PARTS, **(_ERRORS if manifest["format"] == FORMAT_WITH_ERRORS else {})}
    if set(manifest) != set(parts):
        raise damaged("the manifest lacks a part, or has one too many")
    for name, kind in parts.items():
        if type(manifest[name]) is not kind:
            raise damaged(f"the part {name!r} of the manifest is malformed")
    return manifest


def layout_of(entry: Any) -> Layout:
    """Return the declared layout of an array."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "sha256"}:
        raise damaged("an array's declaration is malformed")
    dtype, shape, sha256 = entry["dtype"], entry["shape"], entry["sha256"]
    valid = (
        isinstance(dtype, str)
        and dtype in DTYPES
        and isinstance(shape, list)
        and len(shape) <= 2
        and all(type(extent) is int and 0 <= extent < 2**40 for extent in shape)
        and isinstance(sha256, str)
    )
    if not valid:
        raise damaged("an array's declaration is malformed")
    return Layout(DTYPES[dtype], tuple(shape), sha256)


def _check_version(version: Any) -> None:
    if type(version) is not int or version < 1:
        raise damaged("the manifest does not say which format it has")
    if version > FORMAT_WITH_ERRORS:
        raise ModelFileError(
            f"The model file has format {version}; this version of Branchline reads formats up to "
            f"{FORMAT_WITH_ERRORS}.",
            code="M007",
            repair=Repair("pip install --upgrade branchline"),
        )


def _parse(content: bytes) -> Any:
    n_lists = content.count(b"[") + content.count(b"{")
    n_pieces = content.count(b",") + _PIECES_PER_LIST * n_lists
    if len(content) > _MOST_BYTES or n_pieces > _MOST_PIECES:
        raise ModelFileError("The manifest is too large: there are too many names.", code="M003")
    try:
        manifest = _DECODER.decode(content.decode("utf-8"))
        # A half of a surrogate pair, written as an escape, is text that no file can hold.
        json.dumps(manifest, ensure_ascii=False).encode("utf-8")
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise damaged("the manifest is not JSON") from error
    return manifest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise damaged("the manifest names a key twice")
    return made


def _whole(digits: str) -> int:
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64:
        raise damaged("the manifest holds a whole number beyond 64 bits")
    return int(digits)


def _real(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise damaged("the manifest holds a number beyond all bounds")
    return number


def _no_constant(name: str) -> float:
    raise damaged(f"the manifest holds {name}, which is not a number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_int=_whole, parse_float=_real, parse_constant=_no_constant
)
