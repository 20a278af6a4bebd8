"""Results as data that JSON has: null for numbers it does not know, text for dates."""

import math
from typing import Any

__all__ = ["plain_data"]


def plain_data(value: Any) -> Any:
    """Return data that JSON has."""
    if isinstance(value, dict):
        return {str(key): plain_data(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(part) for part in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return plain_data(value.tolist()) if hasattr(value, "tolist") else str(value)
