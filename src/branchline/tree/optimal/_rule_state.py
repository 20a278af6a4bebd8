"""Packing a list of rules for a model file, and refusing packed lists that no fit could have made.

Packed are the conditions one after the other (column, bounds, categories, missing), how many of
them each rule has, and the units of each class that each rule and the default were learned from.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline._state import array_from_state, malformed, number_from_state
from branchline._trees._costs import decide
from branchline.table import Schema
from branchline.tree.reading._conditions import Condition
from branchline.tree.reading._rule_list import Rule, RuleList

__all__ = ["make_rule_list", "pack_rules", "unpack_rules"]

Conditions = tuple[tuple[Condition, ...], ...]

_MOST_UNITS = 2.0**53


def make_rule_list(
    conditions: Conditions,
    content: npt.NDArray[np.int64],
    unit: float,
    schema: Schema,
    classes: npt.NDArray[Any],
    *,
    costs: npt.NDArray[np.float64] | None,
) -> RuleList:
    """Return the rules whose rows have ``content`` units of each class; the default is last."""
    value = content / content.sum(axis=1, keepdims=True)
    decided = decide(value, costs)
    rules = [
        Rule.of(
            conditions[place] if place < len(conditions) else (),
            value=value[place],
            variance=np.empty(0),
            support=float(content[place].sum() * unit),
            decided=int(decided[place]),
            classes=classes,
            node=place,
            otherwise=place > 0,
        )
        for place in range(len(content))
    ]
    return RuleList(tuple(rules[:-1]), rules[-1], schema, classes, is_ordered=True)


def pack_rules(rules: RuleList, content: npt.NDArray[np.int64], unit: float) -> dict[str, Any]:
    """Return the values that make up a list of rules, by name."""
    flat = [condition for rule in rules for condition in rule.conditions]
    codes = [condition.codes or () for condition in flat]
    bounds = [[condition.above, condition.at_most] for condition in flat]
    position = rules.schema.position
    return {
        "n_conditions": np.array([len(rule.conditions) for rule in rules], dtype=np.int64),
        "column": np.array([position[condition.column] for condition in flat], dtype=np.int64),
        "bounds": np.array(bounds, dtype=np.float64).reshape(-1),
        "takes_missing": np.array([condition.missing for condition in flat], dtype=np.int64),
        "n_codes": np.array([len(each) for each in codes], dtype=np.int64),
        "codes": np.array([code for each in codes for code in each], dtype=np.int64),
        "content": np.ravel(content),
        "unit": float(unit),
    }


def unpack_rules(
    state: Mapping[str, Any], schema: Schema, n_classes: int
) -> tuple[Conditions, npt.NDArray[np.int64], float]:
    """Return conditions, contents and unit, refusing values that no fit could have produced."""
    unit = number_from_state(state, "unit")
    if not 2.0**-64 <= unit <= 1 or math.frexp(unit)[0] != 0.5:
        raise malformed("a unit of weight is not a power of two from 2^−64 to 1")
    n_conditions = array_from_state(state, "n_conditions", UNITS)
    if len(n_conditions) > 6 or (n_conditions < 1).any() or (n_conditions > 2).any():
        raise malformed("a list has more than 6 rules, or rules that are not of 1 or 2 conditions")
    flat = _conditions(state, schema, int(n_conditions.sum()))
    ends = np.cumsum(n_conditions).tolist()
    grouped = tuple(
        tuple(flat[end - size : end]) for end, size in zip(ends, n_conditions.tolist(), strict=True)
    )
    n_rules = len(grouped) + 1
    content = array_from_state(state, "content", UNITS, length=n_rules * n_classes)
    content = content.reshape(n_rules, n_classes)
    if (content < 0).any() or (content.sum(axis=1, dtype=np.float64) < 1).any():
        raise malformed("a rule's weight is not above 0")
    if content.sum(dtype=np.float64) >= _MOST_UNITS:
        raise malformed("rules weigh more than any table")
    return grouped, content, unit


def _conditions(state: Mapping[str, Any], schema: Schema, n: int) -> list[Condition]:
    column, takes_missing, n_codes = (
        array_from_state(state, name, UNITS, length=n)
        for name in ("column", "takes_missing", "n_codes")
    )
    bounds = array_from_state(state, "bounds", np.dtype(np.float64), length=2 * n)
    if (
        (column < 0).any()
        or (column >= len(schema)).any()
        or not np.isin(takes_missing, (0, 1)).all()
    ):
        raise malformed("a condition is about a column that does not exist")
    if np.isnan(bounds).any() or (n_codes < 0).any():
        raise malformed("a condition has bounds that are not numbers")
    codes = array_from_state(state, "codes", UNITS)
    if len(codes) != n_codes.sum():
        raise malformed("a condition's categories are not complete")
    parts = np.split(codes, np.cumsum(n_codes)[:-1]) if n else []
    return [
        _one_condition(schema, int(place), bounds[2 * k : 2 * k + 2], parts[k], takes_missing[k])
        for k, place in enumerate(column.tolist())
    ]


def _one_condition(
    schema: Schema, place: int, bounds: npt.NDArray[np.float64], codes: Any, missing: Any
) -> Condition:
    name, kind = schema.names[place], schema.fields[place].type
    if kind.kind == "category":
        names = kind.categories or ()
        known = codes.tolist()
        if known != sorted(set(known)) or any(not 0 <= code < len(names) for code in known):
            raise malformed("a condition names a category that does not exist")
        return Condition(name, codes=tuple(known), missing=bool(missing), type=kind)
    if len(codes):
        raise malformed("a condition on numbers names categories")
    above, at_most = bounds.tolist()
    return Condition(name, above=above, at_most=at_most, missing=bool(missing), type=kind)
