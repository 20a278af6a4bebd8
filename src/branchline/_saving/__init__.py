"""Saving models: one zip file of a manifest and raw arrays; no code, no pickle."""

from branchline._saving._manifest import FORMAT_VERSION
from branchline._saving._read import MAX_BYTES, load
from branchline._saving._write import save

__all__ = ["FORMAT_VERSION", "MAX_BYTES", "load", "save"]
