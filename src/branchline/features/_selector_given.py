"""A selector as a parameter of a model, and as a part of its file."""

from typing import Any

from branchline._saving._read import restore
from branchline._state import malformed
from branchline.features._selector import Selector
from branchline.features._selector_names import SELECTOR_NAMES
from branchline.table import Schema

__all__ = ["SelectorGiven", "selector_from_state"]


class SelectorGiven:
    """The constraint of a selector: a name with an optional number, or a selector."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` could be a selector."""
        return isinstance(value, str | Selector)

    def describe(self) -> str:
        """Say in words what is allowed."""
        return f"a selector of branchline.features or a name: {', '.join(SELECTOR_NAMES)}"


def selector_from_state(packed: Any, schema: Schema) -> Selector:
    """Return the fitted selector that a model's file describes, checked."""
    parts = {"class": str, "parameters": dict, "fitted": dict}
    if not isinstance(packed, dict) or set(packed) != set(parts):
        raise malformed("the selector lacks a part, or has one too many")
    if any(type(packed[name]) is not kind for name, kind in parts.items()):
        raise malformed("a part of the selector is malformed")
    found = restore(packed["class"], packed["parameters"], schema.to_json(), packed["fitted"])
    if not isinstance(found, Selector) or not found.support_.any():
        raise malformed("there is no selector that chose columns")
    return found
