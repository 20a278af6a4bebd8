"""A space packed for a model file, and checked when it comes back.

Numbers: a row for each column (place, exponent, mean, spread, size, missing_distance). Levels:
their points as one run of floats, and for each column its place and its number of coordinates.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from branchline._state import array_from_state, malformed, numbers_from_state
from branchline.neighbors._many_numbers import MANY, many_of
from branchline.neighbors._number_points import NumberPoints
from branchline.neighbors._responses import Numbers
from branchline.neighbors._space import LevelPoints, Space
from branchline.table import Schema

__all__ = ["pack_space", "unpack_space"]

_NUMBER_FIELDS = 6
# No fit exceeds this: weights reach 1e6, numbers 2^24 (scale="none"), missing values 2^20.
_LARGEST = 1e24
_MOST_EXPONENT = 1100


def pack_space(space: Space) -> dict[str, Any]:
    """Return the space as arrays."""
    numbers = [part for part in space.parts if isinstance(part, NumberPoints)]
    levels = [part for part in space.parts if isinstance(part, LevelPoints)]
    rows = [(p.place, p.exponent, p.mean, p.spread, p.size, p.missing_distance) for p in numbers]
    shapes = [(part.place, part.width) for part in levels]
    return {
        "number_points": np.array(rows, dtype=np.float64).reshape(-1, _NUMBER_FIELDS),
        "level_shapes": np.array(shapes, dtype=np.int64).reshape(-1, 2),
        "level_points": np.concatenate([np.zeros(0), *(p.points.ravel() for p in levels)]),
        "unit": space.unit,
    }


def unpack_space(state: Mapping[str, Any], schema: Schema) -> Space:
    """Return the space, checked against the schema."""
    unit = state.get("unit")
    if type(unit) is not int or abs(unit) > _MOST_EXPONENT:
        raise malformed("'unit' is not an exponent")
    parts: list[NumberPoints | LevelPoints] = [
        *_number_parts(state, schema),
        *_level_parts(state, schema),
    ]
    places = [part.place for part in parts]
    if len(set(places)) < len(places):
        raise malformed("a column has two places in the distance")
    ordered = tuple(sorted(parts, key=lambda part: part.place))
    plain = [p for p in ordered if isinstance(p, NumberPoints) and p.is_plain]
    if len(plain) == len(ordered) >= MANY:
        return Space(many_of(plain), unit)
    return Space(ordered, unit)


def _number_parts(state: Mapping[str, Any], schema: Schema) -> list[NumberPoints]:
    rows: Any = state.get("number_points")
    is_block = isinstance(rows, np.ndarray) and rows.dtype == np.float64 and rows.ndim == 2
    if not is_block or rows.shape[1] != _NUMBER_FIELDS or not np.isfinite(rows).all():
        raise malformed("'number_points' is not a block of finite numbers")
    return [_number_part(row, schema) for row in np.asarray(rows).tolist()]


def _number_part(row: list[float], schema: Schema) -> NumberPoints:
    place, exponent, mean, spread, size, missing_distance = row
    if place not in range(len(schema)) or schema.fields[int(place)].type.kind != "numeric":
        raise malformed("'number_points' names no numeric column")
    if exponent != int(exponent) or abs(exponent) > _MOST_EXPONENT:
        raise malformed("'number_points' holds no exponent")
    sound = (
        abs(mean) <= 1
        and 0 < spread <= 2
        and 0 <= size <= _LARGEST
        and 0 <= missing_distance <= _LARGEST
    )
    if not sound or size + missing_distance == 0:
        raise malformed("'number_points' has values out of range")
    return NumberPoints(int(place), int(exponent), mean, spread, size, missing_distance)


def _level_parts(state: Mapping[str, Any], schema: Schema) -> list[LevelPoints]:
    shapes: Any = state.get("level_shapes")
    is_block = isinstance(shapes, np.ndarray) and shapes.dtype == np.int64 and shapes.ndim == 2
    if not is_block or shapes.shape[1] != 2:
        raise malformed("'level_shapes' is not a block of whole numbers")
    points = array_from_state(state, "level_points", np.dtype(np.float64))
    parts, at = [], 0
    for place, width in np.asarray(shapes).tolist():
        if place not in range(len(schema)) or schema.fields[place].type.kind != "category":
            raise malformed("'level_shapes' names no category column")
        n_levels = len(schema.fields[place].type.categories or ()) + 1
        if not 1 <= width <= max(1, len(points)) or at + n_levels * width > len(points):
            raise malformed("'level_points' are too few")
        parts.append(LevelPoints(place, _checked(points[at : at + n_levels * width], width)))
        at += n_levels * width
    if at != len(points):
        raise malformed("'level_points' are too many")
    return parts


def _checked(points: Numbers, width: int) -> Numbers:
    run = {"level_points": np.array(points)}
    sound = numbers_from_state(
        run, "level_points", length=len(points), low=-_LARGEST, high=_LARGEST
    )
    return sound.reshape(-1, width)
