"""Optional libraries: imported when a file needs them; when absent, the pip command is printed."""

import importlib
from typing import Any

from branchline.errors import MissingExtra, Repair

__all__ = ["need_extra"]


def need_extra(module: str, extra: str, what: str) -> Any:
    """Return an optional library, or say how it is installed."""
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        command = f"pip install 'branchline[{extra}]'"
        raise MissingExtra(
            f"Reading {what} needs the library {module}, which is not installed.",
            code="X001",
            repair=Repair(command, command),
        ) from problem
