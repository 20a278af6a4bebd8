"""The studio: the table, the comparison, the tree and the margin in a browser, on this machine."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchline.studio._serve import serve

_HOME_OF_NAME = {"serve": "_serve"}

__all__ = ["serve"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _HOME_OF_NAME:
        from importlib import import_module

        return getattr(import_module(f"branchline.studio.{_HOME_OF_NAME[name]}"), name)
    raise AttributeError(f"module 'branchline.studio' has no attribute {name!r}")
